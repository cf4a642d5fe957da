# SPDX-License-Identifier: Apache-2.0
"""The section on the terms of the time model: what each explains of the speed-ups that FinePack's paper has. Part of `paper`."""

from paper_common import filled, geometric_mean, near, table

METHODS = ("p2p", "dma", "finepack")
PAPER = {"finepack": 2.4, "finepack over p2p": 3.0, "finepack over dma": 1.4, "infinite bandwidth": 3.4}
# Terms, each by itself and together.
COPY, COMPUTE, SMALL = ["--copy-start", "10000"], ["--compute", "500"], [["--transaction", str(ns)] for ns in (2, 5, 10)]
ALL = "5 times, copies 10 us, 5 ns"
TERMS = {
    "as above": [],
    "copies start 10 us after a phase": COPY,
    "computing takes 5 times as long": COMPUTE,
    "computing takes 20 times as long": ["--compute", "2000"],
    "a transaction takes at least 2 ns": SMALL[0],
    "a transaction takes at least 5 ns": SMALL[1],
    "a transaction takes at least 10 ns": SMALL[2],
    ALL: COMPUTE + COPY + SMALL[1],
}


def means(run, names, words):
    """Geometric means over the workloads."""
    ones = [run(name, METHODS, True, words) for name in names]
    time = {m: [one["by"][m]["time_ps"] for one in ones] for m in METHODS}
    found = {m: geometric_mean(one["by"][m]["speed_up"] for one in ones) for m in METHODS}
    found["infinite bandwidth"] = geometric_mean(one["infinite_bandwidth_speed_up"] for one in ones)
    for other in ("p2p", "dma"):
        found[f"finepack over {other}"] = geometric_mean(a / b for a, b in zip(time[other], time["finepack"]))
    return found


def section(run, names, progress):
    rows = {}
    for name, words in TERMS.items():
        progress(f"time, {name}")
        rows[name] = means(run, names, words)
    columns = [*METHODS, "infinite bandwidth", "finepack over p2p", "finepack over dma"]
    five = rows["computing takes 5 times as long"]
    limits = {words[1]: rows[name]["finepack over p2p"] for name, words in TERMS.items() if words[:1] == ["--transaction"]}
    reached = [ns for ns, ratio in limits.items() if ratio >= PAPER["finepack over p2p"]]
    explained = {name: [c for c in PAPER if near([row[c]], [PAPER[c]])] for name, row in rows.items()}
    best = max(explained, key=lambda name: len(explained[name]))
    text = [
        """What the model of time leaves out, a term at a time: the driver's launch of copies (`--copy-start`), kernels that do not reach the
        data sheet's rates (`--compute`), and a limit of transactions a second in switches and receivers (`--transaction`), which costs
        small stores most. Geometric means of the paper's workloads without ct. The values are assumptions, chosen to span what is plausible, not
        measurements, and none is used elsewhere on this page. Credits, acknowledgements, read completions and the receiver's memory are
        not modelled.""",
        f"""More computing raises all methods and brings them together: with 5 times as much FinePack's own speed-up is {five['finepack']:.2f},
        for the paper's {PAPER['finepack']:g}, but its ratio to peer stores {five['finepack over p2p']:.2f}, for {PAPER['finepack over p2p']:g}. The
        launch of copies makes the ratio to copies {rows['copies start 10 us after a phase']['finepack over dma']:.2f}, for
        {PAPER['finepack over dma']:g}. By bandwidth alone the ratio to peer stores is
        {rows['as above']['finepack over p2p']:.2f}, and the paper's 3 is out of reach; with a limit of transactions it is
        {', '.join(f'{ratio:.2f} at {ns} ns' for ns, ratio in limits.items())}, so it is reached from {reached[0] if reached else 'no'} ns on. A
        store of 8 bytes takes 1 ns by bandwidth at PCIe 4 x16, and we have no measurement that says which limit a real switch has. All
        three together give {rows[ALL]['finepack']:.2f}, {rows[ALL]['finepack over p2p']:.2f} over peer stores and
        {rows[ALL]['finepack over dma']:.2f} over copies. The row with most of the paper's {len(PAPER)} numbers within 5 % is "{best}":
        {', '.join(explained[best])}; {'no row has all' if len(explained[best]) < len(PAPER) else 'all'}.""",
    ]
    lines = table(["", *columns], [*([name, *(f"{row[c]:.2f}" for c in columns)] for name, row in rows.items()),
                                   ["the paper's", *(f"{PAPER[c]:.1f}" if c in PAPER else "-" for c in columns)]])
    return "\n".join(["## Terms of the time model", "", *(filled(t) + "\n" for t in text), *lines, ""])
