"""The connection of the client: which failures it tries again, and where it sends nothing."""

from __future__ import annotations

import shutil
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from served import certificate

from deliberate_practice.service.deliberate_client import Connection, ServiceError, practise


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_failure_of_encryption_that_may_pass_is_tried_again(tmp_path: Path) -> None:
    own, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)

    class Recovering(HTTPServer):
        garbled = 4

        def get_request(self) -> tuple[socket.socket, Any]:
            plain, address = super().get_request()
            if self.garbled:
                self.garbled -= 1
                plain.sendall(b"garbled")
                return plain, address
            return context.wrap_socket(plain, server_side=True), address

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    lines: list[str] = []
    with Recovering(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # it says nothing
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        url = f"https://127.0.0.1:{server.server_address[1]}"
        assert Connection(url, "secret", own, say=lines.append).call("GET", "/api") == {}
        server.shutdown()
        thread.join()
    assert [line.partition(" (")[0] for line in lines] == [
        f"no answer from {url}", f"{url} answers again"
    ]  # fmt: skip


def test_redirects_are_not_followed(tmp_path: Path) -> None:
    seen: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/stolen")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        with pytest.raises(ServiceError, match="HTTP status 307"):
            practise(url, "s", lambda trial: "success", token="secret", folder=str(tmp_path))
        assert seen == ["/api/sessions/s/ask"]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
