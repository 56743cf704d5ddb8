"""Search filters of DataHub, turned into SQL: lists of ANDed criteria, the lists ORed.

Only fields this catalog really knows are accepted. One it does not know is refused (400) rather than ignored: a filter
that is dropped in silence answers more, or less, than was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.catalog.refusal import RequestRefused

#: what a criterion may look at, as SQL that yields texts about the node with the alias {0}
_NODE_FIELDS: Mapping[str, str] = {
    "urn": "SELECT {0}.urn",
    "_entityType": "SELECT {0}.type",
    "entityType": "SELECT {0}.type",
    "removed": "SELECT CASE {0}.removed WHEN 1 THEN 'true' ELSE 'false' END",
    # A platform stands in the urn itself (dataset, mlModel, ...) or in the aspect that names it.
    "platform": "SELECT 'urn:li:dataPlatform:' || substr(r, 1, min(instr(r || ',', ','), instr(r || ')', ')')) - 1) "
    "FROM (SELECT substr({0}.urn, instr({0}.urn, 'urn:li:dataPlatform:') + 20) AS r) "
    "WHERE instr({0}.urn, 'urn:li:dataPlatform:') > 0 UNION "
    "SELECT json_extract(a.value, '$.platform') FROM aspect a WHERE a.node = {0}.id AND a.name = 'dataPlatformInstance'",
    "platformInstance": "SELECT json_extract(a.value, '$.instance') FROM aspect a "
    "WHERE a.node = {0}.id AND a.name = 'dataPlatformInstance'",
    "origin": "SELECT json_extract(a.value, '$.origin') FROM aspect a WHERE a.node = {0}.id AND a.name LIKE '%Key'",
    "env": "SELECT json_extract(a.value, '$.origin') FROM aspect a WHERE a.node = {0}.id AND a.name LIKE '%Key'",
    "tags": "SELECT json_extract(t.value, '$.tag') FROM aspect a, json_each(a.value, '$.tags') t "
    "WHERE a.node = {0}.id AND a.name = 'globalTags'",
    "owners": "SELECT json_extract(o.value, '$.owner') FROM aspect a, json_each(a.value, '$.owners') o "
    "WHERE a.node = {0}.id AND a.name = 'ownership'",
    "typeNames": "SELECT t.value FROM aspect a, json_each(a.value, '$.typeNames') t "
    "WHERE a.node = {0}.id AND a.name = 'subTypes'",
    "customProperties": "SELECT p.key || '=' || p.value FROM aspect a, json_each(a.value, '$.customProperties') p "
    "WHERE a.node = {0}.id",
    "container": "SELECT json_extract(a.value, '$.container') FROM aspect a WHERE a.node = {0}.id AND a.name = 'container'",
}

_CONDITIONS: Mapping[str, str] = {
    "EQUAL": "v IN (SELECT value FROM json_each({values}))",
    "IN": "v IN (SELECT value FROM json_each({values}))",
    "IEQUAL": "lower(v) IN (SELECT lower(value) FROM json_each({values}))",
    "START_WITH": "EXISTS (SELECT 1 FROM json_each({values}) w WHERE substr(v, 1, length(w.value)) = w.value)",
    "END_WITH": "EXISTS (SELECT 1 FROM json_each({values}) w WHERE substr(v, -length(w.value)) = w.value)",
    "CONTAIN": "EXISTS (SELECT 1 FROM json_each({values}) w WHERE instr(v, w.value) > 0)",
    "EXISTS": "v IS NOT NULL",
}


@dataclass(slots=True)
class Arguments:
    """Values bound by name to the SQL that is being built; nothing from a request ever stands in the text itself."""

    values: dict[str, Any] = field(default_factory=dict)

    def bind(self, value: Any) -> str:
        """The placeholder of a value; lists and tuples are bound as one JSON array."""
        name = f"a{len(self.values)}"
        self.values[name] = json.dumps(list(value)) if isinstance(value, list | tuple) else value
        return f":{name}"

    def within(self, column: str, values: Sequence[str]) -> str:
        """SQL for: the column is one of the values."""
        return f"{column} IN (SELECT value FROM json_each({self.bind(list(values))}))"  # noqa: S608 - column is ours, values are bound


def render_filter(found: Any, alias: str, arguments: Arguments, *, key: str | None = None) -> str | None:
    """SQL for a filter on the node `alias`: `{"or": [{"and": [criterion…]}…]}`, its v3 form `{"and": [{"criteria": […]}…]}`,
    or the list alone. `key` is the column that holds the node's number where the index is (an edge's end).
    None when there is nothing to filter; raises `RequestRefused` (400) for what is not understood."""
    clauses = _parse_clauses(found)
    rendered = [
        " AND ".join(_criterion(one, alias, key or f"{alias}.id", arguments) for one in clause) or "1"
        for clause in clauses
    ]
    return " OR ".join(f"({one})" for one in rendered) or None


def _parse_clauses(found: Any) -> list[list[Mapping[str, Any]]]:
    if found is None:
        return []
    clauses = found
    if isinstance(found, Mapping):
        clauses = found.get("or") or found.get("and") or []
        if "criteria" in found:
            clauses = [found]
    if not isinstance(clauses, Sequence) or isinstance(clauses, str):
        raise RequestRefused(400, f"Not a filter: {found!r}"[:500])
    result = []
    for clause in clauses:
        criteria = clause.get("criteria", clause.get("and")) if isinstance(clause, Mapping) else None
        if not isinstance(criteria, list) or not all(isinstance(one, Mapping) for one in criteria):
            raise RequestRefused(400, f"Not a filter clause: {clause!r}"[:500])
        result.append(criteria)
    return result


def _criterion(criterion: Mapping[str, Any], alias: str, key: str, arguments: Arguments) -> str:
    name = str(criterion.get("field", "")).removesuffix(".keyword")
    condition = criterion.get("condition") or "EQUAL"
    values = criterion.get("values")
    if values is None and criterion.get("value") is not None:
        values = [criterion["value"]]
    if name not in _NODE_FIELDS or condition not in _CONDITIONS:
        raise RequestRefused(
            400,
            f"This catalog cannot filter by {name!r} {condition}: fields {', '.join(_NODE_FIELDS)}; "
            f"conditions {', '.join(_CONDITIONS)}",
        )
    if not isinstance(values or [], list):
        raise RequestRefused(400, f"values of the filter on {name!r} must be a list")
    bound = arguments.bind([str(value).lower() if isinstance(value, bool) else str(value) for value in values or []])
    if name == "urn" and condition in ("EQUAL", "IN"):
        # The one filter that must use an index: thousands of urns against hundreds of thousands of edges.
        sql = f"{key} IN (SELECT id FROM node WHERE urn IN (SELECT value FROM json_each({bound})))"  # noqa: S608
    else:
        looked_at = _NODE_FIELDS[name].format(alias)
        sql = f"EXISTS (SELECT 1 FROM (SELECT NULL AS v WHERE 0 UNION ALL {looked_at}) WHERE {_CONDITIONS[condition].format(values=bound)})"  # noqa: S608, E501 - placeholders and constants only
    return f"NOT ({sql})" if criterion.get("negated") else sql
