"""Fivetran's macro package, which none of the projects that use it keeps in its repository, as SQL that shows what they read.

It is in most dbt projects over Fivetran's connectors: it picks the source's table, lists a staging model's columns, and adds
`source_relation`. What it would ask the database for (does the table exist, which columns has it) is taken to be yes, and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from app.render.cross_database import literal
from app.render.limits import RenderError
from app.render.naming import find_source_relation
from app.render.session import Session
from app.render.stubs import Relation

Star = Callable[..., str]

#: in SQL, the name of the schema that the rows of a union come from
_ORIGIN: Final = "_dbt_source_relation"
#: sources whose default schema is not their name
_RENAMED_SOURCES: Final = {
    "linkedin_company_pages": "linkedin_pages",
    "instagram_business_pages": "instagram_business",
}


def make_fivetran_utils(session: Session, star: Star, union_relations: Star) -> dict[str, Callable[..., Any]]:
    """By name. `star` and `union_relations` are dbt_utils'."""
    var = session.functions["var"]
    sources = _Sources(session, star, union_relations)

    def fill_staging_columns(_source_columns: object = None, staging_columns: object = (), **_named: object) -> str:
        """Every column that the staging model lists, under its name: whether the source has it, only the database knows."""
        return ", ".join(_staging_column(session, column) for column in _dicts(staging_columns)) or "*"

    def calculated_fields(variable: object) -> str:
        return "".join(f", {_get(field, 'transform_sql')} as {_name(field)}" for field in _items(var(variable, None)))

    def fill_pass_through_columns(pass_through_variable: object) -> str:
        return "".join(_passed_through(field) for field in _items(var(pass_through_variable, None)))

    def persist_pass_through_columns(
        pass_through_variable: object, identifier: object = None, transform: object = "", **_named: object
    ) -> str:
        prefix = f"{identifier}." if identifier else ""
        fields = [_name(field) for field in _items(var(pass_through_variable, None))]
        return "".join(f", {transform}({prefix}{name}) as {name}" for name in fields)

    def enabled_vars(names: object) -> bool:
        return all(not _is(var(str(name), None), "false") for name in _items(names))

    def enabled_vars_one_true(names: object) -> bool:
        return any(_is(var(str(name), None), "true") for name in _items(names))

    return {
        **_EXPRESSIONS,
        "union_data": sources.union_data,
        "union_connections": sources.union_connections,
        "union_relations": union_relations,
        "union_relations_custom": union_relations,
        "source_relation": sources.source_relation,
        "apply_source_relation": sources.apply_source_relation,
        "partition_by_source_relation": sources.partition_by_source_relation,
        "fill_staging_columns": fill_staging_columns,
        "calculated_fields": calculated_fields,
        "fill_pass_through_columns": fill_pass_through_columns,
        "persist_pass_through_columns": persist_pass_through_columns,
        "add_pass_through_columns": add_pass_through_columns,
        "enabled_vars": enabled_vars,
        "enabled_vars_one_true": enabled_vars_one_true,
        "quote_column": lambda column: _quoted_name(session, column),
        "wrap_in_quotes": lambda object_to_quote: session.home.target.quoted(str(object_to_quote)),
    }


