"""One rendering of one template: which names it sees, which conditions were decided how, what it set as its configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from jinja2 import Template
from jinja2.utils import missing

from app.render.answers import Answer, NoAnswer
from app.render.compiled import read_template
from app.render.holes import explain_holes, has_hole
from app.render.limits import MAX_OUTPUT, Meter, RenderError
from app.render.macros import BoundMacro, Depth
from app.render.marks import EDGE
from app.render.nodes import Node
from app.render.paths import is_templated
from app.render.project import find_vars
from app.render.sql_text import RefState
from app.render.workspace import Home, Workspace

#: whatever a stranger's template makes Jinja or Python raise becomes the reason why the file is not rendered
FAILURES: Final = (Exception,)
T = TypeVar("T")


class Session:
    """`decisions`: the assumed answers of undecidable conditions; `asked`: those that were needed, with the reason.

    `config`: what the template's config() calls set; `incremental`: what is_incremental() answers; `live`: what `execute`
    answers, and whether queries have rows; `asked_...`: whether that mattered. `unlisted`: the relation whose
    columns the template asked for in vain. `refs`: what it named, and whether the tree has it.
    """

    def __init__(
        self,
        workspace: Workspace,
        home: Home,
        node: Node | None,
        make_names: Callable[[Session], Mapping[str, Any]],
        *,
        incremental: bool = False,
        live: bool = False,
        decisions: Mapping[str, bool] | None = None,
        capturing: bool = False,
    ) -> None:
        self.workspace, self.home, self.node = workspace, home, node
        self.incremental, self.live, self.capturing = incremental, live, capturing
        self.decisions = dict(decisions or {})
        self.asked: dict[str, str] = {}
        self.asked_incremental = self.asked_execute = False
        self.unlisted: str | None = None
        self.refs: dict[str, RefState] = {}
        self.config: dict[str, Any] = {}
        self.depth, self.meter = Depth(), Meter()
        self.holes: dict[str, str] = {}  # how each is written -> why its value is not known
        self.vars = find_vars(home.project, (home.host or home).project)
        if workspace.config.dbt is not None:
            self.vars |= workspace.config.dbt.vars
        self.functions = make_names(self)
        self._scopes: dict[int, Scope] = {}
        self._packages: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def packages(self) -> Mapping[str, Mapping[str, Any]]:
        """Package -> macro -> function; made when first asked for."""
        if self._packages is None:
            self._packages = self.workspace.start_packages(self)
        return self._packages

    def scope(self, home: Home) -> Scope:
        """The names that a template of that project sees in this rendering."""
        found = self._scopes.get(id(home))
        if found is None:
            found = self._scopes[id(home)] = Scope(self, home)
        return found

    def decide(self, name: str, why: str) -> bool:
        """The assumed answer, no at first; remembers that it mattered."""
        self.asked.setdefault(name, why)
        return self.decisions.get(name, False)

    def ask_incremental(self) -> bool:
        self.asked_incremental = True
        return self.incremental

    @contextmanager
    def _metered(self) -> Iterator[None]:
        """Calls, loops and conditions count for this rendering, also those of texts that are rendered within it."""
        sandbox = self.workspace.sandbox
        before = sandbox.meter, sandbox.decide, sandbox.holes
        sandbox.meter, sandbox.decide, sandbox.holes = self.meter, self.decide, self.holes
        try:
            yield
        finally:
            sandbox.meter, sandbox.decide, sandbox.holes = before

    def note_ref(self, name: str, package: str | None, *, found: bool) -> None:
        """A node or source that the template names."""
        self.refs[name] = "found" if found else self.workspace.find_state(package)

    def query(self) -> Answer:
        """What a query of the template answers."""
        return Answer() if self.live else NoAnswer()

    def run(self, template: Template) -> str:
        """The text of a template, marks and all. Raises one of FAILURES."""
        pieces: list[str] = []
        size = 0
        with self._metered():
            context = template.new_context(self.scope(self.home), shared=True)  # type: ignore[arg-type]  # computes names
            for piece in template.root_render_func(context):
                size += len(piece)
                if size > MAX_OUTPUT:
                    raise RenderError(f"it renders to more than {MAX_OUTPUT:,} characters")
                pieces.append(piece)
        return "".join(pieces)

    def call(self, macro: Callable[..., Any], *args: object) -> object:
        """What a macro answers. Raises one of FAILURES."""
        with self._metered():
            return macro(*args)

    def told(self, answer: Callable[[], T]) -> T:
        """What hangs on no condition that nobody can decide. Raises one of FAILURES, also where it does."""
        before = self.asked, self.decisions
        self.asked, self.decisions = {}, {}
        try:
            value = answer()
            if self.asked:
                raise RenderError(next(iter(self.asked.values())))
        finally:
            self.asked, self.decisions = before
        return value

    def refuse_holes(self, *texts: object) -> None:
        """Raises RenderError where a text that names something holds a value that nobody told."""
        if any(has_hole(text) for text in texts):
            raise RenderError(explain_holes(self.holes))

    def text(self, value: object) -> object:
        """A value of a YAML file: a text with Jinja in it is rendered, everything else is itself. Raises one of FAILURES."""
        if not isinstance(value, str) or not is_templated(value):
            return value
        self.meter.spend(100)  # compiling costs more than most steps
        reading = read_template(value, "", marking=False)
        text = self.run(Template.from_code(self.workspace.sandbox, reading.code, {})).replace(EDGE, "").strip()
        self.refuse_holes(text)
        return text


class Scope:
    """Names seen from one project: its macros, its host's, dbt's functions, then projects and packages by name."""

    def __init__(self, session: Session, home: Home) -> None:
        self._session, self._home = session, home
        self._found: dict[str, Any] = {}

    def get(self, key: str, default: Any = missing) -> Any:
        if key not in self._found:
            value = self._find(key)
            if value is missing:
                return default
            self._found[key] = value
        return self._found[key]

    def macro(self, name: str) -> BoundMacro | None:
        """The project's own macro of that name, else its host's."""
        for home in (self._home, self._home.host):
            if home is not None and name in home.macros:
                return BoundMacro(home.macros, name, self._session.scope(home), self._session.depth)  # type: ignore[arg-type]
        return None

    def _find(self, key: str) -> Any:
        macro = self.macro(key)
        if macro is not None:
            return macro
        if key == "execute":
            self._session.asked_execute = True
            return self._session.live
        function = self._session.functions.get(key)
        if function is not None:
            return function
        late = self._session.functions["zz_late"](key, self._home)
        return missing if late is None else late
