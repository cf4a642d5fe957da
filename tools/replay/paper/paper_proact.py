# SPDX-License-Identifier: Apache-2.0
"""PROACT's figures for docs/papers.md: their runs, tables and text."""

from paper_common import H100, bullets, comparison, filled, geometric_mean, near, numbered, table, verdict, verdict_twice

SYSTEM = "--payload 4096 --latency 700 --buffer 65536 --seed 1 --polling 1000 --launch 10000 --card 600 --tracking 12".split()
LINKS = {"pcie3": SYSTEM, "nvlink": ["--payload", "256", *SYSTEM[2:]]}
# The paper's five workloads, with the sizes of the comparison with FinePack.
FIVE = ["ct", "jacobi", "pagerank", "sssp", "als"]
FOUR = FIVE[1:]  # ct is not the paper's: FinePack's note 9
# Table II: 4x Kepler; 4x Pascal and 4x Volta.
WINNERS = {"pcie3": {"ct": "D", "jacobi": "I", "pagerank": "D", "sssp": "D", "als": "D"},
           "nvlink": {"ct": "II", "jacobi": "ID", "pagerank": "DD", "sssp": "DD", "als": "DD"}}
MICRO = "--synthetic 256M --gpus 2 --threads 2048".split()
THREADS = "--synthetic 256M --gpus 2 --agents polling --chunks 1M --threads 32..1024".split()
SCALED = [2, 4, 8, 16]
SCALING = {4: (1.2, 90), 8: (2.2, 87), 16: (5.3, 77)}  # Fig. 10: over copies; per cent of the bound
HIDDEN = 75  # Fig. 9: per cent of the transfer time, at least
METHODS = ["dma", "proact-inline", "proact-polling", "proact-launch", "proact-hw", "finepack"]
SOFTWARE = ["inline", "polling", "launch"]


def size(count):
    return f"{count >> 20}M" if count >> 20 else f"{count >> 10}k"


class Runs:
    """`output` runs gpulink-replay; `words` gives a workload's options, `unseen` those of inputs that no choice was made on."""

    def __init__(self, output, words, unseen):
        self.output, self.words, self.unseen = output, words, dict(unseen)

    def profile(self, link, words):
        one = self.output("profile", *words, "--link", link, *LINKS[link], "-o", "json")
        one["by"] = {(r["agent"], r.get("chunk_bytes"), r.get("threads")): r for r in one["rows"]}
        return one

    def workload(self, link, name):
        return self.profile(link, ["--gpus", "4", *self.words(name)])

    def new(self, link, name):
        return self.profile(link, ["--gpus", "4", *self.unseen[name]])

    def scaled(self, name, gpus):
        words = ["run", *self.words(name), "--gpus", str(gpus), "--link", "nvlink", *LINKS["nvlink"], "--chunk", "131072", "--threads", "2048"]
        one = self.output(*words, "--paradigms", ",".join(METHODS), "-o", "json")
        one["by"] = {p["name"]: p["time_ps"] for p in one["paradigms"]}
        return one


def best(one, agents):
    """The row of least time; of equal ones fewer threads, then the larger chunk."""
    return min((r for r in one["rows"] if r["agent"] in agents),
               key=lambda r: (r["time_ps"], r.get("threads", 0), -r.get("chunk_bytes", 0)))


def named(row):
    """An agent with its chunk size and threads."""
    return " ".join([row["agent"], *([size(row["chunk_bytes"])] if "chunk_bytes" in row else []),
                     *([str(row["threads"])] if "threads" in row else [])])


def micro_rows(micro):
    chunks = sorted({r["chunk_bytes"] for r in micro["pcie3"]["rows"] if "chunk_bytes" in r})
    rows = []
    for chunk in chunks:
        cells = [micro[link]["by"][agent, chunk, None if agent == "card" else 2048]["speed_up_to_copies"]
                 for link in LINKS for agent in ("launch", "polling", "card")]
        rows.append([size(chunk), *(f"{c:.2f}" for c in cells)])
    return rows


def micro_table(micro):
    return table(["chunk", *(f"{link}, {agent}" for link in LINKS for agent in ("launch", "polling", "card"))], micro_rows(micro))


def threads_table(one):
    return table(["threads", "speed-up to copies"],
                 [[r["threads"], f"{r['speed_up_to_copies']:.2f}"] for r in one["rows"] if "threads" in r])


