"""Constant SQL in Python: which strings are SQL, on which lines, and which are refused by name."""

# ruff: noqa: S608 - the SQL that is put together here is the input, and nothing runs it

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.render import SqlText, blank_read, find_code_sql, may_hold_sql
from app.render.code import MOST_CHARACTERS
from tests.laws import examples


def find(code: str) -> tuple[SqlText, ...]:
    return find_code_sql("features/a.py", dedent(code)).texts


def squeezed(code: str) -> list[str]:
    """The SQL of every text, white space made one blank; the reason of those that are refused."""
    return [text.why or " ".join(text.sql.split()) for text in find(code)]


def refused(line: int) -> str:
    return f"SQL at line {line} has a part that is computed"


PLACES = {
    "a Feast source": 'src = BigQuerySource(name="s", query="SELECT a FROM t")',
    "a Chronon staging query": 'q = StagingQuery(query="SELECT a FROM t")',
    "pandas": 'pd.read_sql("SELECT a FROM t", conn)',
    "pandas by its longer name": 'pd.read_sql_query(sql="SELECT a FROM t", con=conn)',
    "BigQuery through pandas": 'pd.read_gbq("SELECT a FROM t")',
    "Spark": 'spark.sql("SELECT a FROM t").show()',
    "Snowpark": 'session.sql("SELECT a FROM t")',
    "DB-API": 'cursor.execute("SELECT a FROM t")',
    "SQLAlchemy": 'conn.execute(text("SELECT a FROM t"))',
    "an Airflow operator": 'PostgresOperator(task_id="x", sql="SELECT a FROM t")',
    "a list of an Airflow operator": 'PostgresOperator(task_id="x", sql=["SELECT a FROM t"])',
    "the job configuration of BigQuery": 'Op(configuration={"query": {"query": "SELECT a FROM t"}})',
    "a BigQuery client": 'client.query("SELECT a FROM t").to_dataframe()',
    "a wrapper that says so": 'run_query("SELECT a FROM t")',
    "a constant of the module": 'QUERY = "SELECT a FROM t"',
    "a constant with a type": 'QUERY: str = "SELECT a FROM t"',
    "a constant of a class": 'class A:\n    query = "SELECT a FROM t"',
    "a constant of a function": 'def f():\n    q = "SELECT a FROM t"\n    return run(q)',
    "what a function returns": 'def f():\n    return "SELECT a FROM t"',
    "a default": 'def f(q="SELECT a FROM t"):\n    return g(q)',
    "a dictionary of constants": 'QUERIES = {"first": "SELECT a FROM t"}',
    "one hop": 'def f():\n    q = "SELECT a FROM t"\n    return read_sql(q)',
    "two hops": 'A = "SELECT a FROM t"\nB = A\nread_sql(B)',
    "implicit concatenation": 'read_sql("SELECT a " "FROM t")',
    "concatenation": 'read_sql("SELECT a " + "FROM t")',
    "dedent": 'read_sql(textwrap.dedent("""\n    SELECT a\n    FROM t\n"""))',
    "strip": 'read_sql("""  SELECT a FROM t  """.strip())',
    "format without data": 'read_sql("SELECT a FROM t".format())',
    "format with a constant": 'read_sql("SELECT {c} FROM {}".format("t", c="a"))',
    "percent with a constant": 'read_sql("SELECT a FROM %s" % "t")',
    "an f-string with a constant of the file": 'TABLE = "t"\nread_sql(f"SELECT a FROM {TABLE}")',
    "join of a display": 'read_sql(" ".join(["SELECT a", "FROM t"]))',
    "a walrus": 'read_sql(q := "SELECT a FROM t")',
    "a comment in front": 'read_sql("-- why\\nSELECT a FROM t")',
    "deep in a class": 'class A:\n    async def f(self):\n        with b:\n            await c.execute("SELECT a FROM t")',
}  # fmt: skip


