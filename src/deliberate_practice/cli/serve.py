"""``deliberate serve`` and ``tokens``: the sessions over HTTP, and who may use them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from deliberate_practice.cli.options import format_option
from deliberate_practice.cli.output import console, print_json, say, table
from deliberate_practice.cli.session_options import db_option
from deliberate_practice.foundation.checks import one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command

EXTRA = ("fastapi", "starlette", "pydantic", "uvicorn")
"""Packages of the extra ``service``."""


@click.command("serve")
@db_option
@click.option("--host", default="127.0.0.1", help="The address to listen at (127.0.0.1).")
@click.option("--port", type=int, default=8712, help="The port (8712); 0 takes a free one.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="A certificate, as PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its key, as PEM.")
@click.option(
    "--insecure",
    is_flag=True,
    help="Let other computers connect without TLS, on a network you trust.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another name of this computer that clients use. May be repeated.",
)
def serve_command(names: tuple[str, ...], **choices: Any) -> None:
    """Serve the sessions of a journal over HTTP. Robots may be on other computers.

    Without --host only this computer can connect. The first start prints a link with an admin's
    token, once. Commands can use the sessions at the same time.

    \b
    Examples:
      deliberate serve --db lab.db
      deliberate serve --db lab.db --host 0.0.0.0 --tls-cert lab.pem --tls-key lab.key
      ssh -L 8712:127.0.0.1:8712 lab-pc      on the robot's computer: a tunnel instead of TLS
    """
    try:
        from deliberate_practice.service.serving import serve
        from deliberate_practice.service.settings import ServiceSettings
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise ArgumentError(
            f"serve: {error.name} is not installed; run: {install_command('service')}"
        ) from None

    serve(ServiceSettings(**choices, names=names), say)


@click.command("tokens")
@click.option(
    "--new", "role", metavar="ROLE", help="Make a token with this role: admin, robot or read-only."
)
@click.option("--name", help="The name of the robot or person that will use it.")
@click.option("--session", help="The only session for which it is valid.")
@click.option("--revoke", "revoked", metavar="ID", help="Revoke this token at once.")
@db_option
@format_option
def tokens_command(
    role: str | None,
    name: str | None,
    session: str | None,
    revoked: str | None,
    db: Path,
    output: str,
) -> None:
    """List, make and revoke the tokens of the service.

    A robot's token may ask, tell, write notes and read; a read-only token may only read. A new
    token is printed once. Everything works while the service runs.

    \b
    Examples:
      deliberate tokens --db lab.db
      deliberate tokens --db lab.db --new robot --name left-arm --session monday
      deliberate tokens --db lab.db --revoke 3f9a1c0b77de
    """
    from deliberate_practice.practice.journal.journal import Journal
    from deliberate_practice.service.store import ServiceStore
    from deliberate_practice.service.tokens import make_token, revoke, tokens

    if role is None and (name or session):
        raise ArgumentError("--name, --session: they belong to a new token; add --new ROLE.")
    if not db.exists():
        raise ArgumentError(f"{db}: there is no such journal; name the file with --db.")
    if session is not None:
        with closing(Journal(db)) as journal:
            one_of("--session", session, journal.names(), ArgumentError)
    with closing(ServiceStore(db)) as store:
        if revoked is not None:
            revoke(store, revoked)
        made = make_token(store, role, name or role, session) if role is not None else None
        rows = [vars(token) for token in tokens(store)]
    if output == "json":
        print_json({"tokens": rows, **({"token": made} if made else {})})
    elif made:
        say(made)
    else:
        columns = ["id", "name", "role", "session", "created", "revoked"]
        cells = [[str(row[column] or "")[:19] for column in columns] for row in rows]
        console().print(table(columns, cells))
