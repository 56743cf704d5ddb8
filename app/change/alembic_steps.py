"""Alembic: the operations of `upgrade()`, as far as they are calls with constants. `downgrade()` is never read.

A call that is not known, a branch, a loop over what is no constant: opaque, at its line. Sources: alembic.sqlalchemy.org,
"Operation Reference".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from app.change import steps as ddl
from app.change.operations import Operation, Operations, SqlPiece, fold_written, opaque
from app.change.python_calls import (
    UNTOLD,
    Call,
    Scope,
    find_call,
    find_constant,
    find_dotted,
    find_items,
    find_scope,
    parse_python,
)
from app.change.python_types import find_sqlalchemy_type
from app.reads import Unreadable

#: operations that neither take values away nor change them
_INERT = frozenset({
    "create_index", "drop_index", "create_foreign_key", "create_unique_constraint", "create_check_constraint",
    "create_primary_key", "create_exclude_constraint", "drop_constraint", "create_table_comment", "drop_table_comment",
    "bulk_insert", "f", "get_bind", "get_context", "batch_alter_table", "autocommit_block",
})  # fmt: skip
#: what does nothing when a module is loaded
_DECLARATIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
_UNROLLED = 200  # rounds of a loop over constants that are written out


def read_alembic(text: str, dialect: str) -> Operations:
    """Raises Unreadable where the text is not Python."""
    module = parse_python(text)
    scope = find_scope(module.body)
    revision = find_constant(ast.Name("revision"), scope)
    functions = [n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == "upgrade"]
    if len(functions) != 1 or functions[0].decorator_list:
        raise Unreadable("not one plain upgrade() stands in it")
    odd = next((n for n in module.body if not isinstance(n, _DECLARATIONS) and _acts(n)), None)
    if odd is not None:
        raise Unreadable("it does something when it is loaded", line=odd.lineno)
    body = functions[0].body
    reader = _Reader(dialect)
    return Operations(
        tuple(reader.block(body, find_scope(body, scope), _Table())),
        revision=revision if isinstance(revision, str) else "",
        follows=_follows(scope),
    )


def _follows(scope: Scope) -> tuple[str, ...]:
    node = scope.names.get("down_revision")
    items = find_items(node, scope) if node is not None else None
    found = [find_constant(item, scope) for item in (items if items is not None else [node] if node else [])]
    return tuple(one for one in found if isinstance(one, str))


@dataclass(frozen=True, slots=True)
class _Table:
    """What `with op.batch_alter_table("t") as batch_op` names; `alias` "" outside of one."""

    alias: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class _Reader:
    dialect: str

    def block(self, body: Iterable[ast.stmt], scope: Scope, table: _Table) -> Iterator[Operation]:
        for statement in body:
            match statement:
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Import() | ast.ImportFrom():
                    pass
                case ast.Return(value=None):
                    return
                case ast.Expr(value=ast.Call() as node):
                    yield from self._call(Call(find_dotted(node.func), node, scope), table)
                case ast.Assign() | ast.AnnAssign() if not _acts(statement):
                    pass
                case ast.With(items=[item], body=inner):
                    yield from self._with(item, inner, scope, table)
                case ast.For(target=ast.Name(id=name), iter=items, body=inner, orelse=[]):
                    yield from self._loop(statement, name, items, inner, scope, table)
                case _ if not _acts(statement):
                    pass
                case _:
                    why = "an operation under a condition, in a loop or in code: whether it runs cannot be told"
                    yield opaque(why, statement.lineno, ast.unparse(statement))

    def _loop(
        self,
        statement: ast.For,
        name: str,
        items: ast.expr,
        body: list[ast.stmt],
        scope: Scope,
        table: _Table,
    ) -> Iterator[Operation]:
        found = find_items(items, scope)
        if found is None or len(found) > _UNROLLED:
            if _acts(statement):
                yield opaque("a loop over what is no constant", statement.lineno, ast.unparse(statement))
            return
        for item in found:
            yield from self.block(body, scope.with_name(name, item), table)

    def _with(self, item: ast.withitem, body: list[ast.stmt], scope: Scope, table: _Table) -> Iterator[Operation]:
        call = find_call(item.context_expr, scope)
        if call is not None and call.last == "batch_alter_table":
            relation = self._relation(call, call.text_at(0, "table_name"), 1)
            alias = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
            if not relation or not alias:
                yield opaque("the table of a batch cannot be read", call.line, ast.unparse(item))
                return
            yield from self.block(body, scope, _Table(alias, relation))
        elif call is not None and call.last in {"autocommit_block", "begin_transaction", "begin", "begin_nested"}:
            yield from self.block(body, scope, table)
        elif any(map(_acts, body)):
            yield opaque("operations in a block that is not known", item.context_expr.lineno, ast.unparse(item))

    def _call(self, call: Call, table: _Table) -> Iterator[Operation]:
        batch = bool(table.alias) and call.name == f"{table.alias}.{call.last}"
        action = call.last
        if action == "execute":
            yield self._execute(call)
        elif not (batch or call.name == f"op.{action}"):
            if action != "print":
                yield opaque(f"it calls {call.name or 'code'}, which is not read", call.line, call.text)
        elif action in _INERT:
            yield ddl.Inert(f"op.{action}", call.line)
        else:
            reader = _ACTIONS.get(action)
            found = reader(self, call, table.relation if batch else "") if reader and not call.is_open else None
            if found is None:
                yield opaque(f"op.{action} with arguments that are not understood", call.line, call.text)
            else:
                yield from found

    def _execute(self, call: Call) -> Operation:
        """`op.execute("...")`, also on a connection: read where the text is one constant."""
        node = call.argument(0, "sqltext", "statement")
        found = find_constant(node, call.scope) if node is not None else UNTOLD
        if not isinstance(found, str) or node is None:
            return opaque("it executes SQL that is no constant", call.line, call.text)
        return SqlPiece(found, node.lineno, node.end_lineno or node.lineno)

    # --- operations: (call, the batch's table or "") -> steps, None where they cannot be read ------------------------

    def _relation(self, call: Call, name: str | None, schema_at: int | None = None) -> str:
        schema = call.constant(None if schema_at is None else schema_at, "schema")
        if not name or schema is UNTOLD:
            return ""
        return fold_written(f"{schema}.{name}" if schema else name, self.dialect)

    def _named(self, call: Call, batch: str) -> tuple[str, str] | None:
        """Table and column, the first arguments."""
        place = 0 if batch else 1
        column = call.text_at(place, "column_name")
        relation = batch or self._relation(call, call.text_at(0, "table_name"))
        return (relation, fold_written(column, self.dialect)) if column and relation else None

    def drop_column(self, call: Call, batch: str) -> tuple[ddl.DdlStep, ...] | None:
        named = self._named(call, batch)
        return (ddl.DropColumn(*named, call.line),) if named else None

    def add_column(self, call: Call, batch: str) -> tuple[ddl.DdlStep, ...] | None:
        relation = batch or self._relation(call, call.text_at(0, "table_name"))
        node = call.argument(0 if batch else 1, "column")
        column = self._column(node, call.scope) if node is not None else None
        return (ddl.AddColumn(relation, column, call.line),) if relation and column else None

    def alter_column(self, call: Call, batch: str) -> tuple[ddl.DdlStep, ...] | None:
        named = self._named(call, batch)
        if named is None:
            return None
        relation, column = named
        found: list[ddl.DdlStep] = []
        if (type_ := call.argument(None, "type_", "type")) is not None:
            native = self._type(type_, call.scope)
            if not native:
                return None
            found.append(ddl.AlterType(relation, column, native, call.line))
        if (nullable := call.constant(None, "nullable")) is not None:
            if not isinstance(nullable, bool):
                return None
            step = ddl.DropNotNull if nullable else ddl.SetNotNull
            found.append(step(relation, column, call.line))
        default = call.argument(None, "server_default")
        if default is not None and find_constant(default, call.scope) is not False:
            found.append(self._default(relation, column, default, call))
        if (new := call.constant(None, "new_column_name")) is not None:
            if not isinstance(new, str):
                return None
            found.append(ddl.RenameColumn(relation, column, fold_written(new, self.dialect), call.line))
        return tuple(found) or (ddl.Inert("op.alter_column", call.line),)

    def _default(self, relation: str, column: str, node: ast.expr, call: Call) -> ddl.DdlStep:
        text = _text_of(node, call.scope)
        if text:
            return ddl.SetDefault(relation, column, text, call.line)
        return ddl.DropDefault(relation, column, call.line)

    def rename_table(self, call: Call, _batch: str) -> tuple[ddl.DdlStep, ...] | None:
        old, new = (
            self._relation(call, call.text_at(0, "old_table_name")),
            self._relation(call, call.text_at(1, "new_table_name")),
        )
        return (ddl.RenameTable(old, new, call.line),) if old and new else None

    def drop_table(self, call: Call, _batch: str) -> tuple[ddl.DdlStep, ...] | None:
        relation = self._relation(call, call.text_at(0, "table_name"))
        quiet = call.constant(None, "if_exists") is True
        return (ddl.DropTable(relation, call.line, if_exists=quiet),) if relation else None

    def create_table(self, call: Call, _batch: str) -> tuple[ddl.DdlStep, ...] | None:
        relation = self._relation(call, call.text_at(0, "table_name"))
        columns: list[ddl.Column] = []
        for node in call.node.args[1:]:
            if isinstance(node, ast.Call) and find_dotted(node.func).endswith(("Constraint", "Index")):
                continue
            column = self._column(node, call.scope)
            if column is None:
                return None
            columns.append(column)
        quiet = call.constant(None, "if_not_exists") is True
        return (ddl.CreateTable(relation, call.line, tuple(columns), if_not_exists=quiet),) if relation else None

    def _column(self, node: ast.expr, scope: Scope) -> ddl.Column | None:
        """`sa.Column("name", sa.Integer(), nullable=False, server_default="0")`."""
        call = find_call(node, scope)
        name = call.text_at(0, "name") if call is not None and call.last == "Column" else None
        if call is None or not name or call.is_open:
            return None
        types = [self._type(argument, scope) for argument in call.node.args[1:2]]
        default = call.argument(None, "server_default")
        return ddl.Column(
            fold_written(name, self.dialect),
            types[0] if types else "",
            not_null=call.constant(None, "nullable") is False or call.constant(None, "primary_key") is True,
            default="" if default is None else _text_of(default, scope),
            line=node.lineno,
        )

    def _type(self, node: ast.expr, scope: Scope) -> str:
        call = find_call(node, scope) or Call(find_dotted(node), ast.Call(node, [], []), scope)
        return find_sqlalchemy_type(call, self.dialect)


def _text_of(default: ast.expr, scope: Scope) -> str:
    """A server default as text; "" for None."""
    value = find_constant(default, scope)
    if value is None:
        return ""
    return ast.unparse(default) if value is UNTOLD else str(value)


def _acts(statement: ast.AST) -> bool:
    """May this statement do anything to the database, or end what is done to it: every call may, but for those that look."""
    if any(isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)) for node in ast.walk(statement)):
        return True
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    looking = {"get_bind", "get_context", "inspect", "print", "text", "table", "column", "Table", "MetaData"}
    kinds = {find_dotted(call.func).rpartition(".")[2] for call in calls}
    return any(kind not in looking and not kind[:1].isupper() for kind in kinds)


_ACTIONS: dict[str, Callable[[_Reader, Call, str], tuple[ddl.DdlStep, ...] | None]] = {
    "drop_column": _Reader.drop_column,
    "add_column": _Reader.add_column,
    "alter_column": _Reader.alter_column,
    "rename_table": _Reader.rename_table,
    "drop_table": _Reader.drop_table,
    "create_table": _Reader.create_table,
}