class _Sources:
    """Which tables a staging model stands on: one source's, or those of several connections, one above the other."""

    def __init__(self, session: Session, star: Star, union_relations: Star) -> None:
        self._session, self._star, self._union = session, star, union_relations
        self._var = session.functions["var"]

    def union_data(
        self,
        table_identifier: object,
        database_variable: object,
        schema_variable: object,
        default_database: object,
        default_schema: object,
        _default_variable: object = None,
        union_schema_variable: object = "union_schemas",
        union_database_variable: object = "union_databases",
        **_named: object,
    ) -> str:
        table = str(table_identifier)
        schemas = _items(self._var(union_schema_variable, None))
        databases = _items(self._var(union_database_variable, None))
        if schemas:
            database = self._var(database_variable, default_database)
            return self._union([self._table(database, schema, table) for schema in schemas])
        if databases:
            schema = self._var(schema_variable, default_schema)
            return self._union([self._table(database, schema, table) for database in databases])
        source = _RENAMED_SOURCES.get(str(default_schema), str(default_schema))
        relation = self._identified(source, table, table, "identifier", "identifer")
        return f"select {literal(source)} as {_ORIGIN}, {self._star(relation)} from {relation}"  # noqa: S608 - read, never run

    def union_connections(
        self,
        connection_dictionary: object,
        single_source_name: object,
        single_table_name: object,
        default_identifier: object = None,
        **_named: object,
    ) -> str:
        source, table = str(single_source_name), str(single_table_name)
        name = str(default_identifier or table)
        connections = _dicts(self._var(connection_dictionary, []))
        if not connections:
            relation = self._identified(source, table, name, "identifier")
            return f"select {self._star(relation)} from {relation} as source_table"  # noqa: S608 - read, never run
        identifier = self._var(f"{source}_{table}_identifier", name)
        database = self._session.home.target.database
        return self._union(
            [
                self._table(one.get("database") or database, one.get("schema") or source, identifier)
                for one in connections
            ]
        )

    def source_relation(
        self,
        union_schema_variable: object = "union_schemas",
        union_database_variable: object = "union_databases",
        **_: object,
    ) -> str:
        if _items(self._var(union_schema_variable, None)) or _items(self._var(union_database_variable, None)):
            return f", zz_schema_of({_ORIGIN}) as source_relation"
        return ", cast('' as varchar) as source_relation"

    def apply_source_relation(self, package_name: object, use_package_prefix: object = True) -> str:  # noqa: FBT002 - the package's order
        prefix = f"{package_name}_" if use_package_prefix else ""
        if _items(self._var(f"{package_name}_sources", [])):
            return f", {_ORIGIN} as source_relation"
        return self.source_relation(f"{prefix}union_schemas", f"{prefix}union_databases")

    def partition_by_source_relation(
        self, package_name: object = "", has_other_partitions: object = "yes", alias: object = None, **_named: object
    ) -> str:
        many = any(len(_items(self._var(f"{package_name}_union_{what}", []))) > 1 for what in ("schemas", "databases"))
        if not many and not _items(self._var(f"{package_name}_sources", [])):
            return ""
        column = f"{alias}.source_relation" if alias else "source_relation"
        return f"partition by {column}" if has_other_partitions == "no" else f", {column}"

    def _table(self, database: object, schema: object, identifier: object) -> Relation:
        if self._var("has_defined_sources", None):
            return find_source_relation(self._session, str(schema), str(identifier))
        return Relation.of(
            str(identifier),
            str(schema),
            None if database is None else str(database),
            quote=self._session.home.target.quote,
        )

    def _identified(self, source: str, table: str, default: str, *endings: str) -> Relation:
        """The source's table; a variable may give it another name in the same schema."""
        found = find_source_relation(self._session, source, table)
        names = [f"{source}_{table}_{ending}" for ending in endings]
        given = next((value for name in names if isinstance(value := self._var(name, None), str)), None)
        if given is None and default == table:
            return found
        parts = (*found.known_parts[:-1], given or default)
        schema, database = (parts[-2:-1] or (None,))[0], (parts[-3:-2] or (None,))[0]
        return Relation.of(parts[-1], schema, database, quote=self._session.home.target.quote)


def add_pass_through_columns(base_columns: object, pass_through_var: object = None) -> str:
    """Lengthens the list that it is given."""
    if isinstance(base_columns, list):
        for field in _items(pass_through_var):
            name, alias = _get(field, "name") or str(field), _get(field, "alias")
            base_columns.append({"name": name, "alias": alias} if alias else {"name": name})
    return ""


def _staging_column(session: Session, column: Mapping[str, Any]) -> str:
    name, alias = _quoted_name(session, column), column.get("alias")
    return f"{name} as {alias}" if alias else name


def _quoted_name(session: Session, column: object) -> str:
    name = str(_get(column, "name") or column)
    if not _get(column, "quote"):
        return name
    target = session.home.target
    return target.quoted(name.upper() if target.adapter == "snowflake" else name)


