# SPDX-License-Identifier: Apache-2.0
"""Means, tables, wrapped text, verdicts and measured times that all sections of docs/papers.md use. Part of `paper`."""

import json
import math
import pathlib
import textwrap

TOLERANCE = 0.05  # of "agrees"
# What tests/gpu/cuda_rates printed for an H100 on PCIe 5, with memory of the host as destination.
H100 = json.loads((pathlib.Path(__file__).parents[3] / "tests/gpu/rates_h100.json").read_text(encoding="utf-8"))


def geometric_mean(values):
    values = list(values)
    return math.exp(math.fsum(math.log(v) for v in values) / len(values))


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def table(head, rows):
    """Lines of a Markdown table; all columns but the first are right-aligned."""
    return ["| " + " | ".join(map(str, head)) + " |", "|---" + "|---:" * (len(head) - 1) + "|",
            *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def comparison(rows, whose="the paper's"):
    """Lines of a table of our results beside a paper's: (item, ours, the paper's, note)."""
    return [f"| item | ours | {whose} | note |", "|---|---|---|---|", *("| " + " | ".join(row) + " |" for row in rows)]


def filled(text, first="", rest=""):
    return textwrap.fill(" ".join(text.split()), 128, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def bullets(items):
    return "\n".join(filled(item, "* ", "  ") for item in items)


def numbered(items):
    return "\n".join(filled(item, f"{number}. ", " " * len(f"{number}. ")) for number, item in enumerate(items, 1))


def near(ours, theirs):
    return all(abs(a / b - 1) <= TOLERANCE for a, b in zip(ours, theirs))


def verdict(good, note=""):
    """Of a comparison, with the number of a note."""
    return " ".join(filter(None, ["agrees" if good else "differs", note]))


def uncompared(why, note=""):
    """For a row whose numbers no verdict can be had of."""
    return " ".join(filter(None, [f"not compared: {why}", note]))


def verdict_twice(without_ct, with_ct, note=""):
    """Of means without and with our ct: where only one agrees, ct decides."""
    if without_ct == with_ct:
        return verdict(without_ct, note)
    return f"agrees only {'without' if without_ct else 'with'} ct {note}".strip()
