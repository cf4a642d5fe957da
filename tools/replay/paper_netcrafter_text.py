# SPDX-License-Identifier: Apache-2.0
"""The text of docs/papers.md on NetCrafter, around what paper_netcrafter.py measured."""

import textwrap


def filled(text, first="", rest=""):
    return textwrap.fill(" ".join(text.split()), 128, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def percent(speed_up):
    return f"{100 * (speed_up - 1):+.0f} %"


def span(values, unit=" %", digits=0):
    values = list(values)
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}{unit}"


def summary(f):
    """(item, ours, the paper's, why)"""
    mean, speed, traces = f["mean"], f["speed"], list(f["need"])
    best = max(f["pool"], key=f["pool"].get)
    return [
        ("Table 1: bytes required and occupied", "the same, in every run", "12/16, 76/80, 12/16, 68/80, 4/16, 12/16", "agrees"),
        ("Fig. 3: speed-up of an ideal network", f"{mean['ideal']:.2f}", "1.5", "agrees"),
        ("Fig. 4: the link is busy, plain; ideal", f"{100 * f['busy']['plain']:.0f} %; {100 * f['busy']['ideal']:.0f} %",
         "high; a chart", "(1)"),
        ("Fig. 5: latency of an access, ideal to plain", f"{f['ideal_latency']:.2f}", "a chart", "(1)"),
        ("Fig. 6: flits with 25 % or 75 % padding", f"{span(f['padded'][t] for t in traces)}; gups {f['padded']['gups']:.0f} %",
         "42 %", "(2)"),
        ("Fig. 7: reads that need 16 bytes or less", ", ".join(f"{t} {f['need'][t]:.0f} %" for t in traces),
         "many of many applications; a chart", "(3)"),
        ("Fig. 9: page walks, of accesses", f"{span((f['walks'][t] for t in traces), digits=1)}; gups {f['walks']['gups']:.0f} %",
         "13 % of the traffic", "(2)"),
        ("Fig. 9: page walks, of flits", f"{span((f['walk_flits'][t] for t in traces), digits=1)}; gups {f['walk_flits']['gups']:.0f} %",
         "", "(2)"),
        ("Fig. 12: flits stitched, before and after pooling", f"{f['shared']['stitching']:.0f} %, {f['shared']['pooling']:.0f} %",
         "a small fraction, significantly more; a chart", "(4)"),
        ("Fig. 14: all of NetCrafter", f"{percent(mean['netcrafter'])} on the mean, {percent(max(speed['netcrafter'].values()))} at most",
         "+16 % on the mean, +64 % at most", "(5)"),
        ("Fig. 14: stitching with pooling; trimming; sequencing", ", ".join(percent(mean[v]) for v in ("pooling", "trimming", "sequencing")),
         "a chart", "(5)"),
        ("Fig. 15: latency of an access, with NetCrafter", f"{f['latency']:.2f} of plain's", "less; a chart", "(6)"),
        ("Fig. 18: best pooling time, all flits", f"{max(f['all'], key=f['all'].get)} ns", "32 cycles", "agrees"),
        ("Fig. 18: pagerank, all flits pooled, to stitching alone", ", ".join(
            f"{100 * (s / speed['stitching']['pagerank'] - 1):+.1f} %" for s in f["all_pagerank"].values()) + " (32 to 128 ns)",
         "loses even at 32 cycles", "agrees"),
        ("Fig. 19: best pooling time, selective", f"{best} ns", "32 cycles", "agrees"),
        ("Fig. 19: pagerank, selective, 32 ns, to stitching alone",
         f"{100 * (f['pool_pagerank'][32] / speed['stitching']['pagerank'] - 1):+.1f} %", "loses nothing", "agrees"),
        ("Fig. 20: bytes saved, without pooling; 32, 64, 96, 128 ns",
         f"{f['saved']['stitching']:.1f} %; " + ", ".join(f"{s:.1f} %" for s in f["pool_saved"].values()),
         "the same from 32 on; a chart", "agrees"),
        ("Fig. 21: stitching with pooling, flits of 8 bytes", f"{percent(f['flit'][8])} (of 16: {percent(f['flit'][16])})",
         "less, but still some", "(7)"),
        ("Fig. 22: NetCrafter by bandwidth", ", ".join(f"{w}/{b}: {percent(s)}" for (w, b), s in f["bandwidth"].items()),
         "gains throughout, most where bandwidth is scarce", "(8)"),
    ]


