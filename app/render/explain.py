"""A failure of a template -> one sentence for its author, with the line of the template where it came up."""

from __future__ import annotations

from types import TracebackType

from jinja2 import TemplateSyntaxError


def explain(error: BaseException, path: str) -> tuple[str, int]:
    """The reason in one sentence, and the line of the template where it came up (1 where that is not known)."""
    line = error.lineno if isinstance(error, TemplateSyntaxError) else _find_line(error.__traceback__, path)
    at = f"line {line}: " if line else ""
    message = (str(error).splitlines() or [""])[0][:300]
    if isinstance(error, (RecursionError, MemoryError)):
        message = (
            "it is nested too deeply, or calls itself"
            if isinstance(error, RecursionError)
            else "it needs too much memory"
        )
    return f"{at}{message or type(error).__name__}", line or 1


def _find_line(trace: TracebackType | None, path: str) -> int | None:
    """Of the outermost frame that is the template itself: a macro's failure is told at the line that calls it."""
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == path and "debug_info" in frame.f_globals:
            return _template_line(str(frame.f_globals["debug_info"]), trace.tb_lineno)
        trace = trace.tb_next
    return None


def _template_line(debug: str, line: int) -> int | None:
    """Jinja writes `template line=python line` pairs, joined by `&`, in order."""
    found = None
    for pair in filter(None, debug.split("&")):
        source, _, python = pair.partition("=")
        if int(python) > line:
            break
        found = int(source)
    return found
