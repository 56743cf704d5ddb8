"""Django: the `operations` of a migration, as far as they are calls with constants. Reverse code is never read.

Operations name models and fields, not tables and columns: `app.change.model_tables` translates, once all migrations of the
application are there in order. Source: docs.djangoproject.com, "Migration Operations".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.change.operations import Field, ModelStep, Operation, Operations, SqlPiece, fold_written, opaque
from app.change.python_calls import (
    UNTOLD,
    Call,
    Scope,
    find_call,
    find_constant,
    find_dict,
    find_items,
    find_scope,
    parse_python,
)
from app.change.python_types import find_django_type
from app.change.steps import Column, Inert
from app.reads import Unreadable

_INERT = frozenset({
    "AlterModelOptions", "AlterModelManagers", "AlterUniqueTogether", "AlterIndexTogether", "AddIndex", "RemoveIndex",
    "RenameIndex", "AddConstraint", "RemoveConstraint", "AlterConstraint", "AlterModelTableComment",
    "AlterOrderWithRespectTo", "AddIndexConcurrently", "RemoveIndexConcurrently", "CreateExtension",
})  # fmt: skip
#: fields whose column is their name and `_id`
_KEYS = frozenset({"ForeignKey", "OneToOneField", "ParentalKey"})
_NO_COLUMN = frozenset({"ManyToManyField", "GenericForeignKey", "GenericRelation"})
#: what does nothing to the list of operations
_OF_MODULES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
_OF_CLASSES = (ast.Assign, ast.AnnAssign)
_CONSTANT_PLACES = 2  # RunSQL takes (sql, parameters) pairs as well


def read_django(path: str, text: str, dialect: str) -> Operations:
    """Raises Unreadable where the text is not Python or no operations can be found in it."""
    module = parse_python(text)
    scope = find_scope(module.body)
    classes = [n for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Migration"]
    if len(classes) != 1 or classes[0].decorator_list:
        raise Unreadable("not one plain class Migration stands in it")
    body = classes[0].body
    odd = [n for n in module.body if not (isinstance(n, _OF_MODULES) or _is_text(n))]
    odd += [n for n in body if not (isinstance(n, _OF_CLASSES) or _is_text(n))]
    if odd:
        raise Unreadable("it does more than list its operations", line=odd[0].lineno)
    inner = find_scope(body, scope)
    items = find_items(inner.names["operations"], inner) if "operations" in inner.names else None
    if items is None:
        raise Unreadable("its list of operations cannot be read")
    reader = _Reader(_find_application(path), dialect)
    return Operations(tuple(step for item in items for step in reader.operation(item, inner)))


def _find_application(path: str) -> str:
    """`shop/migrations/0002_x.py` belongs to the application `shop`, unless its configuration says otherwise."""
    folders = list(PurePosixPath(path).parts[:-1])
    while folders and folders[-1].lower() == "migrations":
        folders.pop()
    return folders[-1].lower() if folders else ""


@dataclass(frozen=True, slots=True)
class _Reader:
    application: str
    dialect: str

    def operation(self, node: ast.expr, scope: Scope) -> Iterator[Operation]:
        call = find_call(node, scope)
        if call is None or not call.name:
            yield opaque("an operation that is no call", node.lineno, ast.unparse(node))
        elif call.last in _INERT:
            yield Inert(call.last, call.line)
        elif call.last == "SeparateDatabaseAndState":
            yield from self._separate(call)
        elif call.last == "RunSQL":
            yield from self._run_sql(call)
        else:
            reader = _ACTIONS.get(call.last)
            found = reader(self, call) if reader is not None and not call.is_open else None
            why = f"{call.last} runs code that is not read" if reader is None else f"{call.last} cannot be understood"
            yield found if found is not None else opaque(why, call.line, call.text)

    def _separate(self, call: Call) -> Iterator[Operation]:
        """Only what is done to the database counts; the other list tells models what has happened already."""
        node = call.argument(0, "database_operations")
        items = find_items(node, call.scope) if node is not None else ()
        if items is None:
            yield opaque("its list of database operations cannot be read", call.line, call.text)
            return
        for item in items:
            yield from self.operation(item, call.scope)

    def _run_sql(self, call: Call) -> Iterator[Operation]:
        node = call.argument(0, "sql")
        items = find_items(node, call.scope) if node is not None else None
        for item in items if items is not None else [node]:
            piece = self._piece(item, call)
            yield piece or opaque("RunSQL with SQL that is no constant", call.line, call.text)

    def _piece(self, node: ast.expr | None, call: Call) -> SqlPiece | None:
        if isinstance(node, ast.Tuple) and len(node.elts) == _CONSTANT_PLACES:
            node = node.elts[0]
        text = find_constant(node, call.scope) if node is not None else None
        if not isinstance(text, str) or node is None:
            return None
        return SqlPiece(text, node.lineno, node.end_lineno or node.lineno)

    # --- operations on models: None where they cannot be read ---------------------------------------------------------

    def _relation(self, model: str | None) -> str:
        return fold_written(f"{self.application}_{model.lower()}", self.dialect) if model and self.application else ""

    def create(self, call: Call) -> ModelStep | None:
        relation = self._relation(call.text_at(0, "name"))
        node = call.argument(1, "fields")
        fields = self._fields(node, call.scope) if node is not None else None
        options = call.argument(2, "options")
        entries = find_dict(options) if options is not None else {}
        bases = call.argument(3, "bases")
        told = bases is None or all("Model" in part or "Mixin" in part for part in _names(bases))
        if not relation or fields is None or entries is None or not told:
            return None  # a parent's table holds the parent's columns, and which those are is not in this file
        table = find_constant(entries["db_table"], call.scope) if "db_table" in entries else ""
        if not isinstance(table, str):
            return None
        name = fold_written(table, self.dialect) if table else None
        if _is_true(entries.get("proxy"), call.scope) or _is_false(entries.get("managed"), call.scope):
            return ModelStep("table", relation, call.line, table=name)  # makes no table, but names one
        return ModelStep("create", relation, call.line, table=name, fields=fields)

    def delete(self, call: Call) -> ModelStep | None:
        relation = self._relation(call.text_at(0, "name"))
        return ModelStep("delete", relation, call.line) if relation else None

    def rename(self, call: Call) -> ModelStep | None:
        old, new = self._relation(call.text_at(0, "old_name")), self._relation(call.text_at(1, "new_name"))
        return ModelStep("rename", old, call.line, new=new) if old and new else None

    def table(self, call: Call) -> ModelStep | None:
        relation, table = self._relation(call.text_at(0, "name")), call.constant(1, "table")
        if not relation or not (table is None or isinstance(table, str)):
            return None
        name = fold_written(table, self.dialect) if table else None
        return ModelStep("table", relation, call.line, table=name, new="rename")

    def _changed(self, call: Call, action: str) -> ModelStep | None:
        relation, name = self._relation(call.text_at(0, "model_name")), call.text_at(1, "name")
        node = call.argument(2, "field")
        field = self._field(name, node, call.scope) if name and node is not None else None
        if not relation or field is None:
            return None
        return ModelStep("add" if action == "add" else "alter", relation, call.line, fields=(field,))

    def add(self, call: Call) -> ModelStep | None:
        return self._changed(call, "add")

    def alter(self, call: Call) -> ModelStep | None:
        return self._changed(call, "alter")

    def remove(self, call: Call) -> ModelStep | None:
        relation, name = self._relation(call.text_at(0, "model_name")), call.text_at(1, "name")
        return ModelStep("remove", relation, call.line, name=name) if relation and name else None

    def rename_field(self, call: Call) -> ModelStep | None:
        relation = self._relation(call.text_at(0, "model_name"))
        old, new = call.text_at(1, "old_name"), call.text_at(2, "new_name")
        return ModelStep("rename_field", relation, call.line, name=old, new=new) if relation and old and new else None

    # --- fields -----------------------------------------------------------------------------------------------------

    def _fields(self, node: ast.expr, scope: Scope) -> tuple[Field, ...] | None:
        items = find_items(node, scope)
        found: list[Field] = []
        for item in items or ():
            pair = find_items(item, scope)
            name = find_constant(pair[0], scope) if pair is not None and len(pair) == _CONSTANT_PLACES else None
            field = self._field(name, pair[1], scope) if pair is not None and isinstance(name, str) else None
            if field is None:
                return None
            found.append(field)
        return None if items is None else tuple(found)

    def _field(self, name: str, node: ast.expr, scope: Scope) -> Field | None:
        call = find_call(node, scope)
        if call is None or call.is_open:
            return None
        written = call.constant(None, "db_column")
        if written is UNTOLD:
            return None
        suffix = "_id" if call.last in _KEYS else ""
        column = "" if call.last in _NO_COLUMN else fold_written(str(written or name + suffix), self.dialect)
        definition = Column(
            column,
            find_django_type(call, self.dialect),
            not_null=call.constant(None, "null") is not True,
            default=_default(call),
            line=call.line,
        )
        key = call.constant(None, "primary_key") is True
        return Field(name, column, definition, call.text, fixed=bool(written), suffix=suffix, key=key)


def _is_text(node: ast.stmt) -> bool:
    """A docstring, or nothing."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _default(call: Call) -> str:
    """Only `db_default` reaches the database."""
    node = call.argument(None, "db_default")
    return "" if node is None else ast.unparse(node)


def _names(node: ast.expr) -> list[str]:
    return [ast.unparse(part) for part in (node.elts if isinstance(node, ast.Tuple) else [node])]


def _is_true(node: ast.expr | None, scope: Scope) -> bool:
    return node is not None and find_constant(node, scope) is not False


def _is_false(node: ast.expr | None, scope: Scope) -> bool:
    return node is not None and find_constant(node, scope) is False


_ACTIONS: dict[str, Callable[[_Reader, Call], ModelStep | None]] = {
    "CreateModel": _Reader.create,
    "DeleteModel": _Reader.delete,
    "RenameModel": _Reader.rename,
    "AlterModelTable": _Reader.table,
    "AddField": _Reader.add,
    "AlterField": _Reader.alter,
    "RemoveField": _Reader.remove,
    "RenameField": _Reader.rename_field,
}
