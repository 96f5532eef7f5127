# Everything runs in .venv, which the first target that needs it makes.
# On a machine whose python3 is too old:  make test PYTHON=python3.12

PYTHON ?= python3
BIN    := .venv/bin
META   := settings.ini setup.py pyproject.toml
WORKERS ?= 2
NB     ?=
CASES  ?=
SITE   ?=
OLDEST := OPENBLAS_CORETYPE=Nehalem NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR="$(CURDIR)/build/generic" OMP_NUM_THREADS=1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo lint test bounds-test lowest other-processors wheel-test mutants docs site-test lab notebooks export bench papers clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

demo: .venv/.installed ## two examples in under a minute; pictures go to fsnb-demo/
	$(BIN)/fsnb demo

lint: .venv/.installed-dev ## names, imports and habits of the code, by ruff; seconds
	$(BIN)/ruff check .

test: lint ## lint, run every notebook, then the tests
	OMP_NUM_THREADS=1 FSNB_CLAIMS=check $(BIN)/nbdev_test --n_workers $(WORKERS)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

wheel-test: .venv/.installed-dev ## build both archives, install the wheel in a new environment, try it; minutes
	OMP_NUM_THREADS=1 $(BIN)/python tools/wheel_test.py

mutants: .venv/.installed-dev ## plant faults one at a time, and see that a test fails; CASES="store" for some; a quarter of an hour
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants.py $(CASES)

bounds-test: .venv/.installed-dev ## the tests with every index of compiled code checked; half an hour
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/build/checked" OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(CASES)

lowest: .venv-lowest/.installed ## the tests on the lowest versions of settings.ini, by Python 3.11 or 3.12; half an hour
	NUMBA_CACHE_DIR="$(CURDIR)/build/lowest" OMP_NUM_THREADS=1 .venv-lowest/bin/python -m pytest -n $(WORKERS) --dist worksteal $(CASES)

other-processors: .venv/.installed-dev ## notebooks and tests with the arithmetic of a processor of 2008; most of an hour
	$(OLDEST) FSNB_CLAIMS=check $(BIN)/nbdev_test --n_workers $(WORKERS)
	$(OLDEST) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(CASES)

docs: .venv/.installed-dev ## build the site into _docs/
	$(BIN)/python tools/docs.py

site-test: .venv/.installed-dev ## every page in a browser, at two widths, light and dark; SITE=gdm/ for some
	$(BIN)/python tools/site_test.py $(SITE)

lab: .venv/.installed-dev ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab --config tools/jupyter_server_config.py --notebook-dir nbs

notebooks: .venv/.installed-dev ## run notebooks in place, then export; one only: NB=gdm/06_gdm, a chapter: NB=gdm
	OMP_NUM_THREADS=1 $(BIN)/python tools/notebooks.py $(NB)

export: .venv/.installed-dev ## notebooks into fsnb/ and README.md, without running them
	$(BIN)/python tools/export.py

bench: .venv/.installed-bench ## measured side by side with other packages
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m benchmarks

papers: .venv/.installed-bench ## the papers' tables and figures again; two hours
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m benchmarks papers

clean: ## remove .venv and everything that is built
	rm -rf .venv .venv-lowest _docs _proc build dist fsnb-demo *.egg-info .pytest_cache .hypothesis nbs/nbdev.yml
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than the metadata it was installed from, so a second run installs nothing.

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("fsnb needs Python 3.11 or newer, and $(PYTHON) is %d.%d.%d. Name a newer one: make PYTHON=python3.12 ..." % v[:3])'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --upgrade pip

.venv/.installed: $(META) | .venv/bin/python
	@echo 'installing into .venv, about a minute'
	$(BIN)/python -m pip install -qq -e .
	@touch $@

.venv/.installed-dev: $(META) | .venv/bin/python
	@echo 'installing into .venv, about a minute'
	$(BIN)/python -m pip install -qq -e ".[dev]"
	@touch .venv/.installed $@

.venv/.installed-bench: $(META) | .venv/bin/python
	@echo 'installing into .venv, about a minute'
	$(BIN)/python -m pip install -qq -e ".[dev,bench]"
	@touch .venv/.installed .venv/.installed-dev $@

.venv-lowest/.installed: $(META) tools/lowest.py
	@echo 'installing into .venv-lowest, about a minute'
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) tools/lowest.py > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install -qq -c .venv-lowest/lowest.txt -e ".[dev]"
	@touch $@
