"""Migrations that are not SQL: read where their operations are constants, named as unread everywhere else."""

from __future__ import annotations

import textwrap

import pytest

from app.change import classify, find_migration_texts, is_relevant
from app.words import Config, Root
from tests.change.trees import briefs, review

CREATE = '''
"""orders"""
from alembic import op
import sqlalchemy as sa

revision = "0a1b"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "orders",
        sa.Column("order_id", sa.BigInteger(), primary_key=True),
        sa.Column("discount_pct", sa.Numeric(5, 4), nullable=False, server_default="0"),
        sa.Column("DiscountCode", sa.String(length=20)),
        sa.PrimaryKeyConstraint("order_id"),
    )


def downgrade() -> None:
    op.drop_table("orders")
'''


def alembic(body: str, *, revision: str = "9f8e", follows: str = '"0a1b"', head: str = "") -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return (
        f'from alembic import op\nimport sqlalchemy as sa\n\nrevision = "{revision}"\ndown_revision = {follows}\n{head}\n\n'
        f"def upgrade():\n{lines}\n\n\ndef downgrade():\n    op.drop_table('orders')\n"
    )


BASE = {"migrations/versions/ffff_orders.py": CREATE}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("op.drop_column('orders', 'discount_pct')", ["column_dropped public.orders.discount_pct block/stops"]),
        ("op.drop_column('orders', 'DiscountCode')", ['column_dropped public.orders."DiscountCode" block/stops']),
        ("op.drop_column(column_name='discount_pct', table_name='orders', schema='public')", None),
        (
            "op.alter_column('orders', 'discount_pct', new_column_name='discount_rate')",
            ["column_renamed public.orders.discount_pct -> discount_rate block/stops"],
        ),
        (
            "op.alter_column('orders', 'discount_pct', type_=sa.Float(), existing_type=sa.Numeric(5, 4))",
            ["type_changed public.orders.discount_pct warn/values"],
        ),
        ("op.alter_column('orders', 'discount_pct', type_=sa.Numeric(10, 4))", []),
        (
            "op.alter_column('orders', 'discount_pct', nullable=True, server_default=None)",
            [
                "meaning_changed public.orders.discount_pct warn/values",
                "meaning_changed public.orders.discount_pct warn/values",
            ],
        ),
        ("op.rename_table('orders', 'bills')", ["relation_renamed public.orders -> public.bills block/stops"]),
        ("op.drop_table('orders')", ["relation_dropped public.orders block/stops"]),
        ("op.add_column('orders', sa.Column('region', sa.Text()))\nop.create_index('i', 'orders', ['region'])", []),
        ("op.execute('ALTER TABLE orders DROP COLUMN discount_pct')", None),
        ("op.execute(sa.text('ALTER TABLE orders ' + 'DROP COLUMN discount_pct'))", None),
        ("conn = op.get_bind()\nconn.execute(sa.text('ALTER TABLE orders DROP discount_pct'))", None),
        ("with op.batch_alter_table('orders') as batch_op:\n    batch_op.drop_column('discount_pct')", None),
        ("for name in ('discount_pct',):\n    op.drop_column('orders', name)", None),
        ("name = 'discount_pct'\nop.drop_column('orders', name)", None),
        ("op.drop_column(TABLE, 'discount_pct')", None),
        (
            "op.drop_column('orders', 'discount_pct')\nop.add_column('orders', sa.Column('discount_pct', sa.Numeric(5, 4)))",
            ["values_lost public.orders.discount_pct block/values"],
        ),
        ("pass", []),
    ],
)
def test_alembic(body: str, found: list[str] | None) -> None:
    expected = ["column_dropped public.orders.discount_pct block/stops"] if found is None else found
    change = {"migrations/versions/0000_change.py": alembic(body, head='TABLE = "orders"')}
    report = review(BASE, {**BASE, **change})
    assert expected == briefs(report)
    assert report.unknowns == ()


