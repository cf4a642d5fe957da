# SPDX-License-Identifier: Apache-2.0
"""MGPU-TSM and MGCC's part of docs/papers.md: what caches find, by gpulink-replay caches."""
from paper_common import comparison, filled, mean, near, table, uncompared, verdict

KIB = 1024
SIZES = [192, 384, 768, 1536, 24576]  # KiB of A, B and C of a GPU together (S4.4.2)
XTREMES = ["xtreme1", "xtreme2", "xtreme3"]
LEVELS = ["l1", "l2"]
PROTOCOLS = ["wt-nc", "printed", "leases-sc", "leases-rc"]
LEASES = [(1, 2), (5, 5), (5, 10), (10, 5), (20, 40), (5, 20), (5, 40), (5, 80)]  # WrLease, RdLease; Fig. 4-11 names 5, 10 only
# Table 3.3: D/R ratio of MGPU-RDMA. bfs depends on its graph.
RATIOS = {"aes": 3.85, "atax": 1.25, "bicg": 1.25, "conv": 4.91, "fir": 1.37, "mm": 0.67, "mt": 2.66, "relu": 2.67}


class Runs:
    """`output` runs gpulink-replay."""

    def __init__(self, output):
        self.output = output

    def __call__(self, stream, *words):
        return {row["protocol"]: row for row in self.output("caches", "--stream", stream, *map(str, words), "-o", "json")}


def miss(row, level):
    return 100 * row[f"{level}_read_misses"] / row[f"{level}_reads"] if row[f"{level}_reads"] else 0.0


def dram(row):
    return row["dram_reads"] + row["dram_writes"]


def programs(runs, *words):
    return {name: runs(name, *words) for name in RATIOS}