@pytest.mark.parametrize("code", PLACES.values(), ids=PLACES)
def test_a_string_is_sql_where_it_stands_as_sql(code: str) -> None:
    (text,) = find_code_sql("a.py", code).texts
    sql = " ".join(line.split("--")[0] for line in text.sql.splitlines())

    assert (" ".join(sql.split()), text.why, text.kind, text.path) == ("SELECT a FROM t", None, "python", "a.py")


NOT_SQL = {
    "a docstring of the module": '"""SELECT a FROM t"""',
    "a docstring of a function": 'def f():\n    """SELECT a FROM t"""',
    "a docstring of a class": 'class A:\n    """SELECT a FROM t"""',
    "a string that does nothing": 'x = 1\n"SELECT a FROM t"',
    "a message": 'print("SELECT a FROM t")\nlogger.info("SELECT a FROM t")',
    "an f-string message": 'print(f"SELECT {a} FROM t")',
    "a comment": "# SELECT a FROM t\nx = 1",
    "prose": 'MESSAGE = "Select the best offer from our catalogue!"',
    "a label": 'LABEL = "Update your settings"',
    "a path to a file": 'PostgresOperator(sql="sql/orders.sql")',
    "a word in a place": 'cursor.execute("my_procedure")',
    "bytes": 'x = b"SELECT a FROM t"',
    "an expression": 'frame.query("discount_pct > 5")',
    "nothing": "",
}


@pytest.mark.parametrize("code", NOT_SQL.values(), ids=NOT_SQL)
def test_other_strings_are_not(code: str) -> None:
    assert find_code_sql("a.py", code).texts == ()


COMPUTED = {
    "a table": 'x = 1\nread_sql(f"SELECT a FROM {table}")',
    "a column": 'x = 1\nread_sql(f"SELECT {column} FROM t")',
    "a part of a name": 'x = 1\nread_sql(f"SELECT a FROM features_{env}.t")',
    "a condition": 'x = 1\nread_sql(f"SELECT a FROM t WHERE {condition}")',
    "a column that is compared": 'x = 1\nread_sql(f"SELECT a FROM t WHERE {c} = 5")',
    "a join": 'x = 1\nread_sql(f"SELECT a FROM t JOIN u ON t.id = {key} WHERE b = 1")',
    "the other side of a hole": 'x = 1\nread_sql(f"SELECT a FROM t WHERE {c} = {d}")',
    "an order": 'x = 1\nread_sql(f"SELECT a FROM t ORDER BY {c}")',
    "a qualified column": 'x = 1\nread_sql(f"SELECT a FROM t WHERE b = u.{c}")',
    "an expression behind the value": 'x = 1\nread_sql(f"SELECT a FROM t WHERE b = {c} + d")',
    "a name in a string": "x = 1\nread_sql(f\"SELECT a FROM t WHERE IDENTIFIER('{c}') = 1\")",
    "a table in a string": "x = 1\nread_sql(f\"SELECT a FROM read_parquet('{p}')\")",
    "a double-quoted name": "x = 1\nread_sql(f'SELECT a FROM t WHERE \"{c}\" = 1')",
    "a quote that dialects end in two ways": "x = 1\nread_sql(f\"SELECT a FROM t WHERE b = 'it\\\\' AND c = '{d}'\")",
    "a comment that only some dialects know": "x = 1\nread_sql(f\"SELECT a # it's\\n, {c} FROM t WHERE b = 'x'\")",
    "percent": 'x = 1\nread_sql("SELECT a FROM %s" % table)',
    "format": 'x = 1\nread_sql("SELECT {} FROM t".format(column))',
    "format with a list": 'x = 1\nread_sql("SELECT {} FROM t".format(*columns))',
    "concatenation": 'x = 1\nread_sql("SELECT a FROM " + table)',
    "a head that is computed": 'x = 1\nread_sql(head + " SELECT a FROM t")',
    "join": 'x = 1\nread_sql(" ".join(["SELECT a FROM t", where]))',
    "replace": 'x = 1\nread_sql("SELECT a FROM TABLE".replace("TABLE", table))',
    "Jinja for a table": 'x = 1\nread_sql("SELECT a FROM {{ params.table }}")',
    "Jinja for a branch": 'x = 1\nread_sql("SELECT a FROM t {% if x %} JOIN u USING (id) {% endif %}")',
    "a shell variable": 'x = 1\nread_sql("SELECT a FROM ${schema}.t")',
    "a format that comes later": 'x = 1\nQUERY = "SELECT {columns} FROM t"',
    "a template of Tecton": '@view(mode="spark_sql")\ndef f(src): return f"SELECT a FROM {src}"',
    "a name from elsewhere": 'from x import WHERE\nread_sql("SELECT a FROM t" + WHERE)',
    "a name that is an argument": 'TABLE = "t"\ndef f(TABLE): read_sql(f"SELECT a FROM {TABLE}")',
    "a name that gets more": 'x = 1\nq = "SELECT a FROM t"\nq += " WHERE b = 1"\nread_sql(q)',
    "a name that builds on itself": 'x = 1\nq = "SELECT a FROM t"\nq = q + " WHERE b = 1"\nread_sql(q)',
    "a class's query that gets more": 'class A:\n    q = "SELECT a FROM t"\n    def f(self): return self.q + self.w',
    "a function's query that gets more": 'def base():\n    return "SELECT a FROM t"\nrun(base() + where)',
    "a conversion": 'x = 1\nread_sql(f"SELECT {c!r} FROM t")',
}  # fmt: skip