@pytest.mark.parametrize(
    "body",
    [
        "if op.get_bind().dialect.name == 'x':\n    op.drop_column('orders', 'discount_pct')",
        "op.drop_column('orders', find_name())",
        "op.execute(f'ALTER TABLE orders DROP COLUMN {name}')",
        "for name in names():\n    op.drop_column('orders', name)",
        "tidy_up()",
        "op.alter_column('orders', 'discount_pct', type_=Money())",
        "op.drop_column(*args)",
        "op.drop_everything('orders')",
        "try:\n    op.drop_column('orders', 'discount_pct')\nexcept Exception:\n    pass",
        "op.execute('CALL tidy_up()')",
        "with lock():\n    op.drop_column('orders', 'discount_pct')",
        "op.get_bind().exec_driver_sql('ALTER TABLE orders DROP discount_pct')",
        "if late:\n    return\nop.drop_column('orders', 'discount_pct')",
        "(x := op.drop_column('orders', 'discount_pct'))",
        "getattr(op, 'drop_column')('orders', 'discount_pct')",
        "[op.drop_column('orders', name) for name in ('discount_pct',)]",
    ],
)
def test_alembic_beyond_constants_is_unknown(body: str) -> None:
    path = "migrations/versions/0000_change.py"
    report = review(BASE, {**BASE, path: alembic(body)})
    assert {path} == {unknown.path for unknown in report.unknowns}
    assert all((unknown.line or 0) > 8 for unknown in report.unknowns)


def test_alembic_is_ordered_by_revision_and_needs_one_head() -> None:
    again = alembic("op.add_column('orders', sa.Column('region', sa.Text()))", revision="bbbb", follows='"aaaa"')
    drop = alembic("op.drop_column('orders', 'region')", revision="cccc", follows='("bbbb",)')
    first = alembic("op.add_column('orders', sa.Column('other', sa.Text()))", revision="aaaa")
    base = {**BASE, "migrations/versions/2_a.py": again, "migrations/versions/3_b.py": first}
    report = review(base, {**base, "migrations/versions/1_c.py": drop})
    assert briefs(report) == ["column_dropped public.orders.region block/stops"]
    assert report.unknowns == ()
    (unknown,) = review(base, {**base, "migrations/versions/1_c.py": drop.replace('("bbbb",)', '"aaaa"')}).unknowns
    assert "revision" in unknown.why


def test_alembic_needs_no_folder_of_that_name() -> None:
    base = {"db/versions/1.py": CREATE}
    head = {**base, "db/versions/2.py": alembic("op.drop_column('orders', 'discount_pct')")}
    assert briefs(review(base, head)) == ["column_dropped public.orders.discount_pct block/stops"]


def test_the_cited_line_is_that_of_the_operation() -> None:
    change = alembic(
        "op.add_column('orders', sa.Column('x', sa.Text()))\nop.execute('''\nALTER TABLE orders\nDROP discount_pct\n''')"
    )
    report = review(BASE, {**BASE, "migrations/versions/1.py": change})
    (removal,) = report.removals
    assert removal.evidence.text == "DROP discount_pct"


# --- Django ---------------------------------------------------------------------------------------------------------

MODELS = """
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(primary_key=True)),
                ("discount_pct", models.DecimalField(max_digits=5, decimal_places=4)),
                ("customer", models.ForeignKey(on_delete=models.CASCADE, to="shop.customer")),
                ("note", models.TextField(db_column="remark")),
                ("tags", models.ManyToManyField(to="shop.tag")),
                ("paid", PaidField(2)),
            ],
            options={"db_table": "orders"},
        ),
        migrations.CreateModel(name="Visit", fields=[("page", models.CharField(max_length=20, null=True))]),
    ]
"""


def django(*operations: str) -> str:
    listed = "".join(f"        {operation},\n" for operation in operations)
    return (
        "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n"
        f'    dependencies = [("shop", "0001_initial")]\n    operations = [\n{listed}    ]\n'
    )


SHOP = {"shop/migrations/0001_initial.py": MODELS}