def winner_row(name, link, one):
    inline, decoupled, card = (best(one, agents) for agents in (["inline"], ["polling", "launch"], ["card"]))
    cells = [f"{r['speed_up']:.2f}" for r in (best(one, ["copies"]), inline, decoupled, card)]
    ours = "I" if inline["time_ps"] <= decoupled["time_ps"] else "D"
    bound = one["one_gpu_ps"] / one["infinite_bandwidth_ps"]
    return [f"{name}, {link}", *cells, f"{bound:.2f}", named(decoupled), named(card), f"{100 * decoupled['hidden']:.0f} %", ours,
            ", ".join(WINNERS[link][name])]


def winner_head():
    return ["workload, link", "copies", "inline", "software", "card", "bound", "best software", "best card", "hidden", "ours",
            "the paper's"]


def scaling(scaled):
    """Fig. 10, by GPUs: PROACT over copies, the card over copies, PROACT's share of the bound in per cent."""
    found = {}
    for gpus in SCALED:
        ones = [scaled[name, gpus] for name in FOUR]
        software = [min(o["by"][m] for m in METHODS[1:4]) for o in ones]
        found[gpus] = (geometric_mean(o["by"]["dma"] / s for o, s in zip(ones, software)),
                       geometric_mean(o["by"]["dma"] / min(o["by"]["proact-hw"], o["by"]["finepack"]) for o in ones),
                       100 * geometric_mean(o["infinite_bandwidth_ps"] / s for o, s in zip(ones, software)))
    return found


def scaled_table(found):
    return table(["GPUs", "PROACT over copies", "card over copies", "PROACT, share of the bound"],
                 [[gpus, f"{software:.2f}", f"{card:.2f}", f"{share:.0f} %"] for gpus, (software, card, share) in found.items()])


def over_copies(one, agents):
    """The speed of the best of the agents relative to copies."""
    return best(one, ["copies"])["time_ps"] / best(one, agents)["time_ps"]


def unseen_table(unseen):
    names = list(dict.fromkeys(name for _, name in unseen))
    return table(["input", *(f"{link}, {kind}" for link in LINKS for kind in ("inline", "software", "card", "bound"))],
                 [[name, *(cell for link in LINKS for one in [unseen[link, name]] for cell in (
                     *(f"{over_copies(one, agents):.2f}" for agents in (["inline"], ["polling", "launch"], ["card"])),
                     f"{best(one, ['copies'])['time_ps'] / one['infinite_bandwidth_ps']:.2f}"))] for name in names])


def means(found, names):
    def mean(link, agents):
        return geometric_mean(best(found[link, n], agents)["speed_up"] for n in names)

    def bound(link):
        return geometric_mean(found[link, n]["one_gpu_ps"] / found[link, n]["infinite_bandwidth_ps"] for n in names)

    return {link: {"copies": mean(link, ["copies"]), "inline": mean(link, ["inline"]), "software": mean(link, SOFTWARE), "bound": bound(link)}
            for link in LINKS}


def figures(micro, found, scaled, unseen):
    f = {"mean": means(found, FOUR), "with ct": means(found, FIVE)}
    f["launch"] = {r["chunk_bytes"]: r["speed_up_to_copies"] for r in micro["pcie3"]["rows"] if r["agent"] == "launch"}
    f["polling"] = {r["chunk_bytes"]: r["speed_up_to_copies"] for r in micro["pcie3"]["rows"] if r["agent"] == "polling"}
    f["card"] = {r["chunk_bytes"]: r["speed_up_to_copies"] for r in micro["pcie3"]["rows"] if r["agent"] == "card"}
    f["same"] = sum(winner_row(n, link, found[link, n])[-2] == cell for link in LINKS for n in FIVE for cell in WINNERS[link][n])
    f["hidden"] = [100 * best(found[link, n], ["polling", "launch"])["hidden"] for link in LINKS for n in FIVE]
    f["scaling"] = scaling(scaled)
    f["unseen"] = {agents: [over_copies(one, agents.split()) for one in unseen.values()] for agents in ("card", " ".join(SOFTWARE))}
    als = found["nvlink", "als"]
    f["als"] = best(als, ["inline"])["packets"] / best(als, ["polling", "launch"])["packets"]
    f["hw_over_inline"] = {n: scaled[n, 4]["by"]["proact-inline"] / scaled[n, 4]["by"]["proact-hw"] for n in FIVE}
    f["finepack_over_hw"] = {n: scaled[n, 4]["by"]["proact-hw"] / scaled[n, 4]["by"]["finepack"] for n in FIVE}
    return f