def storage():
    """S4.2.7: wts and rts of 16 bits for each line of 64 bytes."""
    return {size: size // 64 * 4 for size in (16 * KIB, 256 * KIB)}


def traffic():
    """S4.2.7: two bytes a timestamp beside each message's bytes, in per cent."""
    return [100 * stamps * 2 / size for stamps, size in ((1, 12), (1, 76), (2, 80), (2, 76))]


def more_misses(found, protocol, level):
    """Relative to the misses without coherence, in per cent: Fig. 4-4's misses are normalized."""
    return 100 * (mean(row[protocol][f"{level}_read_misses"] / row["wt-nc"][f"{level}_read_misses"] for row in found.values()) - 1)


def more_row(item, found, protocol, theirs):
    ours = [more_misses(found, protocol, level) for level in LEVELS]
    return [item, f"{ours[0]:+.2f}, {ours[1]:+.2f} %", f"{theirs[0]:+g}, {theirs[1]:+g} %", verdict(near(ours, theirs), "(4)")]


def xtreme_row(runs):
    """Further misses of both levels: many (over 5 %) with each of the small sizes, few with the largest."""
    more = {p: {size: [mean(miss(one[p], level) - miss(one["wt-nc"], level) for one in (xtreme(runs, x, size) for x in XTREMES))
                       for level in LEVELS] for size in SIZES} for p in PROTOCOLS[2:]}
    good = {p: min(m for size in SIZES[:3] for m in of[size]) > 5 > max(of[SIZES[-1]]) for p, of in more.items()}
    ours = ";".join(f" {p[-2:].upper()} " + ", ".join(f"{of[size][0]:+.1f} / {of[size][1]:+.1f}" for size in SIZES[2:]) for p, of in more.items())
    only = " and ".join(p[-2:].upper() for p, g in good.items() if g)
    return ["Figs. 4-8 to 4-10: further misses of L1 / L2 with leases, 768, 1536, 24576 KB", ours.strip() + " %",
            "significant up to 768 KB, few in 24576", f"agrees only with {only} (7)" if only and not all(good.values()) else
            verdict(all(good.values()), "(7)")]


def summary(runs):
    found, kept = programs(runs), storage()
    share = 100 * mean(row["leases-rc"]["timestamp_bytes"] / (row["leases-rc"]["bytes"] - row["leases-rc"]["timestamp_bytes"])
                       for row in found.values())
    old = {protocol: sum(runs(x, "--size", 384 * KIB)[protocol]["old"] for x in XTREMES) for protocol in PROTOCOLS}
    ratios = {name: dram(row["rdma"]) / row["rdma"]["remote"] for name, row in found.items()}
    crossing = {name: 1 / ratio for name, ratio in ratios.items()}
    fewer = {name: c for name, c in crossing.items() if c < 1}
    alike = [name for name in RATIOS if abs(ratios[name] / RATIOS[name] - 1) <= 0.25]
    transactions = 100 * (mean(dram(row["leases-sc"]) / dram(row["leases-rc"]) for row in found.values()) - 1)
    leases = {pair: leases_row(runs, pair) for pair in LEASES}
    ratios_of = {f"{leases[pair]['leases-sc']:.1f}" for pair in LEASES if pair[1] == 2 * pair[0]}
    return [
        ["S4.2.7: storage of an L1, of an L2 bank", f"{kept[16 * KIB] // KIB} KiB, {kept[256 * KIB] // KIB} KiB", "1 KB, 8 KB",
         verdict(near([kept[16 * KIB] / KIB, kept[256 * KIB] / KIB], [1, 8]), "(1)")],
        ["S4.2.7: timestamps in requests (read, write) and answers", ", ".join(f"{t:.2f}" for t in traffic()) + " %",
         "16.7, 2.63, 5, 5.26 %",
         verdict(near(traffic(), [16.7, 2.63, 5, 5.26]))],
        ["the same, of all bytes of the programs below", f"{share:.1f} %", "not stated", uncompared("no number", "(2)")],
        ["Loads of what was overwritten before the last barrier, Xtreme of 384 KB: no coherence, printed, leases",
         f"{old['wt-nc']}, {old['printed']}, {old['leases-sc'] + old['leases-rc']}", "none with coherence",
         verdict(old["wt-nc"] > 0 and not sum(old[p] for p in PROTOCOLS[1:]), "(3)")],
        more_row("Fig. 4-4 b, c: increase of the misses of L1, L2, RC", found, "leases-rc", [1.92, 0.4]),
        more_row("the same, SC", found, "leases-sc", [2.15, 0.1]),
        ["Fig. 4-4 f: DRAM transactions of SC relative to RC", f"{transactions:+.1f} %", "-2.7 %", verdict(near([transactions], [-2.7]), "(4)")],
        ["Table 3.3: DRAM accesses per remote one, within 25 %", f"{len(alike)} of {len(RATIOS)} programs", "the table's, below",
         verdict(len(alike) == len(RATIOS), "(5)")],
        ["Fig. 3-3: lines that cross between GPUs with RDMA, relative to DRAM accesses, all of which cross with TSM",
         f"below 1 in {', '.join(fewer)}: {min(fewer.values()):.2f} to {max(fewer.values()):.2f}", "3.81 times as fast with the same bandwidth",
         verdict(min(crossing.values()) > 1, "(9)")],
        ["Fig. 4-11: L1 misses, SC, with RdLease = 2 WrLease; 5, 5; 5, 80", "; ".join([" or ".join(sorted(ratios_of)), *(
            f"{leases[5, r]['leases-sc']:.1f}" for r in (5, 80))]) + " %", "5, 10 has the least runtime", uncompared("misses are not runtime", "(6)")],
        xtreme_row(runs),
        ["Figs. 3-3, 4-4 a: times of TSM and RDMA, of MGCC", "-", "3.81; 0.98, 0.97, 0.79", "out of reach (8)"],
        ["Fig. 4-4 d, e: latencies of L1, L2, SC relative to RC", "-", "+31.2, -11.8 %", "out of reach (8)"],
        ["Fig. 4-5: HMG relative to MGCC; MGCC over HMG", "-", "41.2 %; 2.41", "out of reach (10)"],
        ["Figs. 4-6, 4-7: bandwidth of 4 TB/s over 128 GB/s, RC, SC; 8 and 16 GPUs, RC", "-", "1.96, 3.90; 1.6, 2.6", "out of reach (8)"],
        ["Figs. 4-8 a to 4-10 a: runtime of Xtreme, at most, RC, SC", "-", "+26.6, +46.1 %", "out of reach (8)"],
        ["S3.4, Fig. 3-4: temperature of an interposer with 4 GPUs", "-", "88.6 °C", "out of reach (11)"],
        ["Chapter 2, Figs. 2-2 to 2-8: training of networks on Kepler, Titan Z, DGX-1", "-", "3.7, 3.2, 3.5 with shared memory",
         "out of reach (12)"],
        ["Figs. 1-1 to 1-3: epochs, systems, SGEMM by shares of remote memory", "-", "a chart", "out of reach (12)"],
    ]


def leases_row(runs, pair):
    found = [runs(x, "--size", 384 * KIB, "--write-lease", pair[0], "--read-lease", pair[1]) for x in XTREMES]
    return {p: mean(miss(row[p], "l1") for row in found) for p in ("leases-sc", "leases-rc")}


def xtreme(runs, stream, size):
    return runs(stream, "--size", size * KIB, "--protocol", ",".join(PROTOCOLS))


def xtreme_rows(runs):
    for stream in XTREMES:
        for size in SIZES:
            found = xtreme(runs, stream, size)
            yield [stream, f"{size}", *(f"{miss(found[p], 'l1'):.1f} / {miss(found[p], 'l2'):.1f}" for p in PROTOCOLS),
                   *(f"{dram(found[p]) / dram(found['wt-nc']):.2f}" for p in PROTOCOLS[1:])]


def xtreme_table(runs):
    return table(["stream", "KB of a GPU", *(f"{p}, L1 / L2 misses %" for p in PROTOCOLS), *(f"{p}, DRAM" for p in PROTOCOLS[1:])],
                 xtreme_rows(runs))


def program_table(runs):
    found = programs(runs)
    return table(["program", "wt-nc, L1 / L2 misses %", "leases-rc", "DRAM per remote access", "Table 3.3", "leases-rc, bytes L2-DRAM / wt-nc"],
                 [[name, *(f"{miss(row[p], 'l1'):.2f} / {miss(row[p], 'l2'):.2f}" for p in ("wt-nc", "leases-rc")),
                   f"{dram(row['rdma']) / row['rdma']['remote']:.2f}", f"{RATIOS[name]:.2f}",
                   f"{row['leases-rc']['bytes'] / row['wt-nc']['bytes']:.2f}"] for name, row in found.items()])


def lease_table(runs):
    return table(["WrLease, RdLease", "leases-sc, L1 misses %", "leases-rc, L1 misses %"],
                 [[f"{pair[0]}, {pair[1]}", *(f"{leases_row(runs, pair)[p]:.2f}" for p in ("leases-sc", "leases-rc"))] for pair in LEASES])


def adapt_table(runs):
    rows = []
    for stream in XTREMES + ["mm", "atax"]:
        words = ("--size", 384 * KIB) if stream in XTREMES else ()
        plain, grown = runs(stream, *words), runs(stream, *words, "--adapt")
        rows.append([stream, *(f"{grown[p]['bytes'] / plain[p]['bytes']:.3f}" for p in ("leases-sc", "leases-rc")),
                     *(f"{miss(plain[p], 'l1'):.1f} to {miss(grown[p], 'l1'):.1f}" for p in ("leases-sc", "leases-rc"))])
    return table(["stream", "leases-sc, bytes", "leases-rc, bytes", "leases-sc, L1 misses %", "leases-rc, L1 misses %"], rows)


NOTES = """1. An L2 bank of 256 KiB has 4096 lines of 64 bytes, and two timestamps of 2 bytes for each: 16 KiB, twice what is stated.
2. Of bytes between L2 and memory with write-through. Our own rules also answer renewals of unchanged lines without them.
3. Without coherence units drop their L1 at a barrier, as GPUs do between kernels; lines in another GPU's L2 stay old. As printed
   (algorithm 3) a write shares its time with the end of leases that were given before, so a copy can still be read at that time: not
   here, but in programs at random (test `replay-cache`). The rules of `fpga/model/pool/tsu.h` give it a later time.
4. Increases of the misses, not points of their percentages: the figure's misses are normalized, to write-back, the text's to write-through,
   which have similar misses. Programs of our own with the access patterns of the thesis's, a unit's work-groups one after the other; bfs is
   missing. They stream, as the thesis says of its programs, so leases hardly matter; without capacity left, misses cannot grow.
   Differences of a few per cent follow from the programs.
5. Pages of 4 KiB dealt round, work-groups in blocks: three of four accesses of an L1 that misses are remote. mt and
   relu have half of the thesis's ratio, as if their stores were not remote; the others depend on what the L1s hold, that is on the
   order of accesses, of which the thesis says nothing.
6. By misses: the thesis's measure is runtime. Without other accesses only the ratio of the leases counts: with a longer RdLease fewer
   lines expire while a unit's time runs ahead of them by WrLease. In mode RC a unit's own stores do not move its time for loads, and the
   leases do not matter. The order of the pair in S4.4.2 is the opposite of S4.4.1's.
7. Points of the misses' percentages, means of the three streams; *significant* is taken as more than 5. With RC L1s miss no more often,
   because a unit's own stores do not move its time. A coherence miss of ours mostly renews a lease without the line: DRAM transactions
   stay where they were, those as printed grow with the misses. With 24 MB every line is gone before it is used again. The thesis's
   7.84 % for RC, by lines with valid leases being kept, needs lines whose leases end at different times; in ours all of a set have
   ended.
8. Times need a model of the GPUs' latencies. Nothing here was fitted.
9. TSM is evaluated with the bandwidth and latency of RDMA's links. With TSM every line that an L2 lacks crosses them, with RDMA those of
   other GPUs only. So bandwidth cannot explain a gain of the programs named, nor can it by Table 3.3, where fewer accesses are remote
   than go to DRAM in all programs but mm ([errata.md](errata.md)). What remains are latencies, and the transfers from and to the CPU, which
   TSM omits.
10. HMG is a directory protocol of caches over RDMA. No model of it is here, and its gain is in time.
11. Thermal simulation of chips on an interposer. The card is none.
12. Measurements of NVIDIA's GPUs with MXNet: no logic to compare."""


def section(runs):
    return "\n".join([
        "## MGPU-TSM and MGCC's figures", "",
        filled("""Mojumder, MGPU-TSM and MGCC (Boston University, 2021): 4 GPUs with 64 compute units over one memory, coherent by leases in
        logical time. `gpulink-replay caches` counts what L1s and L2s of Table 3.1 find, one access at a time, so its counts do not depend on
        latencies. *Printed* are algorithms 1 to 5; *leases* the card's own table of timestamps, with which message passing holds
        ([pool.md](pool.md)). The timeline of Fig. 4-2 is a test (`fpga/model/pool/test`)."""), "",
        *comparison(summary(runs), "the thesis's"), "",
        NOTES, "", "### Figs. 4-8 to 4-10: Xtreme", "",
        filled("""C = A + B again and again: by each unit on its own slices (xtreme1), by a unit on those of its neighbour (2) and of another GPU
        (3). Misses of reads; DRAM transactions relative to no coherence."""), "",
        *xtreme_table(runs), "", "### Fig. 4-4 and Table 3.3: programs", "", *program_table(runs), "",
        "### Fig. 4-11: leases", "", "The mean of the three Xtreme streams with 384 KB.", "", *lease_table(runs), "",
        "### Adaptive leases", "",
        filled("""Beyond the thesis: a line's lease doubles with each renewal of an unchanged copy, up to 16 times, and is short again after a write
        (`TSU.CONTROL.ADAPT`). Bytes between L2 and memory relative to fixed leases."""), "", *adapt_table(runs), ""])
