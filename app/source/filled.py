"""Bare queries that fill a table which they do not name: the folder, a scheduler or the file's name says which one it is.

A text is held to be a table's only where the catalog has that table, and exactly one can be meant:

- the path ends in `<dataset>/<table>/query.sql`, the layout of BigQuery projects of one file a table;
- a call in Python runs the query, or its file, into that table (`app.render.find_fills`);
- the file is called after the table, gives the same columns and does not read it: then a look at that table is ruled out.

Such a text decides verdicts like a definition of the table. It proves no edge: the name of a file is no SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final

from app.change import ParsedFile
from app.ports import Isolation, Unfinished
from app.reads import Statement
from app.render import CodeFill, find_fills, may_fill
from app.source.parsing import ParsedTree
from app.trail import Naming
from app.words import Config, Schema, Tree, Unknown

#: the file that fills the table of its folder
_QUERY_FILE: Final = "query"
_NO_LONGER: Final = (
    "it filled {}, and which table it fills now cannot be told; write the table's name into the statement"
)


@dataclass(frozen=True, slots=True)
class Fills:
    """Whose query a text of one tree is. `called`: path -> relation; `elsewhere`: files that a call runs into a table that the
    catalog does not have; `code`: path of a Python file -> its calls; `before`: path -> the relation that it filled at the base,
    where this is the tree of a change.
    """

    naming: Naming
    config: Config
    called: Mapping[str, str] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    code: Mapping[str, tuple[CodeFill, ...]] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)

    def find_relations(self, files: Iterable[ParsedFile]) -> frozenset[str]:
        """Of all tables that these files may fill, also by a file's name alone."""
        return frozenset(name for file in files if (name := self._find(file) or self._named(file.path)))

    def find_called_after(self, files: Sequence[ParsedFile], schema: Schema) -> dict[str, str]:
        """The files of a branch that are called after the table whose columns they give: path -> relation."""
        called = {}
        for file in files:
            relation, query = self._named(file.path), _bare_query(file)
            if relation is None or query is None or self._find(file) is not None:
                continue
            columns = {column.lower() for column in schema.get(relation, ())}
            given = {output.name.lower() for output in query.outputs}
            reads_it = any(self.naming.key(name) == self.naming.key(relation) for name in query.relations)
            if columns and given == columns and not reads_it:
                called[file.path] = relation
        return called

    def apply(self, tree: ParsedTree) -> ParsedTree:
        """The tree with each such text as what its table is made of."""
        files = [self._apply(file) for file in tree.files]
        filled = {(file.path, file.relation) for file in files}
        for number, file in enumerate(files):
            relation = self.before.get(file.path)
            if relation is not None and (file.path, relation) not in filled and not self._fills_another(file):
                why = _NO_LONGER.format(relation)
                unknowns = file.unknowns or (Unknown(f"{file.path} could not be read", why, file.path, 1),)
                files[number] = replace(file, relation=relation, unknowns=unknowns)
                filled.add((file.path, relation))
        return replace(tree, files=tuple(files)) if tuple(files) != tree.files else tree

    def _fills_another(self, file: ParsedFile) -> bool:
        """By its own words, or by a call that names a table."""
        return (
            any(one.target for one in file.statements) or file.path in self.elsewhere or bool(self.code.get(file.path))
        )

    def _apply(self, file: ParsedFile) -> ParsedFile:
        relation = self._find(file)
        if relation is None:
            return file
        query = _bare_query(file)
        if query is None:  # it is that table's query as before, and nobody can read it
            return replace(file, relation=relation) if file.unknowns else file
        statements = tuple(replace(s, target=relation) if s is query else s for s in file.statements)
        return replace(
            file, kind="definition", relation=relation, templated=True, materialized="table", statements=statements
        )

    def _find(self, file: ParsedFile) -> str | None:
        mapped = (entry.sql.removeprefix("./") for entry in self.config.features.values() if entry.sql is not None)
        if file.relation is not None or file.path in mapped:  # what a person says beats what a path says
            return None
        if file.path.endswith(".py"):
            query = _bare_query(file)
            return self._of_code(file.path, query) if query is not None else None
        return (self.called.get(file.path) or self._of_folder(file.path)) if file.kind == "definition" else None

    def _of_folder(self, path: str) -> str | None:
        pure = PurePosixPath(path)
        if pure.suffix != ".sql" or pure.stem != _QUERY_FILE:
            return None
        return self.find_table(pure.parts[-4:-1]) or self.find_table(pure.parts[-3:-1])

    def _named(self, path: str) -> str | None:
        pure = PurePosixPath(path)
        if pure.suffix != ".sql" or pure.stem == _QUERY_FILE:
            return None
        names = tuple(pure.stem.split("."))
        return self.find_table((*pure.parts[-2:-1], *names)) or self.find_table(names)

    def _of_code(self, path: str, query: Statement) -> str | None:
        calls = (
            one for one in self.code.get(path, ()) if one.lines[0] <= query.line and query.end_line <= one.lines[1]
        )
        found = {call.relation for call in calls}
        return self.find_table(found.pop().split(".")) if len(found) == 1 else None

    def find_table(self, parts: Sequence[str]) -> str | None:
        """The table that ends with these names, as SQL would name it, where the catalog has exactly one."""
        urns = self.naming.called(".".join(parts)) if parts and all(parts) else ()
        return self.naming.relation(urns[0]) if len(urns) == 1 else None


