"""The composition root: settings -> clients -> queue -> FastAPI. Nothing else constructs anything.

Two sets of clients: reviews run in the queue's own event loop, health is asked in the web server's, and a connection belongs
to the loop that opened it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from app.edges.claude import DEFAULT_MODEL, ClaudeAdvisor
from app.edges.datahub import DataHubReads, DataHubWrites
from app.edges.github import GitHubForges
from app.edges.isolation import ChildPool
from app.edges.store import Store, load_last_review, load_state_counts, make_engine, prove_database
from app.effects import rule_page, rules_page
from app.jobs.queue import Queue, QueueOptions
from app.jobs.schedules import EVERY_SIX_HOURS, HOURLY, Times
from app.jobs.work import JobRunner
from app.lineage.writer import LineageWriter
from app.ports import Ports
from app.requests import JobRequest
from app.review.assess import assess
from app.review.context import ReviewContext
from app.settings import Settings, require_server_settings
from app.verdict import RULES
from app.webhook import create_router
from app.webhook.health import Probe, create_health_router
from app.webhook.rules import create_rules_router
from app.words import Permanent

#: imported once by the process that children are forked from
ENGINE_MODULES = ("app.change", "app.render", "app.reads")
#: libraries that tell of every ordinary step at INFO
QUIET = ("dbos", "alembic", "httpx")


@dataclass(frozen=True)
class Clients:
    """`close` ends the connections of `ports`, in the loop that used them. `probes` have connections of their own."""

    ports: Ports
    close: Callable[[], Awaitable[None]]
    probes: Mapping[str, Probe]
    close_probes: Callable[[], Awaitable[None]]


def create_app(settings: Settings, *, clients: Clients | None = None, options: QueueOptions | None = None) -> FastAPI:
    """The App as an ASGI application; it works from its startup on. `clients` and `options` are for tests and the demo.

    Raises `SettingsError` for what the server does not start without.
    """
    require_server_settings(settings)
    clients = clients or open_clients(settings)
    url = settings.database_url.get_secret_value()
    store = Store(make_engine(url))

    async def accept(request: JobRequest) -> str:
        return await asyncio.to_thread(queue.accept, request)

    async def forget(installation_id: int) -> object:
        return await asyncio.to_thread(queue.forget, installation_id)

    async def load_is_alive(delivery: str) -> bool:
        return await asyncio.to_thread(queue.is_alive, delivery)

    context = ReviewContext(
        ports=clients.ports,
        store=store,
        assess=assess,
        enqueue=accept,
        forget=forget,
        is_alive=load_is_alive,
        open_lineage=LineageWriter.opener(store, clients.ports.writes),
        check_name=settings.check_name,
        web_url=settings.github_web_url,
        rules_url=settings.rules_url,
        llm_daily=settings.llm_daily_budget,
    )
    queue = Queue(url, store, JobRunner(context), options or _find_options(settings), close=clients.close)

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(queue.start)
        yield
        await asyncio.to_thread(queue.stop, settings.stop_grace_seconds)
        await clients.close_probes()
        store.engine.dispose()

    app = FastAPI(title="Tether", lifespan=live, docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(create_router(secrets=settings.webhook_secrets, accept=accept))
    probes = {
        **clients.probes,
        "database": _probe_database(queue),
        "queue": _probe_queue(queue),
        "reviews": _probe_reviews(store),
        "edges": _probe_edges(store),
    }
    token = settings.admin_token.get_secret_value() if settings.admin_token else None
    app.include_router(create_rules_router({rule.id: rule_page(rule) for rule in RULES}, rules_page()))
    app.include_router(create_health_router(probes=probes, ready="database", admin_token=token))
    return app


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Runs until SIGTERM or SIGINT; then finishes what runs, within the grace, and leaves the rest to the next start.

    Raises `SettingsError` or `Permanent` for what it cannot start with: settings, the key, the database.
    """
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    app = create_app(settings)
    prove_database(settings.database_url.get_secret_value())
    uvicorn.run(app, host=host, port=port, log_level=settings.log_level.lower(), access_log=False)


def open_clients(settings: Settings) -> Clients:
    """GitHub, DataHub and the child processes that the settings name. Connects to nothing yet."""
    key, app_id = settings.read_private_key(), settings.github_app_id or ""
    datahub_url = settings.datahub_url or ""
    token = settings.datahub_token.get_secret_value() if settings.datahub_token else None
    source = settings.private_key_source
    forges = GitHubForges(
        app_id, key, settings.github_api_url, key_source=source, write_spacing=settings.github_write_spacing
    )
    reads = DataHubReads(datahub_url, token)
    pool = ChildPool(preload=ENGINE_MODULES)
    writes = DataHubWrites(datahub_url, token, web_url=settings.github_web_url)
    probe_forges = GitHubForges(app_id, key, settings.github_api_url, key_source=source)
    probe_reads = DataHubReads(datahub_url, token)

    async def close() -> None:
        await forges.aclose()
        await reads.aclose()
        await pool.close()

    async def close_probes() -> None:
        await probe_forges.aclose()
        await probe_reads.aclose()

    probes = {"github": _probe_github(probe_forges, forges), "catalog": _probe_catalog(probe_reads)}
    ports = Ports(forges, reads, writes, pool, advisor=_find_advisor(settings))
    return Clients(ports, close, probes, close_probes)


def _find_advisor(settings: Settings) -> ClaudeAdvisor | None:
    """None without a key: then no model is ever asked."""
    if settings.anthropic_api_key is None:
        return None
    key, model = settings.anthropic_api_key.get_secret_value(), settings.llm_model or DEFAULT_MODEL
    return ClaudeAdvisor(key, model, settings.anthropic_base_url, settings.llm_timeout_seconds)


def _find_options(settings: Settings) -> QueueOptions:
    return QueueOptions(
        backoff=settings.backoff,
        step_timeout=settings.job_timeout_seconds,
        lease=settings.lease_seconds,
        times=Times(sweep=HOURLY, repair=EVERY_SIX_HOURS),
    )


# --- health --------------------------------------------------------------------------------------------------------


def _probe_github(own: GitHubForges, forges: GitHubForges) -> Probe:
    """Asks with connections of its own; the budgets are those that reviews have left."""

    async def probe() -> Mapping[str, Any]:
        found = await own.fetch_credentials()
        if gaps := (*found.missing_permissions, *found.missing_events):
            raise Permanent(f"the App {found.slug} lacks: {', '.join(gaps)}; grant it in the App's settings at GitHub")
        return {"app": found.slug, "permissions": dict(found.permissions), "budgets": forges.find_budgets()}

    return probe


def _probe_catalog(reads: DataHubReads) -> Probe:
    async def probe() -> Mapping[str, Any]:
        return {"identity": await reads.fetch_identity()}  # proves the token; the server's /config would not

    return probe


def _probe_database(queue: Queue) -> Probe:
    async def probe() -> Mapping[str, Any]:
        await asyncio.to_thread(queue.check_ready)
        return {}

    return probe


def _probe_queue(queue: Queue) -> Probe:
    async def probe() -> Mapping[str, Any]:
        health = await asyncio.to_thread(queue.health)
        letters = await asyncio.to_thread(queue.dead_letters, 5)
        return {**health, "dead_letters": [{"id": one["id"], "error": one["error"]} for one in letters]}

    return probe


def _probe_edges(store: Store) -> Probe:
    async def probe() -> Mapping[str, Any]:
        return {"states": await store.run(load_state_counts)}

    return probe


def _probe_reviews(store: Store) -> Probe:
    async def probe() -> Mapping[str, Any]:
        return {"last": await store.run(load_last_review)}

    return probe
