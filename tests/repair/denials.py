"""Four ways to deny an edge: against the files, the catalog, a hand-written verdict, and DuckDB, which runs the statement without
the column."""

from __future__ import annotations

import re

import duckdb

from app.lineage.plan import RepairPlan
from app.offline.scenario import Scenario
from app.repair import ProvenEdge
from app.trail import find_title
from app.trail.urns import parse_field
from app.words import Tree
from tests.change.executed import list_definitions, list_migrations, open_warehouse, tree

COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)


def deny_by_lines(edge: ProvenEdge, files: Tree) -> list[str]:
    """Every line stands in the file as it is quoted, outside of comments; together they name every column."""
    if not edge.evidence:
        return [f"{edge} has no evidence"]
    wrong = []
    said = ""
    for line in edge.evidence:
        lines = files.files.get(line.path, "").splitlines()
        if not (0 < line.line <= len(lines)) or lines[line.line - 1].strip() != line.text:
            wrong.append(f"{line.path}:{line.line} does not say {line.text!r}")
        if (line.side, line.repo, line.commit) != ("base", "acme/sql", "c0ffee"):
            wrong.append(f"{line} is not of the default branch")
        code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), files.files.get(line.path, ""))
        said += " " + (code.splitlines()[line.line - 1] if line.line <= len(code.splitlines()) else "")
    missing = [c for c in edge.columns if not re.search(rf"(?<!\w){re.escape(c)}(?!\w)", said, re.I)]
    wrong += [f"no line of {edge.upstream} -> {edge.downstream} names {column}" for column in missing]
    return wrong


def deny_by_catalog(edge: ProvenEdge, plan: RepairPlan) -> list[str]:
    """Both ends are columns that the catalog stores in exactly this spelling, where it stores any of the dataset."""
    wrong = []
    for urn in (edge.upstream, edge.downstream) if edge.kind == "column" else ():
        dataset, path = parse_field(urn) or ("", "")
        fields = plan.graph.aspect(dataset, "schemaMetadata").get("fields") or ()
        if fields and path not in {str(field["fieldPath"]).rpartition("].")[2] for field in fields}:
            wrong.append(f"the catalog has no column {path} of {dataset}")
    return wrong


def deny_by_verdict(edge: ProvenEdge, scenario: Scenario) -> list[str]:
    """Where people wrote that the loss of a column hurts nobody, and no other file changes, nobody reads that column."""
    if scenario.verdict != "pass" or scenario.rules or scenario.removals is None:
        return []
    base, head = tree(scenario.base), tree(scenario.head)
    touched = {path for path in base.keys() | head.keys() if base.get(path) != head.get(path)}
    if any(not path.startswith("migrations/") for path in touched) or "serv" in scenario.why:
        return []  # the reader moved along, or nobody serves
    gone = {(r.relation, r.column) for r in scenario.removals if r.kind in ("column_dropped", "column_renamed")}
    dataset, path = parse_field(edge.upstream) or ("", "")
    spelled = {f'"{path}"'} if path == path.lower() else {f'"{path}"', path.lower()}
    if not any(column and column.startswith('"') for _, column in gone):
        spelled |= {path.lower()}  # a catalog of lower case says nothing of quotes, as long as nobody wrote any
    hit = any((find_title(dataset).lower(), name) in gone for name in spelled)
    return [f"{edge.upstream} is lost without harm, and an edge says it is read"] if hit else []


def deny_by_running(edge: ProvenEdge, scenario: Scenario) -> list[str]:
    """The statement is run again over its upstream without that one column."""
    (source, column), (target, output) = (parse_field(urn) or ("", "") for urn in (edge.upstream, edge.downstream))
    upstream, downstream = find_title(source), find_title(target)
    files = tree(scenario.base)
    owners = [sql for sql in list_definitions(files) if downstream.lower() in sql.lower().split("select")[0]]
    with open_warehouse() as db:
        for sql in (*list_migrations(files), scenario.rows, *list_definitions(files)):
            db.execute(sql)
        question = f'SELECT "{output}" FROM {downstream} ORDER BY ALL'  # noqa: S608 - the scenario's own names
        before = db.execute(question).fetchall()
        kind = "VIEW" if db.execute(
            "SELECT count(*) FROM duckdb_views() WHERE schema_name || '.' || view_name = ?", [upstream.split(".", 1)[1]]
        ).fetchone() == (1,) else "TABLE"  # fmt: skip
        db.execute(f'CREATE TABLE shop.without AS SELECT * EXCLUDE ("{column}") FROM {upstream}')  # noqa: S608
        db.execute(f"DROP {kind} {upstream} CASCADE")
        db.execute(f"CREATE TABLE {upstream} AS FROM shop.without")
        try:
            for sql in owners:
                db.execute(sql)
            after = db.execute(question).fetchall()
        except duckdb.Error:
            return []
    if not owners:
        return [f"no file of the scenario builds {downstream}"]
    return [f"{downstream}.{output} is the same without {upstream}.{column}"] if before == after else []
