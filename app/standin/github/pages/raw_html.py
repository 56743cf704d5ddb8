"""HTML that a stranger wrote, and HTML that came out of Markdown, made harmless by building it anew.

Nothing is passed through: a parser reads it, and what is written is a tag this module knows, or escaped text. So no
difference between this parser and a browser's can let anything else out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Final

#: what people may write as HTML inside Markdown; attributes are dropped
RAW: Final = frozenset({"b", "br", "code", "details", "kbd", "sub", "summary", "sup"})
#: what Markdown itself makes, beside those
_MADE: Final = frozenset(
    {
        *("a", "blockquote", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"),
        *("span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    }
)
_VOID: Final = frozenset({"br", "hr"})
CLASSES: Final = frozenset(
    {
        "markdown-alert",
        "markdown-alert-caution",
        "markdown-alert-important",
        "markdown-alert-note",
        "markdown-alert-title",
        "markdown-alert-tip",
        "markdown-alert-warning",
        *("add", "del", "source", "suggestion"),
    }
)
_LINK: Final = re.compile(r"https?://[^\s]+|[/#][^\s]*", re.IGNORECASE)


def escape_tags(html: str) -> str:
    """A stranger's piece of HTML with every tag but those of `RAW` shown as text; comments vanish, as on GitHub."""
    return _fed(_RawTags(), html)


def rebuild(html: str, pictures: Sequence[str] = ()) -> str:
    """A whole document fragment, balanced: what was opened is closed, what was not opened is not closed.

    `<picture n="0">` stands for the first of `pictures`, which are put in as they are.
    """
    return _fed(_Balanced(pictures), html)


def _fed(parser: _Rebuilding, html: str) -> str:
    parser.feed(html)
    parser.close()
    parser.end()
    return "".join(parser.out)


class _Rebuilding(HTMLParser):
    """Collects in `out` what its handlers make of the parts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []

    def set_cdata_mode(self, elem: str, *, escapable: bool = False) -> None:
        """Never: an unclosed <script> would take all that follows for its text."""

    def handle_data(self, data: str) -> None:
        self.out.append(escape(data, quote=False))

    def handle_decl(self, decl: str) -> None:
        self.out.append(escape(f"<!{decl}>", quote=False))

    def handle_pi(self, data: str) -> None:
        self.out.append(escape(f"<?{data}>", quote=False))

    def unknown_decl(self, data: str) -> None:
        self.out.append(escape(f"<![{data}]>", quote=False))

    def end(self) -> None:
        """Called once, after the last part."""


class _RawTags(_Rebuilding):
    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        is_open = tag == "details" and any(name == "open" for name, _ in attrs)
        shown = f"<{tag} open>" if is_open else f"<{tag}>"
        self.out.append(shown if tag in RAW else escape(self.get_starttag_text() or "", quote=False))

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.out.append(f"</{tag}>" if tag in RAW else escape(f"</{tag}>", quote=False))


class _Balanced(_Rebuilding):
    def __init__(self, pictures: Sequence[str]) -> None:
        super().__init__()
        self._pictures = pictures
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "picture":
            self._put_picture(given.get("n", ""))
        elif tag in RAW | _MADE:
            self.out.append(f"<{tag}{_attributes(tag, given)}>")
            if tag not in _VOID:
                self._open.append(tag)
        else:
            self.out.append(escape(self.get_starttag_text() or "", quote=False))

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while (last := self._open.pop()) != tag:
                self.out.append(f"</{last}>")
            self.out.append(f"</{tag}>")

    def end(self) -> None:
        self.out += [f"</{tag}>" for tag in reversed(self._open)]

    def _put_picture(self, number: str) -> None:
        if re.fullmatch(r"\d{1,4}", number) and int(number) < len(self._pictures):
            self.out.append(self._pictures[int(number)])


def _attributes(tag: str, given: Mapping[str, str]) -> str:
    parts = []
    if tag == "a" and _LINK.fullmatch(given.get("href", "")):
        parts.append(f' href="{escape(given["href"])}" rel="nofollow noreferrer"')
    if tag == "details" and "open" in given:
        parts.append(" open")
    if tag == "ol" and re.fullmatch(r"\d{1,9}", given.get("start", "")):
        parts.append(f' start="{given["start"]}"')
    if tag in ("td", "th") and (found := re.fullmatch(r"text-align:(left|right|center)", given.get("style", ""))):
        parts.append(f' class="{found[1]}"')  # style attributes are closed to the page by its own policy
    known = " ".join(name for name in given.get("class", "").split() if name in CLASSES)
    return "".join(parts) + (f' class="{known}"' if known else "")
