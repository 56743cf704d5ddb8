"""DML on the engine's own catalog: what it holds are relations themselves, so it may take away what no DDL speaks of."""

from __future__ import annotations

import re
from typing import Final, Literal

from sqlglot import exp

#: columns of PostgreSQL's catalog that hold a name, a type, a mark, a place or a text of something
_TELLING: Final = re.compile(r"name|typ|label|drop|kind|oid|(?:relid|num|src|bin|qual|action|node|key)$", re.IGNORECASE)
#: found without a schema; a table of one's own may begin with pg_ as well
_TABLES: Final = frozenset({
    "pg_aggregate", "pg_am", "pg_attrdef", "pg_attribute", "pg_authid", "pg_cast", "pg_class", "pg_collation", "pg_constraint",
    "pg_database", "pg_depend", "pg_description", "pg_enum", "pg_extension", "pg_index", "pg_inherits", "pg_language",
    "pg_namespace", "pg_opclass", "pg_operator", "pg_opfamily", "pg_partitioned_table", "pg_policy", "pg_proc", "pg_range",
    "pg_rewrite", "pg_sequence", "pg_settings", "pg_statistic", "pg_statistic_ext", "pg_tablespace", "pg_trigger", "pg_type",
    "sqlite_master", "sqlite_schema",
})  # fmt: skip


def is_system(table: object) -> bool:
    """PostgreSQL's and SQLite's own tables, whatever schema is written in front of the first."""
    if not isinstance(table, exp.Table):
        return False
    return table.db.lower() == "pg_catalog" or (not table.db and table.name.lower() in _TABLES)


def judge_system(tree: exp.Expr) -> tuple[Literal["inert", "opaque"], str] | None:
    """(inert or opaque, why) for a statement that writes such a table; None for any other."""
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    if not is_system(target):
        return None
    sets = [one.this for one in tree.expressions if isinstance(one, exp.EQ)] if isinstance(tree, exp.Update) else []
    is_told = bool(sets) and len(sets) == len(tree.expressions) and all(isinstance(one, exp.Column) for one in sets)
    if is_told and target.name.lower().startswith("pg_") and not any(_TELLING.search(one.name) for one in sets):
        return "inert", ""
    return "opaque", f"it writes {target.name}, a catalog of the engine's own, which says what relations there are"
