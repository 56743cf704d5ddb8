"""The list of commands in `tether --help`, by what a person came for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import click

#: heading -> commands, in the order in which they are shown
SECTIONS: Final[Mapping[str, Sequence[str]]] = {
    "Look at a change": ("check", "whatif", "backtest"),
    "Set a repository up": ("config", "rules"),
    "Run the App": ("serve", "doctor", "repair", "audit"),
    "Try it out": ("demo", "bench", "catalog"),
}


class Sections(click.Group):
    """A group whose help lists its commands below headings."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Every command stands below a heading; a test keeps it so."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for heading, names in SECTIONS.items():
            rows = [(name, self.commands[name].get_short_help_str(width)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(rows)
