"""`var` and `config` of dbt's templates: values that files and the configuration give, and what to say where none does."""

from __future__ import annotations

from typing import Final

from app.render.handles import ForTemplates
from app.render.session import Session
from app.render.stubs import Undecided

_UNSET: Final = object()


class Var(ForTemplates):
    """`var('x')`, `var('x', default)`, `var.has_var('x')`. Without a value: conditions are tried both ways, else a reason."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, name: object, default: object = _UNSET) -> object:
        values = self._session.vars
        if name in values:
            return _copied(self._session.text(values[str(name)]))
        if default is not _UNSET:
            return default
        why = f"var('{name}') has no value: set it under dbt.vars in .tether.yml"
        return Undecided(f"var('{name}')", why, self._session.decide)

    def has_var(self, name: object) -> bool:
        return name in self._session.vars


class EnvVar(ForTemplates):
    """`env_var('X')`, `env_var('X', default)`: what `dbt.env` of the configuration says, else the default."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, name: object, default: object = _UNSET) -> object:
        config = self._session.workspace.config.dbt
        if config is not None and name in config.env:
            return config.env[str(name)]
        if default is not _UNSET:
            return default
        why = f"env_var('{name}') has no value: set it under dbt.env in .tether.yml"
        return Undecided(f"env_var('{name}')", why, self._session.decide)


def _copied(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


class ConfigCall(ForTemplates):
    """`config(...)` sets and writes nothing; `config.get` answers from the template, else from the YAML files."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, *values: object, **named: object) -> str:
        told = {str(key): item for value in values if isinstance(value, dict) for key, item in value.items()} | named
        self._session.refuse_holes(*told.values())
        self._session.config |= told
        return ""

    def get(self, name: object, default: object = None, **_kwargs: object) -> object:
        node = self._session.node
        static = node.static if node is not None else {}
        value = self._session.config.get(str(name), static.get(str(name)))
        return default if value is None else self._session.text(value)

    require = meta_get = meta_require = get

    def set(self, name: object, value: object) -> str:
        self._session.config[str(name)] = value
        return ""

    def persist_relation_docs(self) -> bool:
        return False

    persist_column_docs = persist_relation_docs
