"""What stands in a template for things that only dbt, a database or an absent package knows.

Every one of them can be called, iterated and asked for any attribute without running away; none shows Python to the template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, Final, NoReturn

from jinja2 import Undefined

from app.render.handles import ForTemplates
from app.render.limits import RenderError
from app.render.marks import CALL, CALL_END, EDGE, GIVEN, clean

_DATE_PARTS: Final = frozenset(
    f"{part}{s}" for part in ("second", "minute", "hour", "day", "week", "month", "quarter", "year") for s in ("", "s")
)
MOST_OF_A_QUESTION: Final = 200
_EXPRESSION: Final = re.compile(r"[\w.\"'`\[\]{} ()+*/:,<>=|!%@\n-]+")


class Relation(str):
    """A relation as SQL writes it. Parts that are not known are None; `missing` then says what would tell them.

    `quotes`: dbt puts its parts in quotes, whose ends part it from a word beside it.
    """

    identifier: str
    name: str
    table: str
    type: str | None
    quotes: bool
    _schema: str | None
    _database: str | None
    _missing: str

    @staticmethod
    def of(
        identifier: str,
        schema: str | None = None,
        database: str | None = None,
        *,
        quote: Callable[[str], str] = str,
        quotes: bool = False,
        missing: str = "it is not known",
    ) -> Relation:
        parts = (database, schema, identifier) if schema is not None else (identifier,)
        relation = Relation(".".join(quote(part) for part in parts if part is not None))
        relation.identifier = relation.name = relation.table = identifier
        relation.type = "table"
        relation.quotes = quotes
        relation._schema, relation._database, relation._missing = schema, database, missing
        return relation

    @property
    def bounded(self) -> str:
        """As it stands in a template's text."""
        return f"{EDGE}{self}{EDGE}" if self.quotes else str(self)

    @property
    def known_parts(self) -> tuple[str, ...]:
        """From the database down; without a schema, the name alone."""
        parts = (self._database, self._schema, self.identifier) if self._schema is not None else (self.identifier,)
        return tuple(part for part in parts if part is not None)

    @property
    def schema(self) -> object:
        return self._schema if self._schema is not None else Missing(f"the schema of {self}: {self._missing}")

    @property
    def database(self) -> object:
        return self._database if self._database is not None else Missing(f"the database of {self}: {self._missing}")

    def include(self, *_args: object, **_kwargs: object) -> Relation:
        return self

    quote = render = incorporate = replace_path = without_identifier = include
    is_cte = is_view = is_table = False


