"""A file at a commit or branch; every line has the anchor that links to lines use (#L12)."""

from __future__ import annotations

from html import escape

from app.standin.github.pages.frame import file_path, plural, render_page
from app.standin.github.records import RepoRecord
from app.standin.github.routing import Reply


def render_file_page(repo: RepoRecord, sha: str, path: str, lines: list[str]) -> Reply:
    here = file_path(repo, sha, path)
    rows = "".join(
        f'<tr id="L{n}"><td class="n"><a href="{here}#L{n}">{n}</a></td><td class="code">{escape(line)}</td></tr>'
        for n, line in enumerate(lines, 1)
    )
    at = f'<span class="quiet">at <code>{escape(sha[:12])}</code></span>'
    bar = f'<div class="bar"><b>{plural(len(lines), "line")}</b>{at}</div>'
    table = f'<table class="lines"><colgroup><col class="n"><col></colgroup>{rows}</table>'
    title = f'<div class="head"><h1 class="code">{escape(path)}</h1></div>'
    return render_page(path, repo, [title, f'<div class="file">{bar}{table}</div>'])
