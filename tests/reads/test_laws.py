"""Laws of the engine: formatting, aliases and the cut into CTEs never change reads; what is not written is not read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.reads import Read, find_reads, read_statements
from tests.laws import examples

COLUMNS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")
TABLES = ("raw.orders", "raw.users", "mart.items")
SCHEMA = {table: dict.fromkeys(COLUMNS, "int") for table in TABLES}
DIALECTS = (
    "snowflake",
    "bigquery",
    "postgres",
    "redshift",
    "databricks",
    "trino",
    "duckdb",
    "mysql",
    "tsql",
    "clickhouse",
    "oracle",
)

columns = st.sampled_from(COLUMNS)
dialects = st.sampled_from(DIALECTS)


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, str]:
    """(a query over two tables under placeholders {l} and {r}, the same text without any layout)."""
    left, right = draw(st.permutations(TABLES))[:2]
    picked = draw(st.lists(columns, min_size=1, max_size=4, unique=True))
    projections = ", ".join(f"{{{draw(st.sampled_from('lr'))}}}.{name} as out_{n}" for n, name in enumerate(picked))
    key, condition = draw(columns), draw(columns)
    sql = (  # made of our own words
        f"select {projections} from {left} {{l}} join {right} {{r}} on {{l}}.{key} = {{r}}.{draw(columns)} "  # noqa: S608 - a test
        f"where {{l}}.{condition} > 1"
    )
    if draw(st.booleans()):
        sql += f" order by {{r}}.{draw(columns)}"
    return sql, draw(dialects)


def meanings(reads: tuple[Read, ...]) -> set[tuple[str, str, str, str, bool]]:
    return {(read.relation, read.column, read.clause, read.kind, read.certain) for read in reads}


@examples(25)
@given(queries(), st.sampled_from((" ", "\n", "\n\n  ", " /* c */ ", "\t")))
def test_formatting_never_changes_reads(query: tuple[str, str], space: str) -> None:
    sql, dialect = query
    plain = sql.format(l="l", r="r")
    words = space.join(plain.replace("order by", "order_by").split(" ")).replace("order_by", "order by")
    assert meanings(find_reads(plain, dialect=dialect, schema=SCHEMA)) == meanings(
        find_reads(words, dialect=dialect, schema=SCHEMA)
    )
    assert [out.expression for out in read_statements(plain, dialect=dialect)[0].outputs] == [
        out.expression for out in read_statements(words, dialect=dialect)[0].outputs
    ]


@examples(25)
@given(queries(), st.sampled_from((("x", "y"), ("orders", "users"), ("alpha", "bravo"), ("t1", "t2"))))
def test_aliases_never_change_reads(query: tuple[str, str], aliases: tuple[str, str]) -> None:
    sql, dialect = query
    one, two = sql.format(l="l", r="r"), sql.format(l=aliases[0], r=aliases[1])
    assert meanings(find_reads(one, dialect=dialect, schema=SCHEMA)) == meanings(
        find_reads(two, dialect=dialect, schema=SCHEMA)
    )
    first, second = read_statements(one, dialect=dialect)[0], read_statements(two, dialect=dialect)[0]
    assert first.meaning == second.meaning
    assert [(out.name, out.expression, out.sources) for out in first.outputs] == [
        (out.name, out.expression, out.sources) for out in second.outputs
    ]


@examples(25)
@given(queries())
def test_cte_extraction_never_changes_reads(query: tuple[str, str]) -> None:
    sql, dialect = query
    plain = sql.format(l="l", r="r")
    table = plain.split(" from ")[1].split(" ")[0]
    extracted = f"with extracted as (select * from {table}) " + plain.replace(f"from {table} l", "from extracted l")  # noqa: S608 - a test
    assert meanings(find_reads(plain, dialect=dialect, schema=SCHEMA)) == meanings(
        find_reads(extracted, dialect=dialect, schema=SCHEMA)
    )
    first, second = read_statements(plain, dialect=dialect)[0], read_statements(extracted, dialect=dialect)[0]
    assert first.meaning == second.meaning
    assert [out.expression for out in first.outputs] == [out.expression for out in second.outputs]


@examples(25)
@given(queries(), st.booleans())
def test_what_is_not_written_is_not_read(query: tuple[str, str], known: bool) -> None:  # noqa: FBT001 - hypothesis passes it
    sql, dialect = query
    plain = sql.format(l="l", r="r").replace(" where", "\nwhere").replace(" from", "\nfrom")
    lines = plain.split("\n")
    for read in find_reads(plain, dialect=dialect, schema=SCHEMA if known else None):
        assert read.column in lines[read.line - 1]


@examples(20)
@given(queries())
def test_a_known_schema_never_takes_a_certain_read_away(query: tuple[str, str]) -> None:
    sql, dialect = query
    plain = sql.format(l="l", r="r")
    blind = {(read.relation, read.column) for read in find_reads(plain, dialect=dialect) if read.certain}
    assert blind <= {(read.relation, read.column) for read in find_reads(plain, dialect=dialect, schema=SCHEMA)}
