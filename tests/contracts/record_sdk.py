"""Records what the installed acryl-datahub SDK and `datahub ingest` send: `datahub_sdk_wire.jsonl`, which tests replay.

A request a line: {label, method, path, headers, body}; tokens, times, run ids and paths of the machine are replaced. Every
call of the session must succeed: the embedded catalog answers it. Made anew when the SDK is:

    python -m tests.contracts.record_sdk tests/contracts/datahub_sdk_wire.jsonl
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.mcp_patch_builder import MetadataPatchProposal
from datahub.emitter.rest_emitter import DataHubRestEmitter, EmitMode
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import ClientMode, DatahubClientConfig
from datahub.metadata.schema_classes import (
    AuditStampClass,
    ChangeTypeClass,
    IncidentInfoClass,
    IncidentStateClass,
    IncidentStatusClass,
    MLFeaturePropertiesClass,
    SystemMetadataClass,
    TagAssociationClass,
)
from datahub.sdk.main_client import DataHubClient
from datahub.specific.aspect_helpers.tags import HasTagsPatch
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.catalog import CatalogStore, Proposal, create_app
from tests.fakes.serving import serving

TOKEN: Final = "recorded-token"
FEATURE: Final = "urn:li:mlFeature:(users,age)"
TABLE: Final = "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.s.t,PROD)"
INCIDENT: Final = "urn:li:incident:tether-abc"
#: what a server acts on; the rest says how the bytes travelled
_HEADERS: Final = ("User-Agent", "X-DataHub-Client-Mode", "X-RestLi-Protocol-Version", "Content-Type", "Authorization")


@dataclass
class Recorder:
    """The catalog with an ear: what came, under the label of the call that sent it."""

    app: ASGIApp
    label: str = ""
    heard: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = b""

        async def listen() -> Message:
            nonlocal body
            message = await receive()
            body += message.get("body", b"")
            return message

        label = self.label
        await self.app(scope, listen, send)
        self.heard.append(_describe(label, scope, body))


def _describe(label: str, scope: Scope, body: bytes) -> dict[str, Any]:
    held = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
    query = scope["query_string"].decode("latin-1")
    return {
        "label": label,
        "method": scope["method"],
        "path": scope["raw_path"].decode("ascii") + (f"?{query}" if query else ""),
        "headers": {name: held[name.lower()] for name in _HEADERS if name.lower() in held},
        "body": json.loads(body) if body.strip() else None,
    }


@dataclass
class Session:
    recorder: Recorder
    store: CatalogStore
    url: str

    def call(self, label: str, work: Callable[[], object]) -> None:
        """With the feature at its third version, as a conditional write expects it."""
        self.recorder.label = label
        self.store.delete(FEATURE)
        for number in range(3):
            value = {"customProperties": {}, "description": str(number), "sources": [TABLE]}
            self.store.write([Proposal(FEATURE, "mlFeatureProperties", value=value)])
        work()


@contextmanager
def open_session() -> Iterator[Session]:
    with CatalogStore() as store:
        recorder = Recorder(create_app(store, token=TOKEN))
        with serving(recorder) as url:
            yield Session(recorder, store, url)


def proposal(version: str = "3") -> MetadataChangeProposalWrapper:
    made = MetadataChangeProposalWrapper(
        entityUrn=FEATURE,
        aspect=MLFeaturePropertiesClass(description="d", sources=[TABLE]),
        systemMetadata=SystemMetadataClass(lastObserved=1, runId="tether-run-1"),
    )
    made.headers = {"If-Version-Match": version}
    return made


class FeaturePatch(HasTagsPatch, MetadataPatchProposal):
    """The SDK has no builder of patches for features."""

    def add_source(self, dataset: str) -> None:
        self._add_patch("mlFeatureProperties", "add", ("sources", dataset), dataset, {"sources": []})


def patches() -> list[Any]:
    built = FeaturePatch(FEATURE, system_metadata=SystemMetadataClass(lastObserved=1, runId="tether-run-1"))
    built.add_source(TABLE)
    built.add_tag(TagAssociationClass("urn:li:tag:tether:inferred"))
    return list(built.build())


def record_emitter(session: Session, mode: str, emitter: DataHubRestEmitter) -> None:
    waits: dict[str, EmitMode] = {
        "emit_mcp": EmitMode.SYNC_PRIMARY,
        "emit_mcp-async": EmitMode.ASYNC,
        "emit_mcp-syncwait": EmitMode.SYNC_WAIT,
    }
    for name, wait in waits.items():
        session.call(f"{mode}-{name}", lambda wait=wait: emitter.emit_mcp(proposal(), emit_mode=wait))  # type: ignore[misc]
    both = [proposal("3"), proposal("4")]
    session.call(f"{mode}-emit_mcps", lambda: emitter.emit_mcps(both, emit_mode=EmitMode.SYNC_PRIMARY))
    for one in patches():
        session.call(f"{mode}-patch", lambda one=one: emitter.emit_mcp(one, emit_mode=EmitMode.SYNC_PRIMARY))  # type: ignore[misc]
    session.call(f"{mode}-patches", lambda: emitter.emit_mcps(patches(), emit_mode=EmitMode.SYNC_PRIMARY))
    away = MetadataChangeProposalWrapper(entityUrn=FEATURE, changeType=ChangeTypeClass.DELETE, entityType="mlFeature")
    away.aspectName = "mlFeatureKey"
    session.call(f"{mode}-delete", lambda: emitter.emit_mcp(away, emit_mode=EmitMode.SYNC_PRIMARY))


def record_graph(session: Session, graph: DataHubGraph) -> None:
    calls: dict[str, Callable[[], object]] = {
        "get_aspect": lambda: graph.get_aspect(FEATURE, MLFeaturePropertiesClass),
        "get_entities": lambda: graph.get_entities(
            "mlFeature", [FEATURE], ["mlFeatureProperties"], with_system_metadata=True
        ),
        "get_entity_semityped": lambda: graph.get_entity_semityped(FEATURE),
        "exists": lambda: graph.exists(FEATURE),
        "get_related": lambda: list(
            graph.get_related_entities(TABLE, ["DerivedFrom"], DataHubGraph.RelationshipDirection.INCOMING)
        ),
        "scroll_relationships": lambda: graph.scroll_relationships(
            relationship_types=["DerivedFrom"], source_types=["mlFeature"], destination_urns=[TABLE], count=1000
        ),
        "scroll_lineage": lambda: graph.scroll_lineage(
            urns=[TABLE], direction=DataHubGraph.LineageDirection.DOWNSTREAM, count=1000
        ),
        "graphql": lambda: graph.execute_graphql("query q($u:String!){dataset(urn:$u){urn}}", {"u": TABLE}),
        "urns_by_filter": lambda: list(graph.get_urns_by_filter(entity_types=["mlFeature"])),
        "soft_delete": lambda: graph.soft_delete_entity(FEATURE, run_id="tether-run-1", deletion_timestamp=1),
        "hard_delete": lambda: graph.hard_delete_entity(FEATURE),
        "create_tag": lambda: graph.create_tag("x"),
        "sdk_lineage": lambda: DataHubClient(graph=graph).lineage.get_lineage(source_urn=TABLE, direction="downstream"),
    }
    for name, work in calls.items():
        session.call(f"graph-{name}", work)


def record_incident(session: Session, graph: DataHubGraph) -> None:
    stamp = AuditStampClass(1, "urn:li:corpuser:tether")
    state = IncidentStatusClass(IncidentStateClass.ACTIVE, stamp)
    info = IncidentInfoClass("CUSTOM", [TABLE], state, stamp, customType="TETHER", title="t")
    made = MetadataChangeProposalWrapper(entityUrn=INCIDENT, aspect=info, changeType=ChangeTypeClass.CREATE)
    made.headers = {"If-None-Match": "*"}
    session.store.delete(INCIDENT)
    session.call("create-incident-mcp", lambda: graph.emit_mcp(made, emit_mode=EmitMode.SYNC_PRIMARY))


def record_ingest(session: Session) -> None:
    """The real command, in a process of its own."""
    row = {
        "entityType": "mlFeature",
        "entityUrn": FEATURE,
        "changeType": "UPSERT",
        "aspectName": "mlFeatureProperties",
        "aspect": {"json": {"customProperties": {}, "sources": [TABLE]}},
    }
    recipe = {
        "pipeline_name": "tether-test",
        "source": {"type": "file", "config": {"path": "./in.json"}},
        "sink": {"type": "datahub-rest", "config": {"server": session.url, "token": TOKEN}},
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in.json").write_text(json.dumps([row]))
        Path(folder, "recipe.yml").write_text(json.dumps(recipe))
        command = [str(Path(sys.executable).with_name("datahub")), "ingest", "-c", "recipe.yml"]
        quiet = {**os.environ, "HOME": folder, "DATAHUB_TELEMETRY_ENABLED": "false"}

        def ingest() -> None:
            subprocess.run(command, cwd=folder, env=quiet, check=True, capture_output=True, timeout=300)

        session.call("datahub-ingest-file-source", ingest)


def record() -> list[dict[str, Any]]:
    """One whole session."""
    with open_session() as session:

        def graph(*, openapi: bool | None, mode: ClientMode = ClientMode.SDK) -> DataHubGraph:
            session.recorder.label = "config"
            config = DatahubClientConfig(server=session.url, token=TOKEN, openapi_ingestion=openapi, client_mode=mode)
            made = DataHubGraph(config)
            made.test_connection()
            return made

        restli, openapi = graph(openapi=False), graph(openapi=True)
        modes = {
            "restli": restli,
            "auto": graph(openapi=None, mode=ClientMode.INGESTION),
            "openapi": openapi,
            "sdkmode": graph(openapi=None),
        }
        for mode, emitter in modes.items():
            record_emitter(session, mode, emitter)
        record_graph(session, restli)
        for client in (restli, openapi):
            record_incident(session, client)
        record_ingest(session)
        for client in modes.values():
            client.close()
        # what the SDK tells of itself is no part of the session, and some machines have it turned off
        return [_scrub(one) for one in session.recorder.heard if "telemetry" not in one["path"]]


def _scrub(request: dict[str, Any]) -> dict[str, Any]:
    """Without what differs from one recording to the next, or tells of the machine."""
    for one in (request["body"] or {}).get("proposals", ()) if isinstance(request["body"], dict) else ():
        if one["aspectName"] == "dataHubExecutionRequestResult":  # a report of the machine that it ran on
            result = json.loads(one["aspect"]["value"])
            result |= {"report": "left out", "structuredReport": None}
            one["aspect"]["value"] = json.dumps({name: value for name, value in result.items() if value is not None})
    text = json.dumps(request)
    text = text.replace(TOKEN, "<token>")
    text = re.sub(r"http://127\.0\.0\.1:\d+", "http://127.0.0.1:8080", text)
    text = re.sub(r"(lastObserved|requestedAt|timestampMillis|startTimeMs|durationMs)(\\*\"): \d{2,}", r"\1\2: 1", text)
    text = re.sub(r"file-\d{4}_\d\d_\d\d-\d\d_\d\d_\d\d-\w{6}", "file-2026_01_01-00_00_00-abcdef", text)
    found: dict[str, Any] = json.loads(text)
    return found


def main(target: Path) -> None:
    target.write_text("".join(json.dumps(one) + "\n" for one in record()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
