"""dbt projects that try out the package they stand in: `integration_tests/` with `- local: ../` among its packages.

What such a project builds is built where the package is tested. A warehouse that the catalog describes may have it all the same;
where it has not, nothing is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from app.change.removal import ParsedFile

_PACKAGES: Final = ("packages.yml", "dependencies.yml")
_ABOVE: Final = re.compile(r"^\s*-?\s*local:\s*[\"']?\.\.(?:/\.\.)*/?[\"']?\s*(?:#.*)?$", re.MULTILINE)


def find_tried(files: Iterable[ParsedFile], texts: Mapping[str, str]) -> frozenset[str]:
    """The relations of those projects."""
    folders = tuple(
        f"{folder}/"
        for path, text in texts.items()
        for folder, _, name in [path.rpartition("/")]
        if folder and name in _PACKAGES and _ABOVE.search(text)
    )
    return frozenset(
        file.relation
        for file in files
        if file.templated and file.relation is not None and file.path.startswith(folders)
    )
