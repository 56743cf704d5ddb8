"""Liquibase changelogs in XML, YAML and JSON: the changes of their change sets as steps. Rollback parts are never read.

A change that is not known, a name with a property in it, a change set that runs only sometimes: opaque, at its line.
Source: docs.liquibase.com, "Change Types" and "changeSet".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from app.change import steps as ddl
from app.change.alter import beside
from app.change.changelog import Element, parse_changelog, walk_elements
from app.change.operations import Operation, Operations, SqlPiece, fold_written, opaque

_INERT = frozenset({
    "createIndex", "dropIndex", "addForeignKeyConstraint", "dropForeignKeyConstraint", "addPrimaryKey", "dropPrimaryKey",
    "addUniqueConstraint", "dropUniqueConstraint", "dropAllForeignKeyConstraints", "createSequence", "dropSequence",
    "alterSequence", "renameSequence", "addAutoIncrement", "setTableRemarks", "setColumnRemarks", "tagDatabase",
    "output", "empty", "insert", "loadData", "addCheckConstraint", "dropCheckConstraint",
})  # fmt: skip
#: parts of a change set that are no changes
_PARTS = frozenset({"comment", "rollback", "preConditions", "validCheckSum", "property"})
#: what a change set may ask before it runs without that being a branch: whether the thing is (not) there
_EXISTENCE = frozenset({
    "preConditions", "not", "and", "or", "tableExists", "columnExists", "viewExists", "indexExists", "sequenceExists",
    "foreignKeyConstraintExists", "primaryKeyExists", "uniqueConstraintExists", "tableIsEmpty", "dbms", "onFailMessage",
    "onErrorMessage", "onFail", "onError",
})  # fmt: skip
#: databases that exist for tests: what runs only there takes nothing away
_FOR_TESTS = frozenset({"h2", "hsqldb", "derby", "sqlite"})
_DEFAULTS = (
    "defaultValue", "defaultValueNumeric", "defaultValueBoolean", "defaultValueDate", "defaultValueComputed",
    "defaultValueSequenceNext",
)  # fmt: skip


def read_liquibase(text: str, dialect: str, language: str) -> Operations:
    """Raises Unreadable where the text is no changelog."""
    root = parse_changelog(text, language)
    reader = _Reader(dialect)
    found: list[Operation] = []
    for element in root.children:
        if element.name == "changeSet":
            found += reader.change_set(element)
        elif element.name in {"include", "includeAll", "property", "preConditions", "objectQuotingStrategy"}:
            found.append(ddl.Inert(element.name, element.line))
        elif element.name not in {"logicalFilePath", "context", "contextFilter"}:
            found.append(opaque(f"{element.name} is not understood", element.line, _text(element)))
    return Operations(tuple(found), includes=tuple(filter(None, map(_read_include, root.children))))


def _read_include(element: Element) -> str:
    """`include` a file, `includeAll` of a folder; "" for anything else."""
    path = {"include": element.get("file"), "includeAll": element.get("path").rstrip("/") + "/"}.get(element.name, "")
    beside = element.get("relativeToChangelogFile").lower() == "true"
    return f"./{path}" if beside and path.strip("/") else path


def _text(element: Element) -> str:
    """The element as a text that is the same wherever it stands."""
    parts = [f"{e.name}{sorted(e.attributes.items())}{e.text.strip()}" for e in walk_elements(element)]
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Reader:
    dialect: str

    def change_set(self, element: Element) -> Iterator[Operation]:
        if element.get("ignore").lower() == "true" or self._is_elsewhere(element):
            yield ddl.Inert("a change set for another database", element.line)
            return
        changes = [child for child in element.children if child.name not in {*_PARTS, *element.attributes}]
        found = [step for change in changes for step in self._change(change)]
        why = self._sometimes(element)
        if why and not all(isinstance(step, ddl.Inert) for step in found):
            yield opaque(why, element.line, _text(element))
        else:
            yield from found

    def _is_elsewhere(self, element: Element) -> bool:
        names = [name.strip().lower() for name in element.get("dbms").split(",") if name.strip()]
        return bool(names) and set(names) <= _FOR_TESTS - {self.dialect}

    def _sometimes(self, element: Element) -> str:
        """Why nobody can tell whether the change set runs; "" where it always does, or only asks whether it has to."""
        for name in ("context", "contextFilter", "labels"):
            if element.get(name):
                return f"it runs only with {name} {element.get(name)}"
        names = [name.strip().lower() for name in element.get("dbms").split(",") if name.strip()]
        own = {"postgres": "postgresql", "tsql": "mssql"}.get(self.dialect, self.dialect)
        if names and own not in names and not all(name.removeprefix("!") in _FOR_TESTS for name in names):
            return f"it runs only on {element.get('dbms')}"
        if element.all("modifySql"):
            return "its SQL is rewritten by modifySql"
        for conditions in element.all("preConditions"):
            halts = conditions.get("onFail").upper() in {"", "HALT"} and conditions.get("onError").upper() in {
                "",
                "HALT",
            }
            asked = {e.name for e in walk_elements(conditions)}
            if not halts and any(name not in _EXISTENCE and not _is_attribute(name, conditions) for name in asked):
                return "it runs only under a condition that is not about its own table"
        return ""

    def _change(self, element: Element) -> Iterator[Operation]:
        if element.name in _INERT:
            yield ddl.Inert(element.name, element.line)
            return
        reader = _CHANGES.get(element.name)
        names = " ".join(v for e in walk_elements(element) for k, v in e.attributes.items() if k.endswith("Name"))
        steps = reader(self, element) if reader is not None and "${" not in names else None
        if steps is None:
            why = "is not a change that is understood" if reader is None else "cannot be understood"
            yield opaque(f"{element.name} {why}", element.line, _text(element))
        else:
            yield from steps

    # --- names and columns -------------------------------------------------------------------------------------------

    def _fold(self, name: str) -> str:
        return fold_written(name, self.dialect, upper_is_plain=True) if name else ""

    def _relation(self, element: Element, key: str = "tableName") -> str:
        parts = [element.get(name) for name in ("catalogName", "schemaName")]
        name = element.get(key)
        return ".".join(self._fold(part) for part in (*parts, name) if part) if name else ""

    def _column(self, element: Element) -> ddl.Column | None:
        name = element.get("name")
        constraints = [c for c in element.children if c.name == "constraints"]
        fixed = any(c.get("nullable") == "false" or c.get("primaryKey") == "true" for c in constraints)
        default = next((element.get(key) for key in _DEFAULTS if element.get(key)), "")
        if not name:
            return None
        return ddl.Column(self._fold(name), element.get("type"), not_null=fixed, default=default, line=element.line)

    def _columns(self, element: Element) -> list[ddl.Column] | None:
        found = [self._column(child) for child in element.all("column")]
        return None if not found or None in found else [column for column in found if column is not None]

    # --- changes: element -> steps, None where they cannot be read ---------------------------------------------------

    def drop_column(self, element: Element) -> list[Operation] | None:
        names = [element.get("columnName"), *(child.get("name") for child in element.all("column"))]
        relation = self._relation(element)
        found = [self._fold(name) for name in names if name]
        if not relation or not found:
            return None
        return [ddl.DropColumn(relation, name, element.line) for name in found]

    def rename_column(self, element: Element) -> list[Operation] | None:
        relation, old, new = self._relation(element), element.get("oldColumnName"), element.get("newColumnName")
        if not (relation and old and new):
            return None
        return [ddl.RenameColumn(relation, self._fold(old), self._fold(new), element.line)]

    def modify_type(self, element: Element) -> list[Operation] | None:
        relation, column, type_ = self._relation(element), element.get("columnName"), element.get("newDataType")
        if not (relation and column and type_) or "${" in type_:
            return None
        return [ddl.AlterType(relation, self._fold(column), type_, element.line)]

    def add_column(self, element: Element) -> list[Operation] | None:
        relation, columns = self._relation(element), self._columns(element)
        if not relation or columns is None:
            return None
        places = [self._fold(child.get("afterColumn")) or None for child in element.all("column")]
        return [
            ddl.AddColumn(relation, column, column.line, after=place)
            for column, place in zip(columns, places, strict=True)
        ]

    def create_table(self, element: Element) -> list[Operation] | None:
        relation, columns = self._relation(element), self._columns(element)
        if not relation or columns is None:
            return None
        quiet = element.get("ifNotExists") == "true"
        return [ddl.CreateTable(relation, element.line, tuple(columns), if_not_exists=quiet)]

    def drop_table(self, element: Element) -> list[Operation] | None:
        relation = self._relation(element)
        cascade = element.get("cascadeConstraints") == "true"
        return [ddl.DropTable(relation, element.line, cascade=cascade)] if relation else None

    def rename_table(self, element: Element) -> list[Operation] | None:
        old, new = self._relation(element, "oldTableName"), element.get("newTableName")
        return [ddl.RenameTable(old, beside(old, self._fold(new)), element.line)] if old and new else None

    def rename_view(self, element: Element) -> list[Operation] | None:
        old, new = self._relation(element, "oldViewName"), element.get("newViewName")
        return [ddl.RenameTable(old, beside(old, self._fold(new)), element.line)] if old and new else None

    def drop_view(self, element: Element) -> list[Operation] | None:
        relation = self._relation(element, "viewName")
        return [ddl.DropView(relation, element.line)] if relation else None

    def create_view(self, element: Element) -> list[Operation] | None:
        query = next((c for c in element.all("selectQuery")), element)
        if not query.text.strip() or element.get("path"):
            return None
        if element.get("fullDefinition") == "true":
            return [self._piece(query, query.text)]
        name = self._write(element, "viewName")
        return [self._piece(query, f"CREATE OR REPLACE VIEW {name} AS {query.text}")] if name else None

    def rules(self, element: Element) -> list[Operation] | None:
        relation, column = self._relation(element), self._fold(element.get("columnName"))
        if not (relation and column):
            return None
        default = next((element.get(key) for key in _DEFAULTS if element.get(key)), "")
        match element.name:
            case "addNotNullConstraint":
                return [ddl.SetNotNull(relation, column, element.line)]
            case "dropNotNullConstraint":
                return [ddl.DropNotNull(relation, column, element.line)]
            case "addDefaultValue":
                return [ddl.SetDefault(relation, column, default, element.line)] if default else None
            case _:
                return [ddl.DropDefault(relation, column, element.line)]

    def merge_columns(self, element: Element) -> list[Operation] | None:
        relation, final = self._relation(element), element.get("finalColumnName")
        merged = [element.get("column1Name"), element.get("column2Name")]
        if not (relation and final and all(merged)):
            return None
        column = ddl.Column(self._fold(final), element.get("finalColumnType"), line=element.line)
        drops: list[Operation] = [ddl.DropColumn(relation, self._fold(name), element.line) for name in merged]
        return [*drops, ddl.AddColumn(relation, column, element.line)]

    def update(self, element: Element) -> list[Operation] | None:
        relation = self._relation(element)
        names = [self._fold(child.get("name")) for child in element.all("column")]
        if not relation or not names or "" in names:
            return None
        return [ddl.AlterValues(relation, name, f"UPDATE {_text(element)}", element.line) for name in names]

    def delete(self, element: Element) -> list[Operation] | None:
        name = self._write(element, "tableName")
        where = next((child.text for child in element.all("where")), "") or element.get("where")
        condition = f"WHERE {where}" if where else ""
        text = " ".join(("DELETE FROM", name, condition))
        return [SqlPiece(text, element.line, element.line)] if name else None

    def sql(self, element: Element) -> list[Operation] | None:
        """`<sql>` with its text; in YAML and JSON the text is called sql again."""
        body = next((child for child in element.all("sql")), element)
        ending = element.get("endDelimiter")
        if not body.text.strip() or "${" in body.text or element.get("dbms"):
            return None
        if ending and ending not in {";", "\\n;", ";\\n"} and ending in body.text:
            return None
        return [self._piece(body, body.text)]

    def _piece(self, element: Element, sql: str) -> SqlPiece:
        first = element.text_line or element.line
        return SqlPiece(sql, first, max(element.end, first))

    def _write(self, element: Element, key: str) -> str:
        """The relation's name as SQL of the dialect."""
        name = element.get(key)
        parts = [element.get("catalogName"), element.get("schemaName"), name]
        if not name:
            return ""
        return ".".join(
            exp.to_identifier(part, quoted=None if part in (part.lower(), part.upper()) else True).sql(
                dialect=self.dialect
            )
            for part in parts
            if part
        )


def _is_attribute(name: str, element: Element) -> bool:
    """In YAML and JSON an attribute is a child as well."""
    return any(name in one.attributes for one in walk_elements(element))


_CHANGES: dict[str, Callable[[_Reader, Element], list[Operation] | None]] = {
    "dropColumn": _Reader.drop_column,
    "renameColumn": _Reader.rename_column,
    "modifyDataType": _Reader.modify_type,
    "addColumn": _Reader.add_column,
    "createTable": _Reader.create_table,
    "dropTable": _Reader.drop_table,
    "renameTable": _Reader.rename_table,
    "renameView": _Reader.rename_view,
    "dropView": _Reader.drop_view,
    "createView": _Reader.create_view,
    "addNotNullConstraint": _Reader.rules,
    "dropNotNullConstraint": _Reader.rules,
    "addDefaultValue": _Reader.rules,
    "dropDefaultValue": _Reader.rules,
    "mergeColumns": _Reader.merge_columns,
    "update": _Reader.update,
    "delete": _Reader.delete,
    "sql": _Reader.sql,
}