@pytest.mark.parametrize(
    ("operation", "found"),
    [
        (
            'RemoveField(model_name="order", name="discount_pct")',
            ["column_dropped public.orders.discount_pct block/stops"],
        ),
        ('RemoveField("order", "customer")', ["column_dropped public.orders.customer_id block/stops"]),
        ('RemoveField("Order", "note")', ["column_dropped public.orders.remark block/stops"]),
        ('RemoveField("order", "tags")', []),
        (
            'RenameField("order", "discount_pct", "discount_rate")',
            ["column_renamed public.orders.discount_pct -> discount_rate block/stops"],
        ),
        ('RenameField("order", "note", "text")', []),
        (
            'RenameField("order", "customer", "buyer")',
            ["column_renamed public.orders.customer_id -> buyer_id block/stops"],
        ),
        (
            'AlterField("order", "discount_pct", models.FloatField())',
            ["type_changed public.orders.discount_pct warn/values"],
        ),
        ('AlterField("order", "discount_pct", models.DecimalField(max_digits=9, decimal_places=4))', []),
        (
            'AlterField("order", "note", models.TextField())',
            ["column_renamed public.orders.remark -> note block/stops"],
        ),
        ('DeleteModel("Order")', ["relation_dropped public.orders block/stops"]),
        ('RenameModel("Order", "Bill")', []),
        ('RenameModel("Visit", "Hit")', ["relation_renamed public.shop_visit -> public.shop_hit block/stops"]),
        ('AlterModelTable("order", "bills")', ["relation_renamed public.orders -> public.bills block/stops"]),
        ('AddField("order", "region", models.CharField(max_length=9))', []),
        ('AddIndex("order", models.Index(fields=["note"], name="i"))', []),
        (
            'RunSQL("ALTER TABLE orders DROP COLUMN discount_pct", reverse_sql="SELECT 1")',
            ["column_dropped public.orders.discount_pct block/stops"],
        ),
        (
            (
                'SeparateDatabaseAndState([migrations.RunSQL([("ALTER TABLE orders DROP remark", None)])], '
                '[migrations.RemoveField("order", "discount_pct")])'
            ),
            ["column_dropped public.orders.remark block/stops"],
        ),
    ],
)
def test_django(operation: str, found: list[str]) -> None:
    report = review(SHOP, {**SHOP, "shop/migrations/0002_change.py": django(f"migrations.{operation}")})
    assert found == briefs(report)
    assert report.unknowns == ()


@pytest.mark.parametrize(
    "operation",
    [
        "migrations.RunPython(forwards)",
        "migrations.RunSQL(SQL)",
        'migrations.RemoveField("order", "nobody_told_it")',
        'migrations.RemoveField("customer", "name")',
        'migrations.AlterField("order", "paid", PaidField(3))',
        'migrations.RemoveField("order", NAME)',
        "OPERATION",
        "Tidy()",
    ],
)
def test_django_beyond_constants_is_unknown(operation: str) -> None:
    report = review(SHOP, {**SHOP, "shop/migrations/0002_change.py": django(operation)})
    assert [(unknown.path, unknown.line) for unknown in report.unknowns] == [("shop/migrations/0002_change.py", 7)]


@pytest.mark.parametrize(
    "more",
    [
        "Migration.operations.append(migrations.RemoveField('order', 'discount_pct'))",
        "for name in NAMES:\n    Migration.operations.append(name)",
        "class Migration(migrations.Migration):\n    operations = []",
    ],
)
def test_a_django_migration_that_does_more_than_list_is_unknown(more: str) -> None:
    listed = django("migrations.AlterModelOptions('order', {})")
    text = f"{listed}\n\n{more}\n"
    (unknown,) = review(SHOP, {**SHOP, "shop/migrations/0002_change.py": text}).unknowns
    assert unknown.path == "shop/migrations/0002_change.py"


@pytest.mark.parametrize(
    "more", ["run()", "@once\ndef upgrade():\n    pass", "if X:\n    def upgrade():\n        run()"]
)
def test_an_alembic_file_that_does_more_is_unknown(more: str) -> None:
    path = "migrations/versions/0000_change.py"
    report = review(BASE, {**BASE, path: f"{alembic('pass')}\n\n{more}\n"})
    assert [unknown.path for unknown in report.unknowns] == [path]


def test_tests_that_quote_migrations_are_none() -> None:
    assert classify("tests/test_migrations.py", alembic("op.drop_table('orders')"), Config()) == "other"


# --- Liquibase ------------------------------------------------------------------------------------------------------

TABLE = {"db/changelog/001.sql": "CREATE TABLE public.orders (order_id int, discount_pct numeric(5,4), note text);"}


