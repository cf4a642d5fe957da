# SPDX-License-Identifier: Apache-2.0
"""NetCrafter's Figs. 16 and 17 for docs/papers.md: misses of L1s whose lines come whole, trimmed or by sectors. Part of `paper`."""

from paper_common import filled, table, verdict

SQUARE = ("--size", 4 * 1984 * 1984)
PROGRAMS = {"aes": (), "atax": SQUARE, "bicg": SQUARE, "conv": (), "fir": (), "gemm": (), "mm": (), "mt": (),
            "relu": ()}
FILLS = ["trimmed", "sectored"]
SECTORS = [4, 8, 16, 32]
SYSTEM = ["--protocol", "rdma", "--cache", 65536]
PAPER = 16  # bytes of a sector of Fig. 16


class Misses:
    """Misses of L1s in per cent of their reads, by program, fill and sector. `output` runs gpulink-replay."""

    def __init__(self, output, tell):
        self.output, self.by = output, {}
        tell("netcrafter, sectors")
        for name in PROGRAMS:
            self.by[name, "whole"] = self.run(name)
            for fill in FILLS:
                for sector in SECTORS:
                    self.by[name, fill, sector] = self.run(name, "--fill", fill, "--sector", sector)

    def run(self, name, *words):
        found = self.output("caches", "--stream", name, *map(str, (*PROGRAMS[name], *SYSTEM, *words)), "-o", "json")[0]
        return 100 * found["l1_read_misses"] / found["l1_reads"]

    def three(self, name, sector):
        """Whole, trimmed, sectored."""
        return [self.by[name, "whole"], *(self.by[name, fill, sector] for fill in FILLS)]

    def more(self):
        """Programs whose misses are not the same with all fills."""
        return [name for name in PROGRAMS if len({m for sector in SECTORS for m in self.three(name, sector)}) > 1]

    def growing(self):
        """What misses more with a larger sector: (program, fill, the smaller sector, the larger)."""
        return [(name, fill, small, large) for name in PROGRAMS for fill in FILLS for small, large in zip(SECTORS, SECTORS[1:])
                if self.by[name, fill, large] > self.by[name, fill, small]]


def slashes(values, digits=1):
    return " / ".join(f"{value:.{digits}f}" for value in values)


def rows(misses):
    gemm = {sector: misses.three("gemm", sector) for sector in SECTORS[:3]}
    falls = all(of[small] > of[large] for of in ({s: gemm[s][i] for s in gemm} for i in (1, 2)) for small, large in zip(SECTORS, SECTORS[1:3]))
    ordered = all(sorted(misses.three(name, PAPER)) == misses.three(name, PAPER) for name in PROGRAMS)
    grows = ", ".join(f"{name} {fill} {misses.by[name, fill, small]:.2f} to {misses.by[name, fill, large]:.2f} % from {small} to {large} bytes"
                      for name, fill, small, large in misses.growing())
    some = [name for name in misses.more() if misses.three(name, PAPER)[1] < misses.three(name, PAPER)[2]]
    return [
        (f"Fig. 16: misses of L1s: whole lines / trimmed / all in sectors of {PAPER} bytes",
         "; ".join(f"{name} {slashes(misses.three(name, PAPER), 2)} %" for name in some) + f"; the same in {len(PROGRAMS) - len(some)} programs",
         "sectors increase misses, trimming less so; a chart", verdict(ordered and bool(some), "(10)")),
        ("Fig. 17: GEMM, trimmed / all in sectors of 4, 8, 16 bytes", ", ".join(slashes(of[1:]) for of in gemm.values()) + " %",
         "fewer with trimming; a chart", verdict(all(of[1] < of[2] for of in gemm.values()), "(10)")),
        ("the same, misses as sectors grow from 4 to 16 bytes; programs in which they rise", f"from {slashes(gemm[4][1:])} to {slashes(gemm[16][1:])} %; "
         f"{grows or 'none'}", "a chart; larger sectors may be better (5.3)",
         verdict(falls and not misses.growing(), "(10)")),
    ]


NOTE = """Misses per read of an L1 instead of per thousand instructions, which these programs do not have: for one program the ratios are the
        same. Programs are those of [Fig. 4-4 and Table 3.3](#fig-4-4-and-table-33-programs) and gemm, a product of matrices without local
        memory, not the paper's; their accesses are those of a wavefront, with the bytes that it asks for. Pages are dealt to the GPUs in
        turns, so half of the lines are the other cluster's; the paper's placement keeps more of them near, and trimming nearer to whole
        lines. That sectors miss at least as often as trimming, and trimming as whole lines, follows from the fills, because all keep the
        same lines; how much more does not. A trimmed response brings the whole line when the bytes are in more than one sector: that is
        why misses can rise with the sector, where 16 bytes are asked for at a time (the round keys of aes)."""


def section(misses):
    heads = ["", "whole", *(f"{fill}, {sector} B" for sector in SECTORS for fill in FILLS)]
    cells = [[name, f"{misses.by[name, 'whole']:.2f} %", *(f"{misses.by[name, fill, sector]:.2f} %" for sector in SECTORS for fill in FILLS)]
             for name in PROGRAMS]
    words = " ".join(map(str, SYSTEM))
    intro = f"""`gpulink-replay caches {words}`: two clusters of two GPUs, each with 64 L1s of 64 KiB (the paper's Table 2; 4 ways are ours). Misses
        per read. *Trimmed*: from the other cluster only the sector, if one has all that is asked for. *Sectored*: always the sectors alone.
        {" and ".join(name for name, of in PROGRAMS.items() if of)} with {SQUARE[0]} {SQUARE[1]}: rows of 1984 floats do not share a few sets
        of an L1, as those of 2048 do, with which nearly all reads miss."""
    return "\n".join(["## Figs. 16 and 17: misses of L1s", "", filled(intro), "", *table(heads, cells)]) + "\n"
