"""Templates in which nothing is computed: `ref`, `source`, `this` and `config` with literal arguments, and no `{% %}`.

Most models are of this kind and need no Jinja. What stands here gives the same text as Jinja would: a test compares the two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.render.marks import CLOSE, OPEN, mark_lines

_TAG: Final = re.compile(r"(\{\{.*?\}\}|\{#.*?#\})", re.DOTALL)
_NAME: Final = r"""\s*(?:'([^'"\\{}]+)'|"([^'"\\{}]+)")\s*"""
_CALL: Final = re.compile(rf"\{{\{{\s*(ref|source)\({_NAME}(?:,{_NAME})?\)\s*\}}\}}")
_THIS: Final = re.compile(r"\{\{\s*this\s*\}\}")
_CONFIG: Final = re.compile(r"\{\{\s*config\((.*)\)\s*\}\}", re.DOTALL)
_WORDS: Final = {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}
_MAX_ARGUMENTS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """`call`: ref, source, this or "" for text; `args`: its names or the text; `line`: where it begins, 1-based."""

    call: str
    args: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Simple:
    pieces: tuple[Piece, ...]
    config: Mapping[str, Any]

    def marked(self, relations: Mapping[Piece, str]) -> str:
        """The rendered text with its marks, given what each call stands for."""
        return "".join(
            f"{OPEN}{piece.line}{CLOSE}{relations[piece]}" if piece.call else mark_lines(piece.args[0], piece.line)
            for piece in self.pieces
        )


def read_simple(text: str) -> Simple | None:
    """None: Jinja has to read it."""
    if "{%" in text or "\r" in text:
        return None
    pieces: list[Piece] = []
    config: dict[str, Any] = {}
    line = 1
    for part in _TAG.split(text):
        if part.startswith("{{"):
            piece = _read_call(part, line)
            arguments = None if piece is not None else _read_config(part)
            if piece is not None:
                pieces.append(piece)
            elif arguments is not None:
                config |= arguments
            else:
                return None
        elif part.startswith("{#"):
            if part.startswith(("{#-", "{#+")) or part.endswith(("-#}", "+#}")):
                return None
        elif "{{" in part or "{#" in part:
            return None
        elif part:
            pieces.append(Piece("", (part,), line))
        line += part.count("\n")
    return Simple(tuple(pieces), config)


def _read_call(tag: str, line: int) -> Piece | None:
    if _THIS.fullmatch(tag):
        return Piece("this", (), line)
    match = _CALL.fullmatch(tag)
    if match is None:
        return None
    names = tuple(name for name in match.groups()[1:] if name is not None)
    if match.group(1) == "source" and len(names) != 2:
        return None
    return Piece(match.group(1), names, line)


def _read_config(tag: str) -> dict[str, Any] | None:
    match = _CONFIG.fullmatch(tag)
    if match is None or len(match.group(1)) > _MAX_ARGUMENTS:
        return None
    try:
        call = ast.parse(f"f({match.group(1)})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # Jinja's own syntax
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        return None
    found: dict[str, Any] = {}
    for keyword in call.keywords:
        value = _read_literal(keyword.value)
        if keyword.arg is None or value is _NOTHING:
            return None
        found[keyword.arg] = value
    return found


_NOTHING: Final = object()


def _read_literal(node: ast.expr) -> Any:
    """_NOTHING where it is not one literal that means the same to Python and to Jinja."""
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id, _NOTHING)
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool)):
        return _NOTHING if isinstance(node.value, str) and "\\" in node.value else node.value
    if isinstance(node, ast.List):
        values = [_read_literal(item) for item in node.elts]
        return _NOTHING if any(value is _NOTHING for value in values) else values
    if isinstance(node, ast.Dict):
        pairs = [
            (_read_literal(k) if k is not None else _NOTHING, _read_literal(v))
            for k, v in zip(node.keys, node.values, strict=True)
        ]
        usable = all(isinstance(key, str) and value is not _NOTHING for key, value in pairs)
        return dict(pairs) if usable else _NOTHING
    return _NOTHING
