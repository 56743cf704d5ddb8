"""What people do to models: each kind of change as a function from a project's models to changed ones.

A kind says nothing of what comes of it: that is executed. The seed chooses where it is done; None: nothing of the kind is here.
"""
# ruff: noqa: S608 - this SQL runs over tables of this process alone

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Final, TypeAlias, TypeVar

from sqlglot import exp, parse_one

from tests.benchmarks.truth.project import find_names

Models: TypeAlias = Mapping[str, str]
Changed: TypeAlias = dict[str, str | None]
Columns: TypeAlias = Mapping[str, Iterable[str]]
Edit: TypeAlias = Callable[[exp.Expr, Random], bool]
T = TypeVar("T")


def parse(sql: str) -> exp.Expr:
    return parse_one(sql, dialect="duckdb")


def write(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", pretty=True)


def pick(rng: Random, found: Iterable[T]) -> T | None:
    listed = list(found)
    return rng.choice(listed) if listed else None


def find_readers(models: Models, name: str) -> list[str]:
    return [reader for reader, text in models.items() if ("ref", name) in find_names(text)]


def find_last(tree: exp.Expr) -> list[exp.Select]:
    """The SELECT whose columns are the model's, through `select * from the_last_cte`."""
    ctes = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
    select = tree
    while isinstance(select, exp.Select) and select.is_star and len(select.expressions) == 1:
        source = select.args.get("from_") or select.args.get("from")
        named = source.this if source is not None else None
        if not isinstance(named, exp.Table) or named.name not in ctes or select.args.get("joins"):
            return []
        select = ctes[named.name]
    if isinstance(select, exp.SetOperation):
        return [
            one
            for one in select.find_all(exp.Select)
            if one.find_ancestor(exp.Select, exp.CTE) is select.find_ancestor(exp.Select, exp.CTE)
        ]
    return [select] if isinstance(select, exp.Select) else []


def find_outputs(tree: exp.Expr) -> list[exp.Expr]:
    last = find_last(tree)
    return [one for one in last[0].expressions if not one.is_star] if len(last) == 1 and not last[0].is_star else []


# --- what a model gives ----------------------------------------------------------------------------------------------


def drop_output(models: Models, name: str, rng: Random) -> Changed | None:
    tree = parse(models[name])
    output = pick(rng, find_outputs(tree))
    if output is None or len(find_outputs(tree)) < 2:
        return None
    output.pop()
    return {name: write(tree)}


def drop_everywhere(models: Models, name: str, rng: Random) -> Changed | None:
    """With the outputs of direct readers that hand it on."""
    tree = parse(models[name])
    output = pick(rng, find_outputs(tree))
    if output is None or len(find_outputs(tree)) < 2:
        return None
    output.pop()
    changed: Changed = {name: write(tree)}
    for reader in find_readers(models, name):
        below = parse(models[reader])
        for column in list(below.find_all(exp.Column)):
            parent = column.parent
            whole = parent if isinstance(parent, exp.Alias) else column
            if (
                column.name == output.alias_or_name
                and isinstance(whole.parent, exp.Select)
                and len(whole.parent.expressions) > 1
            ):
                whole.pop()
        changed[reader] = write(below)
    return changed


def _rename_output(tree: exp.Expr, output: exp.Expr, new: str) -> None:
    bare = output.this if isinstance(output, exp.Alias) else output
    output.replace(exp.alias_(bare.copy(), new))


def rename_output(models: Models, name: str, rng: Random) -> Changed | None:
    tree = parse(models[name])
    output = pick(rng, find_outputs(tree))
    if output is None:
        return None
    _rename_output(tree, output, f"{output.alias_or_name}_v2")
    return {name: write(tree)}


def rename_through(models: Models, name: str, rng: Random) -> Changed | None:
    """With every mention in direct readers, whose own outputs keep their names."""
    tree = parse(models[name])
    output = pick(rng, find_outputs(tree))
    readers = find_readers(models, name)
    if output is None or not readers:
        return None
    old, new = output.alias_or_name, f"{output.alias_or_name}_v2"
    _rename_output(tree, output, new)
    changed: Changed = {name: write(tree)}
    for reader in readers:
        below = parse(models[reader])
        for column in list(below.find_all(exp.Column)):
            if column.name == old:
                if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
                    column.replace(exp.alias_(exp.column(new, column.table or None), old))
                    continue
                column.set("this", exp.to_identifier(new))
        changed[reader] = write(below)
    return changed


def rename_everywhere(models: Models, name: str, rng: Random) -> Changed | None:
    """In the model and, as words, in all that stand behind it."""
    tree = parse(models[name])
    output = pick(rng, find_outputs(tree))
    if output is None:
        return None
    old, new = output.alias_or_name, f"{output.alias_or_name}_v2"
    _rename_output(tree, output, new)
    changed: Changed = {name: write(tree)}
    front = find_readers(models, name)
    while front:
        reader = front.pop()
        if reader not in changed:
            changed[reader] = re.sub(rf"\b{re.escape(old)}\b", new, models[reader])
            front += find_readers(models, reader)
    return changed


def rename_model(models: Models, name: str, _: Random) -> Changed | None:
    readers = find_readers(models, name)
    moved = {
        reader: models[reader]
        .replace(f"ref__{name} ", f"ref__{name}_v2 ")
        .replace(f"ref__{name}\n", f"ref__{name}_v2\n")
        for reader in readers
    }
    if not readers or any(("ref", name) in find_names(text) for text in moved.values()):
        return None
    return {name: None, f"{name}_v2": models[name], **moved}


def rename_model_forgetting(models: Models, name: str, _: Random) -> Changed | None:
    return {name: None, f"{name}_v2": models[name]} if find_readers(models, name) else None


def delete_model(models: Models, name: str, _: Random) -> Changed | None:
    return {name: None}


def inline_model(models: Models, name: str, _: Random) -> Changed | None:
    """Deleted, its query a CTE of each reader."""
    readers = find_readers(models, name)
    changed: Changed = {name: None}
    for reader in readers:
        tree = parse(models[reader])
        text = re.sub(rf"\bref__{name}\b", f"inlined_{name}", write(tree))
        whole = parse(text)
        made = exp.CTE(this=parse(models[name]), alias=exp.TableAlias(this=exp.to_identifier(f"inlined_{name}")))
        held = whole.args.get("with_") or whole.args.get("with")
        if held is not None:
            held.set("expressions", [made, *held.expressions])
        else:
            whole = parse(f"WITH {made.sql(dialect='duckdb')} {text}")
        changed[reader] = write(whole)
    return changed if readers else None


def extract_model(models: Models, name: str, rng: Random) -> Changed | None:
    """A CTE that reads no other CTE becomes a model."""
    tree = parse(models[name])
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    found = pick(rng, (c for c in tree.find_all(exp.CTE) if not ctes & {t.name for t in c.this.find_all(exp.Table)}))
    if found is None:
        return None
    new, text = f"{name}__{found.alias}", write(found.this)
    found.set("this", parse(f"SELECT * FROM ref__{new}"))
    return {new: text, name: write(tree)}


def repoint(models: Models, name: str, rng: Random) -> Changed | None:
    """A reader turned to another model."""
    own = sorted(found for kind, found in find_names(models[name]) if kind == "ref")
    old = pick(rng, own)
    new = pick(
        rng,
        (
            other
            for other in models
            if other != name and other not in own and ("ref", name) not in find_names(models[other])
        ),
    )
    if old is None or new is None:
        return None
    return {name: re.sub(rf"\bref__{old}\b", f"ref__{new}", models[name])}


# --- how it is written -----------------------------------------------------------------------------------------------


def editing(edit: Edit) -> Callable[[Models, str, Random], Changed | None]:
    """A change of one model's tree."""

    def change(models: Models, name: str, rng: Random) -> Changed | None:
        tree = parse(models[name])
        if not edit(tree, rng):
            return None
        text = write(tree)
        return {name: text} if text != models[name] else None

    return change


def _swap(tree: exp.Expr, rng: Random, kinds: tuple[type[exp.Expr], ...]) -> bool:
    node = pick(rng, tree.find_all(*kinds))
    if node is None:
        return False
    left, right = node.this.copy(), node.expression.copy()
    node.set("this", right)
    node.set("expression", left)
    return True


def swap_operands(tree: exp.Expr, rng: Random) -> bool:
    return _swap(tree, rng, (exp.Add, exp.Mul, exp.And, exp.Or, exp.EQ, exp.NEQ))


def flip_comparison(tree: exp.Expr, rng: Random) -> bool:
    node = pick(rng, tree.find_all(exp.GT, exp.LT, exp.GTE, exp.LTE))
    if node is None:
        return False
    turned = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}[type(node)]
    node.replace(turned(this=node.expression.copy(), expression=node.this.copy()))
    return True