@pytest.mark.parametrize("code", COMPUTED.values(), ids=COMPUTED)
def test_what_is_computed_is_refused_by_name(code: str) -> None:
    found = find_code_sql("a.py", code)

    assert found.texts
    for text, (line, why) in zip(found.texts, found.holes, strict=True):
        assert (text.sql, text.spans, text.why, text.why_line) == ("", (), refused(line), line)
        assert why == refused(line)
        assert line in (2, 3)


VALUES = {
    "behind a comparison": ('f"SELECT a FROM t WHERE b = {x}"', "SELECT a FROM t WHERE b = 1"),
    "in quotes": ("f\"SELECT a FROM t WHERE b >= DATE('{x}')\"", "SELECT a FROM t WHERE b >= DATE('1')"),
    "between": ('f"SELECT a FROM t WHERE b BETWEEN {x} AND {y}"', "SELECT a FROM t WHERE b BETWEEN 1 AND 1"),
    "in a list": ('f"SELECT a FROM t WHERE b IN ({x}, {y})"', "SELECT a FROM t WHERE b IN (1, 1)"),
    "behind LIMIT": ('f"SELECT a FROM t LIMIT {x}"', "SELECT a FROM t LIMIT 1"),
    "having": ('f"SELECT a FROM t GROUP BY a HAVING count(*) > {x}"', "SELECT a FROM t GROUP BY a HAVING count(*) > 1"),
    "in a subquery": (
        'f"SELECT a FROM (SELECT a FROM t WHERE b = {x}) LIMIT 5"',
        "SELECT a FROM (SELECT a FROM t WHERE b = 1) LIMIT 5",
    ),
    "a label in quotes": ("\"SELECT '{{ ds }}' AS ds, a FROM t\"", "SELECT '1' AS ds, a FROM t"),
    "Airflow's date": ("\"SELECT a FROM t WHERE ds = '{{ ds }}'\"", "SELECT a FROM t WHERE ds = '1'"),
    "a partition": (
        "\"INSERT OVERWRITE TABLE u PARTITION (ds='{{ ds }}') SELECT a FROM t\"",
        "INSERT OVERWRITE TABLE u PARTITION (ds='1') SELECT a FROM t",
    ),
    "parameters of the driver": (
        '"SELECT a FROM t WHERE b = %s AND c = %(name)s"',
        "SELECT a FROM t WHERE b = 1 AND c = 1",
    ),
    "parameters that nobody need touch": (
        '"SELECT a FROM t WHERE b = :b AND c = ?"',
        "SELECT a FROM t WHERE b = :b AND c = ?",
    ),
    "percent": ('"SELECT a FROM t WHERE b = %s" % x', "SELECT a FROM t WHERE b = 1"),
}