def summary(f):
    launch = f["launch"]
    peak = max(launch, key=launch.get)
    micro, unseen = (max(f["polling"].values()), max(f["card"].values())), f["unseen"]
    software, card = unseen[" ".join(SOFTWARE)], unseen["card"]
    scaled = {gpus: f["scaling"][gpus] for gpus in SCALING}
    gains, at_once, _ = overlap()

    def both(value):
        return f"{value(f['mean'])} (with ct {value(f['with ct'])})"

    def on_links(what):
        return both(lambda m: f"{m['pcie3'][what]:.2f} (PCIe 3), {m['nvlink'][what]:.2f} (NVLink)")

    def judged(good, note):
        return verdict_twice(good(f["mean"]), good(f["with ct"]), note)

    def number(what, theirs):
        """A paper's mean over all its systems: ours has to be near it on one."""
        return judged(lambda m: any(near([m[link][what]], [theirs]) for link in LINKS), "(5)")

    def order(means_of):
        return sorted(("copies", "inline", "software", "bound"), key=means_of["nvlink"].get)

    return [
        ("Fig. 6a: launch, three regimes", f"rises to {size(peak)}, falls beyond; {launch[4096]:.2f}, {launch[peak]:.2f}, "
         f"{launch[16 << 20]:.2f} at 4k, {size(peak)}, 16M", "initiation-bound below 16 kB, bandwidth-bound to 1 MB, tail-bound beyond",
         verdict(16 << 10 <= peak <= 1 << 20, "(1)")),
        ("Fig. 6: best speed-up over copies, of at most 2", f"launch {launch[peak]:.2f}, polling {micro[0]:.2f}, card {micro[1]:.2f}",
         "1.6; 1.8, 1.9; 1.5", "inputs: 2 / 1.12 (2)"),
        ("Fig. 6: the same measured on an H100, PCIe 5", f"copies by a thread {max(gains.values()):.2f}; stores at once {at_once:.2f}",
         "1.5 to 1.9 by system", verdict(1.5 <= max(gains.values()) <= 1.9, "(8)")),
        ("Fig. 4: threads that saturate the link", "128: an input", "128", "an input (3)"),
        ("Table II: inline or decoupled, Kepler; Pascal, Volta", f"{f['same']} of 15 cells are the paper's",
         "inline: Jacobi but on Volta, X-ray CT but on Kepler", verdict(f["same"] == 15, "(4)")),
        ("Fig. 7: bound, 4 GPUs", both(lambda m: f"{m['pcie3']['bound']:.2f}"), "3.6", number("bound", 3.6)),
        ("Fig. 7: PROACT, 4 GPUs", on_links("software"), "3.0", number("software", 3.0)),
        ("Fig. 7: copies, 4 GPUs", on_links("copies"), "2.1", number("copies", 2.1)),
        ("Fig. 7: order", both(lambda m: " < ".join(order(m))) + ", NVLink", "copies < PROACT < bound",
         judged(lambda m: [n for n in order(m) if n != "inline"] == ["copies", "software", "bound"], "(5)")),
        ("Fig. 7: the same order, inputs that no choice was made on", f"software faster than copies in {sum(s > 1 for s in software)} of "
         f"{len(software)}, {min(software):.2f} to {max(software):.2f} of their speed; the card's regions in {sum(c > 1 for c in card)}, "
         f"{min(card):.2f} to {max(card):.2f}", "copies < PROACT < bound", verdict(min(software) > 1 and min(card) > 1, "(9)")),
        ("Section V-B: transactions, inline to decoupled, ALS", f"{f['als']:.0f}", "26", verdict(near([f["als"]], [26]), "(6)")),
        ("Fig. 8: tracking", "12 %: an input", "10 to 15 %", "an input (3)"),
        ("Fig. 9: transfer time hidden, software agents", f"{min(f['hidden']):.0f} to {max(f['hidden']):.0f} %", f"always at least {HIDDEN} %",
         verdict(min(f["hidden"]) >= HIDDEN, "(10)")),
        ("Fig. 10: over copies, 4, 8, 16 GPUs", ", ".join(f"{of[0]:.2f}" for of in scaled.values()), ", ".join(
            f"{of[0]}" for of in SCALING.values()), verdict(near([of[0] for of in scaled.values()], [of[0] for of in SCALING.values()]), "(11)")),
        ("Fig. 10: share of the bound, 4, 8, 16 GPUs", ", ".join(f"{of[2]:.0f} %" for of in scaled.values()), ", ".join(
            f"{of[1]} %" for of in SCALING.values()), verdict(near([of[2] for of in scaled.values()], [of[1] for of in SCALING.values()]), "(11)")),
        ("Section V-B: hardware over inline stores", ", ".join(f"{n} {v:.2f}" for n, v in f["hw_over_inline"].items()),
         "expected to be better; no data", verdict(min(f["hw_over_inline"].values()) > 1, "(7)")),
    ]


