# SPDX-License-Identifier: Apache-2.0
"""The NetCrafter text of docs/papers.md, around the measurements of paper_netcrafter.py."""

import paper_sectors as sectors
from paper_common import comparison, filled, geometric_mean, mean as average, near, numbered, uncompared, verdict


def percent(speed_up, digits=0):
    return f"{100 * (speed_up - 1):+.{digits}f} %"


def span(values, unit=" %", digits=0):
    values = list(values)
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}{unit}"


def losers(speed_ups):
    """Those that lose more than half a per cent."""
    return ", ".join(f"{n} {100 * (s - 1):+.1f} %" for n, s in speed_ups.items() if s < 0.995) or "none"


def clock_row(title, by_clocks, theirs, stated, what, digits=0):
    """A row with several numbers of queue clocks, which decide it."""
    ours = {clocks: what(values) for clocks, values in by_clocks.items()}
    good = [clocks for clocks, value in ours.items() if near([value], [theirs])]
    words = "agrees" if len(good) == len(ours) else f"agrees only with {', '.join(good)}" if good else "differs"
    return title, ", ".join(percent(value, digits) for value in ours.values()), stated, f"{words} (5)"


def summary(f, table_1):
    """(item, ours, the paper's, why)"""
    mean, speed, traces, sram = f["mean"], f["speed"], list(f["need"]), 1024 * 16 + 16
    best = max(f["pool"], key=f["pool"].get)
    clocked = {"8": f["speed_8"], "8 with 4 ns": f["speed_8_short"], "4": speed["netcrafter"], "1": f["speed_1"]}

    def written(table):
        return ", ".join(f"{required:g}/{occupied:g}" for required, occupied in table.values())

    return [
        ("Table 1: bytes required and occupied, means of all runs", written(f["sizes"]), written(table_1), verdict(f["sizes"] == table_1)),
        ("Fig. 3: speed-up of an ideal network", f"{mean['ideal']:.2f}", "1.5",
         verdict(near([mean["ideal"]], [1.5]))),
        ("Fig. 4: link utilization, plain; ideal", f"{100 * f['busy']['plain']:.0f} %; {100 * f['busy']['ideal']:.0f} %",
         "high; a chart", "no number (1)"),
        ("Fig. 5: access latency, ideal relative to plain", f"{f['ideal_latency']:.2f}", "a chart", "no number (1)"),
        ("Fig. 6: flits with 25 % or 75 % padding", f"{span(f['padded'][t] for t in traces)}; gups {f['padded']['gups']:.0f} %",
         "42 %", verdict(near([sum(f["padded"][t] for t in traces) / len(traces)], [42]), "(2)")),
        ("Fig. 7: reads that need 16 bytes or less", ", ".join(f"{t} {f['need'][t]:.0f} %" for t in traces),
         "many of many applications; a chart", "no number (3)"),
        *f["first_rows"],
        ("Fig. 9: page walks, share of accesses", f"{span((f['walks'][t] for t in traces), digits=1)}; gups {f['walks']['gups']:.0f} %",
         "13 % of the accesses, mean", verdict(near([sum(f["walks"].values()) / len(f["walks"])], [13]), "(2)")),
        ("the same, share of flits; of bytes", "; ".join(f"{span((f[of][t] for t in traces), digits=1)}, gups {f[of]['gups']:.0f} %"
                                                         for of in ("walk_flits", "walk_bytes")), "13 % of the data (section 1)",
         verdict(any(near([average(f[of].values())], [13]) for of in ("walk_flits", "walk_bytes")), "(2)")),
        ("Fig. 12: stitched flits, without and with pooling", f"{f['shared']['stitching']:.0f} %, {f['shared']['pooling']:.0f} %",
         "a small fraction, significantly more; a chart", "no number (4)"),
        clock_row("Fig. 14: all of NetCrafter, mean, with 8 queue clocks per flit time; the same and 4 ns of pooling; 4; 1", clocked, 1.16,
                  "+16 %; clocks stated twice, pooling 32 cycles", lambda values: geometric_mean(values.values()), 1),
        clock_row("the same, maximum", clocked, 1.64, "+64 %", lambda values: max(values.values())),
        clock_row("the same, mean of the workloads below, with 4; with 1", {"4": f["workloads"], "1": f["workloads_1"]}, 1.16, "+16 %",
                  lambda values: geometric_mean(values.values())),
        ("the same, inputs that lose, with 4; with 1", "; ".join(losers(
            {f"{n} (trace)": s for n, s in of.items()} | rest) for of, rest in ((speed["netcrafter"], f["workloads"]),
                                                                             (f["speed_1"], f["workloads_1"]))), "all gain that bandwidth limits",
         verdict(min(s for of in (speed["netcrafter"], f["speed_1"], f["workloads"], f["workloads_1"]) for s in of.values()) >= 0.995, "(5)")),
        ("Spread of times with queues of 1016 to 1032 flits", ", ".join(f"{n} {v[0]:.1f} %" for n, v in f["noise"].items()),
         "not stated", uncompared("what is noise here", "(5)")),
        ("Fig. 14: stitching with pooling; trimming; sequencing", ", ".join(percent(mean[v]) for v in ("pooling", "trimming", "sequencing")),
         "a chart", "no number (5)"),
        ("Fig. 14: the bar of L1s with sectors of 16 bytes", "-", "a chart", "out of reach (11)"),
        ("4.5: SRAM of a controller; of 16 MB of L2, of 64 MB in a switch", f"{sram / 1024:.2f} KiB; " + ", ".join(
            f"{100 * sram / (mib << 20):.3f} %" for mib in (16, 64)), "16.02KB; 0.098 %, 0.024 %",
         verdict(near([sram / 1024, 100 * sram / (16 << 20), 100 * sram / (64 << 20)], [16.02, 0.098, 0.024]), "(12)")),
        ("Fig. 15: access latency with NetCrafter", f"{f['latency']:.2f} of plain, mean; higher in {', '.join(f['slower_latency']) or 'none'}",
         "lower; a chart", verdict(f["latency"] < 1 and not f["slower_latency"], "(6)")),
        *f["sectors_rows"],
        ("Fig. 18: best pooling time, all flits", f"{max(f['all'], key=f['all'].get)} ns", "32 cycles",
         verdict(max(f["all"], key=f["all"].get) == 32)),
        ("Fig. 18: pagerank, all flits pooled, relative to stitching only", ", ".join(
            f"{100 * (s / speed['stitching']['pagerank'] - 1):+.1f} %" for s in f["all_pagerank"].values()) + " (32 to 128 ns)",
         "loses even at 32 cycles", verdict(max(f["all_pagerank"].values()) < speed["stitching"]["pagerank"])),
        ("Fig. 19: best pooling time, selective", f"{best} ns", "32 cycles", verdict(best == 32)),
        ("Fig. 19: pagerank, selective, 32 ns, relative to stitching only",
         f"{100 * (f['pool_pagerank'][32] / speed['stitching']['pagerank'] - 1):+.1f} %", "loses nothing",
         verdict(f["pool_pagerank"][32] >= speed["stitching"]["pagerank"])),
        ("the same, all inputs: range; those that lose", f"{100 * (min(f['pooled'].values()) - 1):+.1f} to "
         f"{100 * (max(f['pooled'].values()) - 1):+.1f} %; {losers(f['pooled'])}", "prevents degradation",
         verdict(min(f["pooled"].values()) >= 0.995)),
        ("Fig. 20: bytes saved, without pooling; 32, 64, 96, 128 ns",
         f"{f['saved']['stitching']:.1f} %; " + ", ".join(f"{s:.1f} %" for s in f["pool_saved"].values()),
         "constant from 32; a chart", verdict(max(f["pool_saved"].values()) - min(f["pool_saved"].values()) < 1)),
        ("Fig. 21: stitching with pooling, flits of 8 bytes", f"{percent(f['flit'][8])} (16 bytes: {percent(f['flit'][16])})",
         "less, but still some", verdict(1 < f["flit"][8] < f["flit"][16], "(7)")),
        ("Fig. 22: NetCrafter by bandwidth", ", ".join(f"{w}/{b}: {percent(s)}" for (w, b), s in f["bandwidth"].items()),
         "gains throughout, most where bandwidth is scarce",
         verdict(min(f["bandwidth"].values()) > 1 and max(f["bandwidth"], key=f["bandwidth"].get)[1] == min(b for _, b in f["bandwidth"]), "(8)")),
    ]


