"""References: parsing, evaluation, and what does not parse."""

from __future__ import annotations

import numpy as np
import pytest

from croqtile_mlir.reference.assignment import (
    Element,
    ReferenceTextError,
    Term,
    parse_products,
    parse_reference,
)

RANDOM = np.random.default_rng(0)
A = RANDOM.standard_normal((3, 4))
B = RANDOM.standard_normal((5, 4))
ROW = RANDOM.standard_normal(5)
TILES = {"a": A, "b": B, "row": ROW, "c": RANDOM.standard_normal((3, 5))}


def test_parsing():
    reference = parse_products("c[m,n] += 2 * a[m, k]*b[n,k]-a[m,k]")
    assert reference.result == Element("c", ("m", "n"))
    assert reference.terms[0] == Term(
        2.0, (Element("a", ("m", "k")), Element("b", ("n", "k")))
    )
    assert reference.terms[1] == Term(-1.0, (Element("a", ("m", "k")),))
    assert reference.summed == ("k",)
    assert reference.operands == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("c[m, n] += a[m, k] * b[n, k]", A @ B.T),
        ("c[m, n] += a[m, k] * b[n, k] + a[m, k]", A @ B.T + A.sum(1)[:, None]),
        ("c[m, n] = row[n]", np.broadcast_to(ROW, (3, 5))),
        ("c[m, n] = -c[m, n] - 0.5 * row[n]", -TILES["c"] - 0.5 * ROW),
        ("c[m, n] = scale * c[m, n] * row[n]", 3.0 * TILES["c"] * ROW),
        ("c[m, n] = 1", np.ones((3, 5))),
        ("row[n] += c[m, n]", TILES["c"].sum(0)),
    ],
)
def test_evaluation(text: str, wanted: object):
    got = parse_reference(text).evaluate(TILES, {"scale": 3.0})
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, np.asarray(wanted))


def test_a_transposed_result():
    tiles = {"a": A, "t": np.zeros((4, 3))}
    got = parse_reference("t[j, i] = a[i, j]").evaluate(tiles, {})
    np.testing.assert_array_equal(got, A.T)


def test_sums_over_nothing_are_zero():
    tiles = {"a": np.zeros((3, 0)), "b": np.zeros((5, 0)), "c": np.zeros((3, 5))}
    got = parse_reference("c[m, n] += a[m, k] * b[n, k]").evaluate(tiles, {})
    np.testing.assert_array_equal(got, np.zeros((3, 5)))


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("c[m, n] += a[m, k] * b[n, k]", 2 * 3 * 5 * 4),
        ("c[m, n] = c[m, n] + row[n]", 3 * 5),
        ("c[m, n] = 2 * c[m, n] + row[n]", 2 * 3 * 5),
        ("c[m, n] = c[m, n]", 0),
    ],
)
def test_operations(text: str, operations: int):
    shapes = {name: tile.shape for name, tile in TILES.items()}
    assert parse_reference(text).operations(shapes) == operations


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: must be a name, got the end"),
        ("c = a", r"column 3: must be \[ and the indices of the result"),
        ("c[m, n] a[m, n]", r"column 9: must be = or \+=, got 'a\[m, n\]'"),
        ("c[m, 3] = a[m, n]", "column 6: must be the name of an index, got '3"),
        ("c[m, n = a[m, n]", r"column 8: must be , or \], got '= a"),
        ("c[m] = a[m] +", "column 14: must be a name, got the end"),
        (
            "c[m] = __import__('os')",
            r"column 8: must be one of abs, .*got \"__import__",
        ),
        ("c[m] = a[m] % 2", "column 13"),
        ("c[m] = exp(a[m]", r"column 16: must be \), got the end"),
        ("c[m] = max(a[m])", "'max' must have 2 arguments, got 1"),
        ("t[m] = a[m];", "column 13: must be a name, got the end"),
        ("t[m] = a[m]; c[m] = t[m] $ 2", "column 26"),
        ("c[m] = exp(a[m, k])", r"a sum over k must be written \+="),
        ("c[m] = exp(a[m, m])", "indices of 'a' must be different"),
        ("c[m] = a[m, k]", r"a sum over k must be written \+="),
        ("c[m] += a[m, k] + b[m]", "every term must have the summed index k"),
        ("c[m, m] = a[m]", "the result's indices must be different"),
        ("c[m] = a[m, m]", "indices of 'a' must be different"),
    ],
)
def test_what_does_not_parse(text: str, message: str):
    with pytest.raises(ReferenceTextError, match=message):
        parse_reference(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c[m, n] = q[m, n]", r"'q' must be a tile argument \(a, b, row, c\)"),
        ("c[m, n] = a[m]", "'a' must have 2 indices, got 1"),
        ("c[m, n] = a[m, n]", "index n must run over 5 as elsewhere, got 4 in 'a'"),
        ("c[m, n] = scale", "'scale' must be an argument"),
        ("c[m, n] = exp(scale)", "'scale' must be an argument"),
        ("t[m] = row[n]; c[m, n] = t[m]", r"a sum over n must be written"),
        ("t[m] += row[n]; c[m, n] = t[m]", "index m of 't' must be one of its right"),
        ("t[m] max= a[m, n]; c[m, n] = exp(t[n])", "index n must run over 4 as else"),
        ("c[m, n] = exp(a[m])", "'a' must have 2 indices, got 1"),
        ("c[m, n] = exp(q[m, n])", r"'q' must be a tile argument \(a, b, row, c\)"),
    ],
)
def test_what_does_not_fit(text: str, message: str):
    with pytest.raises(ReferenceTextError, match=message):
        parse_reference(text).evaluate(TILES, {})


