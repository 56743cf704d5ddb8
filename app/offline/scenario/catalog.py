"""The catalog of a scenario: lines of a small notation -> metadata change proposals, as DataHub's file sink writes them. Pure.

A line is a statement, lines indented below it belong to it, `#` begins a comment:

    platform snowflake                                      of all names that have none; [PLATFORM:]NAME[@ENV] says another
    table shop.raw.orders: order_id NUMBER, note TEXT       without : no schema is known
    view shop.a.v: order_id NUMBER                          a table with the subtype View; snapshot: Snapshot
    dbt model shop.a.orders in models/orders.sql: ...       model, seed, snapshot or source, as ingestion from dbt writes them
    siblings dbt:shop.a.orders, shop.a.orders               the first is the primary one
    lineage shop.a.t from shop.raw.orders: a from b + c     upstream tables, and after : the columns if they are known
    sql shop.a.v: CREATE VIEW ...                           what the catalog says of a view
    feature customer_features.x from shop.features.t        from is left out where it has no source
    model churn from customer_features.x: serving true, owner growth-ml, created 2026-07-14
    deployment sagemaker:live: IN_SERVICE
    deleted table shop.a.v                                  or feature, model, deployment, or a urn
    without table shop.a.v                                  takes it out of the starting catalog
    aspect table shop.a.v subTypes: {typeNames: [View]}     whatever else: YAML behind the colon, or indented below

A statement about something that the starting catalog has replaces what that says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.offline.scenario import aspects
from app.offline.scenario.names import NAME, ScenarioNames
from app.offline.scenario.values import ExpectedLine

Proposal = dict[str, Any]
_N: Final = rf"(?P<name>{NAME.pattern})"
_LIST: Final = rf"(?:{NAME.pattern})(?:, *(?:{NAME.pattern}))*"
_SHAPES: Final = {
    "table": re.compile(rf"{_N}(?P<colon>:.*)?$", re.S),
    "view": re.compile(rf"{_N}(?P<colon>:.*)?$", re.S),
    "snapshot": re.compile(rf"{_N}(?P<colon>:.*)?$", re.S),
    "dbt": re.compile(rf"(?P<type>\w+) {_N} in (?P<path>[^:]+)(?P<colon>:.*)$", re.S),
    "siblings": re.compile(rf"{_N}, *(?P<other>{NAME.pattern})$"),
    "lineage": re.compile(rf"{_N} from (?P<many>{_LIST})(?P<colon>:.*)?$", re.S),
    "sql": re.compile(rf"{_N}(?P<colon>:.*)$", re.S),
    "feature": re.compile(rf"{_N}(?: from (?P<many>{_LIST}))?$"),
    "model": re.compile(rf"{_N}(?: from (?P<many>{_LIST}))?(?P<colon>:.*)?$", re.S),
    "deployment": re.compile(rf"{_N}(?P<colon>:.*)$"),
    "deleted": re.compile(rf"(?:(?P<kind>\w+) )?{_N}$"),
    "without": re.compile(rf"(?P<kind>\w+) {_N}$"),
    "aspect": re.compile(rf"(?:(?P<kind>\w+) )?{_N} (?P<aspect>\w+)(?P<colon>:.*)$", re.S),
}
#: what it looks like, for who wrote it otherwise
_EXAMPLES: Final = {
    "table": "table shop.raw.orders: order_id NUMBER, note TEXT",
    "view": "view shop.a.orders: order_id NUMBER",
    "snapshot": "snapshot shop.a.orders: order_id NUMBER",
    "dbt": "dbt model shop.a.orders in models/orders.sql: order_id NUMBER",
    "siblings": "siblings dbt:shop.a.orders, shop.a.orders",
    "lineage": "lineage shop.a.t from shop.raw.orders: a from b + c",
    "sql": "sql shop.a.v: CREATE VIEW ...",
    "feature": "feature customer_features.x from shop.features.t",
    "model": "model churn from customer_features.x: serving true, owner growth-ml",
    "deployment": "deployment sagemaker:live: IN_SERVICE",
    "deleted": "deleted table shop.a.v",
    "without": "without table shop.a.v",
    "aspect": "aspect table shop.a.v subTypes: {typeNames: [View]}",
}


@dataclass(frozen=True, slots=True)
class CatalogStatement:
    """`parts` are what the shape of its keyword found, `body` what stands behind the colon and below."""

    line: ExpectedLine
    keyword: str
    parts: dict[str, str]
    body: str

    @property
    def subject(self) -> tuple[str, ...]:
        """The same for two statements of which the later replaces the earlier."""
        keyword = "table" if self.keyword in ("view", "snapshot") else self.keyword
        return (keyword, *(self.parts.get(part) or "" for part in ("name", "kind", "aspect")))


def parse_statements(lines: Sequence[ExpectedLine]) -> tuple[CatalogStatement, ...]:
    """Raises `MalformedScenario`: for what is no statement, and for two about one thing."""
    found: dict[tuple[str, ...], CatalogStatement] = {}
    for line, below in _gather(lines):
        statement = _parse_statement(line, below)
        if statement.subject in found:
            first = found[statement.subject].line.number
            raise line.refuse(f"line {first} says something else of the same: keep one of the two")
        found[statement.subject] = statement
    return tuple(found.values())


def _gather(lines: Sequence[ExpectedLine]) -> list[tuple[ExpectedLine, list[str]]]:
    """Each statement with the lines indented below it."""
    found: list[tuple[ExpectedLine, list[str]]] = []
    for line in lines:
        if line.text.startswith("  "):
            if not found:
                raise line.refuse("this line is indented below nothing: begin it at the left")
            found[-1][1].append(line.text)
        elif line.text.strip() and not line.text.startswith("#"):
            found.append((line, []))
    return found


def _parse_statement(line: ExpectedLine, below: Sequence[str]) -> CatalogStatement:
    keyword, _, rest = line.text.rstrip().partition(" ")
    if keyword == "platform":
        if not re.fullmatch(r"\w+", rest):
            raise line.refuse("one platform is named: platform snowflake")
        return CatalogStatement(line, keyword, {"platform": rest}, "")
    shape = _SHAPES.get(keyword)
    if shape is None:
        raise line.refuse(f"{keyword} begins no line of a catalog: there are platform, {', '.join(_SHAPES)}")
    match = shape.match(rest)
    if match is None or (below and match.groupdict().get("colon") is None):
        raise line.refuse(f"this is not understood; write it like: {_EXAMPLES[keyword]}")
    parts = {key: value for key, value in match.groupdict().items() if value is not None}
    width = min((len(one) - len(one.lstrip()) for one in below if one.strip()), default=0)
    body = [parts.get("colon", "").removeprefix(":").strip(), *(one[width:] for one in below)]
    return CatalogStatement(line, keyword, parts, "\n".join(body).strip("\n"))


def merge_statements(
    start: Sequence[CatalogStatement], own: Sequence[CatalogStatement]
) -> tuple[CatalogStatement, ...]:
    """The starting catalog, with what a scenario says instead, takes out and adds. Raises `MalformedScenario`."""
    found = {statement.subject: statement for statement in start}
    for statement in own:
        if statement.keyword != "without":
            found[statement.subject] = statement
            continue
        gone = (statement.parts["kind"], statement.parts["name"])
        subjects = [subject for subject in found if subject[:2] == gone]
        if not subjects:
            raise statement.line.refuse(f"the starting catalog has no {' '.join(gone)}: leave this line out")
        for subject in subjects:
            del found[subject]
    return tuple(found.values())


def find_proposals(statements: Sequence[CatalogStatement], platform: str | None) -> tuple[Proposal, ...]:
    """In the order of the statements. `platform` is that of names without one, where no statement says it.

    Raises `MalformedScenario`.
    """
    sentence = next((one.parts["platform"] for one in statements if one.keyword == "platform"), platform)
    found: list[Proposal] = []
    for statement in statements:
        if statement.keyword in ("platform", "without"):
            continue
        names = ScenarioNames(sentence, statement.line)
        for urn, name, value in _find_aspects(statement, names):
            kind = urn.split(":")[2]
            aspect = {"json": value}
            found.append(
                {"entityType": kind, "entityUrn": urn, "changeType": "UPSERT", "aspectName": name, "aspect": aspect}
            )
    return tuple(found)


def _find_aspects(statement: CatalogStatement, names: ScenarioNames) -> list[aspects.Aspect]:
    parts, body = statement.parts, statement.body
    many = NAME.findall(parts.get("many", ""))
    keyword, name = statement.keyword, parts["name"]
    match keyword:
        case "table" | "view" | "snapshot":
            columns = body if "colon" in parts else None
            found = aspects.make_table(names.find_dataset(name), keyword, columns, names)
        case "dbt":
            found = aspects.make_dbt(names.find_dataset(f"dbt:{name}"), parts["type"], parts["path"], body, names)
        case "siblings":
            found = aspects.make_siblings(names.find_dataset(name), names.find_dataset(parts["other"]))
        case "lineage":
            found = aspects.make_lineage(names.find_dataset(name), [*map(names.find_dataset, many)], body, names)
        case "sql":
            found = aspects.make_view_logic(names.find_dataset(name), body)
        case "feature":
            found = aspects.make_feature(names.find_feature(name), [*map(names.find_dataset, many)])
        case "model":
            found = aspects.make_model(names.find_model(name), [*map(names.find_feature, many)], body, names)
        case "deployment":
            found = aspects.make_deployment(names.find("deployment", name), body)
        case "deleted":
            found = [(names.find(parts.get("kind"), name), "status", {"removed": True})]
        case _:
            found = aspects.make_any(names.find(parts.get("kind"), name), parts["aspect"], body, names)
    return found