def reasons(f):
    walk, late = f["walk_ns"], f["walk_99"]
    items = [
        """The paper's numbers are bars. Only accesses that cross the link count, from leaving the GPU to the arrival of the response.""",
        f"""By Table 1 alone, two of the six flits of a read or write have padding, 33.3 % for any mix, and all flits of page walks
        do. So the paper's 42 % follow from its 13 % of page walks, if those are a share of flits: 0.87 / 3 + 0.13 = 0.42. Our
        traces contain fewer walks, and a walk's access takes two flits where a read or write takes six. The traces access 0.1 to 8
        MB, of which a GPU's TLB of 512 entries covers 2, so most pages are walked once. GPUs' accesses to their own memory, which
        would occupy TLB entries, are not in the traces. And the page of a table resides on the GPU whose memory it maps, so walks
        to a near GPU's memory do not cross. transpose, with 2048 pages, has {f['walks']['transpose']:.0f} %; gups has
        {f['walks']['gups']:.0f} %, and atomic updates, which have padding in two of three flits.""",
        f"""Bytes that the wavefront requested on a miss. Trimming requires them in one sector, because the request has three bits
        for it: {f['sector']['pagerank']:.0f} % of pagerank's reads and {f['sector']['spmv']:.0f} % of spmv's.
        {f['need']['spmv'] - f['sector']['spmv']:.0f} % of spmv's need 16 bytes or less, but of more than one sector.""",
        """A flit is stitched when it shares a flit on the link, as a piece or as the parent. Means over the traces; their
        table shows the possible maximum.""",
        f"""Geometric means of time relative to plain. With different programs and inputs, the closeness of the means is a
        coincidence, and the number of clocks that the queue has for a flit decides it. The paper has two answers. 5.1 passes a flit each
        cycle at each port, so a port of 128 GB/s has 8 cycles in a flit's time on the link of 16 GB/s, and 4.5 lets trimming and stitching
        overlap with the switch's pipeline; 32 cycles of pooling are then 4 ns. Table 2 has one clock, 1 GHz, with which the same port passes
        16 GB/s, and a flit's time is one cycle. Page walks are
        modelled, not recorded, and rare except in gups; smaller TLBs make more of them ([below](#page-walks-by-tlb)). Two choices were
        made after first results: pooled flits yield, and with sequencing latency-critical packets do not wait behind others at the
        switch. Without the first, pooling loses far more than stitching gains (below). Trimming costs nothing here: data that a trimmed
        response omits and another wavefront would have hit are not in the traces (see Figs. 16 and 17, note 10). transpose's times vary by {f['noise']['transpose'][0]:.0f} % when the queue has a few flits more
        or fewer, spmv's by {f['noise']['spmv'][0]:.1f} %, the others' by at most
        {max(f['noise'][t][0] for t in ('pagerank', 'stencil2d', 'fir')):.1f} %; smaller differences are not significant.""",
        f"""A latency is higher where walks complete sooner and more accesses are outstanding at a time: each waits longer, while the total
        time is shorter. Sequencing alone reduces the mean latency of walks from {walk['plain']['spmv']:.0f} to
        {walk['sequencing']['spmv']:.0f} ns in spmv and from {walk['plain']['transpose']:.0f} to {walk['sequencing']['transpose']:.0f} in
        transpose, and the 99th percentile from {late['plain']['spmv']} to {late['sequencing']['spmv']} and from
        {late['plain']['transpose']} to {late['sequencing']['transpose']} ns, the latency of an unloaded link. There are few walks,
        so time hardly changes. gups, which has many, becomes slower ({percent(f['gups']['sequencing'])}): more updates are
        outstanding, and their pages evict each other from the TLBs.""",
        """In flits of 8 bytes only a packet of 4 bytes fits into the free bytes of another: number and size, which precede a tail,
        take 2 bytes. In the paper they may occupy unused bits.""",
        """GB/s of a GPU's port and of the link. Times come from the same trace, in which compute units issue requests no faster than
        in the simulator, over its PCIe; so from 32 GB/s on little can be gained. For the paper's faster links the programs
        were simulated again.""",
        f["first_note"],
        sectors.NOTE,
        """The traces are of misses of L1s with whole lines; those of an L1 with sectors are others, in another order, so their times are
        not in them. Figs. 16 and 17 have the misses.""",
        """Arithmetic: a cluster queue of 1024 flits of 16 bytes, and the stitching engine's buffer of one. The paper leaves out the receiver,
        where packets wait for their tails.""",
    ]
    return numbered(items)


