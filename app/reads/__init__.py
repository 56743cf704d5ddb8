"""Which columns does that SQL really use. The one SQL engine; pure, picklable, runs in a killable child process."""

from app.reads.statement import ColumnRef, Output, Read, Statement, Unreadable

__all__ = ["ColumnRef", "Output", "Read", "Statement", "Unreadable"]
