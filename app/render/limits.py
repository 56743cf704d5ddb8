"""How much one template may do: steps (calls, loop turns, values looked at), the size of texts, the depth of macros.

Jinja's sandbox stops access to Python; it does not stop a template from growing or spinning. The child process stops what
happens inside one operation of C; these limits stop the rest early, with a reason that names the template.
"""

from __future__ import annotations

import re
from typing import Final

#: a real model stays below 20,000 steps; a template of 5,000 columns below 200,000
MAX_STEPS: Final = 500_000
#: steps of one call of a macro: a call costs that much more time than a turn of a loop
MACRO_STEPS: Final = 25
MAX_OUTPUT: Final = 2_000_000
MAX_SOURCE: Final = 1_000_000
MAX_TAGS: Final = 5_000
MAX_RANGE: Final = 100_000
MAX_NUMBER: Final = 10_000
MAX_BITS: Final = 4_096
MAX_MACRO_DEPTH: Final = 40
MAX_NESTING: Final = 60
#: how often one template is rendered because of conditions that nobody can decide
MAX_VARIANTS: Final = 16


TOO_LONG: Final = f"a text of the template grows beyond {MAX_OUTPUT:,} characters"


class RenderError(Exception):
    """The template cannot be rendered; the message says why, in words for the author of the file."""


class Meter:
    """Counts the steps of one rendering. Raises RenderError above the limit."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def spend(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise RenderError(f"the template does too much: more than {MAX_STEPS:,} steps")

    def look_through(self, value: object) -> None:
        """Spends a step for each value inside a container: writing it out would visit them all, shared ones again."""
        stack = [value]
        characters = 0
        while stack:
            item = stack.pop()
            if isinstance(item, dict):
                self.spend(len(item) + 1)
                stack += item.values()
            elif isinstance(item, (list, tuple, set, frozenset)):
                self.spend(len(item) + 1)
                stack += item
            elif isinstance(item, (str, bytes)):
                characters += len(item)
                if characters > MAX_OUTPUT:
                    raise RenderError(TOO_LONG)


def check_text(text: str) -> str:
    """The text itself. Raises RenderError above the output limit."""
    if len(text) > MAX_OUTPUT:
        raise RenderError(TOO_LONG)
    return text


def check_replace(text: str, old: object, new: object) -> None:
    """Raises RenderError where the replacement makes the text too long."""
    count = text.count(str(old)) if str(old) else len(text) + 1
    if len(text) + count * len(str(new)) > MAX_OUTPUT:
        raise RenderError(TOO_LONG)


def check_width(text: str, number: int) -> None:
    """Raises RenderError where a filter or method could put that many characters in front of each line, tab or item."""
    if (text.count("\n") + text.count("\t") + 1) * abs(number) + len(text) > MAX_OUTPUT or abs(number) > MAX_NUMBER:
        raise RenderError(f"a number of that size ({number:,}) is refused here")


def check_format(text: str) -> None:
    """Raises RenderError for a format whose widths make much of little."""
    widths = [int(width) for width in re.findall(r"(?<=[%:.<>^=+ #0-])\d{1,9}", text)]
    if sum(widths) > MAX_NUMBER or re.search(r"%[^a-zA-Z%]*\*|:[^}]*\{", text):
        raise RenderError("a format with such widths is refused")


def check_operand(operator: str, side: object, other: object) -> None:
    """Raises RenderError for an operation whose result could be far larger than what goes in."""
    repeats = operator == "*" and isinstance(side, (str, bytes, list, tuple)) and isinstance(other, int)
    if repeats and len(side) * other > MAX_NUMBER:  # type: ignore[arg-type, operator]  # both told in the line above
        raise RenderError(f"repeating a value to more than {MAX_NUMBER:,} items is refused")
    if operator in ("*", "**") and isinstance(side, int) and side.bit_length() > MAX_BITS:
        raise RenderError("a number of that size is refused")
    if operator == "**" and not (isinstance(side, (int, float)) and abs(side) <= 1_000):
        raise RenderError("a power of these values is refused")


def check_source(text: str) -> None:
    """Raises RenderError for a template that would cost too much to compile."""
    if len(text) > MAX_SOURCE:
        raise RenderError(f"the template is larger than {MAX_SOURCE:,} characters")
    if text.count("{%") + text.count("{{") > MAX_TAGS:
        raise RenderError(f"the template has more than {MAX_TAGS:,} tags")