def pooling(f):
    holding, mean = f["holding"], f["mean"]
    return filled(f"""The paper describes a pooled flit in two ways: "subsequent flits in the queue are processed" meanwhile (4.2), and
    the timer "delays retrieval from that cluster queue until it expires" (4.4). With the second reading, a kind of packet has one
    turn per 32 ns when nothing fits into its flits: read requests have 4 free bytes, which only write responses fit. That is
    *holding* below: {holding['pooling']:.2f} of plain's speed with pooling, {holding['netcrafter']:.2f} with all of NetCrafter.
    *Yielding*, used in all other tables, is ours: a pooled flit yields when others of its kind wait and the link is idle
    ({mean['pooling']:.2f} and {mean['netcrafter']:.2f}). The card yields by default.""")


def clocks(f):
    c = f["clocks"]
    return filled(f"""The cluster queue handles one item per clock, and a piece is an item. With one clock per flit time, stitching loses
    in clocks what it saves in flits ({c[1, 'stitching']:.2f}, with pooling {c[1, 'pooling']:.2f}); with two
    it reaches {c[2, 'stitching']:.2f} and {c[2, 'pooling']:.2f}, with four, the maximum number of pieces in a flit,
    {c[4, 'stitching']:.2f} and {c[4, 'pooling']:.2f}, with eight {c[8, 'stitching']:.2f} and {c[8, 'pooling']:.2f}. So stitching pays where the link accepts a flit less often than once per clock
    of the card's logic.""")


