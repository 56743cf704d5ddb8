"""Expressions as values: a small closed union of trees that hold no trace of formatting, aliases, CTEs or redundant brackets.

Two trees are equal if they compute the same from the same columns: operands that may change places stand in one order, chains of
one operator are flat. The author's own words (`text`) and lines ride along and do not count. Inert: nothing here runs, and
`app.source.bundle` packs them like any other value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, Union

#: operands may change places
COMMUTING: Final = frozenset({"add", "mul", "and", "or", "eq", "neq", "xor", "bitwiseand", "bitwiseor", "bitwisexor"})
#: `a op (b op c)` is `a op b op c` as well
ASSOCIATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "dpipe"})
MOST_NODES: Final = (
    150  # of what a traced name stands for; a larger tree goes by its digest, so trees cannot double for ever
)
MOST_DEPTH: Final = 80


@dataclass(frozen=True, slots=True)
class ColumnLeaf:
    """A column of a real table. `relation` "": nobody knows whose."""

    relation: str
    column: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    kind: Literal["text", "number", "other"]
    value: str


@dataclass(frozen=True, slots=True)
class Name:
    """A word that is no column: a unit, a field of a struct, an argument's name, a setting."""

    value: str


@dataclass(frozen=True, slots=True)
class StarLeaf:
    """Whole rows of these relations."""

    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator, by its folded name in the parser's spelling (`sum`, `add`, `eq`)."""

    name: str
    args: tuple[Expression, ...] = ()
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """`type` in the dialect's own spelling; `lenient`: NULL instead of an error."""

    operand: Expression
    type: str
    lenient: bool = False
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class CaseWhen:
    """`args`: condition, value, condition, value ... and the default where there is one (an odd number then)."""

    args: tuple[Expression, ...]
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several: what a name may mean, or what each branch of a UNION gives."""

    args: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition or the like that bears on all rows of a query: `where`, `left join`, `group`, `limit` ..."""

    name: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Subquery:
    """A query within an expression: its outputs, and what bears on its rows."""

    args: tuple[Expression, ...]
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class FoldedTree:
    """A tree too large to carry: the digest of its shape, and its columns in order."""

    digest: str
    args: tuple[Expression, ...] = ()


Expression: TypeAlias = Union[  # noqa: UP007 - resolved by whoever packs values
    ColumnLeaf, Constant, Name, StarLeaf, Call, Cast, CaseWhen, Choice, Clause, Subquery, FoldedTree
]
Meaning: TypeAlias = tuple[Clause, ...]
_LEAVES = (ColumnLeaf, Constant, Name, StarLeaf)


def find_parts(tree: Expression) -> tuple[Expression, ...]:
    """The direct parts, in order."""
    if isinstance(tree, _LEAVES):
        return ()
    return (tree.operand,) if isinstance(tree, Cast) else tree.args


def find_nodes(*trees: Expression) -> Iterator[Expression]:
    """Each tree and everything in it, from the outside to the inside."""
    stack = list(reversed(trees))
    while stack:
        tree = stack.pop()
        yield tree
        if not isinstance(tree, _LEAVES):
            stack.extend(reversed(find_parts(tree)))


def find_columns(*trees: Expression) -> list[ColumnLeaf]:
    return [node for node in find_nodes(*trees) if isinstance(node, ColumnLeaf)]


def change_leaves(tree: Expression, change: Callable[[ColumnLeaf | StarLeaf], Expression]) -> Expression:
    """The same tree over other leaves; what is not changed is shared."""
    if isinstance(tree, ColumnLeaf | StarLeaf):
        return change(tree)
    parts = find_parts(tree)
    changed = tuple([change_leaves(part, change) for part in parts])
    if all(one is other for one, other in zip(parts, changed, strict=True)):
        return tree
    if isinstance(tree, Cast):
        return replace(tree, operand=changed[0])
    if isinstance(tree, Call):
        return Call(tree.name, order_operands(tree.name, changed), tree.text)
    if isinstance(tree, Choice):
        return choose(changed)
    return replace(tree, args=changed)  # type: ignore[arg-type]  # a tuple of parts in all that is left


def change_clauses(meaning: Meaning, change: Callable[[ColumnLeaf | StarLeaf], Expression]) -> Meaning:
    return tuple(Clause(clause.name, tuple(change_leaves(arg, change) for arg in clause.args)) for clause in meaning)