@pytest.mark.parametrize(("expression", "sql"), VALUES.values(), ids=VALUES)
def test_a_part_that_can_only_be_a_value_keeps_the_rest_readable(expression: str, sql: str) -> None:
    assert squeezed(f"read_sql({expression})") == [sql]


def test_lines_are_those_of_the_file() -> None:
    (text,) = find("""\
        import feast

        source = BigQuerySource(
            query=\"\"\"
                SELECT customer_id,
                       AVG(discount_pct) AS sensitivity
                FROM shop.orders
            \"\"\",
        )
    """)

    rows = dict(zip((row.strip() for row in text.sql.split("\n")), text.lines, strict=True))
    assert rows["SELECT customer_id,"] == 5
    assert rows["AVG(discount_pct) AS sensitivity"] == 6
    assert rows["FROM shop.orders"] == 7


def test_pieces_of_one_line_of_sql_keep_their_own_lines() -> None:
    (text,) = find("""\
        read_sql(
            "SELECT customer_id, "  # who
            "discount_pct "

            "FROM orders"
            " WHERE note = 'a "
            "b'"
        )
    """)

    assert "note = 'a b'" in text.sql
    rows = [(row.strip(), line) for row, line in zip(text.sql.split("\n"), text.lines, strict=True)]
    assert rows == [("SELECT customer_id,", 2), ("discount_pct", 3), ("FROM orders", 5), ("WHERE note = 'a b'", 6)]


@pytest.mark.parametrize(
    ("code", "sql", "lines"),
    [
        ('q = """SELECT a\r\nFROM t"""\r\n', "SELECT a\nFROM t", (1, 2)),
        ('\ufeffq = "SELECT a FROM t"', "SELECT a FROM t", (1,)),
        ('x = 1\n\x0c\nq = "SELECT a FROM t"', "SELECT a FROM t", (3,)),
        ('q = "SELECT a\\nFROM t"', "SELECT a\nFROM t", (1, 1)),
        ('q = """SELECT a \\\n  FROM t"""', "SELECT a \n  FROM t", (1, 2)),
        ('q = r"""SELECT a\nFROM t WHERE b = \'\\d\'"""', "SELECT a\nFROM t WHERE b = '\\d'", (1, 2)),
        ('é = "ü"; q = "SELECT a FROM t"', "SELECT a FROM t", (1,)),
        ('q = "SELECT \\x61 FROM \\N{LATIN SMALL LETTER T}"', "SELECT a FROM t", (1,)),
        ("q = f'''SELECT a\nFROM t\nWHERE b = {\"c\"} LIMIT 5'''", "SELECT a\nFROM t\nWHERE b = \nc LIMIT 5", None),
    ],
)
def test_odd_ways_to_write_a_string(code: str, sql: str, lines: tuple[int, ...] | None) -> None:
    (text,) = find_code_sql("a.py", code).texts

    assert " ".join(sql.split()) == " ".join(text.sql.split())
    assert lines is None or lines == text.lines


def test_each_string_is_told_once() -> None:
    code = """\
        Q = "SELECT a FROM t"
        def f():
            first = read_sql(Q)
            return [first, spark.sql(Q), read_sql(Q + " WHERE b = 1")]
        R = "SELECT c FROM u"
        read_sql(R)
        execute(R)
    """

    assert squeezed(code) == ["SELECT a FROM t", "SELECT a FROM t WHERE b = 1", "SELECT c FROM u"]


def test_a_message_about_a_query_takes_nothing_from_it() -> None:
    assert squeezed('q = "SELECT a FROM t"\nlog(f"running {q}")\n') == ["SELECT a FROM t"]


