# SPDX-License-Identifier: Apache-2.0
"""NetCrafter's figures for docs/papers.md: their runs, measurements and tables."""

import pathlib

import paper_first as first
import paper_netcrafter_text as text
import paper_sectors as sectors
from paper_common import geometric_mean, mean, table

DATA = pathlib.Path(__file__).resolve().parents[3] / "tests/data"
TRACES = {
    "pagerank": "pagerank_cage8_it2",
    "spmv": "spmv_rgg15",
    "transpose": "matrixtranspose1024",
    "stencil2d": "stencil2d256",
    "fir": "fir32k",
}
# The workloads of the paper that take seconds here, and sssp, whose stores are small.
WORKLOADS = {
    "gups": "--size 524288 --iterations 1",
    "transpose": "--size 1024 --iterations 1",
    "mis": "--input cnr-2000.csr.bin.gz",
    "pagerank": "--input cnr-2000.csr.bin.gz --iterations 2",
    "atax": "--size 2048 --iterations 2",
    "mvt": "--size 2048 --iterations 2",
    "dnn-lenet": "--size 1 --iterations 1",
    "sssp": "--input cnr-2000.csr.bin.gz",
}
SYSTEM = ("--within 128 --between 16 --flit 16 --queue 1024 --clocks 4 --tlb 512 --pool 32 --trim 16 --burst 16").split()
VARIANTS = ["plain", "ideal", "stitching", "pooling", "trimming", "sequencing", "netcrafter", "tuned", "finepack", "both"]
POOLS = [32, 64, 96, 128]
BANDWIDTHS = [(128, 16), (128, 32), (128, 64), (256, 32), (512, 64), (32, 32)]
TLBS = [(512, 32), (64, 32), (16, 8), (8, 4), (8, 1)]  # of a GPU, of a unit; the first is the paper's
SHORT_POOLS = [4, 8]
CYCLES = 4  # ns: the paper's 32 cycles of a switch whose port passes a flit of 128 GB/s each cycle
# Table 1 of the paper: bytes required and occupied.
TABLE_1 = {"read request": (12, 16), "write request": (76, 80), "translation request": (12, 16), "read response": (68, 80),
           "write response": (4, 16), "translation response": (12, 16)}
QUEUES = [1016, 1020, 1028, 1032]  # equivalent to 1024; the spread of their times is the noise


def kind(variant, name, what="packets"):
    return variant["kinds"].get(name, {}).get(what, 0)


def walk(variant, what):
    """The sum over translation requests and responses."""
    return kind(variant, "translation request", what) + kind(variant, "translation response", what)


def saved(variant):
    return 100 * (1 - variant["link_flits"] / variant["flits"])


def shared(variant):
    return 100 * (variant["stitched"] + variant["parents"]) / variant["flits"]


def padded(variant):
    """Percentage of flits with 25 or 75 % padding (no others occur) before stitching."""
    return 100 * sum(variant["flits_by_padding"][1:]) / variant["flits"]


class Runs:
    """Runs of gpulink-replay netcrafter. `output` runs it with arguments and returns its output."""

    def __init__(self, output):
        self.output = output

    def run(self, stream, variants, *more):
        found = self.output("netcrafter", *stream, *SYSTEM, *more, "--variants", ",".join(variants), "-o", "json")
        found["by"] = {v["name"]: v for v in found["variants"]}
        return found

    def trace(self, name, variants, *more):
        return self.run(["--trace", str(DATA / "mgpusim" / f"{TRACES[name]}.rtr.zst")], variants, *more)

    def workload(self, name, variants, *more, seed=1):
        words = ["--workload", name, *WORKLOADS[name].split()]
        if "--input" in words:
            place = words.index("--input") + 1
            words[place] = str(DATA / words[place])
        return self.run([*words, "--gpus", "4", "--seed", str(seed)], variants, *more)

    def first(self, name, size, seed):
        """Fig. 8."""
        words = ("--tlb", str(size[0]), "--unit-tlb", str(size[1]))
        found = (self.trace(name, first.VARIANTS, *words, "--seed", str(seed)) if name in TRACES else
                 self.workload(name, first.VARIANTS, *words, seed=seed))
        return found["by"]


