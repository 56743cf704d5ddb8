"""Feature views and services of Feast, as far as their Python says it in constants: which query computes which feature.

Read from the syntax tree, never run. A view whose name is no constant is not found, and then nobody may conclude anything
from it. The query may be a constant of the module that `query=` names. See docs.feast.dev, "Feature view": `source=` names a
data source, `field_mapping` of the source renames {column: feature}, and without `schema=` every column is a feature.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FeastView:
    """`columns`: feature -> column of the source. `first_line` .. `last_line`: where the query's text stands.

    `queries`: how many texts the query chooses from; 0 where the source is a table, or something that another file says.
    `mapping`: feature -> column, as the source renames. `is_open`: there may be more features than `columns` tells, as the
    fields are not all constants or left to Feast; `is_told` False: the former. `source` and `fields`: the Python of both.
    `table`: the parts of the name of the table that the source is.
    """

    name: str
    columns: Mapping[str, str]
    first_line: int
    last_line: int
    queries: int = 1
    mapping: Mapping[str, str] = field(default_factory=dict)
    is_open: bool = False
    is_told: bool = True
    source: str = ""
    fields: str = ""
    table: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A data source. `table`: the parts of its table's name as they are written, () where it is none."""

    first_line: int
    last_line: int
    mapping: Mapping[str, str] = field(default_factory=dict)
    queries: int = 0
    text: str = ""
    table: tuple[str, ...] = ()


#: arguments of a data source that say nothing of where its values come from
_ASIDE = frozenset({"name", "description", "tags", "owner", "field_mapping"})


def find_feast_views(text: str) -> tuple[FeastView, ...]:
    """The feature views of a Python file whose source is a query; () for a file that does not parse."""
    return tuple(view for view in find_all_feast_views(text) if view.queries)


def find_all_feast_views(text: str) -> tuple[FeastView, ...]:
    """Those whose source is a table, or stands in another file, as well."""
    if "FeatureView" not in text:
        return ()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()  # what cannot be parsed is an opaque file to the walk, and judged as one
    constants = find_constants(module)
    sources: dict[str, FoundSource] = {}
    for name, call in find_calls(module):
        if (source := find_source(call, constants, sources)) is not None:
            sources[name] = source
    return tuple(view for _, call in find_calls(module) if (view := read_view(call, sources, constants)) is not None)


