"""Why a request is refused: one exception for the whole catalog, carrying the HTTP status that GMS would answer.

Every layer below the routes raises `RequestRefused`; the routes turn it into their dialect's error body (Rest.li or OpenAPI).
Absent on purpose: retryable failures. SQLite either commits or raises, and an error of its own is a 500.
"""

from __future__ import annotations


class RequestRefused(Exception):  # noqa: N818 - a word of this room: the request was understood and refused
    """The request cannot be fulfilled. `status` is the HTTP status, `message` says what, where and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class ConditionFailed(RequestRefused):
    """A condition on the aspect (version, time, absence) does not hold: 412 on OpenAPI, 422 on Rest.li."""

    def __init__(self, message: str) -> None:
        super().__init__(412, message)


class Existing(RequestRefused):
    """CREATE of something that exists already; dropped in silence when the client sent `If-None-Match: *`."""

    def __init__(self, message: str) -> None:
        super().__init__(422, message)
