# SPDX-License-Identifier: Apache-2.0
"""The section on MODE.PACKING and MODE.COMPACT: bytes on the wire for three payload limits. Part of `paper`."""

from paper_common import filled, geometric_mean, table

LIMITS = (256, 512, 4096)
PARADIGMS = ("p2p", "write-combining", "packing", "packing-compact")
WIDE = ("packing-compact", "write-combining")


class Runs:
    def __init__(self, run, suite):
        self.run = run
        self.suite = suite
        self.wide = {limit: {} for limit in LIMITS}  # bytes with 128 lines, as multiples of those with 64

    def row(self, name):
        """Bytes as multiples of FinePack's, by limit and paradigm."""
        row = []
        for limit in LIMITS:
            by = self.run(name, ("finepack", *PARADIGMS), False, ["--payload", str(limit)])["by"]
            row += [by[p]["wire_bytes"] / by["finepack"]["wire_bytes"] for p in PARADIGMS]
            wide = self.run(name, WIDE, False, ["--payload", str(limit), "--entries", "128"])["by"]
            self.wide[limit][name] = {p: wide[p]["wire_bytes"] / by[p]["wire_bytes"] for p in WIDE}
        return row


def line(name, row):
    return [name, *(f"{value:.3f}" for value in row)]


def rows(runs, progress):
    found = {}
    for name in runs.suite:
        progress(f"packing, {name}")
        found[name] = runs.row(name)
    return found


def means(rows):
    """Geometric means by paradigm and limit, without ct, which is not the paper's."""
    rows = {name: row for name, row in rows.items() if name != "ct"}
    columns = [(p, limit) for limit in LIMITS for p in PARADIGMS]
    return {column: geometric_mean(row[i] for row in rows.values()) for i, column in enumerate(columns)}


def compact_text(by, means_of):
    name = "packing-compact"
    less = [100 * (1 - means_of[name, limit] / means_of["packing", limit]) for limit in LIMITS]
    more = {p: sum(cells[name, limit] > cells[p, limit] for cells in by.values() for limit in LIMITS) for p in PARADIGMS}
    most = max((1 - cells[name, limit] / cells["packing", limit], workload, limit) for workload, cells in by.items() for limit in LIMITS)
    worst = max((cells[name, limit] / cells["write-combining", limit], workload, limit) for workload, cells in by.items() for limit in LIMITS)
    return f"""With `gpulinkctl set-format compact` as well (packing-compact) a packet leaves in the compact form
    ([wire-format.md](wire-format.md#the-compact-form)) if that takes fewer bytes; the packets are those of packing. It takes
    {means_of[name, 256]:.2f} of FinePack's bytes at 256, {means_of[name, 512]:.2f} at 512, {means_of[name, 4096]:.2f} at 4096: {less[0]:.1f} %,
    {less[1]:.1f} % and {less[2]:.1f} % less than packing, at most {100 * most[0]:.0f} % ({most[1]}, {most[2]}). Of the {len(by) * len(LIMITS)} cases
    it takes more than packing in {more['packing']}, more than plain stores in {more['p2p']}, more than write combining in
    {more['write-combining']}, at most {worst[0]:.2f} times ({worst[1]}, {worst[2]})."""


KEPT_LINES = """Until 2026-11-28 a card could also hold the lines stored to first in a second queue of 64 lines (kept lines). That saved
    nothing on real programs and is removed: it took 0.777, 0.824 and 0.845 of FinePack's bytes here, where packing-compact takes 0.778,
    0.825 and 0.844, and cost 3,502 LUT and 4,040 LUT as memory."""


def wide_text(wide):
    """`wide`: of Runs."""
    mean = {p: {limit: geometric_mean(r[p] for name, r in of.items() if name != "ct") for limit, of in wide.items()} for p in WIDE}
    best = min((r["packing-compact"], name, limit) for limit, of in wide.items() for name, r in of.items())
    worst = max((r["packing-compact"], name, limit) for limit, of in wide.items() for name, r in of.items())

    def three(p):
        return f"{mean[p][256]:.3f} at 256, {mean[p][512]:.3f} at 512 and {mean[p][4096]:.3f} at 4096"

    return f"""A queue of 128 lines, which no card has (`gpulink-replay --entries 128`), takes with packing and the compact form
    {three('packing-compact')} of the bytes of one of 64, {best[0]:.3f} ({best[1]}, {best[2]}) to {worst[0]:.3f} times ({worst[1]}, {worst[2]}).
    Write combining with 128 lines takes {three('write-combining')} of its bytes with 64. That does not pay for twice the tags, byte
    enables and data: cards have 64."""


def section(rows, wide):
    means_of = means(rows)
    columns = [f"{p}, {limit}" for p, limit in means_of]
    by = {name: dict(zip(means_of, row)) for name, row in rows.items()}
    packing = [[cells["packing", limit] for cells in by.values()] for limit in LIMITS]
    worse = [sum(cells["packing", limit] > cells["write-combining", limit] for cells in by.values()) for limit in LIMITS]
    plain = sum(cells["packing", limit] > cells["p2p", limit] for cells in by.values() for limit in LIMITS)
    worst = max((cells["packing", limit] / cells["write-combining", limit], name, limit) for name, cells in by.items() for limit in LIMITS)
    lines = "\n".join(table(["workload", *columns], [*(line(name, row) for name, row in rows.items()), line("geometric mean without ct", means_of.values())]))
    words = f"""`gpulinkctl set-packing 1` ([wire-format.md](wire-format.md#packing)): a queue leaves when its lines are full, in as many
    packets as it takes, and not when one packet is. Most devices have a maximum payload size of 256 or 512 bytes; FinePack's paper has
    4096, at which a queue rarely holds more than a packet. The table has bytes on the wire as multiples of FinePack's at the same maximum
    payload size, otherwise with the parameters above. In the geometric mean without ct packing takes {means_of['packing', 256]:.2f} of FinePack's
    bytes at 256, {means_of['packing', 512]:.2f} at 512, {means_of['packing', 4096]:.2f} at 4096; the most in any row is
    {max(packing[0]):.3f}, {max(packing[1]):.3f} and {max(packing[2]):.3f}. It takes more than plain stores (p2p) in {plain} of them.
    Write combining, which may send bytes that nobody stored, takes less in {worse[0]}, {worse[1]} and {worse[2]} of {len(rows)} workloads;
    the worst ratio to it is {worst[0]:.2f} ({worst[1]}, {worst[2]})."""
    return f"""## Packing

{filled(words)}

{filled(compact_text(by, means_of))}

{filled(KEPT_LINES)}

{filled(wide_text(wide))}

{lines}
"""
