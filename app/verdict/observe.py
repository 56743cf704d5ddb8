"""`mode: observe`: everything is judged and told, and nothing blocks."""

from __future__ import annotations

from dataclasses import replace

from app.verdict.title import clip
from app.verdict.verdict import Verdict


def observe(verdict: Verdict) -> Verdict:
    """The same findings under a neutral check, whose title says what would have happened. Observing twice is observing once."""
    if verdict.observed is not None:
        return verdict
    ended = {"failure": "this would fail", "neutral": "this would be neutral", "success": "this would pass"}
    title = clip(f"Observing only; {ended[verdict.conclusion]}: {verdict.title}")
    return replace(verdict, word="warn", title=title, observed=verdict.word)
