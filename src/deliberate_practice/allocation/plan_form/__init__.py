"""Certified allocation for tasks in plan form: see docs/plan-form.md."""