def order_operands(name: str, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Operands that may change places, in the one order that all their orders share."""
    if name in COMMUTING:
        return tuple(sorted(args, key=spell)) if len(args) > 1 else args
    if name == "in" and len(args) > 2:
        return (args[0], *sorted(args[1:], key=spell))
    return args


def make_call(name: str, args: tuple[Expression, ...], text: str = "", *, link: str = "") -> Expression:
    """A call in the one form that its equals share. `link`: the operator around it, whose chain it may be a part of."""
    match name, args:
        case "gt" | "gte", (left, right):
            return Call({"gt": "lt", "gte": "lte"}[name], (right, left), text)
        case "between", (value, low, high):
            return Call(
                "and", order_operands("and", (Call("lte", (low, value), text), Call("lte", (value, high), text))), text
            )
        case "in", (value, one) if not isinstance(one, Subquery | StarLeaf | ColumnLeaf | Call):
            return Call("eq", order_operands("eq", (value, one)), text)
        case "count", (Call("star", ()) | Constant("number"),):
            return Call(name, (), text)
        case "or", _ if link != "or" and (listed := _find_list(args)):
            return Call("in", order_operands("in", listed), text)
    return Call(name, args if link == name and name in ASSOCIATIVE else order_operands(name, args), text)


def _find_list(args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """`a = 1 or a = 2` as what is compared and its values; () where the alternatives compare something else."""
    if not all(isinstance(arg, Call) and arg.name == "eq" and len(arg.args) == 2 for arg in args):
        return ()
    pairs = [find_parts(arg) for arg in args]
    shared = [part for part in pairs[0] if not isinstance(part, Constant) and all(part in pair for pair in pairs)]
    values = [part for pair in pairs for part in pair if [part] != shared[:1]]
    return (shared[0], *values) if shared and all(isinstance(value, Constant) for value in values) else ()


def choose(options: Iterable[Expression]) -> Expression:
    """One of them; just that one where there is no choice."""
    found = list(dict.fromkeys(part for one in options for part in (one.args if isinstance(one, Choice) else (one,))))
    return found[0] if len(found) == 1 else Choice(tuple(sorted(found, key=spell)))


def fold_large(tree: Expression) -> Expression:
    """The tree, or what stands for it where it is too large to be carried into others."""
    if isinstance(tree, _LEAVES) or sum(1 for _ in find_nodes(tree)) <= MOST_NODES:
        return tree
    return fold(tree)


def fold(tree: Expression) -> FoldedTree:
    """By its shape with places for the columns, so that a rename of one leaves the digest as it is."""
    columns = list(dict.fromkeys(node for node in find_nodes(tree) if isinstance(node, ColumnLeaf)))
    places = {column: f"\0{place}" for place, column in enumerate(columns)}
    return FoldedTree(hashlib.sha256(spell(tree, places).encode()).hexdigest()[:16], tuple(columns))


def spell(tree: Expression, places: dict[ColumnLeaf, str] | None = None) -> str:
    """A text that two trees share exactly if they are equal: for sorting and digests, never for people. Iterative."""
    if isinstance(tree, ColumnLeaf) and not places:
        return f"{tree.relation}.{tree.column}"  # by far the most
    found: list[str] = []
    stack: list[Expression | str] = [tree]
    while stack:
        part = stack.pop()
        match part:
            case str():
                found.append(part)
            case ColumnLeaf():
                found.append(places[part] if places else f"{part.relation}.{part.column}")
            case Constant():
                found.append(repr(part.value) if part.kind == "text" else part.value)
            case Name():
                found.append(f"`{part.value}`")
            case StarLeaf():
                found.append(f"{' '.join(part.relations)}.*")
            case _:
                inner: list[Expression | str] = [label_of(part), "("]
                for arg in find_parts(part):
                    inner += [arg, ","]
                stack += reversed([*inner, ")"])
    return "".join(found)


def label_of(tree: Expression) -> str:
    """What it is, without its parts."""
    match tree:
        case Call() | Clause():
            return tree.name
        case Cast():
            return f"{'try' if tree.lenient else ''}cast:{tree.type}"
        case FoldedTree():
            return f"#{tree.digest}"
        case _:
            return type(tree).__name__.lower()