def test_both_of_two_plain_values_count() -> None:
    code = """\
        if x:
            q = "SELECT a FROM t"
        else:
            q = "SELECT b FROM u"
        read_sql(q)
    """

    assert squeezed(code) == ["SELECT a FROM t", "SELECT b FROM u"]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("x = 1\nprint 'SELECT a FROM t'\n", 2),
        ("x = 1\nexec 'SELECT a FROM t' in d\n", 2),
        ("type X[T = int] = list[T]\n", 1),
        ("def f(:\n", 1),
        ("x = 'a\0b'", 1),
        ("x = '\ud800'", 1),
        ("(" * 5000, 1),
        ("-" * 100_000 + "1", 1),
        ("a" + ".b" * 100_000, 1),
        ("x = " + "{" * 30_000 + "\ny = f'{a}'", 1),
        ("#" * (MOST_CHARACTERS + 1), 1),
    ],
)
def test_what_is_no_python_here_says_so(code: str, line: int) -> None:
    found = find_code_sql("old/a.py", code)
    (text,) = found.texts

    assert found.why
    assert (text.why, text.why_line, text.kind, text.sql) == (found.why, line, "python", "")


def test_nothing_of_the_file_is_run(tmp_path: Path) -> None:
    marker = str(tmp_path / "ran")
    code = f"""\
        import pathlib
        pathlib.Path({marker!r}).touch()
        TABLE = open({marker!r}, "w").name
        read_sql(f"SELECT a FROM t WHERE b = '{{open({marker!r}, 'w')}}'" )
        read_sql("SELECT a FROM {{}}".format(__import__("os").system("touch {marker}")))
    """
    find(code)

    assert not Path(marker).exists()


# --- what of the file nobody read ----------------------------------------------------------------------------------


def test_only_the_text_that_was_read_is_taken_out() -> None:
    code = 'x = read_sql("SELECT a FROM orders", index="discount_pct")  # why\nread_sql(f"SELECT b FROM {t}")\n'
    found = find_code_sql("a.py", code)

    left = blank_read(code, [text for text in found.texts if text.why is None])

    assert "orders" not in left
    assert '"discount_pct"' in left
    assert 'f"SELECT b FROM {t}"' in left
    assert left.count("\n") == code.count("\n")


def test_the_code_in_a_placeholder_stays() -> None:
    code = 'read_sql(f"SELECT a FROM orders WHERE b = {frame.discount_pct} AND c = 2")'

    left = blank_read(code, find_code_sql("a.py", code).texts)

    assert "frame.discount_pct" in left
    assert "orders" not in left


def test_a_table_name_in_a_constant_stays_because_other_code_may_use_it() -> None:
    code = 'TABLE = "orders"\nread_sql(f"SELECT a FROM {TABLE}")\nspark.table(TABLE)["discount_pct"]\n'

    assert '"orders"' in blank_read(code, find_code_sql("a.py", code).texts)


def test_a_constant_that_goes_to_an_unknown_function_keeps_its_words() -> None:
    code = 'q = "SELECT a FROM orders"\nread_sql(narrow(q))\ndef narrow(q): return q + " WHERE discount_pct > 1"\n'
    found = find_code_sql("a.py", code)

    assert [text.sql for text in found.texts] == ["SELECT a FROM orders"]
    assert "orders" in blank_read(code, found.texts)


# --- laws ----------------------------------------------------------------------------------------------------------

WORDS = ["read_sql(", ")", '"', "'", '"""', "f", "{", "}", "SELECT ", "a", " FROM ", "t", "\n", "%s", "\\", "+", " ", "q = ", "#",
         "--", ".format(", "%", "if x:\n ", "def f():\n ", "return ", "é", "WHERE b = ", "\r", "\x0c"]  # fmt: skip