def rename_cte(tree: exp.Expr, rng: Random) -> bool:
    cte = pick(rng, tree.find_all(exp.CTE))
    if cte is None:
        return False
    old = cte.alias
    if any(t.alias == old and t.name != old for t in tree.find_all(exp.Table)):
        return False
    cte.set("alias", exp.TableAlias(this=exp.to_identifier(f"{old}_cte")))
    for table in tree.find_all(exp.Table):
        if table.name == old:
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(old)))
            table.set("this", exp.to_identifier(f"{old}_cte"))
    return True


def rename_alias(tree: exp.Expr, rng: Random) -> bool:
    """Of a table, in one SELECT without subqueries."""
    table = pick(
        rng, (t for t in tree.find_all(exp.Table) if t.alias_or_name and isinstance(t.parent, (exp.From, exp.Join)))
    )
    select = table.find_ancestor(exp.Select) if table is not None else None
    if table is None or select is None or sum(1 for _ in select.find_all(exp.Select)) > 1:
        return False
    old = table.alias_or_name
    table.set("alias", exp.TableAlias(this=exp.to_identifier("renamed_alias")))
    for column in select.find_all(exp.Column):
        if column.table == old:
            column.set("table", exp.to_identifier("renamed_alias"))
    return True


def cte_to_subquery(tree: exp.Expr, rng: Random) -> bool:
    def uses(cte: exp.Expr) -> list[exp.Table]:
        return [t for t in tree.find_all(exp.Table) if t.name == cte.alias]

    cte = pick(rng, (c for c in tree.find_all(exp.CTE) if len(uses(c)) == 1))
    if cte is None:
        return False
    table = uses(cte)[0]
    inner = exp.Subquery(this=cte.this.copy(), alias=exp.TableAlias(this=exp.to_identifier(table.alias_or_name)))
    whole = cte.parent
    cte.pop()
    table.replace(inner)
    if whole is not None and not whole.expressions:
        whole.pop()
    return True