def reasons(f):
    peak = max(f["launch"], key=f["launch"].get)
    finepack = ", ".join(f"{n} {v:.2f}" for n, v in f["finepack_over_hw"].items())
    gains, _, most = overlap()
    small = min(gains)
    return [
        f"""The regimes are the paper's; their edges go with the cost of a launch. Launches follow each other, so with 10 us for each
        a chunk has to take that long on the link before the link is the bound: {size(peak)} here. The paper's edges would need
        launches of about 1 us; an H100 takes {H100['kernel_in_a_row'] / 1000:.1f} for empty kernels in a row.""",
        """The paper's are Kepler's launches; Pascal's launches and polling; Volta's launches. Computing takes as long as copying, so that 2
        is the most, and counting in software, an input of 12 % (3), leaves 2 / 1.12 = 1.79 of it. The card's counters cost nothing and
        its engine 0.6 us a chunk, so it comes nearer to 2. No card has been measured.""",
        """Not results: a software agent's thread has 1/128 of the link, and counting costs 12 %, because the paper measured so.
        Options of gpulink-replay change both. What counting costs an H100 depends on how it is done ([below](#on-a-gpu)).""",
        """Our workloads send only what a peer reads, in stores that the L1 coalescer has merged; regions send whole chunks. So inline
        stores win where few bytes of a chunk change (pagerank, sssp, jacobi's halo), and lose where the same bytes are stored again
        (ct) or one by one (als). The paper names neither its inputs nor what is stored when.""",
        """The inputs are small: phases of 20 us leave little to hide a launch of 10 us behind, and copies cost nothing to start here,
        while the paper's cost several microseconds. ct and als are bound by the link whatever is done (see FinePack's notes 7 and
        9).""",
        """The same direction. Inline stores of ALS have 4 bytes here, transactions of regions 256 (NVLink).""",
        f"""On NVLink, 4 GPUs, 128 KiB chunks. The paper expects counters in hardware to be better than inline stores and gives no
        numbers. FinePack relative to regions in hardware: {finepack}; above 1 FinePack is faster. Neither is always ahead.""",
        f"""A measurement, not the simulator's ([below](#on-a-gpu)); at most {most:.2f} was possible. Launches bound small chunks, as in the
        paper: one of {size(small)} takes {H100['overlap']['chunks'][str(small)] / (256 << 20) * small / 1000:.1f} us, and empty copies in a row
        {H100['copy_in_a_row'] / 1000:.1f} us each.""",
        """[Below](#inputs-that-no-choice-was-made-on): graphs, 4 GPUs, both links; software is the best of inline stores, polling and launches,
        and each method has its best chunk size. The paper's order does not hold there: computing takes a third of the time of copies at
        most, so little can be hidden behind it; regions carry the bytes of copies, and what a chunk costs is added, while copies cost nothing
        to start in this model.""",
        """The paper's share is of the time that copies take, without the cost of counting. Ours is of the agent's own transfers, and counting
        stands against it: less than 0 % is hidden where counting costs more than that saves, or latency rules. als computes for a tenth of
        the time of its transfers, which is all that can be hidden on PCIe 3.""",
        """The same inputs for all numbers of GPUs, and small: phases shrink with the number ([below](#scaling-on-nvlink-fig-10)).""",
    ]


def section(runs, tell):
    micro, found, scaled, unseen = {}, {}, {}, {}
    for link in LINKS:
        tell(f"PROACT, {link}")
        micro[link] = runs.profile(link, MICRO)
        for name in FIVE:
            found[link, name] = runs.workload(link, name)
        for name in runs.unseen:
            unseen[link, name] = runs.new(link, name)
    for gpus in SCALED:
        tell(f"PROACT, {gpus} GPUs")
        for name in FIVE:
            scaled[name, gpus] = runs.scaled(name, gpus)
    f = figures(micro, found, scaled, unseen)
    lines = ["## PROACT's figures", "", filled(INTRODUCTION), "", *comparison(summary(f)), "", numbered(reasons(f)), "", *parameters(), "",
             "### Speed-up to copies by chunk size (Fig. 6)", "", *micro_table(micro), "",
             "### Threads (Fig. 4)", "", *threads_table(runs.profile("pcie3", THREADS)), "",
             "### Speed-up over one GPU, and winners (Table II, Figs. 7 and 9)", "",
             filled(WINNERS_TEXT), "",
             *table(winner_head(), [winner_row(name, link, found[link, name]) for link in LINKS for name in FIVE]), "",
             "### Inputs that no choice was made on", "", filled(UNSEEN_TEXT), "", *unseen_table(unseen), "",
             "### Scaling on NVLink (Fig. 10)", "", filled(SCALING_TEXT), "", *scaled_table(f["scaling"]), "",
             "### On a GPU", "", filled(TRACKING_TEXT), "", *tracking_table(), "", filled(OVERLAP_TEXT), "", *overlap_table(), "",
             "### Contradictions in the paper", "", bullets(CONTRADICTIONS), ""]
    return "\n".join(lines)


