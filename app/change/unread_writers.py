"""Changed files that write tables in a language that nobody reads here: which tables, and where they say so.

Python and notebooks by their writer calls, Dataform and Terraform by the names they declare, Python models by the tool.
What such a file takes away cannot be told, so that everything behind its table is in question: never a pass for want of reading.
A change of comments, white space or docstrings alone changes nothing.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from app.change.context import Texts
from app.change.files import classify
from app.words import Config, Side

#: files that may make, fill or change a table without SQL
WRITER_FILES: Final = (".py", ".ipynb", ".sqlx", ".tf")
#: methods and functions that write a whole table, whose name is their first argument or one of the keywords below
_WRITERS: Final = frozenset({
    "saveAsTable", "insertInto", "writeTo", "save_as_table", "copy_into_table", "to_sql", "to_gbq", "to_iceberg", "write_pandas",
    "write_database", "load_table_from_dataframe", "create_or_replace_table", "write_table",
})  # fmt: skip
_NAMES: Final = ("name", "table_name", "table", "tableName", "destination_table", "destination")
#: a decorator whose function, or `name`, is the table (Delta Live Tables and Lakeflow)
_MAKERS: Final = frozenset({"dlt.table", "dlt.view", "dp.table", "dp.materialized_view"})
_TABLE: Final = re.compile(r"[\w$-]+(?:\.[\w$-]+){0,2}")
_MAY_WRITE: Final = re.compile("|".join([*sorted(_WRITERS), r"@d(?:lt|p)\."]))
_RESOURCE: Final = re.compile(r'^resource\s+"(\w*(?:table|view)\w*)"\s+"[\w-]+"\s*\{', re.MULTILINE)
_KEY: Final = r'^\s*{}\s*=\s*"([\w$.-]+)"'
_CONFIG: Final = re.compile(r"\bconfig\s*\{(.*?)\}", re.DOTALL)
_MAKES_NOTHING: Final = re.compile(r"""\btype\s*:\s*["'](?:declaration|assertion|test)["']""")
_COMMENT: Final = re.compile(r"(?:--|//|#)[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST_CHARACTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class UnreadWriter:
    """`name`: the table as the file writes it, one to three parts."""

    path: str
    name: str
    line: int
    text: str
    side: Side


def find_unread_writers(
    texts: tuple[Texts, Texts], changed: frozenset[str], built: Mapping[str, str], config: Config
) -> tuple[UnreadWriter, ...]:
    """`texts`: base and head; `built`: path -> the relation that a tool builds of a file in a language that is not read.

    In the order of the paths, each table once for each file. Never raises and runs nothing.
    """
    found: dict[tuple[str, str], UnreadWriter] = {}
    moved = {texts[1][path] for path in changed & texts[1].keys() - texts[0].keys()}
    for path in sorted(changed):
        base, head = texts[0].get(path), texts[1].get(path)
        if not path.endswith(WRITER_FILES) or _is_test(path) or (head is None and base in moved):
            continue
        if path.endswith(".py") and classify(path, head or base or "", config) == "migration":
            continue  # steps that others read, or call unreadable
        before, after = _find_parts(path, base, built), _find_parts(path, head, built)
        for name in before.keys() | after.keys():
            if _content(before.get(name)) != _content(after.get(name)):
                line, side = (after[name][0], "head") if name in after else (before[name][0], "base")
                text = ((head if side == "head" else base) or "").split("\n")[line - 1 : line]
                found[path, name] = UnreadWriter(path, name, line, "".join(text).strip(), side)  # type: ignore[arg-type]
    return tuple(found[key] for key in sorted(found))


#: line and content of what writes one table
_Part = tuple[int, str]


def _content(part: _Part | None) -> str | None:
    return part[1] if part is not None else None


def _is_test(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.name.startswith("test_") or pure.stem.endswith("_test") or "tests" in pure.parts[:-1]


def _find_parts(path: str, text: str | None, built: Mapping[str, str]) -> dict[str, _Part]:
    """table -> where it is written and all that its content depends on in this file."""
    if text is None or len(text) > _MOST_CHARACTERS:
        return {}
    if path.endswith(".tf"):
        return dict(_find_resources(text))
    if path.endswith(".sqlx"):
        name = _name_dataform(path, text)
        return {name: (1, _bare(text))} if name is not None else {}
    own = built.get(path)
    if own is None and _MAY_WRITE.search(text) is None:
        return {}
    module = _parse(_code_of_notebook(text) if path.endswith(".ipynb") else text)
    if module is None:
        return {own: (1, text)} if own is not None else {}
    whole = _dump(module)
    tables = {name: (1 if path.endswith(".ipynb") else line, whole) for name, line in _find_written(module)}
    return {**tables, own: (1, whole)} if own is not None else tables


# --- Python --------------------------------------------------------------------------------------------------------


def _code_of_notebook(text: str) -> str:
    """Its code cells; lines that only the notebook understands (`%sql`, `!pip`) are left out."""
    try:
        cells = json.loads(text).get("cells") or []
        sources = ["".join(cell.get("source") or ()) for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, AttributeError, TypeError):
        return ""
    lines = (line for source in sources for line in source.split("\n"))
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string is not our affair
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _dump(module: ast.Module) -> str:
    """The program without docstrings and places."""
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[:] = body[1:] or [ast.Pass()]
    return ast.dump(module)


def _find_written(module: ast.Module) -> Iterator[tuple[str, int]]:
    constants = _find_constants(module)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _find_made(node, constants)
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in _WRITERS:
            continue
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        given = [*node.args[:3], *(keywords[name] for name in _NAMES if name in keywords)]
        parts = [name for one in given for name in _names_of(one, constants)]
        yield from ((name, node.end_lineno or node.lineno) for name in parts)


def _find_made(node: ast.FunctionDef | ast.AsyncFunctionDef, constants: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for decorator in node.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(call) in _MAKERS:
            keywords = {k.arg: k.value for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
            told = _names_of(keywords["name"], constants) if "name" in keywords else [node.name]
            yield from ((name, node.lineno) for name in told)


def _find_constants(module: ast.Module) -> dict[str, str]:
    """Names that are set once in the file, to a text."""
    values: dict[str, list[str | None]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(value if isinstance(value, str) else None)
    return {name: told[0] for name, told in values.items() if len(told) == 1 and told[0] is not None}


def _names_of(node: ast.expr, constants: Mapping[str, str]) -> list[str]:
    """The table that an argument names; of a text with computed parts, what stands behind the last of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        name = node.value
    elif isinstance(node, ast.Name):
        name = constants.get(node.id, "")
    elif isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[-1], ast.Constant):
        name = str(node.values[-1].value).rpartition(".")[2]
    else:
        return []
    name = name.strip("`").replace("`.`", ".")
    return [name] if _TABLE.fullmatch(name) else []


# --- declarations --------------------------------------------------------------------------------------------------


def _bare(text: str) -> str:
    return " ".join(_COMMENT.sub(" ", text).split())


def _name_dataform(path: str, text: str) -> str | None:
    config = _CONFIG.search(text)
    told = config[1] if config is not None else ""
    if _MAKES_NOTHING.search(told):
        return None
    name, schema = (_find_value(told, key) for key in ("name", "schema"))
    return ".".join(part for part in (schema, name or PurePosixPath(path).stem) if part)


def _find_value(config: str, key: str) -> str | None:
    found = re.search(rf"""\b{key}\s*:\s*["']([\w$-]+)["']""", config)
    return found[1] if found is not None else None


def _find_resources(text: str) -> Iterator[tuple[str, _Part]]:
    """Tables and views of any provider, each with the text of its block."""
    starts = [*_RESOURCE.finditer(text)]
    for start, after in zip(starts, [*(one.start() for one in starts[1:]), len(text)], strict=True):
        block = text[start.start() : after]
        end = re.search(r"^\}", block, re.MULTILINE)
        block = block[: end.end()] if end is not None else block
        keys = {
            key: re.search(_KEY.format(key), block, re.MULTILINE)
            for key in ("table_id", "name", "dataset_id", "schema")
        }
        name, place = keys["table_id"] or keys["name"], keys["dataset_id"] or keys["schema"]
        if name is not None:
            line = text.count("\n", 0, start.start()) + 1
            yield ".".join(part[1] for part in (place, name) if part is not None), (line, _bare(block))
