"""Comments, summaries and descriptions as GitHub shows them: its Markdown with tables, alerts, folds and drawn trails.

The Markdown is read by markdown-it-py. HTML in it is escaped but for a few tags (`raw_html.RAW`), and the whole is built
anew and balanced before it goes into a page. A picture's address is not asked for: its description stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.standin.github.pages.raw_html import escape_tags, rebuild
from app.standin.github.pages.trail import draw_graph, parse_graph


def render_markdown(text: str) -> str:
    """HTML that is safe to put between two tags of a page."""
    pictures: list[str] = []
    html = str(_MARKDOWN.render(text, {"pictures": pictures}))
    return f'<div class="markdown">{rebuild(html, pictures)}</div>'


def _raw(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return escape_tags(tokens[index].content)


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return escape(tokens[index].content)


def _fence(_self: Any, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    content, language = tokens[index].content, tokens[index].info.strip().partition(" ")[0].lower()
    match language:
        case "mermaid" if (graph := parse_graph(content)) is not None:
            env["pictures"].append(draw_graph(graph))
            return f'<picture n="{len(env["pictures"]) - 1}">\n'
        case "diff":
            return f'<pre class="source">{_diff(content)}</pre>\n'
        case "suggestion":
            lines = "".join(f'<span class="add">{escape(line)}\n</span>' for line in content.splitlines())
            return f'<pre class="source suggestion">{lines}</pre>\n'
        case _:
            return f'<pre class="source">{escape(content)}</pre>\n'


def _diff(content: str) -> str:
    """Each line in a span that is as wide as the block, coloured by its mark."""
    marks = {"+": ' class="add"', "-": ' class="del"'}
    return "".join(f"<span{marks.get(line[:1], '')}>{escape(line)}\n</span>" for line in content.splitlines())


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": True, "breaks": True, "alerts": True})
    reader.enable(["table", "strikethrough"])
    for name, rule in (("html_block", _raw), ("html_inline", _raw), ("image", _image), ("fence", _fence)):
        reader.add_render_rule(name, rule)
    return reader


_MARKDOWN: Final = _reader()