def reasons(f):
    walk, late = f["walk_ns"], f["walk_99"]
    items = [
        """The paper's numbers are bars. Accesses are those that cross, from leaving the GPU to the answer's arrival.""",
        f"""By Table 1 alone, reads and writes have two flits of six with padding, 33.3 %, whatever their mix; page walks have it
        in all of theirs. So the paper's 42 % follow from its 13 % of page walks, if that is a share of flits: 0.87 / 3 + 0.13 =
        0.42. Ours have fewer walks, and of an access they are two flits, where a read or write is six: the traces show 0.1 to 8 MB, of which a GPU's TLB of 512
        entries holds 2, so most pages are walked to once; GPUs' accesses to their own memory, which would take its entries, are not in
        the traces; and a table's page lies with the GPU whose memory it maps, so that walks to a near GPU's memory do not
        cross. transpose, with 2048 pages, has {f['walks']['transpose']:.0f} %. gups has {f['walks']['gups']:.0f} %, and atomic
        updates, which have padding in two of three flits.""",
        f"""Bytes that the wavefront asked for when it missed. Trimming needs them in one sector, as the request has three bits to
        name it: {f['sector']['pagerank']:.0f} % of pagerank's reads and {f['sector']['spmv']:.0f} % of spmv's. Half of spmv's want
        two words that are far apart in the line.""",
        """A flit is stitched when it shares a flit on the link, as a piece or as the one that took it. The mean over the traces; their
        table says what was possible.""",
        f"""Geometric means of time to plain's. With other programs and inputs it is chance that the means are so near. What was chosen after first results: that pooled flits yield, and that
        latency-critical packets do not wait at the switch behind others where there is sequencing. Without the first pooling
        loses far more than stitching gains (below); without the second sequencing changed nothing in pagerank, since what it
        sorts had waited before. Each GPU's reads are limited as in Table 2, which came last, and changed spmv's times by a
        few per cent. Trimming costs nothing here: what a trimmed answer leaves out and another wavefront would have found
        is not in the traces (the paper's Figs. 16 and 17 are about that, and have no counterpart here). transpose's times move
        by {f['noise']['transpose'][0]:.0f} % when the queue has a few flits more or less, spmv's by {f['noise']['spmv'][0]:.1f} %, the
        others' by {max(f['noise'][t][0] for t in ('pagerank', 'stencil2d', 'fir')):.1f} % at most: less than that says nothing.""",
        f"""transpose's is higher: with walks out of the way more of its accesses are under way at a time, and they wait longer while
        all is done earlier. Sequencing alone takes walks' mean latency from {walk['plain']['spmv']:.0f} to {walk['sequencing']['spmv']:.0f} ns
        in spmv and from {walk['plain']['transpose']:.0f} to {walk['sequencing']['transpose']:.0f} in transpose, and the 99th percentile from
        {late['plain']['spmv']} to {late['sequencing']['spmv']} and from {late['plain']['transpose']} to {late['sequencing']['transpose']} ns:
        what the way takes when nobody else is on it. There are few walks, so time hardly changes; in gups, which has many, it gets
        worse ({percent(f['gups']['sequencing'])}): more updates are under way, whose pages put each other out of the TLBs.""",
        """In flits of 8 bytes only a packet of 4 bytes fits into the room of another: number and size, which a tail takes with it, are
        2 bytes. In the paper's they may be in bits that are unused.""",
        """GB/s of a GPU's port and of the link. Times come from the same trace, in which compute units ask no faster than they did in
        the simulator, over its PCIe; so from 32 GB/s on there is little left to win. The paper's faster links were simulated with
        the programs running on them.""",
    ]
    return "\n".join(filled(item, f"{number}. ", " " * len(f"{number}. ")) for number, item in enumerate(items, 1))


def pooling(f):
    holding, mean = f["holding"], f["mean"]
    return filled(f"""The paper says of a flit that is pooled both that "subsequent flits in the queue are processed" meanwhile (4.2) and
    that the timer "delays retrieval from that cluster queue until it expires" (4.4). Taken as the second says, a kind of
    packet has one turn in 32 ns when nothing fits into its flits: read requests have room for 4 bytes, which only write responses
    are. That is *holding* below: {holding['pooling']:.2f} of plain's speed with pooling, {holding['netcrafter']:.2f} with all
    of NetCrafter. *Yielding*, what all other tables have, is ours: a pooled flit gives way when others of its kind wait and
    the link has nothing else to do ({mean['pooling']:.2f} and {mean['netcrafter']:.2f}). The card's logic should have it.""")


