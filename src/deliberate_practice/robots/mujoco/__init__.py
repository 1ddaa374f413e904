"""Robots simulated with MuJoCo."""