def gather_trace(runs, name):
    """All runs of a trace, by setting."""
    found = {"base": runs.trace(name, VARIANTS)}
    for pool in POOLS:
        found["pool", pool] = runs.trace(name, ["pooling"], "--pool", str(pool))["by"]["pooling"]
        found["all", pool] = runs.trace(name, ["pooling"], "--pool", str(pool), "--no-selective")["by"]["pooling"]
    found["holding"] = runs.trace(name, ["pooling", "netcrafter", "tuned"], "--no-yielding")["by"]
    found["flit 8"] = runs.trace(name, ["plain", "pooling", "netcrafter"], "--flit", "8")["by"]
    for within, between in BANDWIDTHS:
        found["bandwidth", within, between] = runs.trace(name, ["plain", "netcrafter"], "--within", str(within), "--between",
                                                         str(between))["by"]
    for clocks in (1, 2, 8):
        found["clocks", clocks] = runs.trace(name, ["plain", "stitching", "pooling", "netcrafter"], "--clocks", str(clocks))["by"]
    found["clocks", 8, CYCLES] = runs.trace(name, ["plain", "netcrafter"], "--clocks", "8", "--pool", str(CYCLES))["by"]
    for bytes_ in (4, 8, 32):
        found["trim", bytes_] = runs.trace(name, ["trimming"], "--trim", str(bytes_))["by"]["trimming"]
    for pool in SHORT_POOLS:
        found["short pool", pool] = runs.trace(name, ["netcrafter"], "--pool", str(pool))["by"]["netcrafter"]
    for queue in QUEUES:
        found["queue", queue] = runs.trace(name, ["plain", "netcrafter"], "--queue", str(queue))["by"]
    return found


def gather(runs, tell):
    traces, workloads, tlbs = {}, {}, {}
    for name in TRACES:
        tell(f"netcrafter, trace {name}")
        traces[name] = gather_trace(runs, name)
    for name in WORKLOADS:
        tell(f"netcrafter, workload {name}")
        workloads[name] = runs.workload(name, ["plain", "stitching", "pooling", "sequencing", "netcrafter", "finepack", "both"])
        workloads[name]["clocks 1"] = runs.workload(name, ["plain", "netcrafter"], "--clocks", "1")["by"]
    for name in [*TRACES, "gups"]:
        tell(f"netcrafter, TLBs, {name}")
        run = runs.trace if name in TRACES else runs.workload
        for tlb, unit in TLBS:
            tlbs[name, tlb, unit] = run(name, ["plain", "sequencing", "netcrafter"], "--tlb", str(tlb), "--unit-tlb", str(unit))["by"]
    return traces, workloads, tlbs


# ---- Tables ----

def walks(variant):
    """The share of page walks in all accesses that cross, in per cent."""
    accesses = sum(variant[what] for what in ("reads_crossed", "writes_crossed", "atomics_crossed"))
    return 100 * variant["walk_crossings"] / (variant["walk_crossings"] + accesses)


def tlb_rows(tlbs):
    rows = []
    for name in dict.fromkeys(key[0] for key in tlbs):
        ones = [tlbs[name, *size] for size in TLBS]
        rows.append([name, *(cell for by in ones for cell in (f"{walks(by['plain']):.1f} %", f"{by['sequencing']['speed_up']:.3f}",
                                                              f"{by['netcrafter']['speed_up']:.3f}"))])
    return rows


