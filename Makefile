# Two commands are all the set-up there is: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --constraint constraints.txt
STEP := $(PYTHON) tools/step.py
ALONE = $(PYTHON) tools/alone.py $(MAKE) --silent --no-print-directory

.PHONY: paper-kitchen help run test quick acceptance benchmark speed general paper paper-quick results reference docs package install dev charts clean

# The core, without the longest tests and those that start processes of their own.
CORE := $(addprefix tests/, foundation task mdp allocation beliefs strategies learners practice golden \
  test_imports.py test_doctests.py) $(addprefix --ignore=tests/, practice/test_processes.py \
  practice/test_own_learners.py allocation/test_general.py allocation/test_exactness.py \
  allocation/test_frontier.py)
# Families of general tasks.
GENERAL := start,tasks,costs,starts,starts-costs,sharing,random
CHECKS = $(STEP) "checking style and formatting" "seconds" \
  sh -c '$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .' \
  && $(STEP) "checking types" "half a minute the first time" $(BIN)/mypy \
  && $(STEP) "checking which rooms import which" "seconds" $(BIN)/lint-imports --no-logo

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

run: install  ## a simulated Panda decides which drawer is worth learning in 150 episodes, and learns it; 1 minute
	@# Each run has a folder of its own: a second one harms neither the first nor its results.
	@mkdir -p results; number=1; \
	until mkdir results/run-$$number 2>/dev/null; do \
	  [ -e results/run-$$number ] || { echo "The folder results cannot be written to."; exit 1; }; \
	  number=$$((number + 1)); \
	done; \
	out=results/run-$$number; \
	echo "A simulated Panda practises for 150 episodes, and is filmed (about 1 minute)" && \
	$(BIN)/deliberate run cleanup --robot mujoco --approach free --budget 150 --name cleanup \
	  --db $$out/journal.db --picture $$out/cleanup.png --video $$out/cleanup.mp4 --video-quality fast && \
	echo && echo "How it learned, and what more time would buy (a few seconds)" && \
	$(BIN)/deliberate show cleanup --db $$out/journal.db --plot $$out/learning.png >/dev/null && \
	$(BIN)/deliberate frontier cleanup --robot mujoco --max-budget 300 --plot $$out/frontier.png && \
	printf '\nThe results are in %s:\n' $$out && \
	for file in "cleanup.mp4   the robot before and after practice" "cleanup.png   the moment that decides" \
	  "learning.png  how it learned" "frontier.png  what more time would buy" \
	  "journal.db    every episode; deliberate show cleanup --db $$out/journal.db"; do \
	  [ ! -e $$out/$${file%% *} ] || echo "  $$file"; \
	done && \
	if [ ! -e $$out/cleanup.mp4 ]; then :; \
	elif [ -n "$$DISPLAY" ] && command -v xdg-open >/dev/null; then xdg-open $$out/cleanup.mp4; \
	elif [ "$$(uname)" = Darwin ]; then open $$out/cleanup.mp4; fi

test: dev  ## lint, types, room contract and all tests; about 10 minutes on 2 cores
	@$(CHECKS)
	@$(STEP) --every 25 --show "running all tests" "about 8 minutes on 2 cores" \
	  $(BIN)/python -m pytest --quiet -rs --durations=15 --numprocesses auto

quick: dev  ## lint, types and the fast tests of the core, without solvers; under 1 minute on 2 cores
	@$(CHECKS)
	@DELIBERATE_QUICK=1 $(STEP) --every 25 --show "running the fast tests of the core" "half a minute on 2 cores" \
	  $(BIN)/python -m pytest --quiet --numprocesses auto -m "not slow" $(CORE)

acceptance: export DELIBERATE_ACCEPTANCE = 1
acceptance: test  ## the tests with thousands of random tasks

benchmark: dev  ## certified allocation against SCIP and Gurobi, and its growth; about 5 minutes
	@$(STEP) --every 25 --show "measuring" "about 5 minutes" $(BIN)/python benchmarks/allocation.py

