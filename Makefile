# Two commands are all the set-up there is: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: help run test acceptance benchmark paper paper-quick reference install clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

run: install  ## a simulated Panda decides which drawer is worth learning in 150 episodes, and learns it
	@mkdir -p results && rm -f results/demo.db*
	@$(BIN)/deliberate run cleanup --robot mujoco --approach free --budget 150 --name cleanup \
	  --db results/demo.db --picture results/cleanup.png --video results/cleanup.mp4
	@$(BIN)/deliberate show cleanup --db results/demo.db --plot results/learning.png >/dev/null
	@echo
	@$(BIN)/deliberate frontier cleanup --robot mujoco --max-budget 300 --plot results/frontier.png
	@echo "See results/cleanup.mp4, learning.png (how it went) and frontier.png (what more time buys)."
	@# Show the video where there is a screen.
	@if [ -n "$$DISPLAY" ] && command -v xdg-open >/dev/null; then xdg-open results/cleanup.mp4; \
	elif [ "$$(uname)" = Darwin ]; then open results/cleanup.mp4; fi

test: .venv/.dev  ## lint, types, room contract and all tests (DELIBERATE_ACCEPTANCE=1 for full counts)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest --quiet --numprocesses auto

acceptance: export DELIBERATE_ACCEPTANCE = 1
acceptance: test  ## the tests with thousands of random tasks

benchmark: .venv/.dev  ## plan search against SCIP and Gurobi, and its growth; about 5 minutes
	$(BIN)/python benchmarks/allocation.py

paper: .venv/.paper  ## every figure of the paper with a report in results/paper; hours, may be stopped and goes on
	$(BIN)/deliberate compare studies/paper.toml --out results/paper
	test -f results/paper/solvers.json || $(BIN)/python benchmarks/allocation.py --json results/paper/solvers.json
	$(BIN)/deliberate report results/paper

paper-quick: .venv/.paper  ## the same with fewer sessions, in results/paper-quick; at most 5 minutes
	$(BIN)/deliberate compare studies/paper-quick.toml --out results/paper-quick
	$(BIN)/python benchmarks/allocation.py --quick --time-limit 5 --json results/paper-quick/solvers.json
	$(BIN)/deliberate report results/paper-quick

reference: .venv/.dev  ## write docs/cli.md anew from the commands' own help
	$(BIN)/python docs/make_cli_reference.py

install: .venv/.installed  ## make .venv and install the package

.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[sim]'
	@touch $@

.venv/.dev: .venv/.installed
	$(PIP) --editable '.[dev,scip,gurobi,sim,ray,report]'
	@# A browser for the test of reports, where that is allowed; without one it is skipped.
	@command -v chromium google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && { apt-get -qq install --yes chromium || { apt-get -qq update && apt-get -qq install --yes chromium; }; } \
	  >/dev/null 2>&1; } || echo "There is no browser: its test will be skipped."
	@touch $@

.venv/.paper: .venv/.installed
	$(PIP) --editable '.[scip,gurobi,sim,report]'
	@touch $@

clean:  ## remove what was made
	rm -rf .venv results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
