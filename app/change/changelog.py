"""Liquibase's three spellings (XML, YAML, JSON) -> one tree of elements with their lines.

XML with a document type or an entity is refused: neither belongs in a changelog, and both can blow up. YAML is composed to
nodes, never constructed to objects; JSON is read as the YAML that it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

import yaml

from app.reads import Unreadable

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_ELEMENTS: Final = 200_000
_DEEPEST: Final = 60
#: lists of YAML and JSON that have no element of their own in XML
_FLAT: Final = frozenset({"databaseChangeLog", "changes", "columns"})


@dataclass(slots=True)
class Element:
    """`text_line` is where the text begins, `end` the last line of the element. Names come without their prefix."""

    name: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    text_line: int = 0
    end: int = 0

    def get(self, name: str) -> str:
        return self.attributes.get(name, "").strip()

    def all(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]


def parse_changelog(text: str, language: str) -> Element:
    """The root element `databaseChangeLog`. Raises Unreadable with its line."""
    root = _parse_xml(text) if language == "XML" else _parse_yaml(text, language)
    if root.name != "databaseChangeLog":
        raise Unreadable(f"its root is {root.name}, not databaseChangeLog")
    return root


# --- XML ------------------------------------------------------------------------------------------------------------


class _Builder:
    """What the parser's events build. `stack[0]` holds the root as its only child."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.stack = [Element("", 0)]
        self.count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > _MOST_ELEMENTS or len(self.stack) > _DEEPEST:
            raise Unreadable("it holds too many elements, or nests them too deeply", line=self.parser.CurrentLineNumber)
        plain = {_local(key): value for key, value in attributes.items()}
        element = Element(_local(name), self.parser.CurrentLineNumber, plain)
        self.stack[-1].children.append(element)
        self.stack.append(element)

    def end(self, _name: str) -> None:
        self.stack.pop().end = self.parser.CurrentLineNumber

    def characters(self, data: str) -> None:
        element = self.stack[-1]
        element.text_line = element.text_line or self.parser.CurrentLineNumber
        element.text += data

    def refuse(self, *_: object) -> None:
        raise Unreadable("it has a document type or an entity", line=self.parser.CurrentLineNumber)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _parse_xml(text: str) -> Element:
    parser = expat.ParserCreate()
    builder = _Builder(parser)
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = builder.refuse
    parser.EntityDeclHandler = builder.refuse
    parser.ExternalEntityRefHandler = lambda *_: 0
    try:
        parser.Parse(text, True)  # noqa: FBT003 - expat's own argument: this is all
    except expat.ExpatError as error:
        raise Unreadable(f"it is not XML: {expat.ErrorString(error.code)}", line=error.lineno) from error
    return builder.stack[0].children[0]


# --- YAML and JSON --------------------------------------------------------------------------------------------------


def _parse_yaml(text: str, language: str) -> Element:
    try:
        node = yaml.compose(text.replace("\t", " ") if language == "JSON" else text, Loader=_LOADER)
        if not isinstance(node, yaml.MappingNode):
            raise Unreadable(f"it is no {language} mapping")
        left = [_MOST_ELEMENTS]
        return _element("", node, left, 0).children[0]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise Unreadable(f"it is not {language}: {error.problem}", line=line) from error
    except (yaml.YAMLError, ValueError) as error:
        raise Unreadable(f"it is not {language}: {(str(error).splitlines() or ['?'])[0][:120]}") from error
    except RecursionError as error:
        raise Unreadable("it nests too deeply") from error
    except IndexError as error:
        raise Unreadable("it is empty") from error


def _element(name: str, node: yaml.Node, left: list[int], depth: int) -> Element:
    """One mapping, list or scalar under its key. `left` counts down what may still be made."""
    left[0] -= 1
    if left[0] < 0 or depth > _DEEPEST:
        raise Unreadable("it holds too many values, or nests them too deeply")
    element = Element(name, node.start_mark.line + 1, end=node.end_mark.line + 1)
    match node:
        case yaml.ScalarNode(value=value):
            element.text, element.text_line = str(value), _first_line(node)
        case yaml.MappingNode():
            _fill(element, node, left, depth)
        case yaml.SequenceNode(value=items):
            for item in items:
                if isinstance(item, yaml.MappingNode):
                    _fill(element, item, left, depth)
                else:
                    element.children.append(_element("?", item, left, depth + 1))
    return element


def _first_line(node: yaml.ScalarNode) -> int:
    """A block's text begins below its `|`."""
    return node.start_mark.line + (2 if node.style in {"|", ">"} else 1)


def _fill(element: Element, node: yaml.MappingNode, left: list[int], depth: int) -> None:
    for key, value in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        if name == "<<":
            raise Unreadable("it merges one mapping into another", line=key.start_mark.line + 1)
        child = _element(name, value, left, depth + 1)
        child.line = key.start_mark.line + 1
        if isinstance(value, yaml.ScalarNode):
            element.attributes[name] = child.text
        if name in _FLAT and name != "databaseChangeLog":
            element.children += child.children
        else:
            element.children.append(child)


def walk_elements(element: Element) -> Iterator[Element]:
    """The element and all below it."""
    stack = [element]
    while stack:
        one = stack.pop()
        yield one
        stack += one.children
