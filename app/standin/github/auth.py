"""Who is calling: an App by its signed JWT, an installation by its token, a user by a personal access token, or nobody.

Rules of the JWT: docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App". A JWT is checked against the
real time, not the sandbox's skipped time, because the client signs it with its own clock. What a caller may do is
decided in `permits`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, TypeAlias

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from app.standin.github.errors import GitHubError, bad_credentials, not_found
from app.standin.github.permits import LEVELS
from app.standin.github.records import AccessToken, Account, AppRecord, InstallationRecord, RepoRecord
from app.standin.github.state import State

JWT_SECONDS = 600
TOKEN_REPOSITORIES = 500


@dataclass(frozen=True, slots=True)
class AppCaller:
    app: AppRecord


@dataclass(frozen=True, slots=True)
class InstallationCaller:
    installation: InstallationRecord
    token: AccessToken


@dataclass(frozen=True, slots=True)
class UserCaller:
    account: Account


@dataclass(frozen=True, slots=True)
class Anonymous:
    pass


Caller: TypeAlias = AppCaller | InstallationCaller | UserCaller | Anonymous


def make_key_pair(private_key_pem: str | None = None) -> tuple[str, str]:
    """An RSA key as GitHub hands it out (PKCS#1 PEM), fresh unless one is given, and its public half."""
    if private_key_pem is None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    else:
        return _read_key_pair(private_key_pem)
    return _write_key_pair(key)


@lru_cache(maxsize=4)
def _read_key_pair(pem: str) -> tuple[str, str]:
    return _write_key_pair(_rsa(serialization.load_pem_private_key(pem.encode(), password=None)))


def _write_key_pair(key: rsa.RSAPrivateKey) -> tuple[str, str]:
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


def _rsa(key: PrivateKeyTypes) -> rsa.RSAPrivateKey:
    if not isinstance(key, rsa.RSAPrivateKey):
        raise ValueError("a GitHub App signs with an RSA key")  # noqa: TRY004 - the caller's value, not its Python type
    return key


def find_caller(state: State, authorization: str | None) -> Caller:
    """The caller behind an Authorization header; raises 401 for credentials that are wrong, 403 when suspended."""
    if not authorization:
        return Anonymous()
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() not in {"bearer", "token"} or not secret:
        raise bad_credentials()
    if secret in state.tokens:
        return _installation_caller(state, state.tokens[secret])
    user = next((a for a in list(state.accounts.values()) if a.token is not None and a.token == secret), None)
    if user is not None:
        return UserCaller(user)
    if secret.count(".") == 2 and not secret.startswith("gh"):
        return AppCaller(_verify_jwt(state, secret))
    raise bad_credentials()


def _installation_caller(state: State, token: AccessToken) -> InstallationCaller:
    installation = state.installations.get(token.installation_id)
    if installation is None or token.expires_at <= state.clock.now():
        raise bad_credentials()
    if installation.suspended_at is not None:
        raise GitHubError(403, "This installation has been suspended")
    return InstallationCaller(installation, token)


def _verify_jwt(state: State, encoded: str) -> AppRecord:
    undecodable = GitHubError(401, "A JSON web token could not be decoded")
    try:
        claims: dict[str, Any] = jwt.decode(encoded, options={"verify_signature": False})
    except jwt.PyJWTError as error:
        raise undecodable from error
    issuer = str(claims.get("iss", ""))
    app = next((a for a in list(state.apps.values()) if issuer in (str(a.id), a.client_id)), None)
    if app is None:
        raise GitHubError(404, "Integration not found") if issuer else undecodable
    try:
        jwt.decode(
            encoded, app.public_key_pem, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False}
        )
    except jwt.PyJWTError as error:
        raise undecodable from error
    _check_times(claims)
    return app


def _check_times(claims: Mapping[str, Any]) -> None:
    issued, expires, now = claims.get("iat"), claims.get("exp"), time.time()
    if not isinstance(issued, int) or issued > now:
        reason = "must be an Integer representing the time that the assertion was issued"
        raise GitHubError(401, f"'Issued at' claim ('iat') {reason}")
    if not isinstance(expires, int) or expires <= now:
        reason = "must be a numeric value representing the future time at which the assertion expires"
        raise GitHubError(401, f"'Expiration time' claim ('exp') {reason}")
    if expires > now + JWT_SECONDS:
        raise GitHubError(401, "'Expiration time' claim ('exp') is too far in the future")


def mint_token(state: State, installation: InstallationRecord, body: Mapping[str, Any]) -> AccessToken:
    """A token for an installation, narrowed as `repositories`, `repository_ids` and `permissions` of the body ask.

    Raises 403 when suspended, 422 when more is asked than the installation has.
    """
    if installation.suspended_at is not None:
        raise GitHubError(403, "This installation has been suspended")
    repos = _narrowed_repos(state, installation, body)
    token = AccessToken(
        value=f"ghs_{secrets.token_urlsafe(40).replace('-', 'x').replace('_', 'y')[:36]}",
        installation_id=installation.id,
        permissions=_narrowed_permissions(installation, body.get("permissions")),
        repo_ids=None if repos is None else frozenset(repo.id for repo in repos),
        expires_at=state.now() + timedelta(seconds=state.limits.token_seconds),
    )
    with state.lock:
        state.tokens[token.value] = token
    return token


def _narrowed_repos(state: State, installation: InstallationRecord, body: Mapping[str, Any]) -> list[RepoRecord] | None:
    names, ids = body.get("repositories"), body.get("repository_ids")
    if names is None and ids is None:
        return None
    names, ids = list(names or ()), list(ids or ())
    if len(names) + len(ids) > TOKEN_REPOSITORIES:
        raise GitHubError(422, f"The number of repositories must not exceed {TOKEN_REPOSITORIES}.")
    seen = state.repos_of(installation)
    chosen = [r for r in seen if r.id in ids or r.name.lower() in {str(name).lower() for name in names}]
    if len(chosen) < len({*map(str, names)}) + len({*ids}):
        reason = "does not exist or is not accessible to the parent installation."
        raise GitHubError(422, f"There is at least one repository that {reason}")
    return chosen


def _narrowed_permissions(installation: InstallationRecord, asked: object) -> dict[str, str]:
    if asked is None:
        return dict(installation.permissions)
    if not isinstance(asked, dict):
        raise GitHubError(422, "The permissions requested are not valid.")
    for name, level in asked.items():
        granted = installation.permissions.get(name)
        if level not in LEVELS or granted is None or LEVELS[granted] < LEVELS[level]:
            raise GitHubError(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read", **asked}


def require_app(caller: Caller) -> AppRecord:
    """The calling App; raises 401 when the credentials are not an App's JWT."""
    match caller:
        case AppCaller(app):
            return app
        case _:
            raise GitHubError(401, "A JSON web token could not be decoded")


def own_installation(state: State, app: AppRecord, installation_id: int) -> InstallationRecord:
    """An installation of this App; 404 for anybody else's."""
    found = state.installations.get(installation_id)
    if found is None or found.app is not app:
        raise not_found()
    return found
