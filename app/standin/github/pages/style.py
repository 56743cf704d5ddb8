"""The one style sheet: light, in one column, usable from 360 pixels on. No foreign font, no picture, no script."""

from __future__ import annotations

from typing import Final

_FRAME: Final = """
*{box-sizing:border-box}
body{margin:0;font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;color:#1f2328;
background:#fff;overflow-wrap:anywhere}
a{color:#0969da;text-decoration:none}a:hover{text-decoration:underline}
code,pre,.code{font-family:ui-monospace,SFMono-Regular,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:12px}
code{background:#818b981f;border-radius:6px;padding:.2em .4em}
.top{display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:14px 24px;background:#f6f8fa;border-bottom:1px solid #d1d9e0}
.where{margin-left:auto;color:#59636e;font-size:12px}
main{max-width:1120px;margin:0 auto;padding:20px 24px 60px}
h1{font-size:26px;font-weight:400;line-height:1.25;margin:0 0 8px}h1.code{font-size:18px}h1 small{color:#59636e;font-size:inherit}
h2{font-size:16px;font-weight:600;margin:28px 0 10px}
.chip{border:1px solid #d1d9e0;border-radius:2em;padding:0 7px;font-size:12px;color:#59636e;font-weight:500;white-space:nowrap}
.quiet{color:#59636e}.head{border-bottom:1px solid #d1d9e0;padding-bottom:14px;margin-bottom:20px}
.head p{margin:0;display:flex;flex-wrap:wrap;gap:4px 8px;align-items:center}
.pill{border-radius:2em;padding:4px 12px;color:#fff;font-weight:500;background:#59636e}
.pill.open{background:#1f883d}.pill.merged{background:#8250df}.pill.closed{background:#cf222e}
.ref{background:#ddf4ff;color:#0969da}
"""
_TALK: Final = """
.comment{display:flex;gap:14px;margin:0 0 16px}
.face{flex:none;width:40px;height:40px;border-radius:50%;background:#59636e;color:#fff;display:grid;place-items:center;font-weight:600}
.face.bot{border-radius:8px;background:#0550ae}
.box{flex:1;min-width:0;border:1px solid #d1d9e0;border-radius:6px;background:#fff}
.box>.bar{background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;padding:8px 14px;display:flex;
flex-wrap:wrap;gap:4px 8px;align-items:center;color:#59636e}.bar b{color:#1f2328}
.box>.inner{padding:14px}
"""
_MARKDOWN: Final = """
.markdown>:first-child{margin-top:0}.markdown>:last-child{margin-bottom:0}
.markdown p,.markdown ul,.markdown ol,.markdown table,.markdown pre,.markdown blockquote,.markdown details,.trail{margin:0 0 14px}
.markdown h1,.markdown h2,.markdown h3,.markdown h4{font-size:15px;font-weight:600;margin:20px 0 10px;line-height:1.3}
.markdown ul,.markdown ol{padding-left:2em}.markdown li+li{margin-top:3px}
.markdown table{border-collapse:collapse;display:block;max-width:100%;overflow-x:auto}
.markdown th,.markdown td{border:1px solid #d1d9e0;padding:6px 11px;text-align:left;vertical-align:top;overflow-wrap:break-word}
.markdown td code{white-space:nowrap}
.markdown td.right,.markdown th.right{text-align:right}.markdown td.center,.markdown th.center{text-align:center}
.markdown tr:nth-child(2n) td{background:#f6f8fa}
.markdown blockquote{border-left:4px solid #d1d9e0;padding:0 14px;color:#59636e}
.markdown summary{cursor:pointer}.markdown details>summary{margin-bottom:8px}
.source{background:#f6f8fa;border-radius:6px;padding:12px;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.45}
.source span{display:block}.source .add{background:#dafbe1}.source .del{background:#ffebe9}
.source.suggestion::before{content:"Suggested change";display:block;color:#59636e;font-weight:600;margin-bottom:6px}
.markdown-alert{border-left:4px solid #d1d9e0;padding:4px 14px;margin:0 0 14px}
.markdown-alert>:last-child{margin-bottom:0}.markdown .markdown-alert-title{font-weight:600;margin-bottom:4px}
.markdown-alert-title::before{content:"!";display:inline-block;width:16px;line-height:14px;margin-right:8px;border:1.5px solid;
border-radius:50%;text-align:center;font-size:11px}
.markdown-alert-note>.markdown-alert-title::before,.markdown-alert-tip>.markdown-alert-title::before{content:"i"}
.markdown-alert-note{border-color:#0969da}.markdown-alert-note>.markdown-alert-title{color:#0969da}
.markdown-alert-tip{border-color:#1a7f37}.markdown-alert-tip>.markdown-alert-title{color:#1a7f37}
.markdown-alert-important{border-color:#8250df}.markdown-alert-important>.markdown-alert-title{color:#8250df}
.markdown-alert-warning{border-color:#9a6700}.markdown-alert-warning>.markdown-alert-title{color:#9a6700}
.markdown-alert-caution{border-color:#cf222e}.markdown-alert-caution>.markdown-alert-title{color:#cf222e}
.trail svg{display:block;max-width:100%;height:auto}.trail .narrow{display:none}
.trail text{font:12px -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#1f2328}
.trail .kind{fill:#59636e;font-size:11px}.trail .lost{fill:#cf222e;font-weight:600}
.trail .way{fill:none;stroke:#59636e;stroke-width:1.5}.trail .tip{fill:#59636e}
"""
_CHECKS: Final = """
.checks>.row{display:flex;gap:10px;align-items:flex-start;padding:10px 14px;border-bottom:1px solid #d1d9e0}
.row .icon{flex:none;margin-top:2px}.row .what{flex:1;min-width:0}.row .go{flex:none}
.checks details{padding:10px 14px;border-bottom:1px solid #d1d9e0}.checks details>summary{cursor:pointer;color:#59636e}
.checks details[open]>summary{margin-bottom:12px}
.merge{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;padding:14px;background:#f6f8fa;border-radius:0 0 6px 6px}
.merge .why{flex:1 1 16em}.merge .why b{display:block}
.button{font:inherit;font-weight:500;border:1px solid #1f232826;border-radius:6px;padding:5px 16px;background:#1f883d;color:#fff}
.button[disabled]{background:#eff2f5;color:#818b98}
.button.plain{background:#f6f8fa;color:#25292e;border-color:#d1d9e0}
"""
_DIFF: Final = """
.file{border:1px solid #d1d9e0;border-radius:6px;margin:0 0 16px}
.file>.bar{background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;padding:8px 14px;
display:flex;flex-wrap:wrap;gap:4px 10px}
.file>p{margin:0;padding:12px 14px}.plus{color:#1a7f37;font-weight:600}.minus{color:#cf222e;font-weight:600}
.lines{width:100%;border-collapse:collapse;table-layout:fixed}
.lines td{padding:1px 8px;vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5}
.lines .n{width:44px;text-align:right;color:#59636e;user-select:none;padding:1px 6px;font-size:12px}.lines .n a{color:inherit}
.lines .add td{background:#dafbe1}.lines .add .n{background:#aceebb}.lines .del td{background:#ffebe9}
.lines .del .n{background:#ffcecb}.lines .hunk td{background:#ddf4ff;color:#59636e}
.lines .note>td{white-space:normal;padding:10px 14px;border:solid #d1d9e0;border-width:1px 0;background:#f6f8fa}
.lines tr:target td{background:#fff8c5}
.annotation{border:1px solid #d1d9e0;border-left:4px solid #9a6700;border-radius:6px;background:#fff;padding:10px 14px;
font:14px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif}
.annotation+.annotation{margin-top:10px}.annotation.failure{border-left-color:#cf222e}.annotation.notice{border-left-color:#59636e}
.annotation p{margin:4px 0 0;white-space:pre-line}.annotation .quiet{font-size:12px}
"""
_NARROW: Final = """
@media (max-width:900px){.trail .wide{display:none}.trail .narrow{display:block}}
@media (max-width:600px){main{padding:14px 12px 40px}.top{padding:10px 12px}h1{font-size:21px}.face{display:none}
.lines .n{width:30px;padding:1px 3px}.lines td{padding:1px 5px}.markdown ul,.markdown ol{padding-left:1.4em}}
"""
STYLE: Final = _FRAME + _TALK + _MARKDOWN + _CHECKS + _DIFF + _NARROW
