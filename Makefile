# Everything a developer runs. Windows has no make: the README lists the same steps.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=

.PHONY: run test check lint types pytest bench fuzz soak screenshots docs clean

run: $(VENV)/run-ready  ## Serve Pantry at http://127.0.0.1:8189
	$(PY) standalone.py serve $(ARGS)

test: pytest  ## Everything that must hold before a change lands

check: lint types pytest  ## test, lint and types

pytest: $(VENV)/test-ready
	@$(PY) -m tests.prepare
	$(PY) -m pytest -n 2 $(ARGS)

lint: $(VENV)/test-ready
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(VENV)/test-ready
	$(PY) -m mypy

bench: $(VENV)/test-ready  ## Images per second, requests per thousand images, bytes of progress, loop lag
	$(PY) -m tests.bench $(ARGS)

fuzz: $(VENV)/test-ready  ## 100,000 damaged files through the readers
	$(PY) -m tests.recipes.fuzz $(ARGS)

soak: $(VENV)/test-ready  ## 20,000 images, vendors that refuse and break, a kill every few seconds
	$(PY) -m tests.jobs.soak $(ARGS)

screenshots: $(VENV)/test-ready  ## Take docs/images anew in a real Chromium
	@$(PY) -m tests.prepare
	$(PY) -m tests.comfyui.screenshots

docs: $(VENV)/test-ready  ## Write the documents that are made from tables: settings, HTTP API, OpenAPI
	$(PY) -m tests.structure.documents

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Pantry needs Python 3.10 or newer; try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python cannot make a virtual environment here. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/run-ready: $(VENV)/bin/python requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/test-ready: $(VENV)/run-ready tests/requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@
