"""The style sheet of the bench's page: one column, nothing wider than the window."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;max-width:1400px;margin:2em auto;padding:0 1.5em 3em;color:#1f2328;overflow-wrap:anywhere}
h1{font-size:1.6em;margin:0 0 .8em}h2{font-size:1.2em;margin:0 0 .6em}h3{font-size:1em;margin:1.2em 0 .2em}p{margin:.3em 0}
code{font:13px ui-monospace,"DejaVu Sans Mono",monospace}
section{border-top:1px solid #d1d9e0;margin-top:2em;padding-top:1.4em}
table{border-collapse:collapse}
td,th{border-bottom:1px solid #d1d9e0;padding:.35em 1.6em .35em 0;text-align:left;vertical-align:top}
.caught,.missed{border-radius:2em;padding:.1em .7em;font-size:13px;font-weight:600;white-space:nowrap}
.caught{background:#dafbe1;color:#116329}.missed{background:#ffebe9;color:#a40e26}
.round{margin:0 0 1.2em;padding:.2em 0 .2em 1em;border-left:4px solid #d1d9e0}
.quiet{color:#59636e}
.line{display:flex;flex-wrap:wrap;gap:0 1.2em;color:#59636e;margin:.2em 0}.line code+code{color:#1f2328}
.trail{display:flex;flex-wrap:wrap;gap:10px 6px;list-style:none;margin:.7em 0;padding:0}
.trail li{display:flex;align-items:center;gap:6px;max-width:100%}
.arrow{flex:none}
.box{border:1px solid #d1d9e0;border-radius:8px;
background:#f6f8fa;padding:6px 10px;max-width:236px;line-height:1.35;font-size:14px}
.box small{display:block;color:#59636e}
.box.lost{background:#ffebe9;border-color:#ff8182}.box.dataset,.box.relation{background:#ddf4ff;border-color:#54aeff}
.box.feature{background:#dafbe1;border-color:#4ac26b}.box.model{background:#fff8c5;border-color:#d4a72c}
.box.deployment{background:#fbefff;border-color:#c297ff}
@media (max-width:600px){td,th{padding-right:.7em}body{padding:0 .8em 2em}}
"""
