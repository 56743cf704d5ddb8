"""sqlglot from its Python sources in this process, though its compiled modules are installed beside them.

The compiled parser is half again as quick and answers the same, but where it runs out of stack it ends the process, and Python's
own raises RecursionError. So a text that ended a child is read once more by a child that has called `use_sources`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

_PACKAGE = "sqlglot"
#: what has taken names from it, and must take them anew
_BOUND = (_PACKAGE, "app")


class _Sources:
    """A finder of `sys.meta_path` that sees Python files alone."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        del target
        if name.partition(".")[0] != _PACKAGE:
            return None
        found = (
            FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)
            for folder in (sys.path if path is None else path)
        )
        return next((spec for spec in found if spec is not None), None)


def use_sources() -> None:
    """From now on; what this process has imported of it, and of ours, is imported again when it is asked for."""
    for name in [name for name in sys.modules if name.partition(".")[0] in _BOUND]:
        del sys.modules[name]
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, _Sources())
