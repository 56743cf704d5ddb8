"""What every page shares: the frame with its policy, and the small pieces that stand on more than one of them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import quote

from app.standin.github.pages.style import STYLE
from app.standin.github.records import Account, CheckRun, RepoRecord
from app.standin.github.routing import Reply

_DIGEST: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
#: nothing is loaded, run or sent from a page; its one style sheet is known by its digest
POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def render_page(title: str, repo: RepoRecord, parts: Iterable[str]) -> Reply:
    """The whole page. `title` is text, `parts` are HTML."""
    owner, name = escape(repo.owner.login), escape(repo.name)
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
    )
    top = (
        f'<body><header class="top"><span>{owner} / <b>{name}</b></span>'
        f'<span class="chip">{escape(repo.visibility)}</span><span class="where">GitHub stand-in</span></header><main>'
    )
    body = "\n".join([head, top, *parts, "</main></body></html>\n"])
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    return Reply(body.encode(errors="replace"), headers=headers, media_type="text/html; charset=utf-8")


def render_time(when: datetime) -> str:
    """In the clock of the stand-in, to the minute."""
    return f'<time datetime="{when.isoformat()}">{when:%d %b %Y, %H:%M} UTC</time>'


def render_face(account: Account) -> str:
    """A circle with a letter: pages fetch no pictures."""
    kind = " bot" if account.type == "Bot" else ""
    return f'<span class="face{kind}" aria-hidden="true">{escape(account.login[:1].upper())}</span>'


def render_author(account: Account) -> str:
    bot = ' <span class="chip">bot</span>' if account.type == "Bot" else ""
    return f"<b>{escape(account.login.removesuffix('[bot]'))}</b>{bot}"


def file_path(repo: RepoRecord, ref: str, path: str) -> str:
    """Where a file's page is, as a link's target; already escaped."""
    return escape(f"/{repo.full_name}/blob/{quote(ref, safe='')}/{quote(path)}")


def run_path(run: CheckRun) -> str:
    return escape(f"/{run.repo.full_name}/runs/{run.id}")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
