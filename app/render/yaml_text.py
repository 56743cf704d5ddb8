"""YAML of strangers -> plain values. Refuses what is large once its aliases are followed (a bomb is small as text)."""

from __future__ import annotations

from typing import Any, Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_CHARACTERS: Final = 2_000_000
_MAX_VALUES: Final = 300_000
_MAX_DEPTH: Final = 100


class BadYaml(Exception):  # noqa: N818 - a word for the reader of the message
    """The text is not usable YAML; `line` is 1-based."""

    def __init__(self, why: str, line: int = 1) -> None:
        super().__init__(why)
        self.line = line


def load_yaml(text: str) -> Any:
    """Raises BadYaml. An empty document is None."""
    if len(text) > _MAX_CHARACTERS:
        raise BadYaml(f"it is larger than {_MAX_CHARACTERS:,} characters")
    try:
        value = yaml.load(text, Loader=_LOADER)  # noqa: S506 - one of the two safe loaders
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadYaml(f"it is not YAML: {error.problem}", line) from error
    except (yaml.YAMLError, ValueError, OverflowError, TypeError) as error:
        raise BadYaml(f"it is not YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise BadYaml("it is nested too deeply") from error
    _check_size(value)
    return value


def _check_size(value: Any) -> None:
    left = _MAX_VALUES
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if not isinstance(item, (dict, list)):
            continue
        left -= len(item) + 1
        if left < 0 or depth > _MAX_DEPTH:
            raise BadYaml("it holds too many values once its aliases are followed, or nests them too deeply")
        stack += [(child, depth + 1) for child in (item.values() if isinstance(item, dict) else item)]


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a mapping (keys as texts), else an empty one."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def mappings(value: Any) -> list[dict[str, Any]]:
    """The mappings in a list, the rest left out."""
    return [mapping(item) for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    """A list of texts, or one text; the default where there is neither."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(str(item) for item in value if isinstance(item, (str, int)))
    return default