def table_to_cte(tree: exp.Expr, rng: Random) -> bool:
    table = pick(rng, (t for t in tree.find_all(exp.Table) if t.name.startswith(("ref__", "src__"))))
    if table is None:
        return False
    if not table.alias:
        short = table.name.removeprefix("ref__").removeprefix("src__")
        table.set("alias", exp.TableAlias(this=exp.to_identifier(short)))
        for column in tree.find_all(exp.Column):
            if column.table == table.name:
                column.set("table", exp.to_identifier(short))
    made = exp.CTE(this=parse(f"SELECT * FROM {table.name}"), alias=exp.TableAlias(this=exp.to_identifier("imported")))
    table.set("this", exp.to_identifier("imported"))
    key = "with_" if "with_" in tree.arg_types else "with"
    held = tree.args.get(key)
    if held is None:
        tree.set(key, exp.With(expressions=[made]))
    else:
        held.set("expressions", [made, *held.expressions])
    return True


def reorder_outputs(tree: exp.Expr, rng: Random) -> bool:
    last = find_last(tree)
    if len(last) != 1 or len(last[0].expressions) < 2 or any(isinstance(k, exp.Literal) for k in _keys(last[0])):
        return False
    listed = [one.copy() for one in last[0].expressions]
    rng.shuffle(listed)
    last[0].set("expressions", listed)
    return True


def _keys(select: exp.Select) -> list[exp.Expr]:
    group = select.args.get("group")
    return list(group.expressions) if group is not None else []


def add_output(tree: exp.Expr, _: Random) -> bool:
    last = find_last(tree)
    if len(last) != 1 or last[0].args.get("distinct") or last[0].args.get("group"):
        return False
    last[0].append("expressions", exp.alias_(exp.Literal.number(1), "added_column"))
    return True


def between_to_bounds(tree: exp.Expr, rng: Random) -> bool:
    node = pick(rng, tree.find_all(exp.GTE, exp.LTE))
    if node is None or node.find_ancestor(exp.Between):
        return False
    bounds = (exp.Not, exp.LT) if isinstance(node, exp.GTE) else (exp.Not, exp.GT)
    node.replace(exp.Paren(this=bounds[0](this=bounds[1](this=node.this.copy(), expression=node.expression.copy()))))
    return True


def qualify_columns(tree: exp.Expr, rng: Random) -> bool:
    """Or the other way: qualifiers of a SELECT over one table go."""

    def single(select: exp.Select) -> exp.Expr | None:
        source = select.args.get("from_") or select.args.get("from")
        plain = not select.args.get("joins") and sum(1 for _ in select.find_all(exp.Select)) == 1
        return (
            source.this
            if source is not None and plain and isinstance(source.this, exp.Table) and source.this.alias_or_name
            else None
        )

    select = pick(
        rng, (one for one in tree.find_all(exp.Select) if single(one) is not None and list(one.find_all(exp.Column)))
    )
    if select is None:
        return False
    table = single(select)
    aliases = {one.alias for one in select.expressions if isinstance(one, exp.Alias)}
    for column in select.find_all(exp.Column):
        if column.table:
            if column.name in aliases:
                return False
            column.set("table", None)
        elif table is not None and column.name not in aliases and not column.is_star:
            column.set("table", exp.to_identifier(table.alias_or_name))
    return True


