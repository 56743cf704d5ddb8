"""Fields that a struct no longer has, under definitions that read them: those cannot be built any more.

A struct is known by the query that makes it, on both sides (`struct(a as x)`, `named_struct('x', a)`, `{'x': a}`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.change.removal import ParsedFile, Removal
from app.change.schema import Worlds
from app.change.sources import Sources
from app.change.world import ColumnState, Place
from app.reads import Call, ColumnLeaf, Expression, Name, Statement, find_nodes

#: an unknown field fails; elsewhere it may be NULL
_STRICT: Final = frozenset({"bigquery", "databricks", "spark", "duckdb"})


def find_lost_fields(before: Worlds, after: Worlds, head: Sequence[ParsedFile], sources: Sources) -> Iterator[Removal]:
    """Each definition of the head that reads a field which the change takes from its struct, once."""
    lost = {
        (name, column.name): _find_fields(column) - _find_fields(now)
        for name, state in before.definitions.relations.items()
        if state is not None and (other := after.definitions.relations.get(name)) is not None
        for column in state.columns.values()
        if (now := other.columns.get(column.name)) is not None and _find_fields(column) and _find_fields(now)
    }
    seen: set[str] = set()
    for file in head if any(lost.values()) else ():
        for statement in file.statements if file.kind == "definition" and file.dialect in _STRICT else ():
            target = statement.target
            if target is None or target in seen:
                continue
            for leaf, field in _find_field_reads(statement):
                if field in lost.get((leaf.relation, leaf.column), ()):
                    seen.add(target)
                    detail = f"it reads {leaf.column}.{field} of {leaf.relation}, which has no such field any more"
                    place = sources.at(Place(file.path, leaf.line), "head")
                    yield Removal("view_invalidated", target, None, place, detail=detail)
                    break


def _find_fields(column: ColumnState) -> frozenset[str]:
    """In lower case; empty where the column is no struct whose fields are all written."""
    if len(column.expressions) != 1:
        return frozenset()
    tree = column.expressions[0]
    if not (isinstance(tree, Call) and tree.name == "struct"):
        return frozenset()
    names = [_name_of(part) for part in tree.args]
    return frozenset(names) if all(names) else frozenset()


def _name_of(part: Expression) -> str:
    """What a field is called: `x` of `a as x`; "" for one without a name of its own."""
    match part:
        case Call(name="propertyeq", args=(Name(value=name), _)):
            return name.strip('"').lower()
        case _:
            return ""


def _find_field_reads(statement: Statement) -> Iterator[tuple[ColumnLeaf, str]]:
    for node in find_nodes(*(output.expression for output in statement.outputs), *statement.meaning):
        match node:
            case Call(name="dot", args=(ColumnLeaf() as leaf, Name(value=field), *_)):
                yield leaf, field.strip('"').lower()
            case _:
                continue
