"""Which files of a tree are read at all: told from their paths, before a text is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.change import WRITER_FILES, find_dbt_folders, is_relevant
from app.render import is_manifest
from app.source.submodules import GITMODULES
from app.words import CONFIG_PATH, Config


def choose_read(paths: Iterable[str], config: Config | None = None, *, manifests: bool = True) -> Callable[[str], bool]:
    """Whether a file's text is needed, in the tree of these paths: everything that can hold SQL or a feature, the
    configuration, and what dbt wrote of its projects (`manifests`); with a configuration, code in its migrations too.
    """
    dbt = find_dbt_folders(paths)

    def is_read(path: str) -> bool:
        if is_relevant(path, config, dbt=dbt) or path in (CONFIG_PATH, GITMODULES) or path.endswith(WRITER_FILES):
            return True
        return manifests and is_manifest(path, dbt)

    return is_read