def _passed_through(field: object) -> str:
    expression = _get(field, "transform_sql") or _name(field)
    return f", coalesce(cast({expression} as varchar), '') as {_name(field)}"


def _name(field: object) -> str:
    return str(_get(field, "alias") or _get(field, "name") or field)


def _get(field: object, key: str) -> Any:
    return field.get(key) if isinstance(field, Mapping) else None


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [item for item in _items(value) if isinstance(item, Mapping) and item]


def _items(value: object) -> list[Any]:
    """Of a list; a text may stand for one, with or without its brackets."""
    if isinstance(value, str):
        return [part.strip(" \"'") for part in value.strip("[] ").split(",") if part.strip(" \"'")]
    return list(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else []


def _is(value: object, word: str) -> bool:
    return str(value).lower() == word


def string_agg(field_to_agg: object, delimiter: object = "','", **_named: object) -> str:
    return f"string_agg({field_to_agg}, {delimiter})"


def json_extract(string: object, string_path: object) -> str:
    return f"zz_json_extract({string}, {literal(string_path)})"


def json_parse(string: object, string_path: object) -> str:
    return f"zz_json_parse({string}, {', '.join(literal(part) for part in _items(string_path)) or 'null'})"


def pivot_json_extract(string: object, list_of_properties: object) -> str:
    found = []
    for item in _items(list_of_properties):
        name = str(_get(item, "name") or item)
        title = str(_get(item, "alias") or "".join(c if c.isalnum() else "_" for c in name.lower()))
        found.append(f"zz_json_extract({string}, {literal(name)}) as {title}")
    if not found:
        raise RenderError("fivetran_utils.pivot_json_extract() of no properties")
    return ", ".join(found)


def first_value(
    first_value_field: object, partition_field: object, order_by_field: object, order: object = "asc"
) -> str:
    return f"first_value({first_value_field}) over (partition by {partition_field} order by {order_by_field} {order})"


def timestamp_add(datepart: object, interval: object, from_timestamp: object) -> str:
    return f"zz_timestamp_add({literal(datepart)}, {interval}, {from_timestamp})"


def timestamp_diff(first_date: object, second_date: object, datepart: object) -> str:
    return f"zz_timestamp_diff({literal(datepart)}, {first_date}, {second_date})"


def remove_prefix_from_columns(columns: object, prefix: object = "", exclude: object = ()) -> str:
    start, found = str(prefix).lower(), []
    for column in _items(columns):
        name = str(getattr(column, "name", column))
        if name == "*" and start:
            raise RenderError(
                "fivetran_utils.remove_prefix_from_columns() of columns that this repository does not list"
            )
        if name not in _items(exclude):
            found.append(f"{name} as {name[len(start) :]}" if start and name.lower().startswith(start) else name)
    return ", ".join(found)


#: names of columns are arguments in all of them; date parts and paths are written as texts
_EXPRESSIONS: Final[dict[str, Callable[..., Any]]] = {
    "string_agg": string_agg,
    "array_agg": lambda field_to_agg: f"array_agg({field_to_agg})",
    "max_bool": lambda boolean_field: f"zz_max_bool({boolean_field})",
    "percentile": lambda percentile_field, partition_field, percent: (
        f"zz_percentile({percentile_field}, {partition_field}, {percent})"
    ),
    "first_value": first_value,
    "json_extract": json_extract,
    "json_parse": json_parse,
    "pivot_json_extract": pivot_json_extract,
    "timestamp_add": timestamp_add,
    "timestamp_diff": timestamp_diff,
    "try_cast": lambda field, type: f"zz_try_cast({field}, {literal(type)})",  # noqa: A006 - the package's name of it
    "ceiling": lambda num: f"ceil({num})",
    "extract_url_parameter": lambda field, url_parameter: f"zz_url_parameter({field}, {literal(url_parameter)})",
    "remove_prefix_from_columns": remove_prefix_from_columns,
    "dummy_coalesce_value": lambda _column: "null",
}
