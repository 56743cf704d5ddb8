"""Calls in Python that run a query and say which table takes its rows: a scheduler's operator, a warehouse's client.

Only what stands there as constants: `sql=` with SQL or the path of a file, and a destination as a name or as its parts. The
calls are those of Airflow's Google operators (`destination_dataset_table`, `configuration`) and BigQuery's client (`job_config`).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.render.code_literals import plain_code
from app.render.code_scopes import Scopes

_DESTINATIONS: Final = ("destination_dataset_table", "destination_table", "destinationTable", "destination")
_QUERIES: Final = ("sql", "query", "bql")
_PARTS: Final = (("project_id", "projectId"), ("dataset_id", "datasetId"), ("table_id", "tableId"))
_MAY_FILL: Final = "destination"
_MOST_CHARACTERS: Final = 1_000_000
_MOST_DEPTH: Final = 6
#: a file by its path alone, or by Jinja's include
_FILE: Final = re.compile(r"""\s*(?:([\w./-]+\.sql)|\{%-?\s*include\s+['"]([\w./-]+\.sql)['"]\s*-?%\})\s*""")


@dataclass(frozen=True, slots=True)
class CodeFill:
    """A call that fills `relation` (as it is written, without a partition) by the SQL at these 1-based lines of the file, or by
    that of the file `path`, as it is written.
    """

    relation: str
    lines: tuple[int, int] = (0, 0)
    path: str = ""


def may_fill(text: str) -> bool:
    """Saves parsing most code."""
    return _MAY_FILL in text


def find_fills(text: str) -> tuple[CodeFill, ...]:
    """In the order of the file. Never raises and runs nothing; code that this Python cannot parse fills nothing that is known."""
    plain = plain_code(text)
    if len(plain) > _MOST_CHARACTERS:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string is not our affair
            module = ast.parse(plain)
        reader = _Reader(Scopes.of(module))
        calls = sorted((n for n in ast.walk(module) if isinstance(n, ast.Call)), key=lambda n: (n.lineno, n.col_offset))
        return tuple(dict.fromkeys(fill for call in calls for fill in reader.read(call)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


@dataclass(frozen=True, slots=True)
class _Reader:
    scopes: Scopes

    def read(self, call: ast.Call) -> Iterator[CodeFill]:
        """One call, whose arguments may be a job's configuration with both in it."""
        named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        inner = self._entries(named.get("job_config") or named.get("configuration"))
        inner |= self._entries(inner.get("query"))
        queries = [named.get(key) for key in _QUERIES] + [inner.get(key) for key in _QUERIES]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "query" and call.args:
            queries.insert(0, call.args[0])
        relations = [named.get(key) for key in _DESTINATIONS] + [inner.get(key) for key in _DESTINATIONS]
        relation = next((name for one in relations if one is not None and (name := self._name(one))), None)
        if relation is None:
            return
        for query in queries:
            constant = self._constant(query)
            if constant is not None:
                file = _FILE.fullmatch(str(constant.value))
                if file is not None:
                    yield CodeFill(relation, path=file[1] or file[2])
                else:
                    yield CodeFill(relation, (constant.lineno, constant.end_lineno or constant.lineno))
                return

    def _name(self, node: ast.expr) -> str | None:
        """`project.dataset.table`, or the parts of a reference; a partition (`$20260101`) is no part of the name."""
        constant = self._constant(node)
        if constant is not None:
            name = str(constant.value).replace(":", ".").partition("$")[0].strip("` ")
            return name if name.count(".") in (1, 2) and not any(sign in name for sign in " {}\n") else None
        entries = self._entries(node)
        parts = [next((entries[key] for key in keys if key in entries), None) for keys in _PARTS]
        if not entries and isinstance(value := self._value(node), ast.Call) and value.args:
            return self._name(value.args[0])  # TableReference.from_string("..."), Table("...")
        told = [str(one.value) for part in parts if part is not None and (one := self._constant(part))]
        return ".".join(told) if len(told) >= 2 and parts[-1] is not None else None

    def _entries(self, node: ast.expr | None) -> dict[str, ast.expr]:
        """The keys of a literal mapping, or the keywords of a call, behind names of one value."""
        value = self._value(node)
        if isinstance(value, ast.Dict):
            pairs = zip(value.keys, value.values, strict=True)
            return {str(key.value): item for key, item in pairs if isinstance(key, ast.Constant)}
        if isinstance(value, ast.Call):
            return {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
        return {}

    def _constant(self, node: ast.expr | None) -> ast.Constant | None:
        value = self._value(node)
        return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None

    def _value(self, node: ast.expr | None, depth: int = 0) -> ast.expr | None:
        if not isinstance(node, ast.Name) or depth > _MOST_DEPTH:
            return node
        values = self.scopes.resolve(node)
        return self._value(values[0], depth + 1) if len(values) == 1 else None
