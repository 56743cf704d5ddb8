"""docs/commands.md has every command with every flag, argument and choice that click declares, and none besides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from app.cli import tether

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
SECTIONS = dict(re.findall(r"^## (tether [a-z ]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for word, inner in command.commands.items():
            yield from walk(inner, f"{name} {word}")
    else:
        yield name, command


COMMANDS = dict(walk(tether, "tether"))


def rows(section: str) -> dict[str, tuple[str, str]]:
    """flag -> (what follows it, its meaning)."""
    found = re.findall(r"^\| `(--[\w-]+) ?(.*?)` \| (.+) \|$", section, re.M)
    return {flag: (rest.replace("\\|", "|"), meaning) for flag, rest, meaning in found}


def options(command: click.Command) -> dict[str, click.Option]:
    return {one.opts[0]: one for one in command.params if isinstance(one, click.Option)}


def test_every_command_has_a_section_and_stands_in_the_list() -> None:
    assert SECTIONS.keys() == COMMANDS.keys()
    assert re.findall(r"^\| \[`(tether [a-z ]+)`\]\(#", PAGE, re.M) == list(SECTIONS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_has_exactly_the_flags_of_its_command(name: str) -> None:
    declared = options(COMMANDS[name])

    assert rows(SECTIONS[name]).keys() == declared.keys()
    for flag in re.findall(r"(--[a-z][\w-]*)", SECTIONS[name]):
        assert flag in declared, f"{name} has no {flag}"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flag_says_what_it_takes_whether_it_is_required_and_its_default(name: str) -> None:
    told = rows(SECTIONS[name])
    for flag, option in options(COMMANDS[name]).items():
        takes, meaning = told[flag]
        if isinstance(option.type, click.Choice):
            assert takes == "|".join(option.type.choices)
        else:
            kind = option.type.name.upper().replace(" RANGE", "")
            assert takes == ("" if option.is_flag else option.metavar or kind), flag
        assert ("required" in meaning) == option.required, flag
        assert not option.show_default or str(option.default) in meaning, flag
        assert ("several times" in meaning) == option.multiple, flag


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_names_the_arguments_and_the_exit_codes(name: str) -> None:
    for argument in COMMANDS[name].params:
        if isinstance(argument, click.Argument):
            assert f"`{argument.metavar or (argument.name or '').upper()}`" in SECTIONS[name]
    (told,) = re.findall(r"^Exit code: (.+)", SECTIONS[name], re.M)
    assert told[0].isdecimal()
    said = re.search(r"Exit code: (.*?)\.(?:\s|$)", " ".join((COMMANDS[name].help or "").split()))
    if said:
        assert set(re.findall(r"\b\d\b", told)) == set(re.findall(r"\b\d\b", said[1]))
