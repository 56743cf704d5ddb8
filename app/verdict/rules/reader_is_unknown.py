"""A statement or file may read what is lost, and what it reads or feeds could not be told.

Make the reader constant SQL, say which feature the file computes (`features: {TABLE.NAME: {sql: PATH}}` in `.tether.yml`), or
change it in the same pull request so that it no longer names what is lost.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="reader_is_unknown",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="pandas_reads_it",
    check=check_questions,
)
