"""Make the README's picture: the demo's first pull request, red, with Tether's comment, in a real browser.

make picture
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from app.standin.demo.pulls import await_conclusion, open_pulls
from app.standin.demo.setup import start_setup
from tests.browser.chromium import Chromium, find_chromium

WIDTH = 1180
#: GitHub shows a README's picture at most this tall without a reader minding
MAX_HEIGHT = 1400
MAX_BYTES = 200_000
#: the end of the box with the Merge button, where the picture ends
BOTTOM = "Math.ceil(document.querySelector('#checks').getBoundingClientRect().bottom) + 20"


def make_picture(target: Path) -> int:
    """Its size in bytes. Raises RuntimeError without Chromium, or where the page would make no picture for a README."""
    program = find_chromium()
    if program is None:
        raise RuntimeError("Chromium is not on PATH; Debian has it as the package chromium")
    with tempfile.TemporaryDirectory(prefix="tether-picture-") as folder, start_setup(Path(folder)) as stage:
        number = next(iter(open_pulls(stage)))
        shown = await_conclusion(stage, number)
        if shown.conclusion != "failure":
            raise RuntimeError(f"pull request {number} is {shown.conclusion}, not blocked")
        with Chromium(program) as browser:
            browser.open(f"{stage.github.url}/{stage.warehouse.full_name}/pull/{number}", WIDTH)
            height = int(browser.evaluate(BOTTOM))
            if height > MAX_HEIGHT:
                raise RuntimeError(
                    f"the page is {height} pixels tall down to the Merge button; {MAX_HEIGHT} is the most"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            browser.photograph(target, WIDTH, height)
    size = target.stat().st_size
    if size > MAX_BYTES:
        raise RuntimeError(f"{target} has {size} bytes; {MAX_BYTES} is the most")
    return size


if __name__ == "__main__":
    written = Path(sys.argv[1])
    sys.stdout.write(f"{written}: {make_picture(written)} bytes\n")
