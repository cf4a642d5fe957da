# SPDX-License-Identifier: Apache-2.0
"""The text of docs/papers.md, around what `paper` measured: what the papers say, and why figures differ."""

import textwrap

# FinePack's Table II.
TABLE_2 = {2: "64B", 3: "16KB", 4: "4MB", 5: "1GB", 6: "256GB"}


def filled(text, first="", rest=""):
    return textwrap.fill(" ".join(text.split()), 128, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def bullets(items):
    return "\n".join(filled(item, "* ", "  ") for item in items)


def summary(f):
    """(item, ours, the paper's, why)"""
    goodput, speed, width = f["goodput"], f["speed"], f["width_speed"]
    small, line, large = (goodput[size]["pcie4"] for size in (4, 32, 128))
    return [
        ("Table II: range of a sub-header", "the same for H = 2 to 6", "64B, 16KB, 4MB, 1GB, 256GB", "(1)"),
        ("Fig. 2: goodput of 4 / 32 / 128 B, PCIe", f"{small:.0f} / {line:.0f} / {large:.0f} %",
         "32 B roughly half as efficient as 128 B", "(2)"),
        ("PROACT Fig. 2: 4 B on PCIe", f"{goodput[4]['pcie4']:.1f} %", "14 %", "agrees"),
        ("PROACT Fig. 2: 4 B on NVLink", f"{goodput[4]['nvlink']:.1f} %", "8 %", "agrees"),
        ("Fig. 4: stores of 32 B or less", f"{f['small']:.0f} %", "over 63 % (below 32 B)", "(3)"),
        ("Fig. 10: peer stores' bytes to FinePack's", f"{f['p2p_bytes']:.2f}", "2.7", "(4)"),
        ("Fig. 10: bulk DMA's bytes to FinePack's", f"{f['dma_bytes']:.2f}", "1.3", "(5)"),
        ("FinePack's bytes below write combining's", f"{100 * (1 - f['combining_bytes']):.0f} %", "24 %", "(6)"),
        ("Fig. 9: speed-up, infinite bandwidth", f"{f['bound']:.2f}", "3.4", "agrees"),
        ("Fig. 9: speed-up of FinePack", f"{speed['finepack']:.2f}", "2.4", "(7)"),
        ("Fig. 9: FinePack to bulk DMA", f"{speed['finepack'] / speed['dma']:.2f}", "1.4", "(7)"),
        ("Fig. 9: FinePack to peer stores", f"{speed['finepack'] / speed['p2p']:.2f}", "3", "(7)"),
        ("Fig. 11: stores a packet", f"{f['packed_geometric']:.0f} (geometric mean), {f['packed_median']:.0f} (median), "
         f"{f['packed_mean']:.0f} (mean)", "42", "(8)"),
        ("Fig. 11: CT's", f"{f['packed']['ct']:.0f}", "an outlier below", "(9)"),
        ("Fig. 12: best sub-header width", f"{max(width, key=width.get)}; 4 is {100 * (width[4] - 1):+.1f} %, 6 is "
         f"{100 * (width[6] - 1):+.1f} % to 5", "4, virtually the same at 5, then less", "agrees"),
        ("Fig. 13: FinePack to bulk DMA, PCIe 3 to 6", ", ".join(f"{r['dma']:.2f}" for r in f["links"].values()),
         "ahead at every step (1.4 at PCIe 4)", "(7)"),
        ("Fig. 13: FinePack to peer stores, PCIe 3 to 6", ", ".join(f"{r['p2p']:.2f}" for r in f["links"].values()),
         "ahead at every step (3 at PCIe 4)", "(7)"),
        ("Configuration packets: less efficient by", f"{f['config']:.0f} %; with 42 stores of 40 B a packet "
         f"{f['config_by_size'][40]:.0f} %", "18 % for 32 to 64 stores a packet", "(10)"),
        ("16 GPUs, PCIe 6: FinePack to peer stores", f"{f['many_p2p']:.2f}", "3", "(11)"),
        ("16 GPUs, PCIe 6: FinePack to bulk DMA", f"{f['many_dma']:.2f}", "1.9", "(11)"),
    ]


def reasons(f):
    goodput, packed = f["goodput"], f["packed"]
    sizes = ", ".join(f"{percent:.0f} % with stores of {size} bytes" for size, percent in f["config_by_size"].items())
    items = [
        """Measured: two bytes at a growing distance go through the card's model until they no longer share a packet.""",
        f"""A store's bytes over header, framing and padding, by each link's formula. 32 B are
        {goodput[32]['pcie4'] / goodput[128]['pcie4']:.2f} of 128 B's on PCIe,
        {goodput[32]['nvlink'] / goodput[128]['nvlink']:.2f} on NVLink. The paper measured real systems, where credits and
        acknowledgements take their part too. The NVLink-like link is flits of 16 bytes and a flit of byte enables where one
        is not whole, up to 256 bytes a transaction.""",
        """The mean of the eight workloads' shares. The class here is up to 32 bytes, the paper's number is below 32.""",
        f"""jacobi and diffusion store whole lines, for which no packing gives more than 1.14 at this width; als and ct give
        the most. Where pagerank runs on cage8, and hit transposes through a tile (see Parameters), it is
        {f['other_p2p_bytes']:.2f}.""",
        f"""A mean of numbers from 0.02 to some hundred, which says little. memcpy copies a GPU's whole block to whoever
        reads any of it, after each phase: for jacobi's halo of 512 bytes, or in a late round of sssp when little changes,
        that is hundreds of times what stores send. In als, eqwp, diffusion and hit every byte copied is one that stores send
        too, as halos are packed: copies are at the lower bound there, and FinePack is above it:
        {f['dma_bytes_all_used']:.2f} for these four. The paper's copies have many wasted bytes; it does not say how halos
        are copied. For ct see (9).""",
        """Write combining has as many lines here as FinePack, and sends them run by run or whole, what is smaller. It cannot
        pack runs, and ours are smaller (3).""",
        f"""The order is the paper's: peer stores, copies, FinePack, the bound. FinePack gets
        {100 * f['speed']['finepack'] / f['bound']:.0f} % of the bound, in the paper 71 %. als, ct and hit are bound by the
        link here. Computing is a roofline with the data sheet's rates, which real kernels do not reach, and inputs are
        small; both leave little to compute for what is sent. For pagerank and sssp peer stores are a little ahead of
        FinePack: at the end of a phase of some 20 us they have been sent, while FinePack's last packets wait for the
        release. Software costs nothing here; the paper's copies start through a driver.""",
        f"""als has {packed['als']:.0f}: its eight stores of 4 bytes a row fill whole lines in the queue. Without it the mean
        is {f['packed_mean_no_als']:.0f}. Where each store has a line of its own (hit-direct), 64 entries give
        {packed['hit-direct']:.0f}.""",
        f"""The paper's CT has little spatial locality, few stores a packet and is not bound by the link. Ours is the
        opposite: all projections are 150 KB, which a window of H = 4 holds; each pixel's change is pushed as soon as it is
        made, and the same projections are stored again and again, further apart than a queue remembers, so that copying at a
        phase's end sends {f['ct_dma']:.0f} times less than FinePack. A real scan's projections are hundreds of megabytes;
        how large the paper's is and what is pushed when, it does not say. Take ours as another workload of the same name.""",
        f"""By the paper's own reckoning, 10 bytes more a store, in packets of 42 stores: {sizes}. So its 18 % are stores of
        some 40 bytes; ours are smaller (Fig. 4).""",
        """The inputs are those for 4 GPUs, shared out further (strong scaling): phases are down to a few microseconds, of
        which the link's latency of 0.7 is a good part, the same for all.""",
    ]
    return "\n".join(filled(item, f"{number}. ", " " * len(f"{number}. ")) for number, item in enumerate(items, 1))


PARAMETERS = [
    """The first eight are the paper's. Sizes are ours: the paper has none.""",
    """pagerank: the paper has a matrix of the cage family, without saying which. The only one in this tree is cage8: 1015
    rows take 50 ns an iteration, too little to tell a time, and each of four blocks is read nearly whole, so that lines
    fill. The means take the web graph cnr-2000; cage8 is beside it.""",
    """sssp: the paper has indochina-2004, a web crawl; cnr-2000 is a smaller one.""",
    """als: the paper has an rgg. This one is made by the definition of DIMACS10's rgg_n_2_15, from a seed.""",
    """hit-direct: the paper says that peer stores do well for jacobi and diffusion, whose stores are of 128 bytes, and
    poorly for the others. With a tile in shared memory, as hit has it, stores are of 128 bytes too; so the means take the
    variant without. hit is beside it.""",
    """gups is left out: its updates are atomic, which no way of sending combines.""",
]


# Measured once, over the same suite, by a simulation of queues and codes that finds the model's own bytes for what is kept.
TRIED = [
    """Several open windows a destination, over its 64 entries together; what is longest unused makes room. At H = 4 two, four or
    eight windows save 0.03 %, and where the entries are divided among two or four windows it takes 2.7 % or 5.7 % more. At H = 3
    one window takes 19.1 % more than H = 4; two, four and eight windows 13.5 %, 10.3 % and 8.5 %. Windows of 4 MB are hardly
    ever missed, and those of 16 KB far too often.""",
    """Entries shared between the partitions of a card, 64 for each destination in one pool, so that one may have more while others
    have less; the one with most flushes when the pool is full. 0.7 % with lines of 128 bytes (the same where nobody can be
    left with less than 16), 0.4 % with lines of 64. Where the one that stores flushes itself, 0.1 % more bytes. Each store would
    have to be compared with the entries of all partitions instead of one's.""",
    """Shorter lines still: 256 of 32 bytes 0.4 %, 512 of 16 bytes 0.2 % again, with twice the comparators each time. (The other
    way, 16 sets of 8 lines of 64 bytes and 8 more for whatever set is full cost 0.1 %, and need 16 comparators. And FinePack's
    own form does not gain by lines of 64 bytes: it takes 0.6 % more.)""",
    """A flush of a part when all entries are taken: keeping the 4, 8, 16 or 32 of 64 that were used last, to merge with, takes 0.2
    to 0.8 % more bytes, as packets get smaller; with lines of 64 bytes 8 or 32 of 128 make no difference.""",
    """Flushing only when all entries are taken, in as many packets as that needs: less than 0.1 %.""",
    """Masks of a line's bytes, or of its units, in place of its runs, for lines of 16 to 128 bytes: no packet gets smaller.""",
    """Orders that follow the last gaps: about a bit more for each run than one order for a packet. Differences of distances instead of
    gaps: 0.5 % without repetitions, nothing with them. Three shapes to repeat instead of two: 0.1 %. Counts of repetitions: less than
    0.1 %. The best orders instead of the mean logarithms: less than 0.1 %. An ideal code for the classes of gaps would save
    0.1 to 0.4 bits of 8 a run where strides do not repeat.""",
]


def goal(f):
    head = """The compact form (wire-format.md; model only) against FinePack at a fixed width, with queues that hold as much, over all the
    workloads above: geometric mean of wire bytes"""
    items = [
        f"{f['saved_one_width']:.1f} % less than at the width that is best for them all, H = {f['suite_width']} (the paper's "
        f"eight alone: {f['saved_eight']:.1f} %; all but ct, of which see (9): {f['saved_no_ct']:.1f} %),",
        f"{f['saved_each_width']:.1f} % less than at the width that is best for each,",
        f"{f['saved_5']:.1f} % less than at the paper's own choice, H = 5.",
    ]
    tail = f"""The goal of 15 % {'is' if f['saved_one_width'] >= 15 else 'is not'} met. Where whole lines are stored in rows
    (jacobi, diffusion, hit, transpose, atax, mvt, the dnn) the best width is within a few per cent of the lower bound, and
    no form can save more; the last table's last column says how much there is for each. What is saved is saved of small stores:
    sssp, ct, hit-direct, bfs and mis take 24 to 53 % less. There the bound is out of reach of any form, as it takes addresses for
    nothing."""
    steps = """What it is made of, step by step: runs sorted and told by their distances, in whole bytes, 9.0 %; in bits, with a
    unit and codes for each packet, 12.6 %; repetitions of strides, 14.3 %; what holds for the whole packet in its header, 14.5 %;
    the same 8 KB of data and as many enable bits in 128 lines of 64 bytes instead of 64 of 128, 15.3 %. So as much storage, but
    twice the tags, 3 % of a queue's bits, and twice the comparators."""
    narrow = f"""Width for each packet, the least that does (the paradigm narrow), is worth {f['saved_narrow']:.1f} %: kept to measure
    with, as it changes nothing but the packetizer."""
    return "\n\n".join([filled(head), bullets(items), filled(tail), filled(steps), filled(narrow),
                        "Tried, and not kept; in per cent of the best width's bytes, what it saves beside what is kept, or costs:", bullets(TRIED)])


def page(f, parts):
    lines = ["| item | ours | the paper's | why |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in summary(f)]
    side_by_side = "\n".join(lines)
    return f"""\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `make paper` (tools/replay/paper); change that. -->
# The papers' figures, with gpulink's logic

What FinePack's paper (Muthukrishnan et al., HPCA 2023) and PROACT's (Muthukrishnan et al., ISCA 2021) report, and what
`gpulink-replay` finds when the workloads that they name run through the model that the card's logic is held against; and below
[NetCrafter's figures](#netcrafters-figures). `make paper` makes this page in three minutes on one core, the same each time. A
unit test runs what is quick of it again, and fails when the page no longer says what the logic does.

The papers' programs are not public, and most of their inputs are not here. [workloads.md](workloads.md) says what runs instead.
No size or setting was fitted to the papers' numbers. Two choices were made after a first result was unlike the paper's text,
pagerank's input and hit's transposition: both ways are shown. Papers' numbers are those of their text; bars of a chart are not
guessed.

## Side by side

{side_by_side}

Means over workloads are geometric ones of ratios, unless said otherwise.

{reasons(f)}

## Parameters

4 GPUs, PCIe 4, 4096 bytes of payload, 64 entries a destination, sub-headers of 5 bytes: the paper's section V and Table III. 16
lanes, and no ECRC. The link's latency of 700 ns and the 64 KiB that wait before it until the source stalls are ours.

{parts['parameters']}

{bullets(PARAMETERS)}

## Table II

{parts['table_2']}

## Fig. 2: goodput by size

{parts['figure_2']}

## Fig. 4: stores by size, leaving L1

{parts['figure_4']}

## Fig. 9: speed-up over one GPU

{parts['figure_9']}

## Fig. 10: bytes on the wire

As multiples of FinePack's, and what FinePack's are.

{parts['figure_10']}

## Fig. 11: stores a packet

{parts['figure_11']}

## Fig. 12: performance by sub-header width

To that at H = 5.

{parts['figure_12']}

Where time hardly depends on bytes (pagerank, sssp, jacobi), a narrow window is no loss: it flushes earlier, and leaves less to
the release.

## Fig. 13: bandwidth

Geometric means of speed-ups over one GPU; in the last two columns, of times.

{parts['figure_13']}

## Better than the paper

{goal(f)}

## Wire bytes

FinePack at H = 5:

{parts['wire']}

FinePack by width, with a width for each packet (narrow), and the compact form (model only), which has none:

{parts['widths']}
"""
