"""Competence as a function of practice: the paper's f_improv, one file per kind of curve."""

from deliberate_practice.curves.prediction import competence_table, predict, saturation, slope

__all__ = ["competence_table", "predict", "saturation", "slope"]