def xml(change: str, attributes: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog">\n'
        f'  <changeSet id="1" author="a" {attributes}>\n    {change}\n  </changeSet>\n</databaseChangeLog>\n'
    )


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            '<dropColumn tableName="orders" columnName="discount_pct"/>',
            ["column_dropped public.orders.discount_pct block/stops"],
        ),
        (
            '<dropColumn schemaName="public" tableName="ORDERS"><column name="discount_pct"/><column name="note"/></dropColumn>',
            [
                "column_dropped public.orders.discount_pct block/stops",
                "column_dropped public.orders.note block/stops",
            ],
        ),
        (
            '<renameColumn tableName="orders" oldColumnName="discount_pct" newColumnName="discount_rate"/>',
            ["column_renamed public.orders.discount_pct -> discount_rate block/stops"],
        ),
        ('<dropTable tableName="orders"/>', ["relation_dropped public.orders block/stops"]),
        (
            '<modifyDataType tableName="orders" columnName="discount_pct" newDataType="float8"/>',
            ["type_changed public.orders.discount_pct warn/values"],
        ),
        ('<addColumn tableName="orders"><column name="region" type="text"/></addColumn>', []),
        ('<createTable tableName="t"><column name="a" type="int"/></createTable>', []),
        (
            "<sql>ALTER TABLE orders\n DROP COLUMN discount_pct;</sql>",
            ["column_dropped public.orders.discount_pct block/stops"],
        ),
        ("<sql><![CDATA[ALTER TABLE orders DROP note]]></sql>", ["column_dropped public.orders.note block/stops"]),
        ('<rollback><dropTable tableName="orders"/></rollback>', []),
        (
            (
                '<preConditions onFail="MARK_RAN"><columnExists tableName="orders" columnName="note"/></preConditions>'
                '<dropColumn tableName="orders" columnName="note"/>'
            ),
            ["column_dropped public.orders.note block/stops"],
        ),
        ('<createIndex tableName="orders" indexName="i"><column name="note"/></createIndex>', []),
        (
            (
                '<mergeColumns tableName="orders" column1Name="note" column2Name="discount_pct" finalColumnName="both" '
                'finalColumnType="text"/>'
            ),
            [
                "column_dropped public.orders.discount_pct block/stops",
                "column_dropped public.orders.note block/stops",
            ],
        ),
    ],
)
def test_liquibase_xml(change: str, found: list[str]) -> None:
    report = review(TABLE, {**TABLE, "db/changelog/002.xml": xml(change)})
    assert found == briefs(report)
    assert report.unknowns == ()


@pytest.mark.parametrize(
    ("change", "attributes"),
    [
        ('<customChange class="com.acme.Tidy"/>', ""),
        ('<sqlFile path="drop.sql"/>', ""),
        ('<dropColumn tableName="${table}" columnName="note"/>', ""),
        ('<dropColumn tableName="orders"/>', ""),
        ('<dropColumn tableName="orders" columnName="note"/>', 'context="prod"'),
        ('<dropColumn tableName="orders" columnName="note"/>', 'dbms="oracle"'),
        ("<sql>CALL tidy_up()</sql>", ""),
        (
            (
                '<preConditions onFail="MARK_RAN"><sqlCheck expectedResult="1">SELECT 1</sqlCheck></preConditions>'
                '<dropColumn tableName="orders" columnName="note"/>'
            ),
            "",
        ),
    ],
)
def test_liquibase_beyond_constants_is_unknown(change: str, attributes: str) -> None:
    report = review(TABLE, {**TABLE, "db/changelog/002.xml": xml(change, attributes)})
    assert {"db/changelog/002.xml"} == {unknown.path for unknown in report.unknowns}


def test_a_change_set_for_a_test_database_takes_nothing_away() -> None:
    change = xml('<dropColumn tableName="orders" columnName="note"/>', 'dbms="h2"')
    report = review(TABLE, {**TABLE, "db/changelog/002.xml": change})
    assert (report.removals, report.unknowns) == ((), ())


YAML = """
databaseChangeLog:
  - changeSet:
      id: 1
      author: a
      preConditions:
        - onFail: MARK_RAN
        - columnExists: {tableName: orders, columnName: note}
      changes:
        - dropColumn:
            tableName: orders
            columns:
              - column:
                  name: note
        - sql:
            sql: |
              ALTER TABLE orders
                DROP COLUMN discount_pct
      rollback:
        - dropTable: {tableName: orders}
"""
JSON = """{"databaseChangeLog": [
\t{"changeSet": {"id": "1", "author": "a", "changes": [
\t\t{"dropColumn": {"tableName": "orders", "columnName": "note"}},
\t\t{"renameColumn": {"tableName": "orders", "oldColumnName": "discount_pct", "newColumnName": "discount_rate"}}
\t]}}
]}
"""


