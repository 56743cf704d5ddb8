"""Where a proving line can be opened: its permalink. Pure.

Deliberately absent: who may see the link. Whether a private repository's line may be shown at all is decided by whoever
renders a text; this module only knows how a link is spelled.
"""

from __future__ import annotations

from urllib.parse import quote

from app.words import Evidence


def permalink(
    evidence: Evidence, *, web_url: str = "https://github.com", repo: str = "", commit: str = ""
) -> str | None:
    """`https://HOST/OWNER/REPO/blob/SHA/PATH#Ln`, or None where no such page exists (a local directory, the catalog's SQL).

    `repo` ("owner/name") and `commit` complete evidence of the repository under review, which carries neither.
    A permalink names a commit, never a branch: the line it shows must still be the line that proved something.
    """
    full_name = evidence.repo or repo
    sha = evidence.commit or commit
    owner, slash, name = full_name.partition("/")
    if evidence.side == "catalog" or not sha or not slash or not owner or not name or "/" in name:
        return None
    path = quote(evidence.path.lstrip("/"), safe="/")
    anchor = f"#L{evidence.line}" if evidence.line > 0 else ""
    return f"{web_url.rstrip('/')}/{quote(owner)}/{quote(name)}/blob/{quote(sha, safe='')}/{path}{anchor}"
