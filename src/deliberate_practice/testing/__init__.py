"""Conformance suites for user-defined parts; the built-in parts pass the same tests.

Call them from a test of your package:

    from deliberate_practice import testing

    def test_my_learner():
        testing.check_learner(MyLearner)

Each check raises an ``AssertionError`` that names the broken promise.
"""

from deliberate_practice.testing.beliefs import check_belief
from deliberate_practice.testing.charts import check_chart
from deliberate_practice.testing.domains import check_domain
from deliberate_practice.testing.learners import check_learner
from deliberate_practice.testing.robots import check_robot
from deliberate_practice.testing.strategies import check_strategy

__all__ = [
    "check_belief",
    "check_chart",
    "check_domain",
    "check_learner",
    "check_robot",
    "check_strategy",
]
