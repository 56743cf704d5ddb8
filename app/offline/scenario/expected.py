"""What the replay is expected to say, one line each. Pure.

column_renamed shop.raw.orders discount_pct -> discount_rate | block stops | head migrations/0002_change.sql:1
relation_dropped shop.raw.orders | block stops uncertain | base migrations/0001.sql:7
unread migrations/0003_loop.sql:2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.offline.scenario.values import ExpectedLine, ExpectedPlace, ExpectedRemoval

_WORD: Final = r'(?:"[^"]*"|[^\s"|])+'
_REMOVAL: Final = re.compile(
    rf"(\w+) ({_WORD})(?: ({_WORD}))?(?: -> ({_WORD}))? \| (\w+) (\w+)( uncertain)? \| (base|head) (.+):(\d+)$"
)
_UNREAD: Final = re.compile(r"unread (.+):(\d+)$")
_EXAMPLE: Final = "column_dropped shop.raw.orders discount_pct | block stops | head migrations/0002_change.sql:1"


def parse_expected(lines: Sequence[ExpectedLine]) -> tuple[tuple[ExpectedRemoval, ...], tuple[ExpectedPlace, ...]]:
    """(removals, places of what could not be read). Raises `MalformedScenario`."""
    removals, places = [], []
    for line in lines:
        if removal := _REMOVAL.match(line.text):
            kind, relation, column, new_name, level, effect, uncertain, side, path, number = removal.groups()
            certain = uncertain is None
            removals.append(
                ExpectedRemoval(kind, relation, column, new_name, level, effect, certain, side, path, int(number))
            )
        elif place := _UNREAD.match(line.text):
            places.append(ExpectedPlace(place[1], int(place[2])))
        elif line.text.strip():
            raise line.refuse(f"this is no removal; write it like: {_EXAMPLE}, or unread migrations/0003.sql:2")
    return tuple(removals), tuple(places)
