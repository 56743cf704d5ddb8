"""A `.tether.yml` as plain values with the line of each; everything that is no such document is one sentence with its line.

yaml is read by composing nodes and never constructing objects, so tags do nothing; aliases are refused (there is nothing in
this file worth sharing, and they are how a small file becomes a large one), as are duplicate keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import yaml

from app.words import CONFIG_PATH, Permanent, Tree

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
#: values and keys in one file; the largest that a person writes has some hundreds
MAX_NODES = 20_000
#: of a number or a date; yaml takes `1:30:00` for one, and 80,000 parts of such a number take seconds
MAX_SCALAR = 100
#: the C parser where libyaml is there: a tenth of the time
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT = "tag:yaml.org,2002:str"


#: faults of one file that an error lists; the rest is a number
MAX_FAULTS = 10


class ConfigError(Permanent):
    """`.tether.yml` cannot be used; `line` is 1-based, 0 when the file as a whole is meant. `name` is what the file is called.

    `more`: the other faults of the same file, (message, line) each.
    """

    def __init__(
        self, message: str, line: int = 0, *, name: str = CONFIG_PATH, more: Sequence[tuple[str, int]] = ()
    ) -> None:
        faults = [f"line {at}: {what}" if at else what for what, at in ((message, line), *more)]
        if len(faults) > MAX_FAULTS:
            faults[MAX_FAULTS:] = [f"and {len(faults) - MAX_FAULTS} more"]
        super().__init__(f"{name} {'; '.join(faults)}" if line else f"{name}: {'; '.join(faults)}")
        self.message, self.line, self.name, self.more = message, line, name, tuple(more)


def find_config_text(tree: Tree) -> str | None:
    """The text of the tree's `.tether.yml`, None when it has none. Raises `ConfigError` when it is there and cannot be read."""
    if why := tree.unread.get(CONFIG_PATH):
        raise ConfigError(f"cannot be used: {why}")
    return tree.files.get(CONFIG_PATH)


Path: TypeAlias = tuple[str | int, ...]
Lines: TypeAlias = Mapping[Path, int]


def load_document(text: str) -> tuple[Any, Lines]:
    """The document as plain values, and the 1-based line of every key and item by its path. Raises `ConfigError`."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise ConfigError(f"larger than {MAX_BYTES // 1024} KiB; no configuration needs that")
    text = text.removeprefix("\ufeff")
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        _check_shape(text)
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            return (None if node is None else _value(loader, node, (), lines)), lines
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(f"not YAML: {error.problem or error.context}", mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise ConfigError(f"not YAML: {str(error).splitlines()[0]}") from None


def _check_shape(text: str) -> None:
    """Before anything is built: no anchors, and no nesting that the schema could not use (it has four levels)."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ConfigError("anchors and aliases are not allowed; write the value out", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        nodes += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise ConfigError("nested too deeply", line)
        if nodes > MAX_NODES:
            raise ConfigError(f"more than {MAX_NODES:,} keys and values; no configuration needs that", line)


def _value(loader: Any, node: yaml.Node, path: tuple[str | int, ...], lines: dict[Any, int]) -> object:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, item, (*path, index), lines) for index, item in enumerate(node.value)]
    return _scalar(loader, node)


def _scalar(loader: Any, node: yaml.Node) -> object:
    """SafeLoader knows the plain types alone. 2026-13-45 looks like a date and is none; a tag may claim any text to be a number,
    and then yaml fails as it happens to."""
    line, shown = node.start_mark.line + 1, str(node.value)[:40]
    if node.tag != _TEXT and len(node.value) > MAX_SCALAR:
        raise ConfigError(f"`{shown}...` is too long for a number or a date; write a text in quotes", line)
    try:
        return loader.construct_object(node)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        kind = node.tag.rpartition(":")[2]
        raise ConfigError(f"`{shown}` is read as {kind} and is none; write a text in quotes", line) from None


def _mapping(
    loader: Any, node: yaml.MappingNode, path: tuple[str | int, ...], lines: dict[Any, int]
) -> dict[str, object]:
    found: dict[str, object] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError("a key must be a word", line)
        key = str(key_node.value)
        if key in found:
            raise ConfigError(f"`{key}` stands here for the second time", line)
        lines[(*path, key)] = line
        found[key] = _value(loader, value_node, (*path, key), lines)
    return found
