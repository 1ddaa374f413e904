"""Tokens: who may use the service, and for what.

A token is ``dp_IDENTIFIER_SECRET``. The identifier is public and finds the row; the secret has 256
random bits, and the row holds its SHA-256 alone.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Literal, get_args

from deliberate_practice.foundation.checks import check_name, one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.service.store import ServiceStore

Role = Literal["admin", "robot", "read-only"]
"""``admin`` may do everything; ``robot`` asks, tells, notes and reads; ``read-only`` reads."""

ROLES: tuple[Role, ...] = get_args(Role)
FORM = re.compile(r"dp_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
NO_DIGEST = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Token:
    """A token without its secret.

    Attributes:
        id: Its identifier.
        name: Its name, for people.
        role: ``admin``, ``robot`` or ``read-only``.
        session: The only session that it is for; None for all sessions.
        created: When it was made.
        revoked: When it was revoked; None while it is valid.
    """

    id: str
    name: str
    role: Role
    session: str | None
    created: str
    revoked: str | None


class NoSuchToken(ArgumentError):
    """There is no valid token with that identifier."""


def make_token(store: ServiceStore, role: str, name: str, session: str | None = None) -> str:
    """Make a token.

    Args:
        store: Where it is kept.
        role: Its role.
        name: Its name, for people.
        session: The only session that it is for; not with ``admin``.

    Returns:
        The text that is shown once.

    Raises:
        ArgumentError: A value makes no sense.
    """
    role = one_of("role", role, ROLES, ArgumentError)
    check_name("name", name, "left-arm")
    if session is not None:
        check_name("session", session, "monday")
        if role == "admin":
            raise ArgumentError("session: a token of an admin is for all sessions; leave it out.")
    identifier, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    store.add_token(identifier, name, role, session, _digest(secret))
    return f"dp_{identifier}_{secret}"


def tokens(store: ServiceStore) -> list[Token]:
    """All tokens, oldest first."""
    return [Token(*row) for row in store.token_rows()]  # type: ignore[arg-type]  # as written


def revoke(store: ServiceStore, identifier: str) -> None:
    """Revoke a token: from now on it opens nothing.

    Raises:
        NoSuchToken: There is none, or it was revoked before.
    """
    if not store.revoke("id", identifier):
        raise NoSuchToken(
            f"token: {identifier!r} is not the identifier of a valid token; "
            "deliberate tokens lists them."
        )


def find(store: ServiceStore, text: str) -> Token | None:
    """The valid token of a text; None for anything else.

    The time it takes does not depend on how much of the secret is right.
    """
    form = FORM.fullmatch(text)
    row = store.token_row(form[1]) if form else None
    *columns, digest = row or (None, NO_DIGEST)
    same = hmac.compare_digest(_digest(form[2] if form else text), str(digest))
    if not (row and same):
        return None
    token = Token(*columns)  # type: ignore[arg-type]  # as written
    return None if token.revoked else token


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