def simple_case(tree: exp.Expr, rng: Random) -> bool:
    """`CASE WHEN x = 1` for `CASE x WHEN 1`, and back."""
    node = pick(
        rng,
        (
            case
            for case in tree.find_all(exp.Case)
            if case.this or all(isinstance(i.this, exp.EQ) for i in case.args["ifs"])
        ),
    )
    if node is None:
        return False
    ifs = node.args["ifs"]
    if node.this:
        for one in ifs:
            one.set("this", exp.EQ(this=node.this.copy(), expression=one.this.copy()))
        node.set("this", None)
        return True
    subjects = {one.this.this for one in ifs}
    if len(subjects) != 1:
        return False
    node.set("this", subjects.pop().copy())
    for one in ifs:
        one.set("this", one.this.expression.copy())
    return True


def in_to_or(tree: exp.Expr, rng: Random) -> bool:
    node = pick(rng, (n for n in tree.find_all(exp.In) if n.expressions))
    if node is None:
        return False
    node.replace(
        exp.paren(exp.or_(*(exp.EQ(this=node.this.copy(), expression=one.copy()) for one in node.expressions)))
    )
    return True


def group_by_place(tree: exp.Expr, rng: Random) -> bool:
    """`GROUP BY 1` for `GROUP BY a`, and back."""
    select = pick(rng, (one for one in tree.find_all(exp.Select) if _keys(one)))
    if select is None:
        return False
    group = select.args["group"]
    outputs = select.expressions
    done = False
    for key in list(group.expressions):
        if isinstance(key, exp.Literal):
            output = outputs[int(key.name) - 1]
            key.replace(output.this.copy() if isinstance(output, exp.Alias) else output.copy())
            done = True
        else:
            at = next(
                (n for n, o in enumerate(outputs) if o == key or (isinstance(o, exp.Alias) and o.this == key)), None
            )
            if at is not None:
                key.replace(exp.Literal.number(at + 1))
                done = True
    return done


def add_unused_cte(tree: exp.Expr, _: Random) -> bool:
    table = next((t for t in tree.find_all(exp.Table) if t.name.startswith(("ref__", "src__"))), None)
    held = tree.args.get("with_") or tree.args.get("with")
    if table is None or held is None:
        return False
    held.append(
        "expressions",
        exp.CTE(this=parse(f"SELECT * FROM {table.name}"), alias=exp.TableAlias(this=exp.to_identifier("unused_cte"))),
    )
    return True


def exchange_arms(tree: exp.Expr, rng: Random) -> bool:
    """UNION ALL of two whole arms; the first names the columns, so only where both name them alike."""
    node = pick(
        rng,
        (
            u
            for u in tree.find_all(exp.Union)
            if isinstance(u.this, exp.Select) and isinstance(u.expression, exp.Select)
        ),
    )
    if node is None or [e.alias_or_name for e in node.this.expressions] != [
        e.alias_or_name for e in node.expression.expressions
    ]:
        return False
    if node.this.args.get("with_") or node.this.args.get("with"):
        return False
    left, right = node.this.copy(), node.expression.copy()
    node.set("this", right)
    node.set("expression", left)
    return True


def swap_in_arm(tree: exp.Expr, rng: Random) -> bool:
    """Two columns exchanged in one arm of a UNION."""
    node = pick(
        rng,
        (
            u
            for u in tree.find_all(exp.Union)
            if isinstance(u.expression, exp.Select) and len(u.expression.expressions) > 1
        ),
    )
    if node is None or node.expression.is_star:
        return False
    listed = [one.copy() for one in node.expression.expressions]
    one, other = sorted(rng.sample(range(len(listed)), 2))
    listed[one], listed[other] = listed[other], listed[one]
    node.expression.set("expressions", listed)
    return True


# --- what it computes ------------------------------------------------------------------------------------------------


def change_constant(tree: exp.Expr, rng: Random) -> bool:
    node = pick(
        rng,
        (
            one
            for one in tree.find_all(exp.Literal)
            if not isinstance(one.parent, (exp.Group, exp.DataTypeParam, exp.Ordered))
        ),
    )
    if node is None:
        return False
    node.replace(exp.Literal.string(f"{node.name}x") if node.is_string else exp.Literal.number(f"{node.name}1"))
    return True


