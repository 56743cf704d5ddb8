"""`.tether.yml` -> `Config`: strict, from the base branch only, over the organisation's defaults where there are some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from app.review.config.document import ConfigError, Lines, load_document
from app.review.config.layers import Defaults, Layer, MergedLayers, find_section, merge_layers
from app.review.config.shape import File, OrgFile
from app.verdict import RULES
from app.words import (
    CONFIG_PATH,
    CatalogNaming,
    Config,
    DbtConfig,
    FeatureConfig,
    Level,
    ModelConfig,
    PolicyConfig,
    Root,
    ServingConfig,
)


def parse_config(
    text: str | None, *, name: str = CONFIG_PATH, defaults: Defaults | None = None, repo: str = ""
) -> Config:
    """The file's text, None when the repository has none. `name` is the file's, for errors. `repo` (its full name) counts as
    set up (`found`) when it has a file or the defaults list it.

    Raises `ConfigError` naming file and line: not YAML, unknown or duplicate keys, wrong types, aliases, unknown rules, over
    256 KiB.
    """
    merged = read_layers(text, name=name, defaults=defaults)
    listed = merged.value.pop("repositories", [])
    try:
        file = File.model_validate({"version": 1, **merged.value})
    except ValidationError as error:  # each layer was valid, so that this is a defect of merging
        raise ConfigError(f"cannot be merged: {error.errors(include_url=False)[0]['msg']}", name=name) from None
    config = _convert(file, found=text is not None or (bool(repo) and repo in map(str, listed)))
    _check_policy(config, merged, name)
    return config


def read_layers(text: str | None, *, name: str = CONFIG_PATH, defaults: Defaults | None = None) -> MergedLayers:
    """Both files, each valid by itself, laid over each other. Raises `ConfigError`."""
    layers = []
    if defaults is not None:
        layers.append(_read_layer(defaults.text, defaults.name, OrgFile))
    if text is not None:
        layers.append(_read_layer(text, name, OrgFile if defaults is None and _is_of_org(name) else File))
    return merge_layers(File, layers)


def _is_of_org(name: str) -> bool:
    """The repository that holds the defaults reads them as its own file, by the name they have for everybody."""
    return name.endswith(f"/.github {CONFIG_PATH}")


def _read_layer(text: str, name: str, shape: type[BaseModel]) -> Layer:
    try:
        value, lines = load_document(text)
        _check_shape(value, lines, shape)
    except ConfigError as error:
        raise ConfigError(error.message, error.line, name=name, more=error.more) from None
    return Layer(name, value, lines)


def _check_shape(value: object, lines: Lines, shape: type[BaseModel]) -> None:
    if not isinstance(value, dict):
        raise ConfigError("must be a mapping that starts with `version: 1`", 1)
    try:
        shape.model_validate(value)
    except ValidationError as error:
        raise _explain(error, lines, shape) from None


def _explain(error: ValidationError, lines: Lines, shape: type[BaseModel]) -> ConfigError:
    """All faults of the file, in the order of its lines."""
    errors = error.errors(include_url=False)
    unknown = {one["loc"][:-1] for one in errors if one["type"] == "extra_forbidden"}
    # `versoin: 1` is an unknown key and a missing one: the first says what to repair
    told = [one for one in errors if one["type"] != "missing" or one["loc"][:-1] not in unknown]
    by_key = {one["loc"]: one for one in reversed(told)}  # of alternatives that a value might have met, the first
    faults = sorted(
        ((_say(one, shape), _find_line(one["loc"], lines)) for one in by_key.values()), key=lambda at: at[1]
    )
    (message, line), *more = faults
    return ConfigError(message, line, more=more)


def _find_line(path: Sequence[int | str], lines: Lines) -> int:
    """Of the key, or of the nearest section around it that is written down."""
    path = tuple(part for part in path if part != "[key]")
    while path and path not in lines:
        path = path[:-1]
    return lines.get(tuple(path), 1)


def _say(error: Mapping[str, Any], shape: type[BaseModel]) -> str:
    name = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key `{name}`{_find_near(error['loc'], shape)}"
        case "missing":
            return f"`{name}` is missing"
        case _:
            sentence = error["msg"]
            if sentence.startswith("Input should"):
                return f"`{name}`{sentence.replace('Input should', ' must')}"
            return f"`{name}`: {sentence[:1].lower()}{sentence[1:]}"


def _find_near(path: Sequence[int | str], shape: type[BaseModel]) -> str:
    """The key that was probably meant, as a question; "" where none is near."""
    held: object = shape
    for part in path[:-1]:
        held = get_args(held)[-1] if get_origin(held) in (list, dict) else _find_fields(held).get(str(part))
    near = get_close_matches(str(path[-1]), _find_fields(held), n=1)
    return f": did you mean `{near[0]}`?" if near else ""


def _find_fields(annotation: object) -> dict[str, object]:
    """The annotations of a section's keys, also of a section that may be null; none for anything else."""
    section = find_section(annotation)
    if section is None:
        return {}
    return {field.alias or name: field.annotation for name, field in section.model_fields.items()}


