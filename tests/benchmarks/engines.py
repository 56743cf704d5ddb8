"""One engine over the same statements, timed: run by `bench_reads` in the environment that has the engine.

    python -m tests.benchmarks.engines tether|sqllineage|datahub STATEMENTS ROUNDS

Prints JSON: seconds of every round, statements that failed, and a digest of the answers.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable

from tests.benchmarks.corpus import SCHEMA, make_statements

Engine = Callable[[str], object]
WARM_UP = 5


def make_tether() -> Engine:
    from app.reads import find_reads  # noqa: PLC0415 - each engine is only there in its own environment

    return lambda sql: find_reads(sql, dialect="snowflake", schema=SCHEMA)


def make_sqllineage() -> Engine:
    from sqllineage.runner import LineageRunner  # type: ignore[import-not-found]  # noqa: PLC0415

    return lambda sql: LineageRunner(sql).get_column_lineage()


def make_datahub() -> Engine:
    from datahub.metadata.urns import DatasetUrn  # noqa: PLC0415
    from datahub.sql_parsing.schema_resolver import SchemaResolver  # noqa: PLC0415
    from datahub.sql_parsing.sqlglot_lineage import sqlglot_lineage  # noqa: PLC0415

    resolver = SchemaResolver(platform="snowflake", env="PROD")
    for relation, columns in SCHEMA.items():
        resolver.add_raw_schema_info(DatasetUrn("snowflake", relation, "PROD").urn(), dict(columns))

    def read(sql: str) -> object:
        found = sqlglot_lineage(sql, schema_resolver=resolver)
        if found.debug_info.error:
            raise ValueError(str(found.debug_info.error))
        return found

    return read


ENGINES = {"tether": make_tether, "sqllineage": make_sqllineage, "datahub": make_datahub}


def main() -> None:
    name, count, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    read = ENGINES[name]()
    statements = [f"CREATE TABLE shop.marts.q{n} AS\n{sql}" for n, sql in enumerate(make_statements(count))]
    for sql in statements[:WARM_UP]:
        _try(read, sql)
    seconds, failed, digest = [], 0, hashlib.sha256()
    for number in range(rounds):
        # an engine that remembers texts shall read them: each round has its own
        texts = [f"{sql}\n-- {number}" for sql in statements]
        start = time.perf_counter()
        answers = [_try(read, text) for text in texts]
        seconds.append(time.perf_counter() - start)
        failed = sum(answer is None for answer in answers)
        if number == 0:
            digest.update(repr(answers).encode())
    print(json.dumps({"seconds": seconds, "failed": failed, "digest": digest.hexdigest()}))


def _try(read: Engine, sql: str) -> object | None:
    try:
        return read(sql)
    except Exception:  # noqa: BLE001 - a statement that an engine cannot read is counted, whatever it raises
        return None


if __name__ == "__main__":
    main()