def traffic_row(name, found):
    plain = found["by"]["plain"]
    return [name, plain["reads_crossed"], plain["writes_crossed"] + plain["atomics_crossed"], plain["flits"],
            f"{padded(plain):.1f} %", f"{walks(plain):.1f} %",
            f"{100 * walk(plain, 'flits') / plain['flits']:.1f} %", f"{100 * walk(plain, 'bytes') / plain['bytes']:.1f} %"]


TRAFFIC = ["", "reads", "writes, atomics", "flits", "25 or 75 % padded", "page walks, share of accesses", "of flits", "of bytes"]


def need_row(name, found):
    """Fig. 7."""
    reads = sum(found["reads_by_bytes"].values())
    return [name, *(f"{100 * n / reads:.1f} %" for n in found["reads_by_bytes"].values()),
            *(f"{100 * n / reads:.1f} %" for n in found["reads_in_sector"].values())]


NEED = ["", "1-16 bytes", "17-32", "33-48", "49-64", "in a sector of 4", "of 8", "of 16", "of 32"]


def speed_row(name, found):
    return [name, *(f"{found['by'][v]['speed_up']:.3f}" for v in VARIANTS[1:])]


def stitched_row(name, found):
    before, after = found["by"]["stitching"], found["by"]["pooling"]
    return [name, f"{shared(before):.1f} %", f"{shared(after):.1f} %", f"{saved(before):.1f} %", f"{saved(after):.1f} %",
            f"{100 * (1 - before['bytes'] / before['flits'] / 16):.1f} %"]


def means(rows, columns, digits):
    return ["geometric mean", *(f"{geometric_mean(float(row[i]) for row in rows):.{digits}f}" for i in range(1, columns))]


def with_means(rows, digits=3):
    return rows + [means(rows, len(rows[0]), digits)]


def speed(found, variant):
    """The speed-up of a variant of another run over the base's plain."""
    return found["base"]["by"]["plain"]["time_ns"] / variant["time_ns"]


def latency_row(name, found):
    by, row = found["by"], [name]
    for what, variants in (("access", ("plain", "ideal", "netcrafter")), ("translation", ("plain", "sequencing"))):
        for v in variants:
            row += [f"{by[v][what]['mean_ns']:.0f}", by[v][what]["percentile_99_ns"]]
    return row


def pool_rows(traces, which):
    rows = []
    for name, found in traces.items():
        stitching = found["base"]["by"]["stitching"]
        rows.append([name, f"{stitching['speed_up']:.3f}", *(f"{speed(found, found[which, p]):.3f}" for p in POOLS)])
    return with_means(rows)


def byte_rows(traces):
    rows = []
    for name, found in traces.items():
        rows.append([name, f"{saved(found['base']['by']['stitching']):.1f} %", *(f"{saved(found['pool', p]):.1f} %" for p in POOLS)])
    return rows


def holding_row(name, found):
    base, holding = found["base"]["by"], found["holding"]
    return [name, f"{base['pooling']['speed_up']:.3f}", f"{speed(found, holding['pooling']):.3f}",
            f"{speed(found, holding['netcrafter']):.3f}", f"{speed(found, holding['tuned']):.3f}",
            f"{holding['tuned']['pool_mean_ns']:.0f}"]


def clocks_row(name, found):
    row = [name]
    for clocks in (1, 2, 4, 8):
        by = found["base"]["by"] if clocks == 4 else found["clocks", clocks]
        row += [f"{by['plain']['time_ns'] / by[v]['time_ns']:.3f}" for v in ("stitching", "pooling", "netcrafter")]
    return row


def flit_row(name, found):
    row = [name]
    for by in (found["base"]["by"], found["flit 8"]):
        row += [f"{by['plain']['time_ns'] / by[v]['time_ns']:.3f}" for v in ("pooling", "netcrafter")] + [
            f"{saved(by['pooling']):.1f} %"]
    return row


def ratio(found, within, between):
    by = found["bandwidth", within, between]
    return by["plain"]["time_ns"] / by["netcrafter"]["time_ns"]


