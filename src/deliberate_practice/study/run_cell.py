"""One session of a study, from an empty journal to its reward."""

from __future__ import annotations

from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.watchdog import progress
from deliberate_practice.task.model import Task


def run_cell(experiment: Experiment, task: Task, cell: Cell) -> CellResult:
    """Run one session in a temporary journal.

    Args:
        experiment: Robot, approach and evaluation.
        task: The task as the robot practises it.
        cell: Strategy, belief, learner, budget and seed.
    """

    def told(session: Session, trial: Trial, result: Result) -> None:
        progress()

    done = run(
        task,
        experiment.robot,
        cell.budget,
        strategy=cell.strategy,
        belief=cell.belief,
        learner=cell.learner,
        approach=experiment.approach,
        seed=cell.seed,
        journal=None,  # a session that is cut short is run again from its beginning
        progress=told,
        executions=experiment.executions,
        point_executions=experiment.point_executions,
        every=experiment.every,
    )
    final = done.measured[-1]
    before = [point for point in done.measured if point.spent < final.spent]
    return CellResult(
        cell=cell,
        reward=final.earnings.reward,
        undiscounted=final.earnings.undiscounted,
        goal=final.goal,
        attempts=dict(done.attempts),
        curve=tuple((point.spent, point.earnings.reward) for point in (*before, final)),
        plan=final.plan,
        executions=len(final.earnings.successes) or None,
        episodes=dict(done.allocation),
        tests=dict(done.tests),
        skill_executions=done.skill_executions,
    )
