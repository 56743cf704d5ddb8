"""Facts -> findings -> one verdict. Pure; severity comes from the policy, never from an LLM."""

from app.verdict.advice import Advice, Draft, Edit, apply_edits, find_candidates
from app.verdict.judge import find_word, judge
from app.verdict.observe import observe
from app.verdict.policy import find_weakening
from app.verdict.prompt import SYSTEM, render_prompt
from app.verdict.reading import ANSWER_SCHEMA, NoReading, Reading, parse_answer
from app.verdict.rule import Rule
from app.verdict.rules import RULES, find_config_finding
from app.verdict.soften import Blocked, find_blocked, find_cleared, soften, stand
from app.verdict.title import render_title
from app.verdict.verdict import Finding, Verdict, Word
from app.verdict.witness import Amendment, Ground, verify_witness

__all__ = [
    "ANSWER_SCHEMA",
    "RULES",
    "SYSTEM",
    "Advice",
    "Amendment",
    "Blocked",
    "Draft",
    "Edit",
    "Finding",
    "Ground",
    "NoReading",
    "Reading",
    "Rule",
    "Verdict",
    "Word",
    "apply_edits",
    "find_blocked",
    "find_candidates",
    "find_cleared",
    "find_config_finding",
    "find_weakening",
    "find_word",
    "judge",
    "observe",
    "parse_answer",
    "render_prompt",
    "render_title",
    "soften",
    "stand",
    "verify_witness",
]
