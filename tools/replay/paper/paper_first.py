# SPDX-License-Identifier: Apache-2.0
"""NetCrafter's Fig. 8 for docs/papers.md: page walks first, and as many data accesses first. Part of `paper`."""

from paper_common import filled, geometric_mean, table, verdict

SEEDS = [1, 2, 3]  # of the choice of data accesses; of gups' updates too
VARIANTS = ["plain", "sequencing", "data-first"]
FREQUENT = 13  # per cent of the accesses that cross: the mean of the paper's Fig. 9
EFFECT = 0.005  # less than half a per cent is none, as with the inputs that lose


class Measured:
    """One input with one size of TLBs, by seed."""

    def __init__(self, every):
        plain = every[0]["plain"]
        accesses = sum(plain[what] for what in ("reads_crossed", "writes_crossed", "atomics_crossed"))
        self.share = 100 * plain["walk_crossings"] / (plain["walk_crossings"] + accesses)
        self.walks, self.data = ([by["plain"]["time_ns"] / by[variant]["time_ns"] for by in every] for variant in VARIANTS[1:])
        self.ahead = geometric_mean(by["data-first"]["first"]["mean_ns"] / by["plain"]["access"]["mean_ns"] for by in every)


def gather(run, names, sizes, tell):
    """`run(name, size, seed)` gives the results of VARIANTS by name."""
    found = {}
    for name in names:
        tell(f"netcrafter, page walks or data first, {name}")
        for size in sizes:
            found[name, size] = Measured([run(name, size, seed) for seed in SEEDS])
    return found


def means(ones):
    return [geometric_mean(s for one in ones for s in of(one)) for of in (lambda one: one.walks, lambda one: one.data)] if ones else [1, 1]


def holds(walks, data):
    return walks > 1 + EFFECT and data < 1 - EFFECT


def row(item, ones):
    walks, data = means(ones)
    each = sum(holds(*means([one])) for one in ones)
    return (item, f"{100 * (walks - 1):+.1f} %, {100 * (data - 1):+.1f} %; both so in {each} of {len(ones)}", "improves, worsens; a chart",
            verdict(holds(walks, data), "(9)"))


def frequent(found):
    return {key: one for key, one in found.items() if one.share >= FREQUENT}


def rows(found):
    often = frequent(found)
    gups = [one for (name, _), one in often.items() if name == "gups"]
    others = [one for (name, _), one in often.items() if name != "gups"]
    title = f"page walks first, as many data accesses first, where walks are {FREQUENT} % of the accesses or more"
    return [row(f"Fig. 8: {title}: gups", gups), row("the same, traces", others), row("the same, all inputs and sizes of TLBs below", list(found.values()))]


def note(found):
    """Of the comparison."""
    ahead = [one.ahead for one in found.values()]
    slower = [size for (name, size), one in found.items() if name == "gups" and means([one])[0] < 1 - EFFECT]
    return f"""Geometric means of the speed-up over plain, of the seeds {SEEDS[0]} to {SEEDS[-1]}. As many data accesses as of page walks cross in
        plain are chosen by chance and go first in their stead, requests and responses, by what sequencing does for walks: the same places in
        the switch and the queue ([netcrafter.md](netcrafter.md)). They take {min(ahead):.2f} to {max(ahead):.2f} of plain's mean access
        latency. An effect below {100 * EFFECT:.1f} % counts as none. {"With TLBs of " + ", ".join(map(named, slower)) + " entries gups loses with walks first (6)."
                                                                       if slower else ""}"""


def named(size):
    return f"{size[0]} and {size[1]}"


def cells(one):
    return [f"{one.share:.1f} %", f"{means([one])[0]:.3f}", f"{means([one])[1]:.3f}", f"{min(one.data):.3f} to {max(one.data):.3f}"]


def section(found):
    often = list(dict.fromkeys(name for name, _ in frequent(found)))
    intro = f"""Speed-up over plain with page walks first (sequencing), and with as many data accesses first instead (data-first, model only), and the
        latter's range over the seeds; shares of page walks as above. Data that goes first has no effect where walks are few, because as few
        go first. {FREQUENT} % of the accesses or more are reached by {" and ".join(often) or "none"}."""
    lines = table(["input", "entries of TLBs", "walks", "walks first", "data first", "by seed"],
                  [[name, named(size), *cells(one)] for (name, size), one in found.items()])
    return "\n".join(["## Fig. 8: page walks or data first", "", filled(intro), "", *lines]) + "\n"
