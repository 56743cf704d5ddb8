"""The packages that most dbt projects use and none keeps in its repository, as SQL that shows what they read.

Only where no project of the tree has the name: a vendored package speaks for itself. A macro that would ask the database for
values gets one made-up value, so that the columns it names stay visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from app.render import dbt_date
from app.render.answers import UNKNOWN_VALUE, Answer
from app.render.columns import find_columns
from app.render.cross_database import make_cross_database
from app.render.fivetran import make_fivetran_utils
from app.render.limits import MAX_NUMBER, RenderError
from app.render.naming import make_naming_functions
from app.render.session import Session
from app.render.target import Target
from app.words import LEFT_OUT

#: sqlglot does not read QUALIFY of these
_WITHOUT_QUALIFY: Final = frozenset({"trino", "athena"})


def make_packages(session: Session) -> dict[str, Mapping[str, Any]]:
    """Package -> macro -> function; those of `dbt` answer to their bare names as well."""
    cross_database = make_cross_database(session.home.target.adapter)
    dbt_utils = {**cross_database, **_make_dbt_utils(session)}
    return {
        "dbt": {**cross_database, **make_naming_functions(session)},
        "dbt_utils": dbt_utils,
        "dbt_date": dbt_date.FUNCTIONS,
        "fivetran_utils": make_fivetran_utils(session, dbt_utils["star"], dbt_utils["union_relations"]),
    }


def _make_dbt_utils(session: Session) -> dict[str, Any]:
    target = session.home.target

    def columns(relation: object, excluded: object) -> list[str]:
        without = {str(name).lower() for name in _items(excluded)}
        return [name for name in find_columns(session, relation) if name.lower() not in without]

    def star(
        from_: object = None,
        relation_alias: object = None,
        except_: object = (),
        prefix: str = "",
        suffix: str = "",
        *_rest: object,
        **named: object,
    ) -> str:
        """`*` where the columns are not known: what is read passes through by its name, but for what is left out."""
        relation, excluded = named.get("from", from_), named.get("except", except_)
        names = columns(relation, excluded)
        alias = f"{relation_alias}." if relation_alias else ""
        known = find_columns(session, relation)
        if not known and (prefix or suffix):
            raise RenderError("dbt_utils.star() renames columns that this repository does not list")
        if not known:
            return f"{alias}*{_leave_out(target, excluded)}"
        renamed = [f" as {target.quote(f'{prefix}{name}{suffix}')}" if prefix or suffix else "" for name in names]
        return ", ".join(f"{alias}{target.quote(n)}{r}" for n, r in zip(names, renamed, strict=True)) or f"{alias}*"

    def filtered(from_: object = None, except_: object = (), **named: object) -> list[str]:
        relation = named.get("from", from_)
        names = columns(relation, named.get("except", except_))
        if not names:
            session.unlisted = str(relation)
        return names or ["*"]

    def quoted(name: object) -> str:
        return target.quoted(str(name))

    return {
        **_FUNCTIONS,
        "star": star,
        "get_filtered_columns_in_relation": filtered,
        "deduplicate": _make_deduplicate(target.adapter),
        "pivot": _make_pivot(quoted),
        "unpivot": _make_unpivot(session),
    }


def _leave_out(target: Target, excluded: object) -> str:
    """The macro leaves these out where they are; `* except (c)` would fail where c is not."""
    names = ", ".join(dict.fromkeys(target.quote(f"{LEFT_OUT}{str(name).lower()}") for name in _items(excluded)))
    return f" except ({names})" if names else ""


def _blank(*_args: object, **_named: object) -> str:
    return ""


def _nothing(*_args: object, **_named: object) -> list[object]:
    return []


def _items(value: object) -> list[object]:
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, Iterable) else []


def surrogate_key(*fields: object) -> str:
    """Of one list or of several names."""
    names = [str(item) for field in fields for item in _items(field)]
    return "md5(concat(" + ", ".join(names or ["null"]) + "))"


def _operator_chain(fields: tuple[object, ...], operator: str) -> str:
    names = [str(item) for field in fields for item in _items(field)]
    return f" {operator} ".join(f"coalesce({name}, 0)" for name in names) or "null"


def group_by(n: object) -> str:
    count = int(str(n))
    if not 0 < count <= MAX_NUMBER:
        raise RenderError("dbt_utils.group_by() of that many columns")
    return "group by " + ", ".join(str(number) for number in range(1, count + 1))


def union_relations(
    relations: object = (),
    _column_override: object = None,
    include: object = (),
    _exclude: object = (),
    source_column_name: object = "_dbt_source_relation",
    where: object = None,
    **_named: object,
) -> str:
    """By name, as the macro does it; columns that one relation lacks are NULL there."""
    names = ", ".join(str(name) for name in _items(include)) or "*"
    filtered = f" where {where}" if where else ""
    found = [item for item in _items(relations) if isinstance(item, str)]
    if not found:
        raise RenderError("dbt_utils.union_relations() of relations that only a database can list")

    def source(relation: str) -> str:
        text = "".join(c for c in relation if c.isalnum() or c in "._")
        return f", '{text}' as {source_column_name}" if source_column_name else ""

    return " union all by name ".join(f"select {names}{source(item)} from {item}{filtered}" for item in found)  # noqa: S608 - read, never run


def _make_deduplicate(adapter: str | None) -> Callable[..., str]:
    def deduplicate(relation: object, partition_by: object, order_by: object = None, **_named: object) -> str:
        order = f" order by {order_by}" if order_by else ""
        number = f"row_number() over (partition by {partition_by}{order})"
        condition = f"where 1 = (select {number})" if adapter in _WITHOUT_QUALIFY else f"qualify {number} = 1"
        return f"select * from {relation} {condition}"  # noqa: S608 - read, never run

    return deduplicate


def _make_pivot(quoted: Callable[[object], str]) -> Callable[..., str]:
    def pivot(
        column: object,
        values: object,
        alias: object = True,  # noqa: FBT002 - the order of the arguments is dbt_utils'
        agg: object = "sum",
        cmp: object = "=",
        prefix: object = "",
        suffix: object = "",
        then_value: object = 1,
        else_value: object = 0,
        quote_identifiers: object = True,  # noqa: FBT002
        *_distinct: object,
        **_named: object,
    ) -> str:
        outputs = []
        for value in _items(values):
            name = f"{prefix}{value}{suffix}"
            escaped = str(value).replace("'", "''")
            case = f"case when {column} {cmp} '{escaped}' then {then_value} else {else_value} end"
            title = quoted(name) if quote_identifiers else "".join(c if c.isalnum() else "_" for c in name.lower())
            outputs.append(f"{agg}({case})" + (f" as {title}" if alias else ""))
        return ", ".join(outputs) or "null as zz_pivot"

    return pivot


def _make_unpivot(session: Session) -> Callable[..., str]:
    def unpivot(
        relation: object = None,
        cast_to: object = "varchar",
        exclude: object = (),
        remove: object = (),
        field_name: object = "field_name",
        value_name: object = "value",
        **_named: object,
    ) -> str:
        kept = {str(name).lower() for name in _items(exclude)}
        gone = kept | {str(name).lower() for name in _items(remove)}
        names = [name for name in find_columns(session, relation) if name.lower() not in gone]
        if not names:
            raise RenderError("dbt_utils.unpivot() of columns that this repository does not list")
        head = "".join(f"{name}, " for name in _items(exclude))
        return " union all ".join(
            f"select {head}'{name}' as {field_name}, cast({name} as {cast_to}) as {value_name} from {relation}"  # noqa: S608 - read, never run
            for name in names
        )

    return unpivot


def date_spine(datepart: object, start_date: object, end_date: object) -> str:
    name = "".join(c for c in str(datepart) if c.isalnum() or c == "_")
    return f"select cast(null as date) as date_{name} from (select {start_date} as zz_start, {end_date} as zz_end) as zz_spine"  # noqa: S608 - read, never run


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "generate_surrogate_key": surrogate_key,
    "surrogate_key": surrogate_key,
    "union_relations": union_relations,
    "safe_divide": lambda numerator, denominator: f"({numerator}) / nullif({denominator}, 0)",
    "safe_add": lambda *fields: _operator_chain(fields, "+"),
    "safe_subtract": lambda *fields: _operator_chain(fields, "-"),
    "group_by": group_by,
    "get_column_values": lambda *_args, **_named: [UNKNOWN_VALUE],
    "get_single_value": lambda _query, default=None: default if default is not None else UNKNOWN_VALUE,
    "get_query_results_as_dict": lambda _query: Answer(),
    **dict.fromkeys(("get_relations_by_pattern", "get_relations_by_prefix", "get_tables_by_pattern_sql"), _nothing),
    "date_spine": date_spine,
    "generate_series": lambda upper_bound: (
        f"select 1 as generated_number from (select {upper_bound} as zz_bound) as zz"  # noqa: S608 - read, never run
    ),
    "width_bucket": lambda expr, low, high, buckets: f"zz_width_bucket({expr}, {low}, {high}, {buckets})",
    "haversine_distance": lambda lat1, lon1, lat2, lon2, *_unit, **_named: (
        f"zz_haversine({lat1}, {lon1}, {lat2}, {lon2})"
    ),
    "get_url_host": lambda field: f"zz_url_host({field})",
    "get_url_path": lambda field: f"zz_url_path({field})",
    "get_url_parameter": lambda field, url_parameter: f"zz_url_parameter({field}, '{url_parameter}')",
    "slugify": lambda string: "".join(c if c.isalnum() else "_" for c in str(string or "").lower()),
    "nullcheck_table": lambda relation: f"select * from {relation}",  # noqa: S608 - read, never run
    **dict.fromkeys(("log_info", "pretty_log_format", "pretty_time", "_is_relation", "_is_ephemeral"), _blank),
}
