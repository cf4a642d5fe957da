# SPDX-License-Identifier: Apache-2.0
"""The NVSHMEM study's part of docs/papers.md: its equations and tables by gpulink-model study, and clocks of the card's Verilog."""
import csv
import pathlib

from paper_common import comparison, near, uncompared, verdict

CLOCKS = pathlib.Path(__file__).resolve().parents[3] / "tests/data/loggop/verilog.csv"
NS_PER_CLOCK = 4  # 250 MHz
LATENCY, GAP, BANDWIDTH = 530, 5, 12.5  # L and g in ns, bytes per ns
SYNC = {"device put": 4380, "device get": 2 * 4570}  # S, and how often


def study(programs):
    return {row["bytes"]: row for row in programs.output("gpulink-model", "study", "-o", "json")}


def first(rows, good):
    """The least size, a power of two, from which on `good` holds."""
    sizes = sorted(b for b in rows if b)
    while len(sizes) > 1 and good(rows[sizes[-2]]):
        sizes.pop()
    return sizes[-1]


def binary(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1024 else f"{size} B"


def clocks():
    with open(CLOCKS, encoding="utf-8") as file:
        return {r["way"]: int(r["time"]) * NS_PER_CLOCK for r in csv.DictReader(file) if (r["bytes"], r["count"]) == ("8", "1")}


def overheads(rows):
    """o and O per byte of host put and get, from the times by Eq. 3 and 4."""
    none, large = rows[0]["single"], rows[4096]["single"]
    once = [(none[way] - 2 * LATENCY) / 4 - GAP for way in ("host put", "host get")]
    return once, [((large[way] - none[way]) / 4096 - 2 / BANDWIDTH) / times for way, times in (("host put", 1), ("host get", 2))]


def summary(rows):
    single, speed, eight = rows[0]["single"], rows[0]["speedup"], rows[8]["pipelined"]
    share = [100 * SYNC[way] / single[way] for way in ("device put", "device get")]
    gap = {way: first(rows, lambda row, way=way: row["pipelined"][way] <= max(5, row["bytes"] / 12.5) * 1.0001)
           for way in ("verbs", "host", "device")}
    launched = {kind: [speed[f"host {kind}, launch {ns}"] for ns in (5000, 2000)] for kind in ("put", "get")}
    ahead = [speed[f"host {kind}, launch 5000"] / speed[f"device {kind}"] for kind in ("put", "get")]
    last = rows[max(rows)]["speedup"]
    behind = [last[f"device {kind}"] / last[f"host {kind}, launch 5000"] for kind in ("put", "get")]
    cross = [first(rows, lambda row, kind=kind: row["speedup"][f"device {kind}"] > row["speedup"][f"host {kind}, launch 5000"])
             for kind in ("put", "get")]
    card = clocks()
    (once, byte), alike = overheads(rows), (card["window"] < card["put"]) == (single["device put"] < single["host put"])
    reached, by_message = (first(rows, lambda row, of=of: row[of]["speedup"] > 2.49) for of in ("pipelined", "pipelined_by_message"))
    device = first(rows, lambda row: row["pipelined_by_message"]["device_speedup"] > 2.49)
    hundred = rows[100]["pipelined_by_message"]
    return [
        ["Eq. 1 to 4 with Table I, 8 B: host put, get, device put, get", ", ".join(f"{single[w]:.0f}" for w in single) + " ns",
         "a put within 70 ns (3.5 %) of a get", verdict(near([single["host get"] - single["host put"],
                                                              100 * (1 - single["host put"] / single["host get"])], [70, 3.5]))],
        ["Fig. 3: share of S, device put and get", f"{share[0]:.0f}, {share[1]:.0f} %", "72 to 82 %", verdict(near(share, [72, 82]), "(1)")],
        ["Table I: o, and O per byte", f"{once[0]:.0f}, {once[1]:.0f} ns; {byte[0]:.3f}, {byte[1]:.3f} ns", "text: 219, 237 ns; 0.74, 0.67 ns",
         verdict(near([*once, *byte], [219, 237, 0.74, 0.67]), "(2)")],
        ["Table II, 8 B: verbs, host, device", ", ".join(f"{eight[w]:.0f}" for w in ("verbs", "host", "device")) + " ns a message",
         "not stated", uncompared("the table's own terms, of a byte", "(3)")],
        ["Fig. 5: from which size on the gap rules: verbs, host, device", ", ".join(binary(gap[w]) for w in gap),
         "4 KiB, 16 KiB, not stated", verdict(near([gap["verbs"], gap["host"]], [4096, 16384]), "(3)")],
        ["Figs. 6, 7: GEMM on 4, 9, 16 GPUs", "-", "R2 0.94, 0.94, 0.96; text: 0.95 to 0.97", "out of reach (4)"],
        ["Fig. 8: mean speed-up, fixed and scaled problem", "-", "1.2, 2.6", "out of reach (5)"],
        ["Fig. 9: single messages of 1 MiB, host put and get", ", ".join(f"{rows[1 << 20]['speedup'][f'host {k}, launch 5000']:.2f}"
                                                                         for k in ("put", "get")), "towards 2.5 beyond 1 MB",
         verdict(near([rows[1 << 20]["speedup"][f"host {k}, launch 5000"] for k in ("put", "get")], [2.5, 2.5]), "(6)")],
        ["Fig. 9: pipelined messages reach 2.5: Table II's O(m) of a message; of a byte", f"from {binary(by_message)} on "
         f"({hundred['speedup']:.2f} there); from {binary(reached)} on", "2.5 with 100 B",
         f"{verdict(near([by_message, hundred['speedup']], [100, 2.5]))}; {verdict(near([reached], [100]))} (3)"],
        ["Fig. 11: pipelined, O(m) of a message: host and device with 100 B; the device reaches the host",
         f"{hundred['speedup']:.2f}, {hundred['device_speedup']:.2f}; from {binary(device)} on", "the host is ahead from 1 to 100 B",
         verdict(hundred["speedup"] > 1.05 * hundred["device_speedup"] and device > 100, "(3)")],
        ["Fig. 10: small messages, launch of 5 and of 2 us", "; ".join(f"{k} {v[0]:.2f}, {v[1]:.2f}" for k, v in launched.items()),
         "0.8, near 1.3", verdict(near(launched["get"], [0.8, 1.3]), "for gets (6)")],
        ["Fig. 10: gain of the shorter launch", ", ".join(f"{v[1] / v[0]:.2f}" for v in launched.values()), "1.49 (caption); 0.8 to 1.3 (text)",
         "; ".join(verdict(near([v[1] / v[0] for v in launched.values()], [gain, gain])) for gain in (1.49, 1.3 / 0.8)) + " (6)"],
        ["Fig. 11: host over device, small messages, put and get", ", ".join(f"{a:.2f}" for a in ahead), "1.26",
         verdict(near(ahead, [1.26, 1.26]), "(7)")],
        ["Fig. 11: device ahead, put and get", f"from {binary(cross[0])}, {binary(cross[1])} on", "from 512 KB on",
         verdict(cross == [512 << 10] * 2, "(7)")],
        ["Fig. 11: device over host, large messages, put and get", ", ".join(f"{b:.2f}" for b in behind), "1.09",
         verdict(near(behind, [1.09, 1.09]), "(7)")],
        ["gpulink, 8 B until visible: stores, inline put, put; the study's device put, host put by Table I",
         ", ".join(f"{card[w]}" for w in ("window", "inline", "put")) + f"; {single['device put']:.0f}, {single['host put']:.0f} ns",
         "a chart (Fig. 3)",
         uncompared(f"another system; the order is {'the same' if alike else 'the opposite'}", "(8)")],
    ]


NOTES = """1. Table I's S of a put is 4380 ns; 72 % is 4.6 us, which the text gives for gets, of the same total.
2. Ours by Eq. 3 and 4 from times by Table I. The text's o are those of the device rows, with put and get exchanged, and its O are ten times Table I's. With 0.74 ns a
   byte a put of 4 KiB would spend 3 us on O; the table's values are used.
3. Table II's O(m) was fitted to the time per byte of 10,000 messages in a row (Fig. 5): then a message takes m O(m), or its gap, and the
   curves cross the gap earlier than the measured points do. Its label is that of Table I, whose O(m) are ns a message. With O(m) as ns
   a message the speed-ups of Figs. 9 and 11 are those of the text, and the device saturates at 243 B: so the study used its
   fit of bytes as one of messages ([errata.md](errata.md)).
4. Measured on Summit. Our own predictions and their errors are in [loggop.md](loggop.md).
5. The grid's axes are not in the text.
6. A program with 25 % communication on the CPU; the GPU computes 5 times as fast. The CPU's messages are taken to be the host's without
   the 250 ns of GPU memory; the paper does not say which baseline it uses. With a launch of 5 or 2 us for each message the speed-ups are
   those of the text for gets. For pipelined messages, verbs are the baseline. The text's 0.8 and 1.3 are a gain of 1.6, its caption's
   gain 1.49.
7. By Table I, device puts are ahead of host puts with a launch at every size, gets from 32 KiB on. The text's figures follow from
   neither.
8. From the first operation to the end of the release behind it, at 250 MHz, by the Verilog's clocks ([loggop.md](loggop.md)): the card
   alone, without CPU, GPU and network, so the times do not compare; their order does. A store needs no proxy thread and no entry in host
   memory. The order is the opposite of the study's: what a device starts by itself is cheapest."""


def section(programs):
    rows = summary(study(programs))
    return "\n".join(["## The NVSHMEM study's figures", "",
                      "Groves et al., Performance Trade-offs in GPU Communication (PMBS 2020): a LogGOP model of NVSHMEM 0.3 on Summit.",
                      "`gpulink-model study` has its equations and tables; *ours* follows from these. Figs. 2 and 4 are measurements, from",
                      "which Table I was made.", "", *comparison(rows, "the study's"), "", NOTES, ""])
