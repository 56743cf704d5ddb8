"""What to do and what to say, as data. The performer (`app.job.perform`) carries it out; nothing here does I/O."""

from app.effects.check_run import render_check
from app.effects.comment import COMMENT_MARKER, render_comment, render_resolved_comment
from app.effects.kinds import (
    Annotation,
    CheckOutput,
    Completeness,
    EdgeWrite,
    Incident,
    Performed,
    ReviewFacts,
)
from app.effects.report import report_json, report_text

__all__ = [
    "COMMENT_MARKER",
    "Annotation",
    "CheckOutput",
    "Completeness",
    "EdgeWrite",
    "Incident",
    "Performed",
    "ReviewFacts",
    "render_check",
    "render_comment",
    "render_resolved_comment",
    "report_json",
    "report_text",
]
