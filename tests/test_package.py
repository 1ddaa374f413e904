"""The package as users import it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import deliberate_practice as dp
from deliberate_practice.foundation.errors import TaskError


def test_public_names_are_pinned() -> None:
    assert dp.__all__ == [
        "Allocation",
        "Approach",
        "Batch",
        "Belief",
        "Candidate",
        "Chart",
        "Choice",
        "Curve",
        "Decision",
        "DeliberatePracticeError",
        "Domain",
        "EarningRobot",
        "Earnings",
        "EvidenceModel",
        "Experience",
        "Experiment",
        "Explanation",
        "Exponential",
        "Finished",
        "Followed",
        "FollowingRobot",
        "Forecast",
        "Frontier",
        "Gap",
        "Goal",
        "GroundTask",
        "Growth",
        "GymRobot",
        "Intention",
        "Learner",
        "Look",
        "Mixture",
        "Outcome",
        "Panel",
        "Parameter",
        "PiecewiseLinear",
        "Plan",
        "PossibleEffect",
        "Quote",
        "Reading",
        "RemoteSession",
        "Result",
        "Robot",
        "RosRobot",
        "Route",
        "Scene",
        "Series",
        "ServedTask",
        "Session",
        "Sink",
        "Situation",
        "Skill",
        "Start",
        "Step",
        "Study",
        "Summary",
        "Table",
        "Task",
        "Tests",
        "Trial",
        "Verdict",
        "Written",
        "all_plans",
        "allocate",
        "build_problem",
        "build_program",
        "compare",
        "delete_session",
        "exact_earnings",
        "expected_task",
        "explain_pddl",
        "film",
        "follow_rule",
        "frontier",
        "frontier_chart",
        "ground",
        "learn_priors",
        "learning_curves",
        "lerobot_priors",
        "load_experience",
        "load_task",
        "make_engine",
        "make_robot",
        "measured_earnings",
        "new_pddl_task",
        "new_task",
        "open_session",
        "parse_task",
        "practise",
        "practised_task",
        "prior_samples",
        "quote",
        "quote_page",
        "read_pddl",
        "read_study",
        "register_belief",
        "register_chart",
        "register_domain",
        "register_learner",
        "register_robot",
        "register_sink",
        "register_strategy",
        "run",
        "run_episode",
        "run_study",
        "sensitivity",
        "session_chart",
        "session_names",
        "solve",
        "solve_by_lp",
        "start_session",
        "verdicts",
        "verify",
        "write_chart",
        "write_experience",
        "write_mcap",
        "write_mdp",
        "write_report",
        "write_task",
    ]
    for name in dp.__all__:
        assert getattr(dp, name) is not None
    assert set(dp.__all__) <= set(dir(dp))


def test_importing_loads_no_solver_and_no_simulator() -> None:
    heavy = ["mujoco", "pyscipopt", "gurobipy", "highspy", "scipy.optimize", "matplotlib", "numpy"]
    code = f"import sys, deliberate_practice; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_allocating_loads_no_solver_that_it_does_not_use() -> None:
    code = (
        "import sys, deliberate_practice as dp; dp.allocate(dp.load_task('breakfast'), 30);"
        "heavy = ['pyscipopt', 'gurobipy', 'scipy.optimize', 'matplotlib'];"
        "print([m for m in heavy if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_errors_come_whole_out_of_another_process() -> None:
    error = TaskError("goals", "no goal can be reached.", "a.toml")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.place, again.file) == (str(error), "goals", "a.toml")