@examples(100)
@given(st.lists(st.sampled_from(WORDS), max_size=25).map("".join) | st.text(max_size=80))
def test_any_text_is_answered(text: str) -> None:
    found = find_code_sql("a.py", text)

    for one in found.texts:
        assert (one.why is None) == bool(one.sql)
        assert len(one.lines) == one.sql.count("\n") + 1
        assert all(1 <= line <= text.count("\n") + text.count("\r") + 1 for line in one.lines)
    left = blank_read(text, found.texts)
    assert left.count("\n") == text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").count("\n")


columns = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,5}_", fullmatch=True), min_size=1, max_size=6, unique=True)


@examples(25)
@given(columns, st.data())
def test_how_a_constant_is_cut_into_literals_changes_nothing(names: list[str], data: st.DataObject) -> None:
    sql = "SELECT " + ", ".join(names) + " FROM shop.orders WHERE note = 'a  b, c' AND " + names[0] + " > 5"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(sql) - 1), max_size=6)))
    pieces = [sql[a:b] for a, b in zip([0, *cuts], [*cuts, len(sql)], strict=True)]
    joiner = data.draw(st.sampled_from(["\n", " +\n", "\n\n  # note\n"]))
    code = "read_sql(\n" + joiner.join(f'"{piece}"' for piece in pieces) + "\n)\n"

    (text,) = find_code_sql("a.py", code).texts

    assert text.sql.replace("\n", "") == sql
    rows = text.sql.split("\n")
    for piece, line in zip(pieces, lines_of(pieces, code), strict=True):
        for name in names:  # a name that was written whole stands on the line that its row says
            if name in piece.split(" ")[1:-1]:
                assert line in {text.lines[n] for n, row in enumerate(rows) if name in row.replace(",", "").split()}


def lines_of(pieces: list[str], code: str) -> list[int]:
    """The line of the file that each piece stands on, in order."""
    found: list[int] = []
    for piece in pieces:
        found.append(
            next(n for n, row in enumerate(code.split("\n"), 1) if n > (found or [0])[-1] and f'"{piece}"' in row)
        )
    return found


def test_a_file_of_a_megabyte_takes_seconds() -> None:
    block = 'def f_{0}(x):\n    frame = read_sql("SELECT a, b FROM t_{0} WHERE c = %s", x)\n    return frame["a"]  # {1}\n\n'
    code = "".join(block.format(n, "as before " * 13) for n in range(4_000))
    assert 900_000 < len(code) < MOST_CHARACTERS
    started = time.process_time()

    found = find_code_sql("a.py", code)

    assert len(found.texts) == 4_000
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "code",
    [
        "x = " + " + ".join(['"a"'] * 900),
        "x = " + " + ".join(["a"] * 900),
        "A0 = 'SELECT a FROM t'\n" + "".join(f"A{n} = A{n - 1} + A{n - 1}\n" for n in range(1, 40)) + "read_sql(A39)",
        "q = q\nread_sql(q)",
        "a = b\nb = a\nread_sql(a + 'SELECT a FROM t')",
        "read_sql('SELECT a FROM t WHERE ' + " + " + ".join(["('b' if x else 'c')"] * 40) + ")",
        "read_sql(f'SELECT a FROM t WHERE b IN (" + ", ".join(["{x}"] * 1000) + ")')",
        "read_sql('" + "update " * 100_000 + "')",
        "q = '" + "select " * 100_000 + "'",
        "q = 'SELECT " + "(" * 3000 + " FROM t'",
    ],
)
def test_hostile_code_is_answered_in_time(code: str) -> None:
    started = time.process_time()

    find_code_sql("a.py", code)

    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "text", ["read_sql('SELECT a FROM t')", "x = ('INSERT '\n 'INTO t SELECT 1')", "'update t set a = 1'"]
)
def test_code_with_a_statement_is_looked_at(text: str) -> None:
    assert may_hold_sql(text)


def test_code_without_any_is_not() -> None:
    assert not may_hold_sql("frame.update({'a': 1}); frame.merge(other); create_table(x)")