speed: dev  ## measure solve times for the README, on a quiet machine; about 8 minutes
	@$(STEP) --every 25 --show "measuring" "about 8 minutes" $(BIN)/python benchmarks/allocation.py \
	  --families paper --scip-seconds 60 --json studies/measured/solvers.json
	$(BIN)/python docs/make_speed.py

general: dev  ## measure certified allocation of general tasks for the documentation; an hour, on a quiet machine
	@$(STEP) --every 60 --show "measuring" "about half an hour" env OMP_NUM_THREADS=1 $(BIN)/python \
	  benchmarks/allocation.py --full --families $(GENERAL),growth --scip-seconds 0 \
	  --json studies/measured/general-tasks.json
	@$(STEP) --every 60 --show "measuring SCIP" "about half an hour" env OMP_NUM_THREADS=1 $(BIN)/python \
	  benchmarks/allocation.py --families $(GENERAL) --seconds 30 --scip-seconds 60 \
	  --json studies/measured/general-scip.json
	$(BIN)/python docs/make_tables.py

paper: charts  ## every figure of the paper with a report in results/paper; hours, may be stopped and goes on
	$(BIN)/deliberate compare studies/paper.toml --out results/paper
	test -f results/paper/solvers.json || $(STEP) --every 25 --show "measuring solvers" "about 5 minutes" \
	  $(BIN)/python benchmarks/allocation.py --families paper --scip-seconds 60 --json results/paper/solvers.json
	$(BIN)/deliberate report results/paper

paper-quick: charts  ## the same with fewer sessions, in results/paper-quick; at most 5 minutes
	$(BIN)/deliberate compare studies/paper-quick.toml --out results/paper-quick
	$(STEP) --every 25 --show "measuring solvers" "half a minute" \
	  $(BIN)/python benchmarks/allocation.py --families paper --quick --json results/paper-quick/solvers.json
	$(BIN)/deliberate report results/paper-quick

paper-kitchen: charts  ## the comparison in Kitchen with a report in results/kitchen; about 50 minutes on 2 cores, goes on
	$(BIN)/deliberate compare studies/kitchen.toml --out results/kitchen
	$(BIN)/deliberate report results/kitchen

results: dev  ## write docs/results.md anew from the sessions of the studies
	$(BIN)/python docs/make_results.py

reference: dev  ## write the references and the outputs in docs anew
	$(BIN)/python docs/make_cli_reference.py
	$(BIN)/python docs/make_api_reference.py
	$(BIN)/python docs/make_transcripts.py
	$(BIN)/python docs/make_concepts.py
	$(BIN)/python docs/make_gallery.py
	$(BIN)/python docs/make_tables.py

docs: dev  ## build the documentation as a site in results/site
	$(BIN)/python docs/make_site.py

package: dev  ## build the wheel and the source archive in dist, and check the page of the package index
	@rm -rf dist
	@$(STEP) "building the package" "seconds" $(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*

install:  ## make .venv and install the package
	@$(ALONE) .venv/.installed

dev:
	@$(ALONE) .venv/.dev

charts:
	@$(ALONE) .venv/.paper

.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 run"; exit 1; }
	@$(STEP) "making .venv" "seconds" $(PYTHON) -m venv .venv
	@$(STEP) "installing the package and the simulator into .venv" "1 or 2 minutes" \
	  $(PIP) --editable '.[sim,report,service]'
	@touch $@

.venv/.dev: .venv/.installed
	@$(STEP) "installing what tests need into .venv" "1 or 2 minutes" \
	  $(PIP) --editable '.[dev,docs,scip,gurobi,sim,ray,report,service]'
	@touch $@

.venv/.paper: .venv/.installed
	@$(STEP) "installing solvers and charts into .venv" "1 minute" $(PIP) --editable '.[scip,gurobi,sim,report]'
	@touch $@

clean:  ## remove what was made
	rm -rf .venv .venv-* results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
