"""Strangers' text comes out harmless, and cuts never break a character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.effects.markdown import code, cut_bytes, escape, fence, pack, plain

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
MARKS = st.text("`|\\<>@#$[]()*_~!&;-+=: \n\u202e\u200bab1", max_size=40)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("a\nb\tc", "a b c"),
        ("x\u202ey", "x⟨U+202E⟩y"),
        ("x\u200by", "x⟨U+200B⟩y"),
        ("x\u3164y", "x⟨U+3164⟩y"),
        ("x\ud800y", "x⟨U+D800⟩y"),
        ("x\x00y", "x⟨U+0000⟩y"),
        ("日本語 é", "日本語 é"),
    ],
)
def test_plain_shows_what_would_not_be_seen(given_text: str, expected: str) -> None:
    assert plain(given_text) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("@octocat", "@&#8203;octocat"),
        ("see #12", "see \\#&#8203;12"),
        ("see GH-12", "see GH-&#8203;12"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("[a](b)", "\\[a\\](b)"),
        ("https://x.example", "https\\://x.example"),
        ("www.x.example", "www\\.x.example"),
        ("a|b\\|c", "a&#124;b&#92;&#124;c"),
        ("1. one", "1\\. one"),
        ("- one", "\\- one"),
        ("> quote", "&gt; quote"),
        ("<!-- tether:review -->", "&lt;!-- tether:review --&gt;"),
    ],
)
def test_escape_takes_the_meaning_away(given_text: str, expected: str) -> None:
    assert escape(given_text) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("shop.orders", "`shop.orders`"),
        ("@octocat", "`@octocat`"),
        ("a`b", "<code>a&#96;b</code>"),
        ("a|b", "<code>a&#124;b</code>"),
        ("a\\", "<code>a&#92;</code>"),
        ("", "—"),
    ],
)
def test_code_spans_cannot_be_left(given_text: str, expected: str) -> None:
    assert code(given_text) == expected


@given(ANY | MARKS)
def test_a_code_span_is_one_span_on_one_line(text: str) -> None:
    span = code(text)

    assert re.fullmatch(r"—|`[^`|\\\n]+`|<code>[^<>`|\\\n@]+</code>", span)
    span.encode()


@given(ANY | MARKS)
def test_prose_holds_no_markup(text: str) -> None:
    prose = escape(text)

    assert not re.search(r"[<>|$\n\r]", prose)
    assert not re.search(r"(?<!\\)[`*_\[\]~]", prose)
    assert not re.search(r"[@#](?!&#8203;|\d+;)", prose)
    prose.encode()


@given(st.lists(ANY | MARKS, max_size=5))
def test_a_fence_ends_only_where_it_ends(lines: list[str]) -> None:
    block = fence(lines).split("\n")

    assert len(block) == len(lines) + 2
    assert re.fullmatch(r"`{3,}", block[0])
    assert not any(block[0] in line for line in block[1:-1])


@given(text=ANY, limit=st.integers(20, 120))
def test_cuts_hold_the_limit_and_break_no_character(text: str, limit: int) -> None:
    clean = plain(text) * 5

    cut = cut_bytes(clean, limit, "… more")

    assert len(cut.encode()) <= limit
    assert cut == clean or (cut.endswith("… more") and clean.startswith(cut.removesuffix("… more")))


@given(st.lists(st.text("aé", max_size=8), max_size=8), st.integers(0, 60))
def test_packing_loses_no_block(blocks: list[str], limit: int) -> None:
    kept, rest = pack(blocks, limit)

    assert (*kept, *rest) == tuple(blocks)
    assert len("\n\n".join(kept).encode()) <= limit
