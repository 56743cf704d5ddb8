"""Where the files of tests live: in memory, where the system keeps such a folder and there is room in it.

Tests make and delete tens of thousands of small files, and databases that wait for the disk at every commit.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

#: Linux has it; a container's is often 64 MB, which would not do
FOLDER = Path("/dev/shm")  # noqa: S108 - whatever is made there is made by tempfile
ROOM = 2 * 1024**3


def choose_folder(environment: MutableMapping[str, str]) -> None:
    """Sets TMPDIR for this process and its children, unless somebody chose one."""
    if "TMPDIR" in environment or not os.access(FOLDER, os.W_OK | os.X_OK) or shutil.disk_usage(FOLDER).free < ROOM:
        return
    environment["TMPDIR"] = str(FOLDER)
    tempfile.tempdir = None  # it is asked once, and may have been
