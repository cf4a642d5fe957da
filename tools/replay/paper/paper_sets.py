# SPDX-License-Identifier: Apache-2.0
"""The section on inputs besides the workloads: which of them a choice was made on (design), and which not (report). Traces of MGPUSim,
other and renumbered graphs, streams made to be hard. Part of `paper`."""

import gzip
import random

from paper_common import filled, geometric_mean, table
from paper_record import DATA

LIMITS = (256, 4096)
METHODS = ("p2p", "write-combining", "compact", "packing", "packing-compact")
TRACES = ["fir32k", "matrixtranspose1024", "pagerank_cage8_it2", "spmv_rgg15", "stencil2d256"]
# Workload, graph of tests/data or made here, options.
GRAPHS = {
    "pagerank, wiki-Vote": ("pagerank", "wiki-Vote.txt.gz", "--iterations 3"),
    "pagerank, wiki-Vote renumbered": ("pagerank", "renumbered.txt", "--iterations 3"),
    "pagerank, R-MAT": ("pagerank", "rmat.txt", "--iterations 2"),
    "pagerank, 3elt": ("pagerank", "3elt.mtx.gz", "--iterations 5"),
    "sssp, R-MAT": ("sssp", "rmat.txt", ""),
    "sssp, power": ("sssp", "power.graph.gz", ""),
    "bfs, 3elt": ("bfs", "3elt.mtx.gz", ""),
    "mis, R-MAT": ("mis", "rmat.txt", ""),
    "spmv, power": ("spmv", "power.graph.gz", "--iterations 3"),
}
# Packing's rule (a queue leaves when entries are full) was chosen by a simulation with these or nearly these, and with workloads of the
# first tables; the compact form was not.
PACKING_DESIGN = ["pagerank, wiki-Vote", "random 8 B in 64 MiB", "random 8 B in 16 KiB", "hot set of 8 KiB", "zipf 1.0 in 1 MiB",
                  "zipf 1.3 in 1 MiB", "sequential 8 B", "63 hot lines and a cold one", "alternating hot sets of 6 KiB",
                  "random lines in 10 KiB", "mixed 1 to 128 B"]
WIDE = ("packing-compact", "write-combining")
WIDTHS = [2, 3, 4, 5, 6]
STORES = 20000
RMAT_SCALE, RMAT_EDGES = 13, 8  # edges a vertex
SEED, ADDED_SEED = 1, 7
KIB = 1024


def rmat(chance):
    """Edges with the probabilities 0.57, 0.19, 0.19, 0.05 (Chakrabarti et al., 2004)."""
    for _ in range(RMAT_EDGES << RMAT_SCALE):
        row = column = 0
        for _ in range(RMAT_SCALE):
            dice = chance.random()
            row, column = 2 * row + (dice >= 0.76), 2 * column + (0.57 <= dice < 0.76 or dice >= 0.95)
        if row != column:
            yield row, column


def renumbered(chance):
    """wiki-Vote with its vertices in a random order."""
    lines = gzip.decompress((DATA / "wiki-Vote.txt.gz").read_bytes()).decode().splitlines()
    edges = [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]
    order = list(range(1 + max(max(edge) for edge in edges)))
    chance.shuffle(order)
    return [(order[a], order[b]) for a, b in edges]


def zipf(chance, count, power):
    """Draws of 0 .. count - 1 with the probability of rank^-power, in a random order of the numbers."""
    numbers = list(range(count))
    chance.shuffle(numbers)
    return chance.choices(numbers, weights=[(rank + 1) ** -power for rank in range(count)], k=STORES)


