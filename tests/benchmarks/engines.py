"""One engine over the same statements, timed: run by `bench_reads` in the environment that has the engine.

    python -m tests.benchmarks.engines tether|sqllineage|datahub queries|models DIALECT STATEMENTS ROUNDS

Prints JSON: CPU seconds of every round (the clock counts what else the machine does), statements that failed, and a digest
of the answers.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable

from app.words import Schema
from tests.benchmarks import corpus, wide

Engine = Callable[[str], object]
CORPORA = {"queries": (corpus.make_statements, corpus.SCHEMA), "models": (wide.make_wide_models, wide.SCHEMA)}
WARM_UP = 5


def make_tether(schema: Schema, dialect: str) -> Engine:
    from app.reads import find_reads  # noqa: PLC0415 - each engine is only there in its own environment

    return lambda sql: find_reads(sql, dialect=dialect, schema=schema)


def make_sqllineage(_: Schema, dialect: str) -> Engine:
    from sqllineage.runner import LineageRunner  # type: ignore[import-not-found]  # noqa: PLC0415

    return lambda sql: LineageRunner(sql, dialect=dialect).get_column_lineage()


def make_datahub(schema: Schema, dialect: str) -> Engine:
    from datahub.metadata.urns import DatasetUrn  # noqa: PLC0415
    from datahub.sql_parsing.schema_resolver import SchemaResolver  # noqa: PLC0415
    from datahub.sql_parsing.sqlglot_lineage import sqlglot_lineage  # noqa: PLC0415

    resolver = SchemaResolver(platform=dialect, env="PROD")
    for relation, columns in schema.items():
        resolver.add_raw_schema_info(DatasetUrn(dialect, relation, "PROD").urn(), dict(columns))

    def read(sql: str) -> object:
        found = sqlglot_lineage(sql, schema_resolver=resolver)
        if found.debug_info.error:
            raise ValueError(str(found.debug_info.error))
        return found

    return read


ENGINES = {"tether": make_tether, "sqllineage": make_sqllineage, "datahub": make_datahub}


def main() -> None:
    name, group, dialect, count, rounds = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    make, schema = CORPORA[group]
    read = ENGINES[name](schema, dialect)
    statements = [f"CREATE TABLE shop.marts.q{n} AS\n{sql}" for n, sql in enumerate(make(count))]
    for sql in statements[:WARM_UP]:
        _try(read, sql)
    seconds, failed, digest = [], 0, hashlib.sha256()
    for number in range(rounds):
        # an engine that remembers texts shall read them: each round has its own
        texts = [f"{sql}\n-- {number}" for sql in statements]
        start = time.process_time()
        answers = [_try(read, text) for text in texts]
        seconds.append(time.process_time() - start)
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
