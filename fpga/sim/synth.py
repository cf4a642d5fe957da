#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the RTL blocks with Yosys for UltraScale+ and reports resource utilization and logic depth of each.

synth.py [--set NAME=VALUE ...] [--out TABLE.md] [--most-levels N] [--limits FILE] [--path] [--jobs N] [BLOCK ...]

With --limits, a TOML file with a table per block (and the parameters, under "set"), each block is checked against its limits,
or one in N blocks, those with remainder K, if GPULINK_SAMPLE=K/N is in the environment;
the output is TAP. A combinational path from an input of a block to one of its outputs is always an error.

Depth is counted on the mapped netlist: the longest path between flip-flops, memories and ports. A LUT is one level, and so is
a read of distributed RAM; MUXF7, F8 and F9 count zero (they share the slice of the LUTs that they join). Carry chains are not
LUTs but take time: a second number counts one level per entry into a chain, none along it.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
BLOCKS = [
    "glk_store_cutter", "glk_write_queue", "glk_packetizer", "glk_packet_aligner", "glk_depacketizer", "glk_scatter",
    "glk_requests", "glk_aperture", "glk_store_mux", "glk_timeout", "glk_link_loop", "glk_link_layer", "glk_arrivals", "glk_endpoint", "glk_load",
    "glk_acknowledge", "glk_release", "glk_memory_mux", "glk_pool_mux", "glk_pool", "glk_tsu", "glk_ring", "glk_contexts", "glk_registers", "glk_counters",
    "glk_table", "glk_cluster_tx", "glk_cluster_rx", "glk_trim", "glk_remote_send", "glk_remote_ask", "glk_serve", "glk_flit_mux", "glk_link_registers",
    "glk_region_chunks", "glk_region", "glk_block_fifo",
    "glk_pcie_cq", "glk_pcie_cc", "glk_pcie_rq", "glk_pcie_reads", "glk_pcie_rc", "glk_pcie_order", "glk_pcie_msix",
    "glk_async_fifo", "glk_link_clock", "glk_pool_axi", "glk_axi_clock", "glk_time", "glk_stalls", "glk_pcie_ext_tag"]
PARAMETER = re.compile(r"parameter int (\w+) ")
SEQUENTIAL = re.compile(r"^(FD|LD|RAMB|URAM|SRL|DSP)")
LUTRAM = re.compile(r"^RAM(?!B)")
READ_ADDRESS = re.compile(r"^(ADDR[A-H]?|A(?=\d|$)|DPRA|RADR)")  # of distributed RAM; its other inputs are clocked
FREE = re.compile(r"^(MUXF|IBUF|OBUF|BUFG|INV$|VCC|GND)")
# LUTs per distributed RAM primitive.
LUTRAM_LUTS = {"RAM32M": 4, "RAM32M16": 8, "RAM64M": 4, "RAM64M8": 8, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4,
               "RAM256X1D": 8, "RAM512X1S": 8}


def source(module):
    """The file of a module, in whichever room has it, or None."""
    return next(RTL.glob(f"*/{module}.sv"), None)


def reads(read_port, port):
    """Whether an output of a distributed RAM is read at the address on that input. Each output has its own address input; one of
    them is also the write address."""
    address = READ_ADDRESS.match(port)
    if not address:
        return False
    own = {"SPO": "A", "DPO": "DPRA"}.get(read_port, "ADDR" + read_port[2:] if read_port.startswith("DO") else "")
    return not own or address[1] == own


def version():
    return " ".join(subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split()[:2])


def with_settings(text, settings):
    """A block's source with changed parameter defaults. (`hierarchy -chparam` of Yosys 0.23 crashes on some hierarchies.)"""
    for name, value in settings.items():
        text = re.sub(rf"(parameter int {name} *=) [^,\n]*?(?= *(,|//|$))", rf"\g<1> {value}", text, flags=re.MULTILINE)
    return text


def run_yosys(top, settings, work):
    netlist, own = work / f"{top}.json", source(top)
    (work / own.name).write_text(with_settings(own.read_text(encoding="utf-8"), settings), encoding="utf-8")
    package = source("glk_flit")
    others = [HERE / "../regs/glk_regs.sv", package, *sorted(p for p in RTL.glob("*/*.sv") if p.name not in (own.name, package.name))]
    script = (f"read_verilog -sv -defer {' '.join(map(str, others))} {work / own.name}; hierarchy -check -top {top}; "
              f"synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top {top}; write_json {netlist}")
    done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"synth: yosys failed on {top}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]