def streams(chance):
    """{name: [(address, size)]}, each to one destination."""
    eight = {
        "random 8 B in 64 MiB": [chance.randrange(8 << 20) for _ in range(STORES)],
        "random 8 B in 16 KiB": [chance.randrange(2 * KIB) for _ in range(STORES)],
        "hot set of 8 KiB": [chance.randrange(KIB) for _ in range(STORES)],
        "zipf 1.0 in 1 MiB": zipf(chance, 128 * KIB, 1.0),
        "zipf 1.3 in 1 MiB": zipf(chance, 128 * KIB, 1.3),
        "sequential 8 B": range(STORES),
        "63 hot lines and a cold one": [(i % 64) * 16 if i % 64 < 63 else 1024 + 16 * i for i in range(STORES)],
        "alternating hot sets of 6 KiB": [chance.randrange(768) + 768 * 16 * (i // 2000 % 2) for i in range(STORES)],
    }
    made = {name: [(8 * word, 8) for word in words] for name, words in eight.items()}
    made["random lines in 10 KiB"] = [(128 * chance.randrange(80), 128) for _ in range(STORES)]
    made["single bytes, each second one"] = [(2 * i, 1) for i in range(STORES)]
    made["single bytes of random lines"] = [(128 * chance.randrange(1 << 20) + 64, 1) for _ in range(STORES)]
    made["windows of 1 GiB in turn"] = [((i % 2 << 40) + 8 * i, 8) for i in range(STORES)]
    made["mixed 1 to 128 B"] = [(128 * chance.randrange(1 << 18) + at, chance.randint(1, 128 - at))
                                for at in (chance.randrange(128) for _ in range(STORES))]
    return made | added(random.Random(ADDED_SEED))


def added(chance):
    """Streams that were added to those that packing was designed with."""
    line = 128
    return {
        "sliding window of 40 lines": [(line * (i // 2 - (40 if i % 2 else 0)) + 8 * chance.randrange(16), 8) for i in range(80, STORES)],
        "8 KiB at random, moves each 1000": [(8 * chance.randrange(KIB) + 8 * KIB * (i // 1000), 8) for i in range(STORES)],
        "40 hot lines and cold ones 4:1, 128 B": [(scattered(i), line) if i % 5 == 0 else ((1 << 28) + line * chance.randrange(40), line)
                                                  for i in range(STORES)],
        "16 hot lines and cold ones 1:1, 8 B": [(scattered(i // 2), 8) if i % 2 else
                                                ((1 << 28) + line * chance.randrange(16) + 8 * chance.randrange(16), 8) for i in range(STORES)],
        "100 sequential streams of 8 B": [((i % 100 << 20) + 8 * (i // 100), 8) for i in range(STORES)],
        "random lines in 20 KiB": [(line * chance.randrange(160), line) for _ in range(STORES)],
    }


def scattered(number):
    """A line in 128 MiB, another for each number."""
    return number * 2654435761 % (1 << 20) * 128


class Runs:
    """`output` runs gpulink-replay; `made` is a folder for inputs, made here if `makes`."""

    def __init__(self, output, made, makes):
        self.output, self.made = output, made
        self.streams = streams(random.Random(SEED))
        if makes:
            self.make()

    def make(self):
        for name, edges in (("rmat.txt", rmat), ("renumbered.txt", renumbered)):
            (self.made / name).write_text("".join(f"{a} {b}\n" for a, b in edges(random.Random(SEED))), encoding="ascii")
        for number, stores in enumerate(self.streams.values()):
            lines = [f"{1000 * i},0,1,store,{at},{size}" for i, (at, size) in enumerate(stores)]
            self.stream(number).write_text("\n".join(["time_ps,source,destination,operation,address,size", *lines, ""]), encoding="ascii")

    def stream(self, number):
        return self.made / f"stream-{number}.csv"

    def bytes_of(self, words, limit):
        """Bytes on the wire by method, as multiples of FinePack's at the same payload limit."""
        found = self.output("run", *words, "--payload", str(limit), "--paradigms", ",".join(("finepack", *METHODS)), "--no-time", "-o", "json")
        by = {p["name"]: p["wire_bytes"] for p in found["paradigms"]}
        return {method: by[method] / by["finepack"] for method in METHODS}

    def wide(self, words, limit):
        """The same of packing-compact and write combining with 128 lines, as multiples of theirs with 64."""
        few, many = ({p["name"]: p["wire_bytes"] for p in self.output("run", *words, "--payload", str(limit), *more, "--no-time", "-o", "json")["paradigms"]}
                     for more in (["--paradigms", ",".join(("finepack", *METHODS))], ["--entries", "128", "--paradigms", ",".join(WIDE)]))
        return {method: many[method] / few[method] for method in WIDE}

    def widths(self, words):
        """FinePack's bytes by width, and the compact form's, at the larger payload limit."""
        found = {}
        for width in WIDTHS:
            methods = "finepack,compact" if width == 5 else "finepack"
            one = self.output("run", *words, "--payload", str(LIMITS[1]), "--subheader", str(width), "--paradigms", methods, "--no-time",
                              "-o", "json")
            found |= {width if p["name"] == "finepack" else p["name"]: p["wire_bytes"] for p in one["paradigms"]}
        return found

    def graphs(self):
        for name, (workload, file, options) in GRAPHS.items():
            yield name, ["--workload", workload, "--input", str((DATA if file.endswith(".gz") else self.made) / file), *options.split()]

    def inputs(self):
        for name in TRACES:
            yield f"trace {name}", ["--trace", str(DATA / "mgpusim" / f"{name}.rtr.zst")]
        for name, words in self.graphs():
            yield name, [*words, "--seed", "1"]
        for number, name in enumerate(self.streams):
            yield name, ["--trace", str(self.stream(number))]

    def all(self):
        return {name: {limit: self.bytes_of(words, limit) for limit in LIMITS} for name, words in self.inputs()}

    def all_wide(self):
        return {name: {limit: self.wide(words, limit) for limit in LIMITS} for name, words in self.inputs()}

    def all_widths(self):
        return {name: self.widths(words) for name, words in self.inputs()}


def losers(rows, bad):
    found = [name for name, row in rows.items() if bad(row)]
    return f"{len(found)} of {len(rows)}" + (f" ({', '.join(found)})" if found else "")


def row(name, cells):
    return [name, *(f"{cells[limit][method]:.3f}" for limit in LIMITS for method in METHODS)]


def better(cells):
    return min(cells["p2p"], cells["write-combining"])


def means(rows):
    return {limit: {m: geometric_mean(r[limit][m] for r in rows.values()) for m in METHODS} for limit in LIMITS}


def less(ratio):
    return f"{100 * (1 - ratio):.1f} %"


def least(percents):
    values = sorted(float(p.split()[0]) for p in percents)
    return f"{values[0]:.1f} to {values[-1]:.1f}"


def common_width(widths, names):
    """The width with the fewest bytes for all together, and the compact form's bytes relative to it."""
    best = min(WIDTHS, key=lambda h: geometric_mean(widths[name][h] for name in names))
    return best, geometric_mean(widths[name]["compact"] / widths[name][best] for name in names)


def kinds(rows, streams):
    """The inputs of the means: programs and streams, and of these what packing was designed with."""
    found = {}
    for kind, of in (("programs", [n for n in rows if n not in streams]), ("streams", list(streams))):
        found[f"report, {kind}"] = {n: rows[n] for n in of if n not in PACKING_DESIGN}
        found[f"design of packing, {kind}"] = {n: rows[n] for n in of if n in PACKING_DESIGN}
    return found


def spread(rows, method):
    values = [r[limit][method] for r in rows.values() for limit in LIMITS]
    return f"{min(values):.2f} to {max(values):.2f}"


def compact_text(rows, programs, widths, design):
    """The compact form was not designed with any of these inputs."""
    names = {"programs": programs, "traces": [n for n in programs if n.startswith("trace")], "streams": [n for n in rows if n not in programs]}
    common = {kind: common_width(widths, of) for kind, of in names.items()}
    by_input = {kind: [less(widths[n]["compact"] / widths[n][common[kind][0]]) for n in of] for kind, of in names.items()}
    of = means({n: rows[n] for n in programs})[4096]["compact"]
    worse = losers(rows, lambda r: any(r[limit]["compact"] > 1 for limit in LIMITS))
    return f"""The compact form was not developed with any of these inputs. In short lines (*compact*, model only), relative to the best common width of the programs,
        H = {common['programs'][0]}, it takes {less(common['programs'][1])} less, compared with {design['compact, common width']:.1f} % in the design set;
        of the recorded traces only, H = {common['traces'][0]}, {less(common['traces'][1])} ({least(by_input['traces'])}); of the streams,
        H = {common['streams'][0]}, {less(common['streams'][1])} ({least(by_input['streams'])}). What it saves depends on the size of stores
        more than on anything else, so no one mean says it. Relative to FinePack at H = 5 it takes {less(of)} less in the
        programs, compared with {less(design['compact'])}; by program {spread({n: rows[n] for n in programs}, 'compact')} of FinePack's bytes.
        It takes more in {worse}."""


def packing_text(rows, by_kind, design):
    mean = {kind: means(of) for kind, of in by_kind.items()}
    worse = {limit: max((r[limit]["packing"] / better(r[limit]), name) for name, r in rows.items()) for limit in LIMITS}
    report = {n: r for kind, of in by_kind.items() for n, r in of.items() if kind.startswith("report")}

    def anywhere(of_limit, of=rows):
        return losers(of, lambda r: any(of_limit(r[limit]) for limit in LIMITS))

    return f"""Packing's rule was chosen by a simulation with {len(rows) - len(report)} of these inputs or nearly these, marked *d* in the table, and
        with workloads above; they are no evidence for it. In the report programs it takes {less(mean['report, programs'][256]['packing'])}
        less than FinePack at 256 bytes and {less(mean['report, programs'][4096]['packing'])} less at 4096, compared with
        {less(design['packing', 256])} and {less(design['packing', 4096])} in the workloads above; by program
        {spread(by_kind['report, programs'], 'packing')}. In the {len(by_kind['report, streams'])} report streams, all made to be hard,
        {less(mean['report, streams'][256]['packing'])} and {less(mean['report, streams'][4096]['packing'])}; in the design streams
        {less(mean['design of packing, streams'][256]['packing'])} and {less(mean['design of packing, streams'][4096]['packing'])}. Of the report
        inputs it takes more than FinePack in {anywhere(lambda by: by['packing'] > 1, report)}, of all in
        {anywhere(lambda by: by['packing'] > 1)}; more than plain stores in {anywhere(lambda by: by['packing'] > by['p2p'])}. Compared with the
        better of plain stores and write combining it takes more in {anywhere(lambda by: by['packing'] > better(by))}: up to
        {worse[256][0]:.2f} times at 256 ({worse[256][1]}) and {worse[4096][0]:.2f} times at 4096 ({worse[4096][1]})."""


def packing_compact_text(rows, by_kind, design):
    """Nothing was chosen for the two together."""
    mean, own = {kind: means(of) for kind, of in by_kind.items()}, "packing-compact"
    worst = max((r[limit][own] / better(r[limit]), name, limit) for name, r in rows.items() for limit in LIMITS)

    def saved(kind, than=None):
        return " and ".join(less(mean[kind][limit][own] / (mean[kind][limit][than] if than else 1)) for limit in LIMITS)

    def more(than):
        return losers(rows, lambda r: any(r[limit][own] > than(r[limit]) for limit in LIMITS))

    fewer = [sum(r[limit][own] < r[limit]["compact"] for r in rows.values()) for limit in LIMITS]
    return f"""Packing with the compact form (*packing-compact*) combines both and has no parameters of its own. In the report programs it takes,
        at 256 and 4096 bytes, {saved('report, programs')} less than FinePack, {saved('report, programs', 'packing')} less than packing; in the
        workloads above {less(design[own, 256])} and {less(design[own, 4096])} less than FinePack. In the report streams {saved('report, streams')} less
        than FinePack, {saved('report, streams', 'packing')} less than packing. Of all inputs it takes more than packing in
        {more(lambda by: by['packing'])}, more than FinePack in {more(lambda by: 1)}, more than plain stores in {more(lambda by: by['p2p'])}.
        Compared with the better of plain stores and write combining it takes more in {more(better)}: up to {worst[0]:.2f} times ({worst[1]},
        {worst[2]}). It takes fewer bytes than compact in {fewer[0]} of {len(rows)} at 256 and {fewer[1]} at 4096."""


def wide_text(wide, streams):
    def mean(kind, method):
        names = [n for n in wide if (n in streams) == (kind == "streams")]
        return " and ".join(f"{geometric_mean(wide[n][limit][method] for n in names):.2f}" for limit in LIMITS)

    worst = max((r[limit]["packing-compact"], name, limit) for name, r in wide.items() for limit in LIMITS)
    return f"""With 128 lines instead of 64 (`--entries 128`, which no card has) packing-compact takes {mean('programs', 'packing-compact')} of its bytes in
        the programs, at 256 and 4096, and {mean('streams', 'packing-compact')} in the streams, whose working sets were chosen around 64 lines; at
        most {worst[0]:.3f} times ({worst[1]}, {worst[2]}). Write combining takes {mean('programs', 'write-combining')}
        in the programs, {mean('streams', 'write-combining')} in the streams."""


def section(runs, design):
    """`design`: of the workloads above, the ratios to FinePack of compact and of the methods of packing (256, 4096), and what the compact form saves
    over the best common width."""
    rows, widths = runs.all(), runs.all_widths()
    by_kind = kinds(rows, runs.streams)
    text = [
        f"""The compact form and packing were developed with the workloads above: the *design set*. The inputs here were added
        afterwards: recorded traces of MGPUSim, other graphs and a renumbered one, an R-MAT graph, and streams of {STORES} stores to one
        destination, some made to be hard (`tools/replay/paper/paper_sets.py`, seed {SEED}). Those that no choice was made on are the *report
        set*. Bytes on the wire as multiples of FinePack's, H = 5, with maximum payloads of 256 and 4096 bytes.""",
        compact_text(rows, [n for n in rows if n not in runs.streams], widths, design),
        packing_text(rows, by_kind, design),
        packing_compact_text(rows, by_kind, design),
        wide_text(runs.all_wide(), runs.streams),
    ]
    head = ["input", *(f"{method}, {limit}" for limit in LIMITS for method in METHODS)]
    marked = [row(name + (" *d*" if name in PACKING_DESIGN else ""), r) for name, r in rows.items()]
    return "\n".join(["## Design and report sets", "", *(filled(t) + "\n" for t in text),
                      *table(head, [*marked, *(row(f"geometric mean, {kind}", means(of)) for kind, of in by_kind.items())]), "",
                      "Bytes of FinePack by width, and of compact, with a maximum payload of 4096 bytes:", "",
                      *table(["input", *(f"H = {h}" for h in WIDTHS), "compact"],
                             [[name, *(by[h] for h in (*WIDTHS, "compact"))] for name, by in widths.items()]), ""])
