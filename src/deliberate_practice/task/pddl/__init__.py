"""Planners' files: PDDL and PPDDL domains and problems as tasks."""