def find_constants(module: ast.Module) -> Mapping[str, ast.expr]:
    """The values of the names that the module sets once."""
    stored = Counter(
        node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    found: dict[str, ast.expr] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored[name] == 1:
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if stored[name] == 1:
                found[name] = value
    return found


def find_calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """(variable, call) of every assignment of a call, and ("", call) of bare ones."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                yield name, call
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
                yield name, call
            case ast.Expr(value=ast.Call() as call):
                yield "", call


def find_called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def find_argument(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def find_text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def find_source(
    call: ast.Call, constants: Mapping[str, ast.expr], known: Mapping[str, FoundSource]
) -> FoundSource | None:
    """Where the values come from; whether a query is constant SQL is not asked here: what is not, no statement stands in."""
    if not find_called(call).endswith("Source"):
        return None
    batch = find_argument(call, "batch_source")  # a stream's values are kept where its batch source says
    if isinstance(batch, ast.Name) and batch.id in known:
        return known[batch.id]
    query = find_argument(call, "query")
    query = constants.get(query.id, query) if isinstance(query, ast.Name) else query
    mapping = find_argument(call, "field_mapping")
    pairs: dict[str, str] = {}
    if isinstance(mapping, ast.Dict):
        for key, value in zip(mapping.keys, mapping.values, strict=True):
            column, feature = find_text(key), find_text(value)
            if column is not None and feature is not None:
                pairs[feature] = column
    if query is None or (isinstance(query, ast.Constant) and query.value is None):
        said = [keyword for keyword in call.keywords if keyword.arg not in _ASIDE]
        values = [constants.get(k.value.id, k.value) if isinstance(k.value, ast.Name) else k.value for k in said]
        text = ", ".join(f"{k.arg}={ast.unparse(value)}" for k, value in zip(said, values, strict=True))
        text = ", ".join([*map(ast.unparse, call.args), text])
        return FoundSource(call.lineno, call.end_lineno or call.lineno, pairs, text=text, table=_table(call, constants))
    return FoundSource(query.lineno, query.end_lineno or query.lineno, pairs, _count(query), ast.unparse(query))


def _table(call: ast.Call, constants: Mapping[str, ast.expr]) -> tuple[str, ...]:
    """`table` (`table_ref` in older releases), with the database and the schema that the source names."""
    given = {
        keyword.arg: constants.get(keyword.value.id, keyword.value)
        if isinstance(keyword.value, ast.Name)
        else keyword.value
        for keyword in call.keywords
    }
    table = find_text(given.get("table")) or find_text(given.get("table_ref"))
    if table is None:
        return ()
    parts = tuple(table.replace(":", ".").replace('"', "").replace("`", "").split("."))
    for above in (find_text(given.get("schema")), find_text(given.get("database"))):
        if above is None:
            break
        known = parts[:-1] if above == find_text(given.get("schema")) and len(parts) > 1 else ()
        parts = parts if known else (above, *parts)
    return parts


def _count(query: ast.expr) -> int:
    """How many texts an expression chooses from."""
    match query:
        case ast.IfExp(body=body, orelse=orelse):
            return _count(body) + _count(orelse)
        case ast.BoolOp(values=values):
            return sum(map(_count, values))
    return 1


def read_view(
    call: ast.Call, sources: Mapping[str, FoundSource], constants: Mapping[str, ast.expr]
) -> FeastView | None:
    name = find_text(find_argument(call, "name"))
    given = find_argument(call, "source") or find_argument(call, "batch_source")
    if not find_called(call).endswith("FeatureView") or name is None or given is None:
        return None
    source = sources.get(given.id) if isinstance(given, ast.Name) else None
    if isinstance(given, ast.Call):
        source = find_source(given, constants, sources)
    if source is None:  # another file says
        source = FoundSource(given.lineno, given.end_lineno or given.lineno, text=ast.unparse(given))
    schema = find_argument(call, "schema") or find_argument(call, "features")
    fields = schema.elts if isinstance(schema, (ast.List, ast.Tuple)) else []
    names = [find_text(find_argument(one, "name")) if isinstance(one, ast.Call) else None for one in fields]
    is_told = schema is None or (isinstance(schema, (ast.List, ast.Tuple)) and None not in names)
    renamed = set(source.mapping.values())
    columns = {
        feature: source.mapping.get(feature, feature)
        for feature in names
        if feature is not None and (feature in source.mapping or feature not in renamed)
    }
    return FeastView(
        name,
        columns,
        source.first_line,
        source.last_line,
        source.queries,
        source.mapping,
        is_open=schema is None or not is_told,
        is_told=is_told,
        source=source.text,
        fields="" if schema is None else ast.unparse(schema),
        table=source.table,
    )


@dataclass(frozen=True, slots=True)
class FeastService:
    """What one model asks of the feature store. `features`: (view, feature) -> the line that names the view or the feature."""

    name: str
    features: Mapping[tuple[str, str], int]


def find_feast_services(text: str) -> tuple[FeastService, ...]:
    """The FeatureServices of a Python file, as far as constants of the same file say what is in them."""
    if "FeatureService" not in text:
        return ()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    views = {
        variable: view for variable, call in find_calls(module) if variable and (view := _fields(call)) is not None
    }
    return tuple(found for _, call in find_calls(module) if (found := _service(call, views)) is not None)


def _fields(call: ast.Call) -> tuple[str, Mapping[str, int]] | None:
    """(name of the view, its features with their lines)."""
    name = find_text(find_argument(call, "name"))
    schema = find_argument(call, "schema") or find_argument(call, "features")
    if not find_called(call).endswith("FeatureView") or name is None or not isinstance(schema, (ast.List, ast.Tuple)):
        return None
    fields = [
        node for one in schema.elts if isinstance(one, ast.Call) and (node := find_argument(one, "name")) is not None
    ]
    return name, {text: node.lineno for node in fields if (text := find_text(node)) is not None}


def _service(call: ast.Call, views: Mapping[str, tuple[str, Mapping[str, int]]]) -> FeastService | None:
    name, listed = find_text(find_argument(call, "name")), find_argument(call, "features")
    if find_called(call) != "FeatureService" or name is None or not isinstance(listed, (ast.List, ast.Tuple)):
        return None
    features: dict[tuple[str, str], int] = {}
    for item in listed.elts:
        match item:
            case ast.Name(id=variable) if variable in views:
                view, fields = views[variable]
                features |= {(view, feature): line for feature, line in fields.items()}
            case ast.Subscript(value=ast.Name(id=variable), slice=ast.List(elts=chosen)) if variable in views:
                view, fields = views[variable]
                picked = [(feature, node.lineno) for node in chosen if (feature := find_text(node)) is not None]
                features |= {(view, feature): line for feature, line in picked if feature in fields}
    return FeastService(name, features) if features else None
