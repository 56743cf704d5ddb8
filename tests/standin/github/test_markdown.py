"""Markdown as the pages render it: what GitHub shows is shown, and hostile text cannot get out of its box."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.standin.github.pages.markdown import render_markdown

GOLDEN = Path(__file__).parents[2] / "effects" / "golden"
VOID = {"br", "hr"}
#: everything that may come out, attributes included; a trail's drawing has a test of its own
SAFE = {
    "a": {"href", "rel"},
    "details": {"open"},
    "ol": {"start"},
    **{tag: {"class"} for tag in ("div", "p", "pre", "span", "td", "th")},
    **{tag: set() for tag in ("b", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "kbd")},
    **{tag: set() for tag in ("li", "s", "strong", "sub", "summary", "sup", "table", "tbody", "thead", "tr", "ul")},
}  # fmt: skip


class Census(HTMLParser):
    """Every tag that a browser would see, and whether they close in the order they opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def census(html: str) -> Census:
    found = Census()
    found.feed(html)
    found.close()
    assert found.open == []
    return found


def check(text: str) -> Census:
    """Only safe tags with safe attributes, balanced, and links that lead to pages."""
    found = census(render_markdown(text))
    for tag, attributes in found.seen:
        assert tag in SAFE
        assert set(attributes) <= SAFE[tag]
        href = attributes.get("href")
        assert href is None or href.startswith(("http://", "https://", "/", "#"))
    return found


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script in a line": "a <script>alert(1)</script> b",
    "unclosed script": "<script>\n\n# never\n\nclosed",
    "style": "<style>body{display:none}</style>",
    "handler on an allowed tag": "<b onclick=alert(1)>x</b><details ontoggle=alert(1) open>",
    "image": "<img src=x onerror=alert(1)> ![x](http://e/x.png)",
    "svg": "<svg onload=alert(1)><a xlink:href=javascript:alert(1)>x</a></svg>",
    "frame": '<iframe src="//e"></iframe><object></object><embed><form action=//e><input><button>',
    "base": "<base href=//e><meta http-equiv=refresh content=0><link rel=stylesheet href=//e>",
    "javascript": "[x](javascript:alert(1)) [y](JaVaScRiPt&colon;alert(1)) <javascript:alert(1)> [z](  java\tscript:1)",
    "data": "[x](data:text/html,<script>) [y](data:image/png;base64,AAAA) [z](vbscript:x) [f](file:///etc/passwd)",
    "reference": "[x][y]\n\n[y]: javascript:alert(1) 'title'",
    "out of the box": "</div></article></main></body>",
    "unclosed details": "<details><summary>never closed\n\n- a\n  - b\n\n> c",
    "closed too often": "</details></details></summary></b>",
    "crossed": "<b><sub></b></sub> <details>\n\n- x </details>\n\n> y",
    "table parts": "<table><tr><td></table><li><p>",
    "picture of ours": '<picture n="0"> <picture n="999">',
    "comment": "<!-- hidden --> shown <!-- never closed",
    "doctype": "<!DOCTYPE html><?php x ?><![CDATA[ x ]]>",
    "tag in two lines": "<b\nonclick=x\n>x",
    "quotes": '[x](http://e/"onmouseover="alert(1)) [y](<http://e/ "> "t")',
    "plaintext": "<plaintext> <xmp> <noscript> <title> <textarea>\n\nafter",
    "math": "<math><mi//xlink:href='data:x,<script>'>",
    "nothing but opening": "<" * 50 + "<b" * 50 + "<details>" * 300,
    "nul": "<scr\0ipt>alert(1)</scr\0ipt>",
    "fence": "```html\n<script>alert(1)</script>\n``` \n```'onload=x\n<b>\n```",
    "alert": "> [!CAUTION]\n> <script>x</script> </div></div>\n> <details>",
    "diff": "```diff\n-<script>\n+</span></pre><b>\n```\n```suggestion\n</span><script>\n```",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_stays_in_its_box(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from([*HOSTILE.values(), "\n\n", "- ", "> ", "| a |\n| - |\n", "`", "```\n", "<", "*"])))
def test_hostile_texts_mixed_stay_in_their_box(parts: list[str]) -> None:
    check("".join(parts))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("comment_*.md")), ids=lambda path: path.stem)
def test_comments_of_tether_render_whole(path: Path) -> None:
    """Whatever Tether writes is shown, its picture drawn and its marker hidden."""
    html = render_markdown(path.read_text())
    found = census(html)

    assert "tether:review" not in html
    assert "```mermaid" not in found.text
    assert ("```mermaid" in path.read_text()) == ("<svg" in html)
    assert "flowchart" not in html


def test_what_is_not_allowed_is_shown_as_it_was_written() -> None:
    assert check("a <img src=x> <em>b</em> <!DOCTYPE html>").text.strip() == "a <img src=x> <em>b</em> <!DOCTYPE html>"
    assert check("[x](javascript:alert(1))").text.strip() == "[x](javascript:alert(1))"


def test_a_script_that_is_never_closed_takes_nothing_with_it() -> None:
    html = render_markdown("<script>\n</script>\n\n<xmp>\n\n**after**")

    assert "<strong>after</strong>" in html


@pytest.mark.parametrize("kind", ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"])
def test_alerts(kind: str) -> None:
    html = render_markdown(f"> [!{kind}]\n> **Look out**")

    assert f'<div class="markdown-alert markdown-alert-{kind.lower()}">' in html
    assert f'<p class="markdown-alert-title">{kind.capitalize()}</p>' in html
    assert "<strong>Look out</strong>" in html


def test_tables_keep_their_alignment() -> None:
    html = render_markdown("| a | b |\n| :- | -: |\n| `1` | 2 |")

    assert '<th class="left">a</th>' in html
    assert '<td class="right">2</td>' in html
    assert '<td class="left"><code>1</code></td>' in html


def test_folds_hold_markdown() -> None:
    html = render_markdown("<details><summary>More</summary>\n\n- `x`\n\n</details>\n\nafter")

    assert "<details><summary>More</summary>\n<ul>\n<li><code>x</code></li>\n</ul>\n</details>\n<p>after</p>" in html


def test_a_diff_is_coloured_by_its_marks() -> None:
    html = render_markdown("```diff\n-old <b>\n+new\n same\n```")

    assert '<span class="del">-old &lt;b&gt;\n</span><span class="add">+new\n</span><span> same\n</span>' in html


def test_lines_break_as_in_comments_and_links_go_out() -> None:
    assert "a<br>\nb" in render_markdown("a\nb")
    assert 'href="https://e.example/x?a=1&amp;b=2" rel="nofollow noreferrer"' in render_markdown(
        "[x](https://e.example/x?a=1&b=2)"
    )
