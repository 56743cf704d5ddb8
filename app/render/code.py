"""Constant SQL in Python code -> SQL with a map to the lines of the `.py` file. The file is parsed, never run.

A string is SQL where a call or an argument says so (`read_sql`, `.sql`, `.execute`, `text`, `query=`, `sql=` ...), or where
a constant of a module, class or function, or what a function returns, begins like a statement and parses. Docstrings and
messages are not. A string with a part that is computed is refused by name (`why`), unless the part is shown to stand for a
value (see `code_assembly`); a file that this Python cannot parse says so.

What is left over. The SQL of a `.py` file decides what it reads; the rest of the file is code that nobody reads, and counts
by its words alone: whether it mentions a lost column and its relation. So the words of a file are those outside of the
strings that were read as SQL in full (`SqlText.spans`, taken out by `blank_read`). All strings that were refused, or turn
out to be unreadable, keep theirs, and so do those whose name goes to a function of unknown doing: it may make them longer.
SQL that proves or disproves a read is not doubted because the file is Python; DataFrame code that names the column and the
table is. A `SELECT *` hands the column on to code: that is the reader's affair.

Deliberately absent: migrations in Python (their strings are steps in an order), notebooks, constants of other files.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot.errors import SqlglotError

from app.render.code_assembly import Assembled, assemble, find_start
from app.render.code_cells import find_sql_cells
from app.render.code_fold import Folded, Folder, find_literals, find_operands
from app.render.code_literals import Atom, Hole, Part, Source, plain_code
from app.render.code_places import Spot, walk_spots
from app.render.code_scopes import Scopes
from app.render.sql_text import SqlText

MOST_CHARACTERS = 1_000_000  # a larger file is data; its tree takes hundreds of megabytes
MOST_BRACES = 20_000  # Python 3.11 takes a quadratic time for the placeholders of one f-string: 13 s for 100,000
MOST_PARSED = 100_000  # characters of constants that are parsed here for no more than to see whether they are SQL
MOST_BRACKETS = 200  # more may nest deeper than a parser can go

_STATEMENT = re.compile(
    r"select\b(?=.*\sfrom\s)|with (?:recursive )?\S+ (?:\(.*|as (?:not )?(?:materialized )?\()|insert (?:into|overwrite|all)\b"
    r"|merge (?:into )?\S|create (?:or \w+ )?(?:\w+ )*?(?:table|view|model|function|materialized|stream|task)\b"
    r"|update \S.* set\b|delete from\b"
    r"|alter (?:\w+ )?(?:table|view) \S.*\b(?:drop|rename|alter|modify|change|replace|swap)\b"
    r"|(?:drop|rename) (?:table|view|materialized view|schema) (?:if exists )?[\w.\"`\[\]]+(?: to \S+| cascade| restrict)?\s*;?$",
    re.I | re.S,
)
#: in a place of SQL these count too: they read nothing, or nobody can tell what
_COMMAND = re.compile(
    r"(?:select|with|insert|merge|create|update|delete|replace|drop|alter|truncate|rename|call|exec|execute|explain|copy|unload"
    r"|show|set|use|grant|revoke|begin|declare|from|values|pivot|unpivot|refresh|optimize|vacuum|analyze|describe|export|load"
    r"|do|export|put|msck|cache|comment)\s",
    re.I,
)
_GAP = r"[\s\"'\\]{1,20}"  # between two words of SQL that may stand in two strings
_MAY_HOLD = re.compile(
    rf"\bselect\b|\binsert{_GAP}(?:into|overwrite|all)\b|\bmerge{_GAP}\S|\bupdate{_GAP}\S{{1,60}}{_GAP}set\b"
    rf"|\bdelete{_GAP}from\b|\b(?:alter|drop|rename){_GAP}(?:\w{{1,20}}{_GAP})?(?:table|view|schema)\b"
    rf"|\bcreate{_GAP}(?:\w{{1,20}}{_GAP}){{0,4}}?(?:table|view|model)\b",
    re.I,
)
_F_STRING = re.compile(r"\b(?:f|fr|rf)[\"']", re.I)
_DIALECTS = ("", "bigquery", "snowflake", "postgres", "databricks", "tsql", "clickhouse")


@dataclass(frozen=True, slots=True)
class CodeSql:
    """`texts` in the order of the file; `holes`: (line, why) of strings that are SQL and not constant; `why`: not Python."""

    texts: tuple[SqlText, ...] = ()
    holes: tuple[tuple[int, str], ...] = ()
    why: str | None = None


def may_hold_sql(text: str) -> bool:
    """Whether a word that begins a statement stands in it at all: saves parsing most code."""
    return _MAY_HOLD.search(text) is not None


def find_code_sql(path: str, text: str) -> CodeSql:
    """The SQL of one `.py` file. Never raises and runs nothing; a text with `why` stands for what is not constant."""
    plain = plain_code(text)
    found = _find_constants(path, plain)
    return replace(found, texts=(*find_sql_cells(path, plain), *found.texts))


def _find_constants(path: str, plain: str) -> CodeSql:
    why = _unfit(plain)
    if why is not None:
        return _unread(path, why, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string is not our affair
            module = ast.parse(plain)
        return _Reading.of(path, plain, module).read(module)
    except SyntaxError as error:
        line = error.lineno or 1
        return _unread(path, f"it is not Python that can be parsed here: {error.msg} at line {line}", line)
    except (ValueError, RecursionError, MemoryError) as error:
        return _unread(path, f"it is not Python that can be parsed here: {type(error).__name__}", 1)


def find_code_lines(text: str) -> tuple[str, ...]:
    """The lines of the file as its tree counts them: a form feed ends none."""
    return tuple(plain_code(text).split("\n"))


def blank_read(text: str, texts: Iterable[SqlText]) -> str:
    """The file without the strings of these texts, in as many lines: what of it nobody read."""
    plain = plain_code(text)
    pieces: list[str] = []
    here = 0
    for start, end in sorted(span for one in texts for span in one.spans):
        if end > here:
            pieces += [plain[here:start], " " + "\n" * plain.count("\n", max(start, here), end)]
            here = end
    return "".join([*pieces, plain[here:]])


def _unfit(plain: str) -> str | None:
    if len(plain) > MOST_CHARACTERS:
        return f"it is larger than {MOST_CHARACTERS:,} characters"
    if plain.count("{") > MOST_BRACES and _F_STRING.search(plain):
        return f"it has more than {MOST_BRACES:,} placeholders or brackets"
    return None


def _unread(path: str, why: str, line: int) -> CodeSql:
    return CodeSql((SqlText(path, "", (line,), kind="python", why=why, why_line=line),), why=why)


@dataclass(slots=True)
class _Reading:
    """One file while it is read. `taken`: literals that are a part of a larger text, and are no SQL by themselves.
    `handed`: those whose name an unknown function gets.
    """

    path: str
    folder: Folder
    scopes: Scopes
    found: list[tuple[Folded, Spot]] = field(default_factory=list)
    taken: set[ast.AST] = field(default_factory=set)
    handed: set[ast.AST] = field(default_factory=set)
    budget: int = MOST_PARSED

    @staticmethod
    def of(path: str, plain: str, module: ast.Module) -> _Reading:
        scopes = Scopes.of(module)
        return _Reading(path, Folder(Source(plain), scopes, _is_statement), scopes)

    def read(self, module: ast.Module) -> CodeSql:
        for spot, inner in walk_spots(module):
            self._look(spot, inner)
        texts: dict[object, SqlText] = {}
        for folded, spot in self._statements():
            assembled = assemble(folded.parts, bound=spot.role == "place")
            if assembled.why is None and spot.role == "constant" and not self._parses(assembled.sql):
                continue
            texts.setdefault(_place_of(folded), self._text(assembled, spot))
        ordered = sorted(texts.values(), key=lambda text: text.lines[:1])
        holes = tuple((text.lines[0], text.why) for text in ordered if text.why is not None)
        return CodeSql(tuple(ordered), holes)

    def _text(self, assembled: Assembled, spot: Spot) -> SqlText:
        """Text that goes to an unknown function may come out of it longer: it is read, and its words stay nevertheless."""
        kept = assembled.why is not None or bool(self._literals(spot) & self.handed)
        spans = () if kept else assembled.spans
        line = assembled.lines[0]
        return SqlText(
            self.path, assembled.sql, assembled.lines, kind="python", why=assembled.why, why_line=line, spans=spans
        )

    def _literals(self, spot: Spot) -> frozenset[ast.AST]:
        values = self.scopes.resolve(spot.node) if isinstance(spot.node, ast.Name) else (spot.node,)
        return frozenset(literal for value in values for literal in find_literals(value))

    def _look(self, spot: Spot, inner: list[Spot]) -> None:
        """Take the expression as a string if it is one; then nothing in it is looked at again."""
        node = spot.node
        if isinstance(node, ast.Name):
            if spot.role == "place":
                self.found += [(one, spot) for one in self.folder.fold(node)]
            elif spot.role == "handed":
                self.handed.update(*(find_literals(value) for value in self.scopes.resolve(node)))
            return
        folded = self.folder.fold(node)
        if not folded:
            if isinstance(node, ast.BinOp) and isinstance(
                node.op, ast.Add
            ):  # cut a chain of thousands at once, not link by link
                inner[:] = [Spot(operand, "other") for operand in find_operands(node)]
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and spot.role != "place":
                self._take_names(node)
            return
        inner.clear()
        self.found += [(one, self._with_role(one, spot)) for one in folded]

    def _take_names(self, display: ast.List | ast.Tuple | ast.Set) -> None:
        """A string that is put into a list may be joined with others: it need not be whole."""
        for name in display.elts:
            if isinstance(name, ast.Name):
                for value in self.scopes.resolve(name):
                    self.taken |= find_literals(value)

    def _with_role(self, folded: Folded, spot: Spot) -> Spot:
        """A composition that takes a constant of the file counts as one wherever it stands."""
        return replace(spot, role="constant") if folded.borrowed and spot.role in ("other", "handed") else spot

    def _statements(self) -> Iterator[tuple[Folded, Spot]]:
        """What begins like SQL where SQL may stand; not what is only a part of another text."""
        likely = [
            (folded, spot)
            for folded, spot in self.found
            if spot.role in ("place", "constant") and self._is_sql(folded, spot)
        ]
        for folded, spot in likely:
            if folded.borrowed and not isinstance(spot.node, ast.Name):
                self.taken |= folded.borrowed
        for folded, spot in sorted(likely, key=lambda one: one[1].role != "place"):  # a place knows more
            if spot.role == "constant" and not folded.borrowed and find_literals(spot.node) & self.taken:
                continue
            yield self._unsettled(folded, spot), spot

    def _unsettled(self, folded: Folded, spot: Spot) -> Folded:
        """A name that gets more added to it, here or as an attribute, does not hold all of its SQL here."""
        scope = self.scopes.homes.get(spot.node)
        if spot.role != "constant" or scope is None or self.scopes.is_whole(scope, spot.name):
            return folded
        line = next((part.line for part in folded.parts), 1)
        return replace(folded, parts=(*folded.parts, Hole(line, "more is added to it", loose=True)))

    def _is_sql(self, folded: Folded, spot: Spot) -> bool:
        if spot.role == "place":
            return _COMMAND.match(find_start(folded.parts) + " ") is not None
        return _is_statement(folded.parts)

    def _parses(self, sql: str) -> bool:
        """Some dialect reads it. Long texts, and those beyond the budget, are taken at their first words."""
        for dialect in _DIALECTS:
            self.budget -= len(sql)
            if self.budget < 0 or sql.count("(") > MOST_BRACKETS or _is_parsed(sql, dialect):
                return True
        return False


def _is_statement(parts: Sequence[Part]) -> bool:
    text = "".join(part.text if isinstance(part, Atom) else "hole" for part in parts)
    return _STATEMENT.match(f"{find_start(parts)} {text}") is not None


def _is_parsed(sql: str, dialect: str) -> bool:
    try:
        return any(tree is not None for tree in sqlglot.parse(sql, read=dialect or None))
    except (SqlglotError, RecursionError, ValueError):
        return False


def _place_of(folded: Folded) -> tuple[object, ...]:
    """Where the text stands: the same place twice is one text."""
    return tuple((part.start, part.text) if isinstance(part, Atom) else part.line for part in folded.parts)
