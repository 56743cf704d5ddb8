"""Webhook delivery: signed, logged, never retried on its own, ten seconds for an answer, as GitHub does it.

`Courier` runs in threads of its own, so that a delivery never waits for the request that caused it. Which events exist
and what they carry is decided in `events`. Holding deliveries back, and losing them, are for the tests of clients.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx

from app.standin.github.records import AppRecord, Delivery
from app.standin.github.state import State


def sign(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Courier:
    """Delivers to the Apps' webhook URLs. One worker keeps the order events happened in; more let them race."""

    def __init__(self, state: State, *, workers: int = 1) -> None:
        self._state = state
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="sandbox-github-hook")
        self._client = httpx.Client(trust_env=False, timeout=state.limits.delivery_timeout)
        self._quiet = threading.Condition()
        self._open = 0
        self._held: list[Delivery] | None = None
        self._to_lose = 0

    def send(
        self,
        app: AppRecord,
        event: str,
        payload: Mapping[str, Any],
        *,
        installation_id: int | None = None,
        repository_id: int | None = None,
    ) -> Delivery | None:
        """Queue one event for an App; None when it has no webhook URL, the payload is too large, or it is to be lost."""
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        too_large = len(body) > self._state.limits.delivery_bytes
        if app.webhook_url is None or too_large or self._lose_one():
            return None
        delivery = Delivery(
            id=self._state.next_id("delivery"),
            guid=str(uuid.uuid4()),
            app=app,
            event=event,
            action=payload.get("action"),
            installation_id=installation_id,
            repository_id=repository_id,
            url=app.webhook_url,
            body=body,
            created_at=self._state.clock.now(),
        )
        return self._queue(delivery)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Another attempt with the same GUID and body, at the App's present URL."""
        again = replace(
            delivery,
            id=self._state.next_id("delivery"),
            url=delivery.app.webhook_url or delivery.url,
            redelivery=True,
            created_at=self._state.clock.now(),
            delivered_at=None,
            status="pending",
            status_code=0,
            request_headers={},
            response_headers={},
            response_body="",
        )
        return self._queue(again)

    def lose_next(self, count: int = 1) -> None:
        """GitHub never sends the next `count` events: an outage on its side, nothing in the delivery log."""
        self._to_lose += count

    def hold(self) -> None:
        """Keep events back until `release`."""
        if self._held is None:
            self._held = []

    def held(self) -> tuple[Delivery, ...]:
        return tuple(self._held or ())

    def release(self, order: Sequence[int] | None = None) -> None:
        """Send what was held, in another order if `order` (positions) says so; positions left out are lost."""
        held, self._held = self._held or [], None
        for delivery in held if order is None else [held[at] for at in order]:
            self._submit(delivery)

    def wait(self, timeout: float = 30.0) -> bool:
        """Block until every queued delivery was answered or failed; False when that took too long."""
        with self._quiet:
            return self._quiet.wait_for(lambda: self._open == 0, timeout)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._client.close()

    def _lose_one(self) -> bool:
        with self._quiet:
            if self._to_lose == 0:
                return False
            self._to_lose -= 1
            return True

    def _queue(self, delivery: Delivery) -> Delivery:
        with self._state.lock:
            self._state.deliveries[delivery.id] = delivery
        if self._held is not None:
            self._held.append(delivery)
        else:
            self._submit(delivery)
        return delivery

    def _submit(self, delivery: Delivery) -> None:
        with self._quiet:
            self._open += 1
        self._pool.submit(self._deliver, delivery)

    def _deliver(self, delivery: Delivery) -> None:
        try:
            self._attempt(delivery)
        finally:
            with self._quiet:
                self._open -= 1
                self._quiet.notify_all()

    def _attempt(self, delivery: Delivery) -> None:
        delivery.request_headers = self._headers(delivery)
        started = time.monotonic()
        delivery.delivered_at = self._state.clock.now()
        try:
            answer = self._client.post(
                delivery.url,
                content=delivery.body,
                headers=delivery.request_headers,
                timeout=self._state.limits.delivery_timeout,
            )
        except httpx.TimeoutException:
            delivery.status, delivery.status_code = "timed out", 504
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            delivery.status, delivery.status_code = "failed to connect to host", 502
            delivery.response_body = str(error)
        else:
            delivery.status_code = answer.status_code
            delivery.status = "OK" if answer.is_success else f"Invalid HTTP Response: {answer.status_code}"
            delivery.response_headers = dict(answer.headers)
            delivery.response_body = answer.text
        delivery.duration = round(time.monotonic() - started, 2)

    def _headers(self, delivery: Delivery) -> dict[str, str]:
        app = delivery.app
        legacy = hmac.new(app.webhook_secret.encode(), delivery.body, hashlib.sha1).hexdigest()
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/sandbox",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(app.hook_id),
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": f"sha1={legacy}",
            "X-Hub-Signature-256": sign(app.webhook_secret, delivery.body),
        }
