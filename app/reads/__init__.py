"""Which columns does that SQL really use. The one SQL engine; pure, picklable, runs in a killable child process."""

from app.reads.by_place import find_by_place
from app.reads.client_text import plain_text
from app.reads.expression import (
    Call,
    CaseWhen,
    Cast,
    Choice,
    Clause,
    ColumnLeaf,
    Constant,
    Expression,
    FoldedTree,
    Meaning,
    Name,
    StarLeaf,
    Subquery,
    change_clauses,
    change_leaves,
    find_columns,
    find_nodes,
    find_parts,
    fold_large,
)
from app.reads.fold import fold, fold_table
from app.reads.shown import show, show_change
from app.reads.statement import ColumnRef, Output, Read, Rival, Statement, Unreadable
from app.reads.statements import find_reads, read_statements
from app.reads.tokenize import find_tokens
from app.reads.tsql import find_starts
from app.reads.words import find_words, has_hole

__all__ = [
    "Call",
    "CaseWhen",
    "Cast",
    "Choice",
    "Clause",
    "ColumnLeaf",
    "ColumnRef",
    "Constant",
    "Expression",
    "FoldedTree",
    "Meaning",
    "Name",
    "Output",
    "Read",
    "Rival",
    "StarLeaf",
    "Statement",
    "Subquery",
    "Unreadable",
    "change_clauses",
    "change_leaves",
    "find_by_place",
    "find_columns",
    "find_nodes",
    "find_parts",
    "find_reads",
    "find_starts",
    "find_tokens",
    "find_words",
    "fold",
    "fold_large",
    "fold_table",
    "has_hole",
    "plain_text",
    "read_statements",
    "show",
    "show_change",
]
