# Two commands do all that they need on a machine with python3 and make:
#   make demo   set up, then compile, run and check the seed kernel: on a Hopper GPU or,
#               without one, in the simulator
#   make test   set up, then the whole suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests start many processes, which then need not compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check docs lit pytest clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, got %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/croq-run examples/matmul_1p1c.mlir --check

# Two things at a time: pyright and the documentation are one process each.
test:
	$(MAKE) -j2 check docs lit
	$(MAKE) pytest

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

# The site is in build/site.
docs: $(VENV)/installed
	$(BIN)/mkdocs build --strict --quiet

lit: $(VENV)/installed
	$(BIN)/lit -v test

pytest: $(VENV)/installed
	$(BIN)/python -m pytest -n auto --dist worksteal

clean:
	rm -rf $(VENV) build dist *.egg-info
