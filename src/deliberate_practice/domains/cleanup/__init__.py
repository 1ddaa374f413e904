"""Cleanup and Cleanup-Multi: clear a table into the drawer that is worth it."""

from deliberate_practice.domains.cleanup.task import cleanup

__all__ = ["cleanup"]
