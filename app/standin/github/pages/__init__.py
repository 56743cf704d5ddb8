"""What a person sees of the stand-in in a browser: a pull request, a check run, a file. Pages only: no sign-in, no scripts.

Everything on them comes from git, Apps and people and is hostile text. It is escaped where it is put into a page (`render_`
functions take text and return HTML); Markdown goes through `markdown`, which lets through what it knows and escapes the rest.
"""

from app.standin.github.pages.file_page import render_file_page
from app.standin.github.pages.pull_page import render_pull_page
from app.standin.github.pages.run_page import render_run_page

__all__ = ["render_file_page", "render_pull_page", "render_run_page"]