def count(module):
    """Cells by resource type of the device."""
    total = {"LUT": 0, "FF": 0, "CARRY": 0, "RAMB36": 0.0, "URAM": 0, "LUTRAM": 0}
    for cell in module["cells"].values():
        kind = cell["type"]
        if re.match(r"^LUT\d", kind) or kind == "INV":
            total["LUT"] += 1
        elif kind.startswith("FD"):
            total["FF"] += 1
        elif kind.startswith("CARRY"):
            total["CARRY"] += 1
        elif kind.startswith("RAMB36"):
            total["RAMB36"] += 1
        elif kind.startswith("RAMB18"):
            total["RAMB36"] += 0.5
        elif kind.startswith("URAM"):
            total["URAM"] += 1
        elif kind.startswith("SRL"):
            total["LUTRAM"] += 1
        elif LUTRAM.match(kind):
            total["LUTRAM"] += LUTRAM_LUTS.get(kind, 1)
    return total


def depth(module, carry):
    """The greatest number of levels, and the net names along that path. `carry`: levels per entry into a carry chain."""
    driver = {}  # net bit -> (cell, port)
    for name, cell in module["cells"].items():
        for port, direction in cell["port_directions"].items():
            if direction == "output":
                for bit in cell["connections"][port]:
                    driver[bit] = (name, port)
    names = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if bit not in names or len(name) < len(names[bit]):
                names[bit] = name
    sys.setrecursionlimit(1000000)

    @functools.lru_cache(maxsize=None)
    def at(bit):
        """Levels up to this net, and the previous net on that path."""
        if not isinstance(bit, int) or bit not in driver:
            return 0, None
        name, own_port = driver[bit]
        cell = module["cells"][name]
        kind = cell["type"]
        if SEQUENTIAL.match(kind):
            return 0, bit
        best, previous = 0, None
        for port, direction in cell["port_directions"].items():
            if direction != "input" or port in ("CLK", "WCLK"):
                continue
            if LUTRAM.match(kind) and not reads(own_port, port):
                continue
            chained = kind.startswith("CARRY") and port in ("CI", "CYINIT")
            own = 0 if FREE.match(kind) or chained else carry if kind.startswith("CARRY") else 1
            for b in cell["connections"][port]:
                levels, _ = at(b)
                if levels + own > best or (previous is None and levels + own == best):
                    best, previous = levels + own, b
        came[bit] = previous
        return best, previous

    came = {}
    worst, end = 0, None
    ends = []
    for name, cell in module["cells"].items():
        kind = cell["type"]
        if SEQUENTIAL.match(kind) or LUTRAM.match(kind):
            for port, direction in cell["port_directions"].items():
                if direction == "input" and port not in ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK"):
                    ends += cell["connections"][port]
    for port in module["ports"].values():
        if port["direction"] == "output":
            ends += port["bits"]
    for bit in ends:
        levels, _ = at(bit)
        if levels > worst:
            worst, end = levels, bit
    path = []
    while isinstance(end, int) and end is not None:
        path.append(names.get(end, "?"))
        end = came.get(end)
    return worst, list(reversed(path))


def combinational_paths(module):
    """Outputs with a combinational path from an input, and those inputs."""
    driver = {}  # net bit -> (cell, port), of cells that are not clocked
    for cell in module["cells"].values():
        if not SEQUENTIAL.match(cell["type"]):
            for port, direction in cell["port_directions"].items():
                if direction == "output":
                    driver.update(dict.fromkeys(cell["connections"][port], (cell, port)))
    inputs = {bit: name for name, port in module["ports"].items() if port["direction"] == "input" for bit in port["bits"]}

    @functools.lru_cache(maxsize=None)
    def behind(bit):
        if bit in inputs:
            return frozenset([inputs[bit]])
        if bit not in driver:
            return frozenset()
        cell, own_port = driver[bit]
        ports = [p for p, direction in cell["port_directions"].items()
                 if direction == "input" and (reads(own_port, p) or not LUTRAM.match(cell["type"]))]
        return frozenset().union(*(behind(b) for p in ports for b in cell["connections"][p]))

    found = {name: frozenset().union(*map(behind, port["bits"])) for name, port in module["ports"].items() if port["direction"] == "output"}
    return [f"{name} depends on {', '.join(sorted(on))}" for name, on in found.items() if on]


def measure(block, settings):
    """(cells, levels, the names along the longest path, levels with carry chains, combinational paths) of a block."""
    with tempfile.TemporaryDirectory() as work:
        module = run_yosys(block, settings, pathlib.Path(work))
    levels, path = depth(module, 0)
    return count(module), levels, path, depth(module, 1)[0], combinational_paths(module)