class Missing(ForTemplates):
    """A value that decides the SQL and that nobody told. Every use of it raises RenderError; passing it on does not."""

    __slots__ = ("_why",)

    def __init__(self, why: str) -> None:
        self._why = why

    def _raise(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise RenderError(self._why)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._raise()

    __str__ = __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = __int__ = __float__ = _raise
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __truediv__ = _raise


class Undecided(Missing):
    """As Missing, but a condition may ask of it what is yes or no: then both answers are tried. Written out, it is a hole."""

    __slots__ = ("_decide", "_name")

    def __init__(self, name: str, why: str, decide: Callable[[str, str], bool]) -> None:
        super().__init__(why)
        self._name, self._decide = name, decide

    def _ask(self, question: str) -> bool:
        """The assumed answer: no at first."""
        return self._decide(self._name + question, self._why)

    def _compare(self, sign: str, other: object) -> bool:
        if not isinstance(other, (str, int, float, NoneType)):
            self._raise()
        return self._ask(f" {sign} {other!r}"[:MOST_OF_A_QUESTION])

    def __bool__(self) -> bool:  # type: ignore[override]  # what may have an answer
        return self._ask("")

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return other is self or self._compare("==", other)

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return not self == other

    def __lt__(self, other: object) -> bool:  # type: ignore[override]
        return self._compare("<", other)

    def __gt__(self, other: object) -> bool:  # type: ignore[override]
        return self._compare(">", other)

    def __le__(self, other: object) -> bool:  # type: ignore[override]
        return not self > other

    def __ge__(self, other: object) -> bool:  # type: ignore[override]
        return not self < other

    __hash__ = Missing.__hash__  # type: ignore[assignment]


def guess_number(value: Any) -> Any:
    """A number that nobody told is one or two: whatever is written for each number must not matter. Others are themselves."""
    return 1 + (value > 1) if isinstance(value, Undecided) else value


def tell_hole(value: Undecided) -> tuple[str, str]:
    """Its name, and why it has no value."""
    return value._name, value._why  # noqa: SLF001 - a template must not have them as members


class CallText(str):
    """The result of an unknown call: a text; whether it is true, nobody knows."""

    _call: str
    _decide: Callable[[str, str], bool]

    @staticmethod
    def of(name: str, args: tuple[object, ...], decide: Callable[[str, str], bool]) -> CallText:
        relations = GIVEN.join(_relations(args))
        given = [argument_text(arg) for arg in args]
        if len(given) > 1:  # beside other arguments `day` is a part of a date and no column
            given = [f"'{text}'" if text.lower() in _DATE_PARTS else text for text in given]
        shown = f"zz_{re.sub(r'[^0-9A-Za-z_]', '_', name)}({', '.join(given)})"
        text = CallText(f"{CALL}{shown}{GIVEN}{relations}{CALL_END}" if relations else f"{CALL}{shown}{CALL_END}")
        text._call, text._decide = name, decide
        return text

    def __bool__(self) -> bool:
        return self._decide(
            f"{self._call}()", f"what {self._call}() answers decides the SQL, and it is not in this repository"
        )

    def __iter__(self) -> Iterator[str]:
        """One turn of a loop, so that its body is seen."""
        return iter([self])

    def __call__(self, *_args: object, **_kwargs: object) -> CallText:
        return self

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return self


def _relations(args: tuple[object, ...]) -> Iterator[str]:
    for arg in args:
        if isinstance(arg, Relation):
            yield str(arg)
        elif isinstance(arg, (list, tuple)):
            yield from _relations(tuple(arg[:100]))


def argument_text(value: object) -> str:
    """An argument of an unknown call as SQL: expressions stay readable, everything else is null (relations are told apart)."""
    if isinstance(value, Relation):
        return "null"
    if isinstance(value, (list, tuple)):
        return ", ".join(argument_text(item) for item in value[:1000]) or "null"
    if isinstance(value, dict):
        return argument_text(list(value.values()))
    if isinstance(value, str):
        text = clean(value).strip()
        return text if text and _EXPRESSION.fullmatch(text) and _is_balanced(text) else "null"
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else "null"


def _is_balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]")) and text.count("'") % 2 == 0


class Unknown(Undefined):
    """A name that nothing explains. Called, it stays visible as `zz_name(arguments)`."""

    #: answers undecidable conditions; bound by the sandbox that makes the class
    decide: Callable[[str, str], bool] = staticmethod(lambda _name, _why: False)

    @property
    def _is_name(self) -> bool:
        """A whole name or a member of an unknown package, and not what a dictionary happens to lack."""
        return not isinstance(self._undefined_obj, (dict, list, tuple, str, int))

    def _title(self) -> str:
        return str(self._undefined_name or "unknown")

    def __call__(self, *args: object, **kwargs: object) -> CallText:  # type: ignore[override]  # Jinja's raises
        return CallText.of(self._title(), (*args, *kwargs.values()), type(self).decide)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(self)(name=f"{self._title()}.{name}")

    def __getitem__(self, key: object) -> Any:
        return type(self)(name=f"{self._title()}.{key}")

    def __str__(self) -> str:
        return "zz_" + re.sub(r"[^0-9A-Za-z_]", "_", self._title()) if self._is_name else ""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __int__(self) -> int:  # type: ignore[override]  # Jinja's raises
        return 0

    __float__ = __int__  # type: ignore[assignment]  # an undefined number is nothing

    def __contains__(self, _item: object) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Undefined)

    def __hash__(self) -> int:
        return 0

    def _self(self, _other: object) -> Any:
        return self

    def _no(self, _other: object) -> bool:
        return False

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __mod__ = _self
    __lt__ = __le__ = __gt__ = __ge__ = _no  # type: ignore[assignment]  # Jinja's raise


class Bag(ForTemplates):
    """An object with these members; any other member is unknown. What it is called as answers nothing."""

    __slots__ = ("_members", "_title", "_unknown")

    def __init__(self, title: str, members: Mapping[str, object], unknown: Callable[[str], object]) -> None:
        self._title, self._members, self._unknown = title, members, unknown

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._members:
            return self._members[name]
        return self._unknown(f"{self._title}.{name}" if self._title else name)

    def __getitem__(self, key: object) -> object:
        name = str(key)
        if name.startswith("_") and name not in self._members:
            raise KeyError(name)
        return self._members[name] if name in self._members else getattr(self, name)

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __call__(self, *_args: object, **_kwargs: object) -> str:
        return ""

    def get(self, key: object, default: object = None) -> object:
        return self._members.get(str(key), default)

    def __str__(self) -> str:
        return ""
