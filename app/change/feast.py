"""Feature views and services of Feast, as far as their Python says it in constants: which query computes which feature.

Read from the syntax tree, never run. A view whose name, source or fields are not constants is not found, and then nobody
may conclude anything from it. The query may be a constant of the module that `query=` names. See docs.feast.dev, "Feature
view": `source=` names a data source, `field_mapping` of the source renames {column: feature}.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FeastView:
    """`columns`: feature -> column of the query. `first_line` .. `last_line`: where the query's text stands."""

    name: str
    columns: Mapping[str, str]
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class _Source:
    first_line: int
    last_line: int
    mapping: Mapping[str, str] = field(default_factory=dict)


def find_feast_views(text: str) -> tuple[FeastView, ...]:
    """The feature views of a Python file whose source is a constant query; () for a file that does not parse."""
    if "FeatureView" not in text:
        return ()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()  # what cannot be parsed is an opaque file to the walk, and judged as one
    constants = _constants(module)
    sources = {name: source for name, call in _calls(module) if (source := _source(call, constants)) is not None}
    return tuple(view for _, call in _calls(module) if (view := _view(call, sources, constants)) is not None)


def _constants(module: ast.Module) -> Mapping[str, ast.expr]:
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


def _calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """(variable, call) of every assignment of a call, and ("", call) of bare ones."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                yield name, call
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
                yield name, call
            case ast.Expr(value=ast.Call() as call):
                yield "", call


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _argument(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _source(call: ast.Call, constants: Mapping[str, ast.expr]) -> _Source | None:
    """Where the query stands; whether it is constant SQL is not asked here: what is not, no statement stands in."""
    query = _argument(call, "query")
    query = constants.get(query.id) if isinstance(query, ast.Name) else query
    if not _called(call).endswith("Source") or query is None:
        return None
    mapping = _argument(call, "field_mapping")
    pairs: dict[str, str] = {}
    if isinstance(mapping, ast.Dict):
        for key, value in zip(mapping.keys, mapping.values, strict=True):
            column, feature = _text(key), _text(value)
            if column is not None and feature is not None:
                pairs[feature] = column
    return _Source(query.lineno, query.end_lineno or query.lineno, pairs)


def _view(call: ast.Call, sources: Mapping[str, _Source], constants: Mapping[str, ast.expr]) -> FeastView | None:
    name = _text(_argument(call, "name"))
    given = _argument(call, "source") or _argument(call, "batch_source")
    source = sources.get(given.id) if isinstance(given, ast.Name) else None
    if isinstance(given, ast.Call):
        source = _source(given, constants)
    schema = _argument(call, "schema") or _argument(call, "features")
    if not _called(call).endswith("FeatureView") or name is None or source is None:
        return None
    fields = schema.elts if isinstance(schema, (ast.List, ast.Tuple)) else []
    names = [found for one in fields if isinstance(one, ast.Call) and (found := _text(_argument(one, "name")))]
    columns = {feature: source.mapping.get(feature, feature) for feature in names}
    return FeastView(name, columns, source.first_line, source.last_line)


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
    views = {variable: view for variable, call in _calls(module) if variable and (view := _fields(call)) is not None}
    return tuple(found for _, call in _calls(module) if (found := _service(call, views)) is not None)


def _fields(call: ast.Call) -> tuple[str, Mapping[str, int]] | None:
    """(name of the view, its features with their lines)."""
    name = _text(_argument(call, "name"))
    schema = _argument(call, "schema") or _argument(call, "features")
    if not _called(call).endswith("FeatureView") or name is None or not isinstance(schema, (ast.List, ast.Tuple)):
        return None
    fields = [node for one in schema.elts if isinstance(one, ast.Call) and (node := _argument(one, "name")) is not None]
    return name, {text: node.lineno for node in fields if (text := _text(node)) is not None}


def _service(call: ast.Call, views: Mapping[str, tuple[str, Mapping[str, int]]]) -> FeastService | None:
    name, listed = _text(_argument(call, "name")), _argument(call, "features")
    if _called(call) != "FeatureService" or name is None or not isinstance(listed, (ast.List, ast.Tuple)):
        return None
    features: dict[tuple[str, str], int] = {}
    for item in listed.elts:
        match item:
            case ast.Name(id=variable) if variable in views:
                view, fields = views[variable]
                features |= {(view, feature): line for feature, line in fields.items()}
            case ast.Subscript(value=ast.Name(id=variable), slice=ast.List(elts=chosen)) if variable in views:
                view, fields = views[variable]
                picked = [(feature, node.lineno) for node in chosen if (feature := _text(node)) is not None]
                features |= {(view, feature): line for feature, line in picked if feature in fields}
    return FeastService(name, features) if features else None
