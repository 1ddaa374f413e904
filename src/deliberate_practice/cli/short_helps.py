"""One line for each command, in the list that ``deliberate --help`` prints."""

from __future__ import annotations

SHORT = {
    "allocate": "Split a practice budget over the skills of TASK.",
    "frontier": "Show the best split for every budget up to a maximum.",
    "quote": "Say how much practice TASK needs to reach a target.",
    "check": "Validate TASK, and name the solver that applies.",
    "run": "Practise TASK on a simulated robot.",
    "start": "Start a session on TASK for your own robot.",
    "ask": "Hand out the next trial of session NAME.",
    "correct": "Correct the label of a trial of session NAME.",
    "ready": "Say that the scene of an open trial is set.",
    "pause": "Hand out no trial of session NAME until it is resumed.",
    "resume": "Go on with a session that was paused, ended or archived.",
    "block": "Let no trial of session NAME use SKILL.",
    "end": "End session NAME before its budget is spent.",
    "archive": "End session NAME, and leave it out of lists.",
    "delete": "Remove session NAME and all its trials for ever.",
    "refund": "Refund the cost of an aborted trial.",
    "show": "Show spending, plan, rewards and trials of session NAME.",
    "why": "Say why a trial of session NAME is run.",
    "forecast": "Show what to expect of session NAME at its end.",
    "robots": "List the robots of session NAME with their outcomes.",
    "film": "Film what session NAME came to.",
    "export": "Write the trials of session NAME as CSV.",
    "serve": "Serve the sessions of a journal over HTTP.",
    "client": "Print the client for a robot's computer.",
    "robot": "Practise with a robot of this computer over HTTP.",
    "compare": "Compare strategies on TASK over budgets and seeds.",
    "report": "Write a report on the study in DIR.",
    "priors": "Measure the learning curve of every skill of TASK.",
    "learn-priors": "Learn priors for new sessions from earlier ones.",
    "import-lerobot": "Print priors from the episodes of LeRobot datasets.",
    "plugins": "List every part that can be chosen by name.",
}
"""By command; the first sentence of the others is short enough for 80 characters."""
