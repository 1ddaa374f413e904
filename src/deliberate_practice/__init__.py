"""Decide what a robot should practise with the time it has, and prove the decision optimal.

>>> import deliberate_practice as dp
>>> best = dp.allocate(dp.load_task("breakfast"), budget=60)
>>> best.goal, best.allocation
('oatmeal', {'OpenMicrowave': 30, 'CloseMicrowave': 30})
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from deliberate_practice.foundation.version import __version__ as __version__

if TYPE_CHECKING:
    from deliberate_practice.allocation.allocate import allocate as allocate
    from deliberate_practice.allocation.bilinear.program import build_program as build_program
    from deliberate_practice.allocation.frontier import Frontier as Frontier, frontier as frontier
    from deliberate_practice.allocation.frontier_chart import frontier_chart as frontier_chart
    from deliberate_practice.allocation.plan import Plan as Plan
    from deliberate_practice.allocation.plans import all_plans as all_plans
    from deliberate_practice.allocation.problem import build_problem as build_problem
    from deliberate_practice.allocation.result import Allocation as Allocation
    from deliberate_practice.allocation.sensitivity import sensitivity as sensitivity
    from deliberate_practice.allocation.verification import verify as verify
    from deliberate_practice.beliefs.belief import (
        Batch as Batch,
        Belief as Belief,
        EvidenceModel as EvidenceModel,
        Mixture as Mixture,
        Tests as Tests,
        register_belief as register_belief,
    )
    from deliberate_practice.beliefs.expected import expected_task as expected_task
    from deliberate_practice.charts.chart import (
        Chart as Chart,
        Look as Look,
        Panel as Panel,
        Series as Series,
    )
    from deliberate_practice.charts.registry import register_chart as register_chart
    from deliberate_practice.charts.write import write_chart as write_chart
    from deliberate_practice.foundation.errors import (
        DeliberatePracticeError as DeliberatePracticeError,
    )
    from deliberate_practice.learners.learner import Candidate as Candidate, Learner as Learner
    from deliberate_practice.learners.registry import register_learner as register_learner
    from deliberate_practice.mdp.export import write_mdp as write_mdp
    from deliberate_practice.mdp.ground_task import GroundTask as GroundTask
    from deliberate_practice.mdp.grounding import ground as ground
    from deliberate_practice.mdp.linear_program import solve_by_lp as solve_by_lp
    from deliberate_practice.mdp.routes import Route as Route
    from deliberate_practice.mdp.values import solve as solve
    from deliberate_practice.practice.domain import (
        Domain as Domain,
        Scene as Scene,
        load_task as load_task,
        make_robot as make_robot,
        practised_task as practised_task,
        register_domain as register_domain,
    )
    from deliberate_practice.practice.earning import (
        exact_earnings as exact_earnings,
        measured_earnings as measured_earnings,
    )
    from deliberate_practice.practice.episode import (
        follow_rule as follow_rule,
        run_episode as run_episode,
    )
    from deliberate_practice.practice.intention import Intention as Intention
    from deliberate_practice.practice.journal.mcap import write_mcap as write_mcap
    from deliberate_practice.practice.loop import practise as practise
    from deliberate_practice.practice.robot import (
        Approach as Approach,
        Choice as Choice,
        EarningRobot as EarningRobot,
        Earnings as Earnings,
        Followed as Followed,
        FollowingRobot as FollowingRobot,
        Result as Result,
        Robot as Robot,
        Step as Step,
        Trial as Trial,
        register_robot as register_robot,
    )
    from deliberate_practice.practice.run import run as run
    from deliberate_practice.practice.session import Session as Session
    from deliberate_practice.practice.sessions import (
        delete_session as delete_session,
        open_session as open_session,
        session_names as session_names,
        start_session as start_session,
    )
    from deliberate_practice.practice.showing.forecast import Forecast as Forecast, Growth as Growth
    from deliberate_practice.practice.showing.session_chart import session_chart as session_chart
    from deliberate_practice.practice.showing.summary import Summary as Summary
    from deliberate_practice.practice.sinks import (
        Sink as Sink,
        Written as Written,
        register_sink as register_sink,
    )
    from deliberate_practice.robots.filming import film as film
    from deliberate_practice.robots.gymnasium import GymRobot as GymRobot
    from deliberate_practice.robots.ros import RosRobot as RosRobot
    from deliberate_practice.service.remote_session import RemoteSession as RemoteSession
    from deliberate_practice.strategies.strategy import (
        Decision as Decision,
        Situation as Situation,
        register_strategy as register_strategy,
    )
    from deliberate_practice.study.comparison import compare as compare
    from deliberate_practice.study.engines import make_engine as make_engine
    from deliberate_practice.study.experiment import Experiment as Experiment, Study as Study
    from deliberate_practice.study.learning_curves import learning_curves as learning_curves
    from deliberate_practice.study.lerobot import lerobot_priors as lerobot_priors
    from deliberate_practice.study.prior_samples import prior_samples as prior_samples
    from deliberate_practice.study.priors.experience import learn_priors as learn_priors
    from deliberate_practice.study.quoting.page import quote_page as quote_page
    from deliberate_practice.study.quoting.quote import quote as quote
    from deliberate_practice.study.quoting.result import Quote as Quote
    from deliberate_practice.study.report.verdict import Verdict as Verdict, verdicts as verdicts
    from deliberate_practice.study.report.write import write_report as write_report
    from deliberate_practice.study.run_study import Finished as Finished, run_study as run_study
    from deliberate_practice.study.study_file import read_study as read_study
    from deliberate_practice.task.curves import (
        Curve as Curve,
        Exponential as Exponential,
        PiecewiseLinear as PiecewiseLinear,
        Table as Table,
    )
    from deliberate_practice.task.experience import (
        Experience as Experience,
        load_experience as load_experience,
    )
    from deliberate_practice.task.model import (
        Gap as Gap,
        Goal as Goal,
        ServedTask as ServedTask,
        Start as Start,
        Task as Task,
    )
    from deliberate_practice.task.new_task import new_task as new_task
    from deliberate_practice.task.outcome import Outcome as Outcome
    from deliberate_practice.task.pddl.explanation import (
        Explanation as Explanation,
        explain_pddl as explain_pddl,
    )
    from deliberate_practice.task.pddl.skeleton import new_pddl_task as new_pddl_task
    from deliberate_practice.task.pddl.task import Reading as Reading, read_pddl as read_pddl
    from deliberate_practice.task.skill import (
        Parameter as Parameter,
        PossibleEffect as PossibleEffect,
        Skill as Skill,
    )
    from deliberate_practice.task.toml_reader import parse_task as parse_task
    from deliberate_practice.task.toml_writer import (
        write_experience as write_experience,
        write_task as write_task,
    )

_HOME = {
    "Allocation": "allocation.result",
    "Approach": "practice.robot",
    "Batch": "beliefs.belief",
    "Belief": "beliefs.belief",
    "Candidate": "learners.learner",
    "Chart": "charts.chart",
    "Choice": "practice.robot",
    "Curve": "task.curves",
    "Decision": "strategies.strategy",
    "DeliberatePracticeError": "foundation.errors",
    "Domain": "practice.domain",
    "EarningRobot": "practice.robot",
    "Earnings": "practice.robot",
    "EvidenceModel": "beliefs.belief",
    "Experience": "task.experience",
    "Experiment": "study.experiment",
    "Explanation": "task.pddl.explanation",
    "Exponential": "task.curves",
    "Finished": "study.run_study",
    "Followed": "practice.robot",
    "FollowingRobot": "practice.robot",
    "Forecast": "practice.showing.forecast",
    "Frontier": "allocation.frontier",
    "Gap": "task.model",
    "Goal": "task.model",
    "GroundTask": "mdp.ground_task",
    "Growth": "practice.showing.forecast",
    "GymRobot": "robots.gymnasium",
    "Intention": "practice.intention",
    "Learner": "learners.learner",
    "Look": "charts.chart",
    "Mixture": "beliefs.belief",
    "Outcome": "task.outcome",
    "Panel": "charts.chart",
    "Parameter": "task.skill",
    "PiecewiseLinear": "task.curves",
    "Plan": "allocation.plan",
    "PossibleEffect": "task.skill",
    "Quote": "study.quoting.result",
    "Reading": "task.pddl.task",
    "RemoteSession": "service.remote_session",
    "Result": "practice.robot",
    "Robot": "practice.robot",
    "RosRobot": "robots.ros",
    "Route": "mdp.routes",
    "Scene": "practice.domain",
    "Series": "charts.chart",
    "ServedTask": "task.model",
    "Session": "practice.session",
    "Sink": "practice.sinks",
    "Situation": "strategies.strategy",
    "Skill": "task.skill",
    "Start": "task.model",
    "Step": "practice.robot",
    "Study": "study.experiment",
    "Summary": "practice.showing.summary",
    "Table": "task.curves",
    "Task": "task.model",
    "Tests": "beliefs.belief",
    "Trial": "practice.robot",
    "Verdict": "study.report.verdict",
    "Written": "practice.sinks",
    "all_plans": "allocation.plans",
    "allocate": "allocation.allocate",
    "build_problem": "allocation.problem",
    "build_program": "allocation.bilinear.program",
    "compare": "study.comparison",
    "delete_session": "practice.sessions",
    "exact_earnings": "practice.earning",
    "expected_task": "beliefs.expected",
    "explain_pddl": "task.pddl.explanation",
    "film": "robots.filming",
    "follow_rule": "practice.episode",
    "frontier": "allocation.frontier",
    "frontier_chart": "allocation.frontier_chart",
    "ground": "mdp.grounding",
    "learn_priors": "study.priors.experience",
    "learning_curves": "study.learning_curves",
    "lerobot_priors": "study.lerobot",
    "load_experience": "task.experience",
    "load_task": "practice.domain",
    "make_engine": "study.engines",
    "make_robot": "practice.domain",
    "measured_earnings": "practice.earning",
    "new_pddl_task": "task.pddl.skeleton",
    "new_task": "task.new_task",
    "open_session": "practice.sessions",
    "parse_task": "task.toml_reader",
    "practise": "practice.loop",
    "practised_task": "practice.domain",
    "prior_samples": "study.prior_samples",
    "quote": "study.quoting.quote",
    "quote_page": "study.quoting.page",
    "read_pddl": "task.pddl.task",
    "read_study": "study.study_file",
    "register_belief": "beliefs.belief",
    "register_chart": "charts.registry",
    "register_domain": "practice.domain",
    "register_learner": "learners.registry",
    "register_robot": "practice.robot",
    "register_sink": "practice.sinks",
    "register_strategy": "strategies.strategy",
    "run": "practice.run",
    "run_episode": "practice.episode",
    "run_study": "study.run_study",
    "sensitivity": "allocation.sensitivity",
    "session_chart": "practice.showing.session_chart",
    "session_names": "practice.sessions",
    "solve": "mdp.values",
    "solve_by_lp": "mdp.linear_program",
    "start_session": "practice.sessions",
    "verdicts": "study.report.verdict",
    "verify": "allocation.verification",
    "write_chart": "charts.write",
    "write_experience": "task.toml_writer",
    "write_mcap": "practice.journal.mcap",
    "write_mdp": "mdp.export",
    "write_report": "study.report.write",
    "write_task": "task.toml_writer",
}

__all__ = sorted(_HOME)  # pinned by a test


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package is instant."""
    if name not in _HOME:
        raise AttributeError(f"module 'deliberate_practice' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"deliberate_practice.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