def trim_row(name, found):
    row = [name]
    for bytes_ in (4, 8, 16, 32):
        one = found["base"]["by"]["trimming"] if bytes_ == 16 else found["trim", bytes_]
        row += [f"{speed(found, one):.3f}", f"{100 * (1 - one['flits'] / found['base']['by']['plain']['flits']):.1f} %"]
    return row


def link_bytes_row(name, found):
    by = found["by"]
    return [name, *(16 * by[v]["link_flits"] for v in ("plain", "netcrafter", "finepack", "both")),
            f"{100 * (1 - by['both']['link_flits'] / min(by[v]['link_flits'] for v in ('netcrafter', 'finepack'))):.1f} %",
            *(f"{by['plain']['time_ns'] / by[v]['time_ns']:.3f}" for v in ("netcrafter", "finepack", "both"))]


LINK_BYTES = ["", "plain, bytes", "netcrafter", "finepack", "both", "saved over the better", "netcrafter, speed-up", "finepack",
              "both"]


def noise(found):
    """The maximum difference in % of time and of speed-up between queues of about the same size."""
    all_ = [found["base"]["by"], *(found["queue", q] for q in QUEUES)]
    plain = [by["plain"]["time_ns"] for by in all_]
    ups = [by["plain"]["time_ns"] / by["netcrafter"]["time_ns"] for by in all_]
    return 100 * (max(plain) / min(plain) - 1), 100 * (max(ups) / min(ups) - 1)


def tables(traces, workloads, tlbs):
    bases = {name: found["base"] for name, found in traces.items()}
    rows = [[f"{w} / {b}", *(f"{ratio(found, w, b):.3f}" for found in traces.values()),
             f"{geometric_mean(ratio(found, w, b) for found in traces.values()):.3f}"] for w, b in BANDWIDTHS]
    lines = {
        "traffic": table(TRAFFIC, [traffic_row(n, f) for n, f in bases.items()]),
        "traffic_workloads": table(TRAFFIC, [traffic_row(n, f) for n, f in workloads.items()]),
        "need": table(NEED, [need_row(n, f) for n, f in bases.items()]),
        "speed": table(["", *VARIANTS[1:]], with_means([speed_row(n, f) for n, f in bases.items()])),
        "latency": table(["", "access, plain", "99 %", "ideal", "99 %", "netcrafter", "99 %", "walk, plain", "99 %",
                          "sequencing", "99 %"], [latency_row(n, f) for n, f in bases.items()]),
        "stitched": table(["", "stitched before pooling", "after", "flits saved before", "after", "maximum"],
                          [stitched_row(n, f) for n, f in bases.items()]),
        "pool": table(["", "no pooling", *(f"{p} ns" for p in POOLS)], pool_rows(traces, "pool")),
        "pool_all": table(["", "no pooling", *(f"{p} ns" for p in POOLS)], pool_rows(traces, "all")),
        "pool_bytes": table(["", "no pooling", *(f"{p} ns" for p in POOLS)], byte_rows(traces)),
        "holding": table(["", "pooling, yielding", "pooling, holding", "netcrafter, holding", "tuned, holding", "tuned, mean pooling ns"],
                         [holding_row(n, f) for n, f in traces.items()]),
        "clocks": table(["", *(f"{v}, {c}" for c in (1, 2, 4, 8) for v in ("stitching", "pooling", "netcrafter"))],
                        with_means([clocks_row(n, f) for n, f in traces.items()])),
        "flit": table(["", "16 B: pooling", "netcrafter", "saved", "8 B: pooling", "netcrafter", "saved"],
                      [flit_row(n, f) for n, f in traces.items()]),
        "bandwidth": table(["within / between", *traces, "geometric mean"], rows),
        "trim": table(["", *(w for b in (4, 8, 16, 32) for w in (f"{b} B", "fewer flits"))],
                      [trim_row(n, f) for n, f in traces.items()]),
        "tlbs": table(["", *(cell for tlb, unit in TLBS for cell in (f"{tlb}, {unit}: walks", "sequencing", "netcrafter"))], tlb_rows(tlbs)),
        "both": table(LINK_BYTES, [link_bytes_row(n, f) for n, f in bases.items()]),
        "both_workloads": table(LINK_BYTES, [link_bytes_row(n, f) for n, f in workloads.items()]),
    }
    return {name: "\n".join(of) for name, of in lines.items()}