def test_liquibase_yaml_and_json() -> None:
    report = review(TABLE, {**TABLE, "db/changelog/002.yaml": YAML})
    assert briefs(report) == [
        "column_dropped public.orders.discount_pct block/stops",
        "column_dropped public.orders.note block/stops",
    ]
    assert {r.column: r.evidence.line for r in report.removals} == {"note": 10, "discount_pct": 18}
    report = review(TABLE, {**TABLE, "db/changelog/002.json": JSON})
    assert briefs(report) == [
        "column_dropped public.orders.note block/stops",
        "column_renamed public.orders.discount_pct -> discount_rate block/stops",
    ]
    assert {r.column: r.evidence.line for r in report.removals} == {"note": 3, "discount_pct": 4}


BOMB = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)), "databaseChangeLog: *a39"]
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("002.xml", '<!DOCTYPE x [<!ENTITY a "b">]><databaseChangeLog/>'),
        ("002.xml", '<!DOCTYPE x SYSTEM "file:///etc/passwd"><databaseChangeLog/>'),
        ("002.xml", "<databaseChangeLog><changeSet>"),
        ("002.xml", "<other><databaseChangeLog/></other>"),
        ("002.yaml", BOMB),
        ("002.yaml", "databaseChangeLog: ["),
        ("002.yaml", "databaseChangeLog:\n- changeSet: {<<: {id: 1}}"),
        ("002.json", '{"databaseChangeLog": [}'),
        ("002.xml", "<databaseChangeLog>" + "<a>" * 5000 + "</a>" * 5000 + "</databaseChangeLog>"),
    ],
)
def test_a_hostile_or_broken_changelog_is_unknown(name: str, text: str) -> None:
    report = review(TABLE, {**TABLE, f"db/changelog/{name}": text})
    assert [f"db/changelog/{name}"] == [unknown.path for unknown in report.unknowns]


# --- everything else ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("db/migrate/20240101120000_drop.rb", "remove_column :orders, :discount_pct"),
        ("migrations/20240101_x.js", "exports.up = (knex) => knex.schema.dropTable('orders')"),
        ("migrations/x.ts", "await queryRunner.dropColumn('orders', 'discount_pct')"),
        ("src/main/java/db/migration/V2__Drop.java", "class V2__Drop {}"),
        ("src/main/kotlin/db/migration/V2__Drop.kt", "class V2__Drop"),
        ("migrations/00002_drop.go", "package migrations"),
        ("Migrations/20240101_Drop.cs", "migrationBuilder.DropColumn()"),
        ("database/migrations/2024_01_01_000000_x.php", "Schema::table('orders')"),
        ("priv/repo/migrations/20240101_x.exs", "alter table(:orders), do: remove :note"),
        ("migrations/002_pgroll.json", '{"operations": [{"drop_column": {}}]}'),
        ("migrations/up.yaml", "- type: run_sql"),
        ("shop/migrations/0002_x.py", "from somewhere import operations"),
    ],
)
def test_a_migration_in_another_language_is_unknown(path: str, text: str) -> None:
    assert is_relevant(path)
    (unknown,) = review(TABLE, {**TABLE, path: text}).unknowns
    assert (unknown.path, unknown.line) == (path, 1)
    assert review({**TABLE, path: text}, TABLE).unknowns != ()
    assert review({**TABLE, path: text}, {**TABLE, path: text}).unknowns == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/orders.rb", "remove_column :orders, :discount_pct"),
        ("lib/knex.js", "knex.schema.dropTable('orders')"),
        ("migrations/package.json", "{}"),
        ("migrations/meta/0001_snapshot.json", "{}"),
        ("charts/migrations/job.yaml", "apiVersion: batch/v1\nkind: Job"),
        ("migrations/0001_x.test.ts", "dropTable"),
        ("internal/migrate/logging.go", "package migrate"),
        ("CHANGELOG.json", "{}"),
        ("models/schema.yml", "version: 2"),
        ("models/migration/_models.yml", "version: 2\n\nmodels:\n- name: moved_users"),
    ],
)
def test_other_code_is_no_migration(path: str, text: str) -> None:
    assert review(TABLE, {**TABLE, path: text}).unknowns == ()
    assert classify(path, text, Config()) != "migration"


def test_code_in_a_configured_root_of_migrations_counts() -> None:
    config = Config(found=True, dialect="postgres", roots=(Root("changes", "migrations"),))
    path = "changes/drop.rb"
    assert is_relevant(path, config)
    assert not is_relevant(path)
    assert [text.path for text in find_migration_texts({path: "x", "other/drop.rb": "x"}, config)] == [path]
    (unknown,) = review(TABLE, {**TABLE, path: "remove_column :orders, :note"}, config=config).unknowns
    assert unknown.path == path
