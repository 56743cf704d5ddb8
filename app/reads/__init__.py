"""Which columns does that SQL really use. The one SQL engine; pure, picklable, runs in a killable child process."""

from app.reads.by_place import find_by_place
from app.reads.client_text import plain_text
from app.reads.fold import fold, fold_table
from app.reads.statement import ColumnRef, Output, Read, Rival, Statement, Unreadable
from app.reads.statements import find_reads, read_statements
from app.reads.tokenize import find_tokens
from app.reads.tsql import find_starts
from app.reads.words import find_words, has_hole

__all__ = [
    "ColumnRef",
    "Output",
    "Read",
    "Rival",
    "Statement",
    "Unreadable",
    "find_by_place",
    "find_reads",
    "find_starts",
    "find_tokens",
    "find_words",
    "fold",
    "fold_table",
    "has_hole",
    "plain_text",
    "read_statements",
]