def clocks(f):
    c = f["clocks"]
    return filled(f"""The cluster queue takes one thing a clock, and a piece is one. With one clock in the time of a flit, stitching gives back in
    clocks what it saves in flits ({c[1, 'stitching']:.2f}, with pooling {c[1, 'pooling']:.2f}); with two
    it is {c[2, 'stitching']:.2f} and {c[2, 'pooling']:.2f}, with four, as many as a flit has pieces at most, {c[4, 'stitching']:.2f}
    and {c[4, 'pooling']:.2f}. So stitching pays where the link takes a flit less often than the card's logic has a clock.""")


def better(f):
    less, mean, speed = f["both_less"], f["mean"], f["speed"]
    both = f"""Packing and stitching on one link: stores that cross go into FinePack's partitions, and the packets' last flits take pieces,
    or are pieces. Of the traces pagerank's link carries {less['pagerank']:.0f} % fewer bytes than with the better of the two
    alone, stencil2d's {less['stencil2d']:.0f} %, fir's {less['fir']:.0f} %, transpose's {less['transpose']:.0f} %, spmv's, which
    stores next to nothing, {less['spmv']:.1f} %; the mean speed-up is {mean['both']:.2f}, where netcrafter's is
    {mean['netcrafter']:.2f} and finepack's {mean['finepack']:.2f}. It pays where there are reads for the one and stores for the
    other. Of stores alone, as the workloads have them, there is next to nothing to stitch once they are packed
    ({f['both_tails']:.2f} % of flits): a packet has one tail, and write responses, which fill rooms of 4 bytes, are gone. What time
    is won there is sequencing's. Packing is worth more than NetCrafter wherever stores are small."""
    tuned = f"""Pooling time from the counters (*tuned*): every 128 pooled flits it is doubled, to 128 ns at most, when half of them or more found
    a piece, and halved when less than a quarter did. On the mean {mean['tuned']:.3f} where 32 ns have {mean['netcrafter']:.3f}, all of that from
    pagerank ({speed['tuned']['pagerank']:.2f}, not {speed['netcrafter']['pagerank']:.2f}), and a little less saved in bytes
    ({f['saved']['tuned']:.1f} %, not {f['saved']['netcrafter']:.1f} %). A fixed time of 4 to 8 ns does as well there: once pooled flits
    yield, the time matters little. Where they hold, tuning mends some of the harm and not all ({f['holding']['tuned']:.2f}). So it
    is not in the card's model."""
    return filled(both), filled(tuned)


def section(f, t, parameters):
    lines = ["| item | ours | the paper's | why |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in summary(f)]
    side_by_side = "\n".join(lines)
    both, tuned = better(f)
    return f"""\
# NetCrafter's figures

NetCrafter (Fatima et al., ISCA 2025), by the model of the card's cluster queue and un-stitching, in a system of two clusters with
two GPUs each; [netcrafter.md](netcrafter.md) says how it is and what is asked when. No size or time was fitted to the paper's
numbers; note (5) has what was decided after a first result. The traces are of the simulator that the paper used, but of five
programs, not its fifteen, with other inputs (its are not said), and without what GPUs do in their own memory. Nearly all of the
paper's results are bars without numbers: only what its text says stands here.

## Side by side with NetCrafter

{side_by_side}

{reasons(f)}

## Parameters of NetCrafter's figures

The paper's Table 2. Ours are the clocks of the queue and how many latency-critical flits go in a row.

{parameters}

## Figs. 6 and 9: what crosses

{t['traffic']}

Of gpulink-replay's workloads, which store and do not read:

{t['traffic_workloads']}

## Fig. 7: bytes of a line that reads need

{t['need']}

## Figs. 3 and 14: speed-up

To plain. *stitching* is without pooling; *tuned*, *finepack* and *both* are below.

{t['speed']}

## Figs. 5 and 15, and sequencing: latency

In ns, mean and 99th percentile.

{t['latency']}

## Fig. 12: flits stitched

{t['stitched']}

## Figs. 18 to 20: pooling

Speed-up, with every flit pooled (Fig. 18):

{t['pool_all']}

Selective, all but the latency-critical (Fig. 19):

{t['pool']}

Flits, and so bytes, saved with that (Fig. 20):

{t['pool_bytes']}

{pooling(f)}

{t['holding']}

## Fig. 21: flits of 8 bytes

{t['flit']}

## Fig. 22: bandwidth

Speed-up of netcrafter to plain, by GB/s of a GPU's port and of the link.

{t['bandwidth']}

## Trimming to other sectors

Speed-up, and flits less than plain's.

{t['trim']}

## Clocks of the queue in the time of a flit

{clocks(f)}

{t['clocks']}

## Better than NetCrafter

{both}

{tuned}

{t['both']}

Of the workloads:

{t['both_workloads']}
"""
