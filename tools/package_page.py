"""The page on the package index: the README with links that work there, and addresses.

The setting ``address`` of ``[tool.hatch.metadata.hooks.custom]`` in pyproject.toml is the address
of the repository. While it is empty, the package names no addresses and the README stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?://|#|mailto:)([^)\s]+)(\))")
"""A link or a picture in Markdown whose target is a file of the repository."""


class PackagePage(MetadataHookInterface):
    """Fills in the fields ``readme`` and ``urls`` of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both fields from README.md and the address."""
        address = str(self.config.get("address", "")).rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute_links(text, address) if address else text,
        }
        metadata["urls"] = urls(address) if address else {}


def absolute_links(text: str, address: str) -> str:
    """The text with addresses in place of files of the repository.

    Args:
        text: Markdown.
        address: The repository's address.
    """

    def replaced(found: re.Match[str]) -> str:
        picture, opening, target, closing = found.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}{opening}{address}/{kind}/main/{target}{closing}"

    return LINK.sub(replaced, text)


def urls(address: str) -> dict[str, str]:
    """The addresses that the package index lists."""
    return {
        "Source": address,
        "Documentation": f"{address}/blob/main/README.md#read-on",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
