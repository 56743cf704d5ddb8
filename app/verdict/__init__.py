"""Facts -> findings -> one verdict. Pure; severity comes from the policy, never from an LLM."""

from app.verdict.judge import find_word, judge
from app.verdict.observe import observe
from app.verdict.policy import find_weakening
from app.verdict.rule import Rule
from app.verdict.rules import RULES
from app.verdict.title import render_title
from app.verdict.verdict import Finding, Verdict, Word

__all__ = [
    "RULES",
    "Finding",
    "Rule",
    "Verdict",
    "Word",
    "find_weakening",
    "find_word",
    "judge",
    "observe",
    "render_title",
]
