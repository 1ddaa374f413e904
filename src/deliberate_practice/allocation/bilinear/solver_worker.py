"""The process in which a global solver runs.

``python -m deliberate_practice.allocation.bilinear.solver_worker`` reads one JSON object from
standard input and writes one to standard output. Solvers print, crash and sometimes abort; here
they cannot disturb the caller. All that they print is discarded.

Request: ``{"backend", "lp": path, "start": {name: value}, "gap", "time_limit": seconds or null}``.
Answer: ``{"values": {name: value} or null, "bound", "finished"}``, or ``{"error": kind,
"message": text}`` with kind ``missing``, ``licence``, ``size`` or ``failed``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

TOLERANCE = 1e-9
"""Feasibility and optimality tolerance of both solvers, also for reduced costs."""

Answer = dict[str, Any]


def main() -> None:
    """Answer one request."""
    answer_to = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # also discards the output of C code
    os.dup2(nowhere, 2)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    request = json.load(sys.stdin)
    try:
        answer = BACKENDS[request["backend"]](request)
    except ImportError as error:
        answer = {"error": "missing", "message": str(error)}
    except Exception as error:  # report any error of a solver to the parent in one line
        answer = {"error": "failed", "message": f"{type(error).__name__}: {error}"}
    with os.fdopen(answer_to, "w") as stream:
        json.dump(answer, stream)


def _end_with(parent: int) -> None:
    """End with the parent process, however that ends."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _scip(request: Mapping[str, Any]) -> Answer:
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    options = Path(request["lp"]).with_suffix(".opt")  # deleted together with the program
    # The bundled MUMPS can corrupt the heap on large models under its default ordering.
    options.write_text("mumps_pivot_order 0\n", encoding="ascii")
    parameters = {
        "nlpi/ipopt/optfile": str(options),
        "numerics/feastol": TOLERANCE,
        "numerics/dualfeastol": TOLERANCE,
        "limits/gap": request["gap"],
        "limits/time": request["time_limit"],
    }
    model.setParams({name: value for name, value in parameters.items() if value is not None})
    model.readProblem(request["lp"])
    if request["start"]:
        solution = model.createSol()
        for variable in model.getVars():
            model.setSolVal(solution, variable, request["start"][variable.name])
        model.addSol(solution)
    model.optimize()
    answer: Answer = {
        "values": None,
        "bound": float(model.getDualbound()),
        "finished": model.getStatus() in ("optimal", "gaplimit"),
    }
    best = model.getBestSol()
    if model.getNSols() and best is not None:
        answer["values"] = {v.name: float(best[v]) for v in model.getVars() if v.name[0] in "bp"}
        answer["bound"] = max(answer["bound"], float(model.getSolObjVal(best)))
    return answer


def _gurobi(request: Mapping[str, Any]) -> Answer:
    import gurobipy

    try:
        parameters = {
            "OutputFlag": 0,
            "LogToConsole": 0,
            "Threads": 1,
            "FeasibilityTol": TOLERANCE,
            "OptimalityTol": TOLERANCE,
            "IntFeasTol": TOLERANCE,
            "MIPGap": request["gap"],
            "TimeLimit": request["time_limit"],
        }
        given = {name: value for name, value in parameters.items() if value is not None}
        model = gurobipy.read(request["lp"], gurobipy.Env(params=given))
        if request["start"]:
            for variable in model.getVars():
                variable.Start = request["start"][variable.VarName]
        model.optimize()
    except gurobipy.GurobiError as error:
        size_limited = error.errno == gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED
        licence = error.errno == gurobipy.GRB.Error.NO_LICENSE
        kind = "size" if size_limited else "licence" if licence else "failed"
        return {"error": kind, "message": str(error)}
    answer: Answer = {
        "values": None,
        "bound": float(model.ObjBound),
        "finished": model.Status == gurobipy.GRB.OPTIMAL,
    }
    if model.SolCount:
        answer["values"] = {v.VarName: float(v.X) for v in model.getVars() if v.VarName[0] in "bp"}
        answer["bound"] = max(answer["bound"], float(model.ObjVal))
    return answer


BACKENDS: dict[str, Callable[[Mapping[str, Any]], Answer]] = {"scip": _scip, "gurobi": _gurobi}

if __name__ == "__main__":
    main()