def measured(blocks, settings, jobs):
    """The blocks in order, each with the result of measure(); `jobs` processes."""
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        yield from zip(blocks, pool.map(measure, blocks, [settings] * len(blocks)))


def check_limits(limits, jobs):
    """Checks every block that has limits, or a sample of them, against its limits. TAP."""
    settings = {name: str(value) for name, value in limits.pop("set").items()}
    sample = os.environ.get("GPULINK_SAMPLE", "0/1")
    which = re.fullmatch(r"(\d+)/([1-9]\d*)", sample)
    if not which or int(which[1]) >= int(which[2]):
        sys.exit(f"synth: GPULINK_SAMPLE={sample} is not K/N with K less than N")
    print(f"# GPULINK_SAMPLE={sample}, of {len(limits)} blocks")
    limits = {block: limits[block] for block in list(limits)[int(which[1])::int(which[2])]}
    failed = 0
    print(f"# {version()}, {settings}")
    for number, (block, (cells, levels, path, _, through)) in enumerate(measured(list(limits), settings, jobs), 1):
        most = limits[block]
        is_now = {name.lower(): value for name, value in cells.items()} | {"levels": levels}
        over = [name for name in most if is_now[name] > most[name]]
        costs = ", ".join(f"{is_now[n]:g} of {most[n]} {n}" for n in most) or "no limits"
        wrong = over or through or not most
        print(f"{'not ok' if wrong else 'ok'} {number} - {block}: {costs}", flush=True)
        if "levels" in over:
            print("# " + " -> ".join(path))
        for line in through:
            print(f"# combinational path: {line}")
        failed += bool(wrong)
    print(f"1..{len(limits)}")
    return 1 if failed else 0


def named_settings(parser, words, blocks):
    """Parses NAME=VALUE words; at least one block must have the parameter."""
    known = {name for block in blocks for name in PARAMETER.findall(source(block).read_text(encoding="utf-8"))}
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            parser.error(f"--set {word}: must be NAME=VALUE, NAME one of {', '.join(sorted(known))}")
        settings[name] = value
    return settings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter in all blocks")
    parser.add_argument("--out", type=pathlib.Path, help="write the table of all blocks to this file")
    parser.add_argument("--most-levels", type=int, help="fail if a block has more LUT levels")
    parser.add_argument("--limits", type=pathlib.Path, help="fail if a block exceeds its limits in this TOML file")
    parser.add_argument("--path", action="store_true", help="print the longest path of each block")
    parser.add_argument("--jobs", type=int, default=1, help="number of blocks in parallel; large ones take some GiB each")
    parser.add_argument("blocks", nargs="*")
    args = parser.parse_args()
    for block in args.blocks:
        if not source(block):
            parser.error(f"unknown block {block}")
    settings = named_settings(parser, args.set, args.blocks or BLOCKS)
    if args.out and args.blocks:
        parser.error("--out writes a table of all blocks: it cannot be combined with block names")
    if args.limits:
        if args.set or args.out or args.most_levels or args.path or args.blocks:
            parser.error("--limits cannot be combined with other options: its file has the blocks, parameters and levels")
        return check_limits(tomllib.loads(args.limits.read_text(encoding="utf-8")), args.jobs)
    rows, wrong = [], []
    for block, (c, levels, path, with_carry, through) in measured(args.blocks or BLOCKS, settings, args.jobs):
        rows.append(f"| {block} | {c['LUT']} | {c['LUTRAM']} | {c['FF']} | {c['RAMB36']:g} | {c['URAM']} | {c['CARRY']} | {levels} | {with_carry} |")
        print(rows[-1], flush=True)
        if args.path:
            print("   " + " -> ".join(path))
        wrong += [f"{block}: combinational path: {line}" for line in through]
        if args.most_levels and levels > args.most_levels:
            wrong.append(f"{block}: {levels} LUT levels: must be at most {args.most_levels}: {' -> '.join(path)}")
    if args.out:
        head = ("# Resource utilization\n\n"
                f"Generated by `fpga/sim/synth.py` ({version()}, `synth_xilinx -family xcup`), "
                f"{', '.join(f'{n} {v}' for n, v in settings.items()) or 'default parameters'}. LUT levels\n"
                "are LUTs between two registers; \"with carry\" also counts entries into carry chains. LUTRAM is in LUTs. Synthesis\n"
                "results, without placement and timing.\n\n"
                "| block | LUT | LUTRAM | FF | RAMB36 | URAM | carry | LUT levels | with carry |\n|---|---|---|---|---|---|---|---|---|\n")
        args.out.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    for line in wrong:
        print(f"synth: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
