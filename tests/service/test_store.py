"""The service's file while several connections and processes use it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from deliberate_practice.service.store import ServiceStore, service_path
from deliberate_practice.service.tokens import make_token, tokens

OTHER = """
import sys
from pathlib import Path
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token
store = ServiceStore(Path(sys.argv[1]))
make_token(store, "robot", "arm")
store.close()
"""


def test_another_process_leaves_the_log_in_place(tmp_path: Path) -> None:
    """A service has several connections; ``deliberate tokens`` opens and closes one beside them."""
    db = tmp_path / "lab.db"
    with closing(ServiceStore(db)) as first, closing(ServiceStore(db)) as second:
        make_token(first, "admin", "ada")
        assert len(tokens(second)) == 1
        subprocess.run([sys.executable, "-c", OTHER, str(db)], check=True)
        assert Path(f"{service_path(db)}-wal").exists()
        make_token(first, "read-only", "eve")
        assert [token.name for token in tokens(second)] == ["ada", "arm", "eve"]