def better(f):
    less, mean, speed = f["both_less"], f["mean"], f["speed"]
    both = f"""Packing and stitching on one link: stores that cross enter FinePack's partitions, and the packets' last flits take pieces
    or become pieces. For the traces, pagerank's link carries {less['pagerank']:.0f} % fewer bytes than with the better of the two
    mechanisms, stencil2d's {less['stencil2d']:.0f} %, fir's {less['fir']:.0f} %, transpose's {less['transpose']:.0f} %, and spmv's,
    with almost no stores, {less['spmv']:.1f} %. The mean speed-up is {mean['both']:.2f}, compared with {mean['netcrafter']:.2f} for
    netcrafter and {mean['finepack']:.2f} for finepack. The combination pays where there are both reads and stores. With stores only,
    as in the workloads, almost nothing remains to be stitched after packing ({f['both_tails']:.2f} % of flits): a packet has one
    tail, and write responses, which fill gaps of 4 bytes, disappear. Any time gained there comes from sequencing. Packing is
    worth more than NetCrafter wherever stores are small."""
    tuned = f"""Pooling time tuned from the counters (*tuned*, model only): after every 128 pooled flits it is doubled, up to 128 ns, if at
    least half of them found a piece, and halved if less than a quarter did. The mean is {mean['tuned']:.3f}, compared with
    {mean['netcrafter']:.3f} at 32 ns. The difference comes from pagerank ({speed['tuned']['pagerank']:.2f} instead of
    {speed['netcrafter']['pagerank']:.2f}), and slightly fewer bytes are saved ({f['saved']['tuned']:.1f} % instead of
    {f['saved']['netcrafter']:.1f} %). Fixed times of {' and '.join(map(str, f['short']))} ns give {' and '.join(f'{s:.2f}' for s in f['short'].values())} there.
    When they hold, tuning repairs part of the damage ({f['holding']['tuned']:.2f}). So the card's model does not have it."""
    return filled(both), filled(tuned)


