"""`tether doctor` on the side of the catalog, the repository's file and the language model.

Every check stands on a port of its own, and says what to do about what is wrong. Nothing is changed anywhere: what the
token may write is asked with writes that cannot succeed. GitHub's side is `doctor_github`, the state of the graph `health`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from app.doctor.checkup import Check, guard, skip
from app.ports import Right
from app.words import Permanent, Transient

TOKEN_FIX = "make a personal access token in DataHub (Settings, Access Tokens) and set TETHER_DATAHUB_TOKEN"  # noqa: S105 - a sentence


class ServerFacts(Protocol):
    """`app.edges.datahub.Server`."""

    @property
    def version(self) -> str: ...
    @property
    def environment(self) -> str: ...
    @property
    def relationship_scroll(self) -> bool | None: ...


class CatalogDoor(Protocol):
    async def fetch_server(self) -> ServerFacts: ...
    async def fetch_identity(self) -> str: ...


class RightsDoor(Protocol):
    async def probe_rights(self) -> tuple[Right, ...]: ...


async def check_catalog(reads: CatalogDoor | None, writes: RightsDoor | None) -> tuple[Check, ...]:
    """Reachable, version and capabilities, token, rights. `None` for `reads`: no catalog is configured."""
    if reads is None:
        fix = "set TETHER_DATAHUB_URL to DataHub's metadata service (often port 8080, or /api/gms behind the web interface)"
        wrong = Check("catalog", "address", "wrong", "TETHER_DATAHUB_URL is not set", fix)
        return (wrong, *skip("catalog", *("server", "token", "rights")))
    try:
        server = await reads.fetch_server()
    except (Permanent, Transient) as error:
        fix = "TETHER_DATAHUB_URL must be reachable from here and name the metadata service"
        return (Check("catalog", "address", "wrong", str(error), fix), *skip("catalog", *("server", "token", "rights")))
    token = await guard("catalog", "token", _check_token(reads), fix=TOKEN_FIX)
    checks = (Check("catalog", "address", "ok", "the metadata service answers"), _check_server(server), token)
    if writes is None or token.status != "ok":
        return (*checks, *skip("catalog", *("rights",)))
    return (*checks, *await _check_rights(writes))


def _check_server(server: ServerFacts) -> Check:
    name = f"DataHub {server.version or 'of unknown version'} ({server.environment})"
    if server.relationship_scroll is None:
        return Check("catalog", "server", "note", f"{name}; what it can do was not asked, as it refuses the token")
    if not server.relationship_scroll:
        sentence = f"{name} has no relationship scroll: every walk asks entity by entity and is slow on a large catalog"
        return Check("catalog", "server", "note", sentence, "DataHub 1.6 or newer answers a whole hop at once")
    return Check("catalog", "server", "ok", f"{name} answers a whole hop of a walk at once")


async def _check_token(reads: CatalogDoor) -> Check:
    return Check("catalog", "token", "ok", f"the token belongs to {await reads.fetch_identity()}")


async def _check_rights(writes: RightsDoor) -> list[Check]:
    try:
        rights = await writes.probe_rights()
    except (Permanent, Transient) as error:
        return [Check("catalog", "rights", "wrong", str(error), TOKEN_FIX)]
    return [_check_right(right) for right in rights]


def _check_right(right: Right) -> Check:
    match right.outcome:
        case "allowed":
            return Check("catalog", "rights", "ok", f"may {right.what}")
        case "not allowed":
            fix = "give the token's account a policy that lets it edit these entities (Settings, Permissions)"
            return Check("catalog", "rights", "wrong", f"may not {right.what}: {right.sentence}", fix)
        case "unguarded":
            fix = "upgrade DataHub: without conditions two writers undo each other"
            return Check("catalog", "rights", "wrong", f"may {right.what}, but {right.sentence}", fix)
        case "failed":
            sentence = f"could not find out whether it may {right.what}: {right.sentence}"
            return Check(
                "catalog", "rights", "wrong", sentence, "try again when the server answers; its log says why it did not"
            )


# --- the repository's file, the language model ---------------------------------------------------------------------


def check_repository(parse: Callable[[str], object], find: Callable[[], str | None], path: str) -> Check:
    """`find` answers the text of `.tether.yml`, None where there is none; both raise `Permanent` with what is wrong."""
    try:
        text = find()
    except Permanent as error:
        return Check("repository", ".tether.yml", "wrong", str(error), "save it as a small UTF-8 text file")
    if text is None:
        sentence = f"{path} is not there: everything is found by itself"
        return Check("repository", ".tether.yml", "note", sentence, "add one if names or features are not found")
    try:
        parse(text)
    except Permanent as error:
        return Check("repository", ".tether.yml", "wrong", str(error), "correct that line")
    return Check("repository", ".tether.yml", "ok", f"{path} can be read")


async def check_llm(probe: Callable[[], Awaitable[str]] | None) -> Check:
    """`None`: no key is set, which is fine."""
    if probe is None:
        return Check("llm", "key", "ok", "no key is set; nothing needs one")
    fix = "correct TETHER_ANTHROPIC_API_KEY, or unset it: nothing needs it"
    return await guard("llm", "key", _check_key(probe), fix=fix)


async def _check_key(probe: Callable[[], Awaitable[str]]) -> Check:
    model = await probe()
    return Check("llm", "key", "ok", f"the key is accepted{f', for {model}' if model else ''}")
