"""SQLAlchemy's types and Django's fields -> the type that the database gets, as text of the dialect.

Sources: SQLAlchemy "Type Hierarchy" (upper-case classes are the SQL types themselves), Django "Model field reference" and the
`data_types` of its database backends. A class that is not here is a type that nobody told.
"""

from __future__ import annotations

from app.change.python_calls import UNTOLD, Call

_TIMESTAMP = {"mysql": "DATETIME", "tsql": "DATETIME2", "bigquery": "DATETIME", "snowflake": "TIMESTAMP_NTZ"}
_ZONED = {
    "mysql": "DATETIME", "tsql": "DATETIMEOFFSET", "bigquery": "TIMESTAMP", "snowflake": "TIMESTAMP_TZ",
    "sqlite": "DATETIME",
}  # fmt: skip
_TEXT = {"tsql": "VARCHAR(MAX)", "oracle": "CLOB", "bigquery": "STRING", "snowflake": "TEXT"}
_PLAIN = {
    "Integer": "INTEGER", "BigInteger": "BIGINT", "SmallInteger": "SMALLINT", "Boolean": "BOOLEAN", "Date": "DATE",
    "Time": "TIME", "Uuid": "UUID", "JSON": "JSON", "Double": "DOUBLE PRECISION", "Interval": "INTERVAL",
    "LargeBinary": "BYTEA",
}  # fmt: skip
_SIZED = {"String": "VARCHAR", "Unicode": "VARCHAR", "Numeric": "NUMERIC", "Float": "FLOAT"}
_DJANGO = {
    "BooleanField": "BOOLEAN", "NullBooleanField": "BOOLEAN", "IntegerField": "INTEGER", "BigIntegerField": "BIGINT",
    "SmallIntegerField": "SMALLINT", "PositiveIntegerField": "INTEGER", "PositiveBigIntegerField": "BIGINT",
    "PositiveSmallIntegerField": "SMALLINT", "FloatField": "DOUBLE PRECISION", "DateField": "DATE",
    "TimeField": "TIME", "UUIDField": "UUID", "JSONField": "JSONB", "BinaryField": "BYTEA", "AutoField": "INTEGER",
    "BigAutoField": "BIGINT", "SmallAutoField": "SMALLINT", "DurationField": "INTERVAL",
    "GenericIPAddressField": "INET",
}  # fmt: skip
#: Django's texts of limited length, with the limit that they have by themselves
_LENGTHS = {"CharField": 0, "SlugField": 50, "EmailField": 254, "URLField": 200, "FileField": 100, "ImageField": 100}


def find_sqlalchemy_type(call: Call, dialect: str) -> str:
    """`sa.Numeric(5, 4)` -> NUMERIC(5, 4); "" where it is not told."""
    name = call.last
    if call.is_open:
        return ""
    if name in _PLAIN:
        return _PLAIN[name]
    if name in {"Text", "UnicodeText"}:
        return _TEXT.get(dialect, "TEXT")
    if name in {"DateTime", "TIMESTAMP"}:
        zoned = call.constant(0, "timezone")
        return "" if zoned is UNTOLD else (_ZONED if zoned else _TIMESTAMP).get(dialect, _with_zone(zoned is True))
    if name in _SIZED or name.isupper():
        return _sized(_SIZED.get(name, name), call)
    return ""


def _with_zone(zoned: bool) -> str:  # noqa: FBT001 - private
    return "TIMESTAMP WITH TIME ZONE" if zoned else "TIMESTAMP"


def _sized(name: str, call: Call) -> str:
    """The type with its numbers, by place or by name; "" where one of them is not told."""
    found = [call.constant(place, *words) for place, words in enumerate((("length", "precision"), ("scale",)))]
    numbers = [number for number in found if number is not None]
    if any(not isinstance(number, int) or isinstance(number, bool) for number in numbers):
        return ""
    return f"{name}({', '.join(map(str, numbers))})" if numbers else name


def find_django_type(call: Call, dialect: str) -> str:
    """`models.DecimalField(max_digits=5, decimal_places=4)` -> NUMERIC(5, 4); "" where it is not told."""
    name = call.last
    if name in _DJANGO:
        return _DJANGO[name]
    if name == "TextField":
        return _TEXT.get(dialect, "TEXT")
    if name == "DateTimeField":
        return _ZONED.get(dialect, _with_zone(True))  # noqa: FBT003 - private
    if name == "DecimalField":
        digits, places = call.constant(2, "max_digits"), call.constant(3, "decimal_places")
        return f"NUMERIC({digits}, {places})" if isinstance(digits, int) and isinstance(places, int) else ""
    return _limited(name, call) if name in _LENGTHS else ""


def _limited(name: str, call: Call) -> str:
    length = call.constant(None, "max_length")
    if length is None:
        return f"VARCHAR({_LENGTHS[name]})" if _LENGTHS[name] else "VARCHAR"
    return f"VARCHAR({length})" if isinstance(length, int) else ""