def tlbs(f):
    least, paper = list(f["tlbs"].values())[-1], list(f["tlbs"].values())[0]
    gain = [100 * (s - 1) for of in f["tlbs"].values() for n, (w, s) in of.items() if w >= 13 and n != "gups"]
    gups = [100 * (of["gups"][1] - 1) for of in f["tlbs"].values()]
    reached = f"""Where the share is the paper's 13 % or more, sequencing changes the time of traces by {min(gain):+.1f} to
        {max(gain):+.1f} %.""" if gain else "No trace reaches the paper's 13 %."
    return filled(f"""Smaller TLBs (entries of a GPU, of a compute unit) make page walks more frequent: from
        {min(w for n, (w, _) in paper.items() if n != 'gups'):.1f} to {max(w for n, (w, _) in paper.items() if n != 'gups'):.1f} % of a trace's
        accesses with the paper's, to at most {max(w for n, (w, _) in least.items() if n != 'gups'):.1f} % with the smallest, because the traces
        access few pages. {reached} For gups, with walks for {paper['gups'][0]:.0f} to {least['gups'][0]:.0f} % of the accesses, by
        {min(gups):+.1f} to {max(gups):+.1f} %. So sequencing gains little here, whatever the share; the paper's bars are not numbers.""")


def section(f, t, parameters, table_1):
    side_by_side = "\n".join(comparison(summary(f, table_1)))
    both, tuned = better(f)
    return f"""\
# NetCrafter's figures

NetCrafter (Fatima et al., ISCA 2025), with the model of the card's cluster queue and un-stitcher, in a system of two clusters of
two GPUs each; [netcrafter.md](netcrafter.md) describes the system and its requests. No size or time was fitted to the paper's
numbers; note (5) lists the choices made after a first result. The traces come from the paper's simulator, but from five programs
instead of fifteen, with other inputs (the paper does not name its own), and without GPUs' accesses to their own memory. Almost all
of the paper's results are bars without numbers; this page uses only the numbers in its text.

## Comparison with NetCrafter

{side_by_side}

{reasons(f)}

## Parameters of NetCrafter's figures

The paper's Table 2, except the queue clocks and the maximum of latency-critical flits in a row, which are ours.

{parameters}

## Figs. 6 and 9: traffic across the link

{t['traffic']}

The workloads of gpulink-replay, which store and do not read:

{t['traffic_workloads']}

## Fig. 7: bytes needed by reads

{t['need']}

## Figs. 3 and 14: speed-up

Relative to plain. *stitching* is without pooling; *tuned* (model only), *finepack* and *both* are explained below.

{t['speed']}

## Page walks by TLB

{tlbs(f)}

{t['tlbs']}

{t['first']}
## Figs. 5 and 15: latency, and sequencing

In ns, mean and 99th percentile.

{t['latency']}

## Fig. 12: stitched flits

{t['stitched']}

## Figs. 18 to 20: pooling

Speed-up, with every flit pooled (Fig. 18):

{t['pool_all']}

Speed-up with selective pooling, of all but latency-critical flits (Fig. 19):

{t['pool']}

Flits, and so bytes, saved by selective pooling (Fig. 20):

{t['pool_bytes']}

{pooling(f)}

{t['holding']}

## Fig. 21: flits of 8 bytes (model only)

{t['flit']}

## Fig. 22: bandwidth

Speed-up of netcrafter over plain, by GB/s of a GPU's port and of the link.

{t['bandwidth']}

## Trimming by sector size

Speed-up over plain, and the reduction of flits.

{t['trim']}

{t['sectors']}
## Queue clocks per flit time

{clocks(f)}

{t['clocks']}

## Beyond NetCrafter: packing and stitching together

{both}

{tuned}

{t['both']}

The workloads:

{t['both_workloads']}
"""
