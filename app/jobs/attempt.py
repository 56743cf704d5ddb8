"""Runs one step of a job and turns whatever comes of it into a value that the queue can store.

Values rather than exceptions: the queue checkpoints steps as JSON, where an exception would lose its class.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from app.codec import Json
from app.requests import Superseded
from app.review.failures import Cause
from app.words import Permanent, Transient

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """done: `value` is the step's answer. wait: `why`, try again later (not before `retry_after` seconds). dead: `why`.

    `cause` of a step that was not done: "bug" where Tether did not foresee the error.
    """

    state: Literal["done", "superseded", "wait", "dead"]
    value: Json = None
    why: str = ""
    retry_after: float | None = None
    cause: Cause = "outside"


async def attempt(call: Callable[[], Awaitable[Json]], *, timeout_s: float, name: str = "a step") -> Outcome:
    """Calls once, for `timeout_s` seconds at most. `name` is for the log.

    Nothing is tried again here: the adapters have asked again by then, and the queue defers the job (`app.ports.RETRIES`).
    """
    try:
        async with asyncio.timeout(timeout_s):
            return Outcome("done", await call())
    except Superseded:
        return Outcome("superseded")
    except Permanent as error:
        return Outcome("dead", why=str(error))
    except TimeoutError:
        return Outcome("wait", why=f"the work took longer than {timeout_s:g} seconds")
    except Transient as error:
        return Outcome("wait", why=str(error), retry_after=error.retry_after)
    except Exception as bug:
        log.exception("%s: failed in a way that Tether did not foresee", name)
        return Outcome("dead", why=f"{type(bug).__name__}; the log of Tether says more", cause="bug")