# --- values --------------------------------------------------------------------------------------------------------


def _convert(file: File, *, found: bool) -> Config:
    return Config(
        found=found,
        dialect=file.dialect,
        catalog=CatalogNaming(**_fields(file.catalog)),
        roots=tuple(Root(root.path.strip("/") or ".", root.kind, root.dialect) for root in file.roots),
        dbt=DbtConfig(**_fields(file.dbt)) if file.dbt else None,
        params=file.params,
        features={name: FeatureConfig(**_fields(feature)) for name, feature in file.features.items()},
        models={name: ModelConfig(**_fields(model)) for name, model in file.models.items()},
        serving=ServingConfig(**_fields(file.serving)),
        policy=PolicyConfig(**_fields(file.policy)),
        mode=file.mode,
        fork_incidents=file.forks.incidents,
        draft_incidents=file.drafts.incidents,
        share_evidence_with=tuple(file.privacy.share_evidence_with),
        llm=file.llm.enabled,
    )


def _fields(model: BaseModel) -> dict[str, Any]:
    """The model's fields with lists frozen to tuples."""
    return {key.rstrip("_"): _freeze(getattr(model, key)) for key in type(model).model_fields}


def _freeze(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: _freeze(item) for key, item in value.items()}
    return value


def _check_policy(config: Config, merged: MergedLayers, name: str) -> None:
    """Raises `ConfigError` with all that is wrong in the file whose fault comes first."""
    policy = config.policy
    faults: dict[str, list[tuple[str, int]]] = {}
    if policy.unassessable in ("warn", "off") and not (policy.because or "").strip():
        file, line = merged.origins.get(("policy", "unassessable"), (name, 1))
        why = "`policy.unassessable` may be weakened only with `because:` saying why; every check will quote it"
        faults.setdefault(file, []).append((why, line))
    for rule, level in policy.rules.items():
        file, line = merged.origins.get(("policy", "rules", rule), (name, 1))
        if sentence := _find_fault(rule, level, policy):
            faults.setdefault(file, []).append((sentence, line))
    for file, ((message, line), *more) in faults.items():
        raise ConfigError(message, line, name=file, more=more)


def _find_fault(name: str, level: Level, policy: PolicyConfig) -> str:
    """A misspelt rule would change nothing and look as if it did; a weakening that has no effect would as well."""
    rules = {rule.id: rule for rule in RULES}
    if name not in rules:
        near = get_close_matches(name, rules, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(f'`{one}`' for one in near)}?" if near else f"; rules are {', '.join(rules)}"
        return f"`policy.rules`: there is no rule {name[:80]!r}{hint}"
    if rules[name].level == "unassessable" and level in ("warn", "off") and not (policy.because or "").strip():
        return (
            f"`policy.rules.{name}` may be weakened only with `policy.because:` saying why; every check will quote it"
        )
    return ""
