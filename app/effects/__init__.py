"""What to do and what to say, as data. The performer (`app.review.publish`) carries it out; nothing here does I/O."""

from app.effects.back_fill import BackFill, Connection, ModelInputs, back_fill_json, back_fill_text, count
from app.effects.backtest import Backtest, Replayed, backtest_json, backtest_text, progress
from app.effects.bench import (
    Bench,
    BenchCase,
    Judged,
    Round,
    Share,
    Suite,
    bench_json,
    bench_text,
    measure,
    suite_json,
    suite_text,
)
from app.effects.bench_page import bench_html
from app.effects.check_run import render_check
from app.effects.comment import COMMENT_MARKER, render_comment, render_resolved_comment
from app.effects.evidence import permalink
from app.effects.incident import end_pull, incident_urn, merge_description, plan_incidents
from app.effects.kinds import (
    Annotation,
    CatalogOutcome,
    CheckOutput,
    Completeness,
    EdgeWrite,
    Incident,
    Performed,
    Permitted,
    ReviewFacts,
    ReviewSubject,
    Suggestion,
)
from app.effects.markdown import CHECK_BYTES, cut_bytes, escape
from app.effects.marks import (
    ACTOR,
    CONFIRMED_TAG,
    INFERRED_TAG,
    REJECTED_TAG,
    TAG_PROPERTIES,
    find_rejection,
    find_tags,
)
from app.effects.names import find_kind, find_name
from app.effects.privacy import may_see
from app.effects.report import report_json, report_text
from app.effects.rule_pages import find_rule_url, rule_page, rule_text, rules_json, rules_page, rules_text
from app.effects.sarif import report_sarif
from app.effects.suggestion import plan_suggestions
from app.effects.take_back import TakenBack, plan_retraction
from app.effects.what_if import ReachedModel, WhatIf, what_if_json, what_if_text
from app.effects.write_back import find_dataset, find_edge_aspect, holds_proofs, is_ours, plan_aspects, plan_edge_writes

__all__ = [
    "ACTOR",
    "CHECK_BYTES",
    "COMMENT_MARKER",
    "CONFIRMED_TAG",
    "INFERRED_TAG",
    "REJECTED_TAG",
    "TAG_PROPERTIES",
    "Annotation",
    "BackFill",
    "Backtest",
    "Bench",
    "BenchCase",
    "CatalogOutcome",
    "CheckOutput",
    "Completeness",
    "Connection",
    "EdgeWrite",
    "Incident",
    "Judged",
    "ModelInputs",
    "Performed",
    "Permitted",
    "ReachedModel",
    "Replayed",
    "ReviewFacts",
    "ReviewSubject",
    "Round",
    "Share",
    "Suggestion",
    "Suite",
    "TakenBack",
    "WhatIf",
    "back_fill_json",
    "back_fill_text",
    "backtest_json",
    "backtest_text",
    "bench_html",
    "bench_json",
    "bench_text",
    "count",
    "cut_bytes",
    "end_pull",
    "escape",
    "find_dataset",
    "find_edge_aspect",
    "find_kind",
    "find_name",
    "find_rejection",
    "find_rule_url",
    "find_tags",
    "holds_proofs",
    "incident_urn",
    "is_ours",
    "may_see",
    "measure",
    "merge_description",
    "permalink",
    "plan_aspects",
    "plan_edge_writes",
    "plan_incidents",
    "plan_retraction",
    "plan_suggestions",
    "progress",
    "render_check",
    "render_comment",
    "render_resolved_comment",
    "report_json",
    "report_sarif",
    "report_text",
    "rule_page",
    "rule_text",
    "rules_json",
    "rules_page",
    "rules_text",
    "suite_json",
    "suite_text",
    "what_if_json",
    "what_if_text",
]