# ---- Numbers in the text ----

def sizes(every):
    """Table 1 as it was run: bytes required and occupied, of all packets of each kind."""
    found = {}
    for name in TABLE_1:
        packets, of, flits = (sum(kind(by["plain"], name, what) for by in every) for what in ("packets", "bytes", "flits"))
        found[name] = of / packets, 16 * flits / packets
    return found


def pooled(every):
    """Selective pooling of 32 ns relative to stitching without, by input."""
    return {name: by["pooling"]["speed_up"] / by["stitching"]["speed_up"] for name, by in every.items()}


def figures(traces, workloads, tlbs):
    base = {name: found["base"]["by"] for name, found in traces.items()}
    f = {"padded": {n: padded(by["plain"]) for n, by in base.items()}}
    f["walks"], f["walk_flits"], f["walk_bytes"] = {}, {}, {}
    for n, by in [*base.items(), ("gups", workloads["gups"]["by"])]:
        plain = by["plain"]
        f["walks"][n] = walks(plain)
        for what in ("flits", "bytes"):
            f[f"walk_{what}"][n] = 100 * walk(plain, what) / plain[what]
    f["padded"]["gups"] = padded(workloads["gups"]["by"]["plain"])
    f["need"] = {n: 100 * found["base"]["reads_by_bytes"]["1-16"] / sum(found["base"]["reads_by_bytes"].values())
                 for n, found in traces.items()}
    f["sector"] = {n: 100 * found["base"]["reads_in_sector"]["16"] / sum(found["base"]["reads_by_bytes"].values())
                   for n, found in traces.items()}
    f["speed"] = {v: {n: by[v]["speed_up"] for n, by in base.items()} for v in VARIANTS}
    f["mean"] = {v: geometric_mean(f["speed"][v].values()) for v in VARIANTS}
    f["shared"] = {v: mean(shared(by[v]) for by in base.values()) for v in ("stitching", "pooling")}
    f["saved"] = {v: mean(saved(by[v]) for by in base.values()) for v in ("stitching", "pooling", "netcrafter", "tuned")}
    for which in ("pool", "all"):
        f[which] = {p: geometric_mean(speed(found, found[which, p]) for found in traces.values()) for p in POOLS}
        f[which + "_saved"] = {p: mean(saved(found[which, p]) for found in traces.values()) for p in POOLS}
        f[which + "_pagerank"] = {p: speed(traces["pagerank"], traces["pagerank"][which, p]) for p in POOLS}
    f["holding"] = {v: geometric_mean(speed(found, found["holding"][v]) for found in traces.values())
                    for v in ("pooling", "netcrafter", "tuned")}
    f["latency"] = geometric_mean(by["netcrafter"]["access"]["mean_ns"] / by["plain"]["access"]["mean_ns"] for by in base.values())
    f["ideal_latency"] = geometric_mean(by["ideal"]["access"]["mean_ns"] / by["plain"]["access"]["mean_ns"] for by in base.values())
    f["busy"] = {v: mean(by[v]["utilisation"] for by in base.values()) for v in ("plain", "ideal")}
    f["walk_ns"] = {v: {n: by[v]["translation"]["mean_ns"] for n, by in base.items()} for v in ("plain", "sequencing")}
    f["walk_99"] = {v: {n: by[v]["translation"]["percentile_99_ns"] for n, by in base.items()} for v in ("plain", "sequencing")}
    f["flit"] = {b: geometric_mean(by["plain"]["time_ns"] / by["pooling"]["time_ns"] for by in (
        (found["base"]["by"] if b == 16 else found["flit 8"]) for found in traces.values())) for b in (8, 16)}
    f["bandwidth"] = {(w, b): geometric_mean(ratio(found, w, b) for found in traces.values()) for w, b in BANDWIDTHS}
    f["clocks"] = {(c, v): geometric_mean(by["plain"]["time_ns"] / by[v]["time_ns"] for by in (
        (found["base"]["by"] if c == 4 else found["clocks", c]) for found in traces.values()))
        for c in (1, 2, 4, 8) for v in ("stitching", "pooling", "netcrafter")}
    f["speed_8"], f["speed_8_short"] = ({n: found[key]["plain"]["time_ns"] / found[key]["netcrafter"]["time_ns"] for n, found in traces.items()}
                                        for key in (("clocks", 8), ("clocks", 8, CYCLES)))
    f["noise"] = {n: noise(found) for n, found in traces.items()}
    f["workloads"] = {n: found["by"]["netcrafter"]["speed_up"] for n, found in workloads.items()}
    f["workloads_mean"] = geometric_mean(f["workloads"].values())
    f["workloads_1"] = {n: found["clocks 1"]["plain"]["time_ns"] / found["clocks 1"]["netcrafter"]["time_ns"] for n, found in workloads.items()}
    f["speed_1"] = {n: found["clocks", 1]["plain"]["time_ns"] / found["clocks", 1]["netcrafter"]["time_ns"] for n, found in traces.items()}
    f["sizes"] = sizes([*base.values(), *(found["by"] for found in workloads.values())])
    f["pooled"] = pooled({f"{n} (trace)": by for n, by in base.items()} | {n: found["by"] for n, found in workloads.items()})
    f["short"] = {p: speed(traces["pagerank"], traces["pagerank"]["short pool", p]) for p in SHORT_POOLS}
    f["slower_latency"] = [n for n, by in base.items() if by["netcrafter"]["access"]["mean_ns"] > by["plain"]["access"]["mean_ns"]]
    f["tlbs"] = {size: {n: (walks(tlbs[n, *size]["plain"]), tlbs[n, *size]["sequencing"]["speed_up"]) for n in [*TRACES, "gups"]} for size in TLBS}
    f["gups"] = {v: workloads["gups"]["by"][v]["speed_up"] for v in ("sequencing", "netcrafter")}
    every = [*base.values(), *(found["by"] for found in workloads.values())]
    f["both_less"] = {n: 100 * (1 - by["both"]["link_flits"] / min(by[v]["link_flits"] for v in ("netcrafter", "finepack")))
                      for n, by in base.items()}
    f["both_tails"] = mean(100 * (1 - by["both"]["link_flits"] / by["both"]["flits"]) for by in every[len(base):]
                           if by["finepack"]["stores_packed"])
    return f


def section(runs, tell):
    gathered = gather(runs, tell)
    firsts, misses = first.gather(runs.first, [*TRACES, "gups"], TLBS, tell), sectors.Misses(runs.output, tell)
    more = {"first_rows": first.rows(firsts), "first_note": first.note(firsts), "sectors_rows": sectors.rows(misses)}
    sections = {"first": first.section(firsts), "sectors": sectors.section(misses)}
    return text.section(figures(*gathered) | more, tables(*gathered) | sections, parameters(), TABLE_1)


def parameters():
    return "\n".join([f"    gpulink-replay netcrafter {' '.join(SYSTEM)} --trace ...",
                      *(f"    {name:13} tests/data/mgpusim/{file}.rtr.zst" for name, file in TRACES.items()),
                      f"    gpulink-replay netcrafter {' '.join(SYSTEM)} --gpus 4 --seed 1 --workload ...",
                      *(f"    {name:13} {words}" for name, words in WORKLOADS.items())])
