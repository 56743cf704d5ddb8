"""The shop: a whole review around fakes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.review.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()