def change_operator(tree: exp.Expr, rng: Random) -> bool:
    turned: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.Add: exp.Sub,
        exp.Mul: exp.Add,
        exp.EQ: exp.NEQ,
        exp.And: exp.Or,
        exp.GT: exp.GTE,
    }
    node = pick(rng, tree.find_all(*turned))
    if node is None:
        return False
    node.replace(turned[type(node)](this=node.this.copy(), expression=node.expression.copy()))
    return True


def change_aggregate(tree: exp.Expr, rng: Random) -> bool:
    turned: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.Sum: exp.Max,
        exp.Max: exp.Min,
        exp.Min: exp.Max,
        exp.Avg: exp.Sum,
    }
    node = pick(rng, tree.find_all(*turned))
    if node is None:
        return False
    node.replace(turned[type(node)](this=node.this.copy()))
    return True


def wrap_output(tree: exp.Expr, rng: Random) -> bool:
    output = pick(rng, find_outputs(tree))
    if output is None:
        return False
    bare = output.this if isinstance(output, exp.Alias) else output
    output.replace(
        exp.alias_(
            exp.Coalesce(this=exp.Nullif(this=bare.copy(), expression=bare.copy()), expressions=[bare.copy()]),
            output.alias_or_name,
        )
    )
    return True


def change_type(tree: exp.Expr, rng: Random) -> bool:
    output = pick(rng, find_outputs(tree))
    if output is None:
        return False
    bare = output.this if isinstance(output, exp.Alias) else output
    output.replace(
        exp.alias_(exp.cast(bare.copy(), rng.choice(("TEXT", "DOUBLE", "BOOLEAN", "DATE"))), output.alias_or_name)
    )
    return True


def change_filter(tree: exp.Expr, rng: Random) -> bool:
    node = pick(rng, tree.find_all(exp.Where))
    if node is None:
        return False
    node.pop()
    return True


def change_join(tree: exp.Expr, rng: Random) -> bool:
    node = pick(rng, (join for join in tree.find_all(exp.Join) if join.args.get("on") and join.side in ("", "LEFT")))
    if node is None:
        return False
    node.set("side", None if node.side else "LEFT")
    return True


def add_limit(tree: exp.Expr, _: Random) -> bool:
    if not isinstance(tree, exp.Select) or tree.args.get("limit"):
        return False
    tree.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return True


def star_to_names(models: Models, name: str, rng: Random, columns: Columns) -> Changed | None:
    """A lone star over one model, table or CTE that is written out below; `columns` are what relations have."""
    tree = parse(models[name])
    ctes = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}

    def listed(select: exp.Select) -> list[str]:
        source = select.args.get("from_") or select.args.get("from")
        table = source.this if source is not None and not select.args.get("joins") else None
        if not isinstance(table, exp.Table):
            return []
        if table.name in ctes:
            outputs = ctes[table.name].expressions if isinstance(ctes[table.name], exp.Select) else []
            return [] if any(one.is_star for one in outputs) else [one.alias_or_name for one in outputs]
        return list(columns.get(table.name, ()))

    stars = [
        s
        for s in tree.find_all(exp.Select)
        if len(s.expressions) == 1
        and isinstance(s.expressions[0], exp.Star)
        and not s.expressions[0].args.get("except_")
        and listed(s)
    ]
    select = pick(rng, stars)
    if select is None:
        return None
    select.set("expressions", [exp.column(one, quoted=not one.isidentifier()) for one in listed(select)])
    return {name: write(tree)}


def reformat(models: Models, name: str, _: Random) -> Changed | None:
    """Comments, one line, other case of keywords; nothing that means anything."""
    text = parse(models[name]).sql(dialect="duckdb", comments=False).replace(" FROM ", "\n  from /* here */ ")
    return {name: f"-- written anew\n{text}"}


KINDS: Final[dict[str, Callable[[Models, str, Random], Changed | None]]] = {
    one.__name__: one
    for one in (
        drop_output, drop_everywhere, rename_output, rename_through, rename_everywhere, rename_model,
        rename_model_forgetting, delete_model, inline_model, extract_model, repoint, reformat,
    )
} | {
    one.__name__: editing(one)
    for one in (
        swap_operands, flip_comparison, rename_cte, rename_alias, cte_to_subquery, table_to_cte, reorder_outputs, add_output,
        between_to_bounds, qualify_columns, simple_case, in_to_or, group_by_place, add_unused_cte, exchange_arms, swap_in_arm,
        change_constant, change_operator, change_aggregate, wrap_output, change_type, change_filter, change_join, add_limit,
    )
}  # fmt: skip