async def fetch_fills(trees: Sequence[Tree], naming: Naming, config: Config, isolation: Isolation) -> tuple[Fills, ...]:
    """What the folders and the Python of each tree say."""
    texts = {text for tree in trees for path, text in tree.files.items() if path.endswith(".py") and may_fill(text)}
    ordered = sorted(texts)
    answers = await isolation.run(find_fills, ordered)
    read = {
        text: answer
        for text, answer in zip(ordered, answers, strict=True)
        if answer and not isinstance(answer, Unfinished)
    }
    return tuple(_fills_of(tree, naming, config, read) for tree in trees)


def _fills_of(tree: Tree, naming: Naming, config: Config, read: Mapping[str, tuple[CodeFill, ...]]) -> Fills:
    code = {path: read[text] for path, text in tree.files.items() if path.endswith(".py") and text in read}
    fills = Fills(naming, config, code=code)
    paths = {path for path in tree.files if path.endswith(".sql")} if code else set()
    called: dict[str, set[str | None]] = {}
    for home, fill in ((home, fill) for home, found in code.items() for fill in found if fill.path):
        for path in _find_files(fill.path, home, paths):
            called.setdefault(path, set()).add(fills.find_table(fill.relation.split(".")))
    known = {path: relation for path, (relation, *more) in called.items() if relation is not None and not more}
    elsewhere = frozenset(path for path, found in called.items() if found == {None})
    return replace(fills, called=known, elsewhere=elsewhere)


def apply_fills(fills: Sequence[Fills], trees: Sequence[ParsedTree]) -> list[ParsedTree]:
    """The base first; in the others, a text that fills its table no longer is an unknown, not a table without columns."""
    base = fills[0].apply(trees[0])
    pairs = zip(trees[0].files, base.files, strict=True)
    before = {new.path: new.relation for old, new in pairs if old.relation is None and new.relation is not None}
    return [base, *(replace(f, before=before).apply(tree) for f, tree in zip(fills[1:], trees[1:], strict=True))]


def _find_files(written: str, home: str, paths: set[str]) -> Iterator[str]:
    """The file that a call means: beside it, at the root, or the only one whose path ends so."""
    name = str(PurePosixPath(written.lstrip("/")))
    beside = str(PurePosixPath(home).parent / name)
    if beside in paths or name in paths:
        yield beside if beside in paths else name
        return
    fitting = [path for path in paths if path.endswith(f"/{name}")]
    if len(fitting) == 1:
        yield fitting[0]


def _bare_query(file: ParsedFile) -> Statement | None:
    """The only statement of a text that does anything, where it is a query that names no table of its own."""
    acting = [statement for statement in file.statements if statement.kind != "inert"]
    if file.unknowns or file.steps or len(acting) != 1 or acting[0].kind != "query" or acting[0].target is not None:
        return None
    return acting[0]