def test_several_assignments():
    reference = parse_reference(
        "t[m] max= a[m, k]; e[m, k] = exp(a[m, k] - t[m]); s[m] += e[m, k]; "
        "w[m, k] = e[m, k] / s[m]; c[m, n] += w[m, k] * b[n, k]"
    )
    assert reference.operands == {"a", "b"}
    assert reference.result == Element("c", ("m", "n"))
    assert reference.summed == ("k",)
    assert reference.factors == 2
    a, b = TILES["a"].astype(float), TILES["b"].astype(float)
    weights = np.exp(a - a.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_allclose(reference.evaluate(TILES, {}), weights @ b.T)


def test_means():
    reference = parse_reference("row[n] mean= c[m, n] * c[m, n]")
    expected = (TILES["c"].astype(float) ** 2).mean(0)
    np.testing.assert_allclose(reference.evaluate(TILES, {}), expected)


def test_functions_and_broadcasts():
    reference = parse_reference(
        "c[m, n] = max(-row[n], scale * (c[m, n] - 2)) + sqrt(abs(row[n]))"
    )
    assert reference.operands == {"c", "row"} | {"scale"}
    assert reference.summed == ()
    row, c = TILES["row"].astype(float), TILES["c"].astype(float)
    expected = np.maximum(-row, 3 * (c - 2)) + np.sqrt(np.abs(row))
    np.testing.assert_allclose(reference.evaluate(TILES, {"scale": 3.0}), expected)
    shapes = {name: tile.shape for name, tile in TILES.items()}
    assert reference.operations(shapes) == 7 * c.size


def test_several_results():
    """All that is assigned, in order; what a result was before is an operand."""
    reference = parse_reference(
        "row[n] mean= c[m, n]; d[m, n] = c[m, n] - row[n]; c[m, n] = c[m, n] + d[m, n]"
    )
    assert [element.name for element in reference.assigned] == ["row", "d", "c"]
    assert reference.operands == {"c"}
    found = reference.evaluate_all(TILES, {})
    c = TILES["c"].astype(float)
    np.testing.assert_allclose(found["row"], c.mean(0))
    np.testing.assert_allclose(found["c"], 2 * c - c.mean(0))
    with pytest.raises(ReferenceTextError, match="index n must run over 5 as"):
        reference.extents({"c": (3, 5), "row": (6,)})
