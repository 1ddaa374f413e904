"""Settings of the service: where it listens, the names it answers to, and its limits."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, field
from pathlib import Path

from deliberate_practice.foundation.checks import check_name, whole_number
from deliberate_practice.foundation.errors import ArgumentError, refuse

HOST = "127.0.0.1"
PORT = 8712
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """What one user of the service may ask of it.

    Attributes:
        body: The longest request [bytes].
        rate: Requests of one token [1/s], over a longer time.
        burst: Requests of one token at once.
        failures: Requests without a valid token from one address [1/s], over a longer time.
        failures_burst: The same at once.
        streams: Open streams of events of one token.
        all_streams: Open streams of all tokens together.
        sessions: Sessions that are kept open.
        wait: The longest time that an ask may wait [s].
        work: The longest time for an allocation or a frontier [s].
    """

    body: int = 1_000_000
    rate: float = 100.0
    burst: int = 300
    failures: float = 5.0
    failures_burst: int = 20
    streams: int = 10
    all_streams: int = 100
    sessions: int = 32
    wait: float = 60.0
    work: float = 5.0


@dataclass(frozen=True)
class ServiceSettings:
    """Settings of the service.

    Attributes:
        db: The journal.
        host: The address to listen at.
        port: The port; 0 takes a free one.
        tls_cert, tls_key: Files of a certificate and its key; both or none.
        insecure: Whether other computers may connect without TLS.
        names: Further names of this computer that requests may use.
        limits: Limits of its users.
    """

    db: Path
    host: str = HOST
    port: int = PORT
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    names: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def scheme(self) -> str:
        """``https`` with a certificate, else ``http``."""
        return "https" if self.tls_cert else "http"

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a request may have in its Host header, in lower case.

        A page of an attacker cannot use them: a browser sends the name that the page was loaded
        from, whatever address that name leads to.
        """
        own = {socket.gethostname(), socket.getfqdn()} if not is_loopback(self.host) else set()
        return frozenset(name.lower() for name in (*LOOPBACK, self.host, *self.names, *own))


def checked(settings: ServiceSettings) -> ServiceSettings:
    """Settings that are safe to serve with.

    Raises:
        ArgumentError: They are not.
    """
    check_name("--host", settings.host, HOST)
    whole_number("--port", settings.port, 0, 65_535)
    for name in settings.names:
        check_name("--allow-host", name, "lab-pc.local")
    half = (settings.tls_cert is None) != (settings.tls_key is None)
    if half:
        raise ArgumentError("--tls-cert, --tls-key: give both, or none.")
    for option, path in (("--tls-cert", settings.tls_cert), ("--tls-key", settings.tls_key)):
        if path is not None and not path.is_file():
            raise ArgumentError(f"{option}: {path}: there is no such file.")
    open_to_all = not is_loopback(settings.host) and settings.tls_cert is None
    fault = (
        "other computers could connect, and everything would be sent in clear text, tokens "
        "included. Give a certificate (--tls-cert FILE --tls-key FILE), leave --host out and use "
        "an SSH tunnel (ssh -L 8712:127.0.0.1:8712), or add --insecure on a network that you trust."
    )
    refuse(
        ArgumentError,
        f"--host {settings.host}",
        {fault: open_to_all and not settings.insecure},
    )
    return settings


def is_loopback(host: str) -> bool:
    """Whether an address, or every address of a name, is reached from this computer alone.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("::1")
    (True, False, True)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        raise ArgumentError(
            f"--host: {host!r} is no address of this computer; give e.g. 127.0.0.1 or 0.0.0.0."
        ) from None
    return all(ipaddress.ip_address(str(place[4][0])).is_loopback for place in found)