INTRODUCTION = """PROACT (ISCA 2021) on the same simulated GPUs: `gpulink-replay profile` tries all chunk sizes, threads and agents, as its
profiler does (section III-A). A chunk is ready at its last store and is then sent whole. Links: pcie3 for its Kepler system, nvlink
(50 GB/s a direction) for its faster ones, whose links have 150 and 300 GB/s in both directions together (Table I). What agents cost is an
input, never fitted."""
WINNERS_TEXT = """Columns of methods are speed-ups. `software` is the faster of polling and launches, `hidden` the part of its transfer
time that is behind computing (10). I: inline stores are faster than software agents; D: decoupled. The paper's column has Kepler for pcie3,
Pascal and Volta for nvlink."""
UNSEEN_TEXT = """The graphs of [Design and report sets](#design-and-report-sets), with the parameters above: speed relative to copies of whole
blocks, each method with its best chunk size and threads."""
SCALING_TEXT = """Geometric means over the workloads without ct, with the chunk size and threads that the paper chose for Volta (128 KiB, 2048).
`card` is the better of regions in hardware and FinePack. The problems here are the same for all numbers of GPUs, and small; the gap grows as the paper's does where
copies send what few read."""
TRACKING_TEXT = """An H100 computes 1 GiB of results into its memory, 16 bytes a thread and 4 KiB a block, from as much input; chunks have
64 KiB. It arrives at a word of the host's memory in place of the card's doorbell page (`tests/gpu/cuda_rates.cu`). Time as a multiple of
that without tracking. The fences are for the whole system; those of all threads cost most."""
OVERLAP_TEXT = """256 MiB of results, in the time from a kernel's launch until all are in the host's memory: by a copy behind the kernel, by stores
of the kernel to the host, and by a thread of the host that copies each chunk when it arrives (a barrier, blocks count each other). The
card reads chunks by itself, without a launch for each."""
TRACKED = {"fences": "each thread fences, then a barrier", "fences_and_arrival": "the same, an arrival of each block",
           "arrival": "a barrier, an arrival of each block with its fence",
           "arrival_of_chunk": "a barrier, blocks count each other, an arrival of each chunk"}
CONTRADICTIONS = [
    """Listing 1 races: two blocks of threads can both read 0 after their `atomicDec`. The value that it returns has to be tested, and
    a barrier and a fence have to come before it. gpulink's arrivals are single stores to the card, which counts them one by one.""",
    """Section III-B says that chunks of 4 kB to 16 MB are chosen; Table II's are 16 kB to 1 MB.""",
    """With hardware's counters section III-D has no instruction that counts; Listing 1 decrements a counter for them, once a block.""",
    """"Flushed" is not defined for a chunk whose counter is not 0. Here a release sends such a chunk as it is, and later again whole
    (docs/registers.md, FLUSH_ON_RELEASE).""",
    """Launched kernels copy by the number of the block that came last, which is wrong where blocks share a chunk. Here chunks have
    numbers of their own.""",
]


def tracking_table():
    return table(["multiply-adds for a result", "without tracking", *TRACKED.values()],
                 [[work, f"{ns['not'] / 1e6:.2f} ms", *(f"{ns[way] / ns['not']:.2f}" for way in TRACKED)] for work, ns in H100["tracking"].items()])


def overlap():
    """Speed-ups to the copy behind the kernel: by chunk size, of stores at once, and what overlap could give."""
    ns = H100["overlap"]
    return ({int(size): ns["copy_behind"] / one for size, one in ns["chunks"].items()}, ns["copy_behind"] / ns["stores_at_once"],
            ns["copy_behind"] / max(ns["kernel"], ns["copy"]))


def overlap_table():
    gains, at_once, most = overlap()
    return table(["", "copy behind", "stores at once", *map(size, gains), "bound"],
                 [["speed-up", "1.00", f"{at_once:.2f}", *(f"{gain:.2f}" for gain in gains.values()), f"{most:.2f}"]])


def parameters():
    return ["Parameters:", "",
            *(f"    gpulink-replay profile --gpus 4 --link {link} {' '.join(words)} --workload ..." for link, words in LINKS.items()),
            f"    gpulink-replay profile {' '.join(MICRO)} --link ...", f"    gpulink-replay profile {' '.join(THREADS)} --link pcie3 ..."]
