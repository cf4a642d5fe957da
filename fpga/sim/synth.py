#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the RTL blocks with Yosys for UltraScale+ and reports resource utilization and logic depth of each.

synth.py [--set NAME=VALUE ...] [--out TABLE.md] [--most-levels N] [--limits FILE] [--path] [--part PART] [--jobs N] [BLOCK ...]
synth.py --sum TOP [--set NAME=VALUE ...] [--part PART] [--jobs N]
synth.py --self-test

A BLOCK may be a whole card, glk_card or glk_top_us, with all that is below; --sum maps the blocks in it one by one, and adds them.
--part also prints the share of a part. --out replaces the table and leaves the sections behind it as they are.

With --limits, a TOML file with a table per block (and the parameters, under "set"), each block is checked against its limits,
or one in N blocks, those with remainder K, if GPULINK_SAMPLE=K/N is in the environment;
the output is TAP. A name of a table may have parameters of its own behind the block: "glk_pcie_cq DATA_W=512". A combinational path
from an input of a block to one of its outputs is always an error.

Depth is counted on the mapped netlist: the longest path between flip-flops, memories and ports. A LUT is one level, and so is
a read of distributed RAM; MUXF7, F8 and F9 count zero (they share the slice of the LUTs that they join). Carry chains are not
LUTs but take time: a second number counts one level per entry into a chain, none along it.

Block RAM takes longer from the clock to its outputs than a flip-flop: a third number, "from RAM", is the longest path that begins
there, with carry chains, and RAM_LEVELS for the RAM itself. Where they come from: at 250 MHz and ten levels a level, with its net,
has 0.4 ns. UG949 gives block RAM about 1.5 ns without its output register and 0.4 ns with it; a timing report for a U250 (speed grade
-2L) shows 0.83 ns without, where a flip-flop takes 0.08 ns. So between 1.9 and 3.5 levels more than a flip-flop, counted as 3, and 1
with the register. Yosys uses no output registers; vendors' tools take a register behind the RAM, without logic between, as one.
"""

import argparse
import collections
import concurrent.futures
import datetime
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from sample import one_in_n

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
BLOCKS = [
    "glk_store_cutter", "glk_write_queue", "glk_packetizer", "glk_compact", "glk_packet_aligner", "glk_depacketizer",
    "glk_compact_reader", "glk_array_reader", "glk_scatter",
    "glk_requests", "glk_aperture", "glk_store_mux", "glk_timeout", "glk_link_loop", "glk_link_layer", "glk_arrivals", "glk_endpoint", "glk_load",
    "glk_acknowledge", "glk_release", "glk_memory_mux", "glk_pool_mux", "glk_pool", "glk_tsu", "glk_ring", "glk_contexts", "glk_registers", "glk_counters",
    "glk_table", "glk_cluster_tx", "glk_cluster_rx", "glk_trim", "glk_remote_send", "glk_remote_ask", "glk_serve", "glk_serve_load", "glk_flit_mux", "glk_link_registers",
    "glk_region_chunks", "glk_region", "glk_block_fifo",
    "glk_pcie_cq", "glk_pcie_cc", "glk_pcie_rq", "glk_pcie_reads", "glk_pcie_rc", "glk_pcie_order", "glk_pcie_msix",
    "glk_async_fifo", "glk_link_clock", "glk_pool_axi", "glk_axi_clock", "glk_time", "glk_stalls", "glk_pcie_ext_tag"]
LEAST = {block: {"DATA_W": 256} for block in ("glk_pcie_cq", "glk_pcie_cc", "glk_pcie_rq", "glk_pcie_rc", "glk_pcie_us", "glk_top_us")}
# What the overview of the family (DS890) counts; a distributed RAM is made of LUTs.
PARTS = {"KU3P": {"lut": 162720, "ff": 325440, "ramb36": 360, "uram": 48}}
PARAMETER = re.compile(r"parameter int (\w+) ")
INSTANCE = re.compile(r"^ *(glk_\w+) (?:#\(|\w+ \()", re.MULTILINE)
SEQUENTIAL = re.compile(r"^(FD|LD|RAMB|URAM|SRL|DSP)")
LUTRAM = re.compile(r"^RAM(?!B)")
READ_ADDRESS = re.compile(r"^(ADDR[A-H]?|A(?=\d|$)|DPRA|RADR)")  # of distributed RAM; its other inputs are clocked
FREE = re.compile(r"^(MUXF|IBUF|OBUF|BUFG|INV$|VCC|GND)")
RAM_OUTPUT = re.compile(r"^DO(?:UT)?P?([AB])")
RAM_LEVELS, RAM_REGISTER_LEVELS = 3, 1  # from the clock, without and with the output register
COLUMNS = {"lut": "LUT", "lutram": "LUTRAM", "ff": "FF", "ramb36": "RAMB36", "uram": "URAM", "carry": "carry", "levels": "LUT levels",
           "with_carry": "with carry", "from_ram": "from RAM"}
LEVELS = ("levels", "with_carry", "from_ram")
NEVER = -1000000  # levels of what does not begin at a block RAM
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


def files(top, settings, work):
    """What a block is made from, in the order in which it is read; its own file, with settings, is in `work`."""
    own = source(top)
    settings = settings | {name: str(max(least, int(settings[name]))) for name, least in LEAST.get(top, {}).items() if name in settings}
    (work / own.name).write_text(with_settings(own.read_text(encoding="utf-8"), settings), encoding="utf-8")
    package = source("glk_flit")
    others = [HERE / "../regs/glk_regs.sv", package, *sorted(p for p in RTL.glob("*/*.sv") if p.name not in (own.name, package.name))]
    return [*others, work / own.name]


def mapped(top, sources, work):
    """The netlist of a module and all below it. Equal cells are merged: abc may make a LUT of its own for the enable of each flip-flop."""
    netlist = work / f"{top}.json"
    script = (f"read_verilog -sv -defer {' '.join(map(str, sources))}; hierarchy -check -top {top}; "
              f"synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top {top}; opt_merge -share_all; opt_clean; write_json {netlist}")
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


def ram_levels(cell, port):
    """Levels that a path has where it begins, at an output of a clocked cell: block RAM's, or NEVER."""
    if not re.match("RAMB|URAM", cell["type"]):
        return NEVER
    side = RAM_OUTPUT.match(port)
    registered = side and int(cell.get("parameters", {}).get(f"DO{side[1]}_REG", "0"), 2)
    return RAM_REGISTER_LEVELS if registered else RAM_LEVELS


def depth(module, carry, begin=lambda cell, port: 0):
    """The greatest number of levels, and the net names along that path. `carry`: levels per entry into a carry chain. `begin`: levels
    at which a path begins, at an output of a clocked cell; a path that begins at a port has none, or is not counted if flip-flops' are
    not."""
    port_levels = begin({"type": "FDRE"}, "Q")
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
            return port_levels, None
        name, own_port = driver[bit]
        cell = module["cells"][name]
        kind = cell["type"]
        if SEQUENTIAL.match(kind):
            return begin(cell, own_port), bit
        best, previous = port_levels, None
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


def evaluate(module):
    """What is reported of a netlist: cells by type, levels (of LUTs, with carry chains, from block RAM), the names along the longest
    path of each kind, combinational paths."""
    levels, path = depth(module, 0)
    from_ram, ram_path = depth(module, 1, ram_levels)
    numbers = {name.lower(): value for name, value in count(module).items()}
    numbers |= {"levels": levels, "with_carry": depth(module, 1)[0], "from_ram": from_ram}
    return numbers, {"levels": path, "from_ram": ram_path}, combinational_paths(module)


def own_settings(entry, settings):
    """The block of an entry "BLOCK NAME=VALUE ...", and its settings."""
    block, *words = entry.split()
    return block, settings | dict(word.split("=") for word in words)


def measure(entry, settings):
    """evaluate() of an entry's block."""
    block, settings = own_settings(entry, settings)
    with tempfile.TemporaryDirectory() as work:
        return evaluate(mapped(block, files(block, settings, pathlib.Path(work)), pathlib.Path(work)))


def measured(blocks, settings, jobs):
    """The entries in order, each with the result of measure(); `jobs` processes."""
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        yield from zip(blocks, pool.map(measure, blocks, [settings] * len(blocks)))


def exceeded(most, numbers):
    return [name for name in most if numbers[name] > most[name]]


def check_limits(limits, jobs):
    """Checks every block that has limits, or a sample of them, against its limits. TAP."""
    settings = {name: str(value) for name, value in limits.pop("set").items()}
    limits = {block: limits[block] for block in one_in_n(list(limits), "synth", "blocks")}
    failed = 0
    print(f"# {version()}, {settings}")
    for number, (block, (is_now, paths, through)) in enumerate(measured(list(limits), settings, jobs), 1):
        most = limits[block]
        over = exceeded(most, is_now)
        costs = ", ".join(f"{is_now[n]:g} of {most[n]} {n}" for n in most) or "no limits"
        wrong = over or through or not most
        print(f"{'not ok' if wrong else 'ok'} {number} - {block}: {costs}", flush=True)
        for name in set(over) & set(paths):
            print(f"# {name}: " + " -> ".join(paths[name]))
        for line in through:
            print(f"# combinational path: {line}")
        failed += bool(wrong)
    print(f"1..{len(limits)}")
    return 1 if failed else 0


# A register directly behind a block RAM, three LUTs behind it, and four behind a flip-flop: LUTs that synthesis leaves alone.
PLANTED = """(* blackbox *) module LUT2 #(parameter INIT = 0) (output O, input I0, I1); endmodule
module planted(input clk, input [8:0] a, w, input [63:0] d, input we, k, output reg near, far, deep);
  (* ram_style = "block" *) reg [63:0] m [0:511];
  reg [63:0] r;
  reg q;
  wire [3:1] x;
  wire [4:1] y;
  genvar g;
  generate
    for (g = 1; g < 4; g = g + 1) LUT2 #(.INIT(4'h6)) behind_ram (.O(x[g]), .I0(g == 1 ? r[0] : x[g > 1 ? g - 1 : 1]), .I1(r[g]));
    for (g = 1; g < 5; g = g + 1) LUT2 #(.INIT(4'h6)) behind_ff (.O(y[g]), .I0(g == 1 ? q : y[g > 1 ? g - 1 : 1]), .I1(near));
  endgenerate
  always @(posedge clk) begin
    if (we) m[w] <= d;
    r <= m[a]; near <= r[8]; far <= x[3]; q <= k; deep <= y[4];
  end
endmodule
"""


def self_test():
    """What is counted of a netlist whose paths are known. TAP."""
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work) / "planted.sv"
        file.write_text(PLANTED, encoding="utf-8")
        module = mapped("planted", [file], pathlib.Path(work))
    plain = evaluate(module)[0]
    rams = [cell for cell in module["cells"].values() if cell["type"].startswith("RAMB")]
    for ram in rams:
        ram["parameters"] |= {"DOA_REG": "1", "DOB_REG": "1"}
    registered = evaluate(module)[0]
    for ram in rams:
        ram["type"] = "FDRE"
    without = evaluate(module)[0]
    checks = [("cells", plain["ramb36"] == 1 and plain["ff"] == 4),
              ("levels behind flip-flops", plain["levels"] == 4 and plain["with_carry"] == 4),
              ("levels behind a block RAM", plain["from_ram"] == RAM_LEVELS + 3),
              ("levels behind a block RAM with its output register", registered["from_ram"] == RAM_REGISTER_LEVELS + 3),
              ("no path from a block RAM", without["from_ram"] == 0 and without["levels"] == 4),
              ("own settings of an entry", own_settings("a X=1 Y=2", {"X": "3", "Z": "4"}) == ("a", {"X": "1", "Y": "2", "Z": "4"})),
              ("shares of a part", shares({"lut": 81000, "lutram": 360, "ff": 32544, "ramb36": 36, "uram": 0}, "KU3P") ==
               "KU3P: 50.0 % of 162720 LUT with LUTRAM, 10.0 % of 325440 FF, 10.0 % of 360 RAMB36, 0.0 % of 48 URAM"),
              ("blocks of a module", parts_of("glk_finepack_rx") == {"glk_depacketizer": 1, "glk_scatter": 1}),
              ("a table is replaced", with_table("# A\n\n| b |\n\n## C\nd\n", "# E\n") == "# E\n\n## C\nd\n" and with_table("", "# E\n") == "# E\n"),
              ("a limit is exceeded", exceeded({"levels": 4, "from_ram": RAM_LEVELS + 2, "ff": 300}, plain) == ["from_ram"])]
    for number, (what, right) in enumerate(checks, 1):
        print(f"{'ok' if right else 'not ok'} {number} - {what}")
    print(f"1..{len(checks)}")
    return 0 if all(right for _, right in checks) else 1


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


def parts_of(top):
    """How often each of the blocks is in a module, not counting what is in another block."""
    found = collections.Counter()
    for name in INSTANCE.findall(source(top).read_text(encoding="utf-8")):
        found += collections.Counter([name]) if name in BLOCKS else parts_of(name)
    return found


def row(name, numbers):
    return f"| {name} | " + " | ".join(f"{numbers[column]:g}" for column in COLUMNS) + " |"


def print_sum(top, settings, part, jobs):
    """The blocks of a module, each mapped alone, and their sum: cells are added, of the levels the greatest is taken."""
    parts = parts_of(top)
    total = dict.fromkeys(COLUMNS, 0)
    for block, (numbers, _, _) in measured(list(parts), settings, jobs):
        print(row(f"{parts[block]} {block}", numbers), flush=True)
        for name in COLUMNS:
            total[name] = max(total[name], numbers[name]) if name in LEVELS else total[name] + parts[block] * numbers[name]
    print(row(f"sum of {top}", total))
    if part:
        print(f"   {shares(total, part)}")
    return 0


def shares(numbers, part):
    """What a block takes of a part, in words."""
    taken = numbers | {"lut": numbers["lut"] + numbers["lutram"]}
    names = COLUMNS | {"lut": "LUT with LUTRAM"}
    return f"{part}: " + ", ".join(f"{100 * taken[name] / there:.1f} % of {there} {names[name]}" for name, there in PARTS[part].items())


def with_table(old, table):
    """A page with another table before its first section of the second level."""
    _, heading, rest = old.partition("\n## ")
    return table + heading + rest


def positive(text):
    """A number of jobs or seconds, for argparse."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text}: must be an integer of at least 1")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter in all blocks")
    parser.add_argument("--out", type=pathlib.Path, help="write the table of all blocks to this file")
    parser.add_argument("--most-levels", type=int, help="fail if a block has more LUT levels")
    parser.add_argument("--limits", type=pathlib.Path, help="fail if a block exceeds its limits in this TOML file")
    parser.add_argument("--path", action="store_true", help="print the longest path of each block")
    parser.add_argument("--sum", metavar="TOP", help="map the blocks in this module, and add them")
    parser.add_argument("--part", choices=PARTS, help="print each block's share of this part")
    parser.add_argument("--jobs", type=positive, default=1, help="number of blocks in parallel; large ones take some GiB each")
    parser.add_argument("--self-test", action="store_true", help="check what is counted of a small netlist")
    parser.add_argument("blocks", nargs="*")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    for block in [*args.blocks, *([args.sum] if args.sum else [])]:
        if not source(block):
            parser.error(f"unknown block {block}")
    settings = named_settings(parser, args.set, args.blocks or BLOCKS)
    if args.sum:
        if args.out or args.most_levels or args.limits or args.path or args.blocks:
            parser.error("--sum can be combined with --set, --part and --jobs only")
        return print_sum(args.sum, settings, args.part, args.jobs)
    if args.out and args.blocks:
        parser.error("--out writes a table of all blocks: it cannot be combined with block names")
    if args.limits:
        if args.set or args.out or args.most_levels or args.path or args.part or args.blocks:
            parser.error("--limits cannot be combined with other options: its file has the blocks, parameters and levels")
        return check_limits(tomllib.loads(args.limits.read_text(encoding="utf-8")), args.jobs)
    rows, wrong = [], []
    for block, (numbers, paths, through) in measured(args.blocks or BLOCKS, settings, args.jobs):
        rows.append(row(block, numbers))
        print(rows[-1], flush=True)
        if args.part:
            print(f"   {shares(numbers, args.part)}", flush=True)
        for name, path in paths.items():
            if args.path:
                print(f"   {name}: " + " -> ".join(path))
            if args.most_levels and numbers[name] > args.most_levels:
                wrong.append(f"{block}: {numbers[name]} {COLUMNS[name]}: must be at most {args.most_levels}: {' -> '.join(path)}")
        wrong += [f"{block}: combinational path: {line}" for line in through]
    if args.out:
        head = ("# Resource utilization\n\n"
                f"Generated by `fpga/sim/synth.py` on {datetime.date.today()} ({version()}, `synth_xilinx -family xcup`), "
                f"{', '.join(f'{n} {v}' for n, v in settings.items()) or 'default parameters'}. LUT levels\n"
                "are LUTs between two registers; \"with carry\" also counts entries into carry chains; \"from RAM\" is the longest path that\n"
                f"begins at a block RAM, whose time from clock to output counts as {RAM_LEVELS} levels. LUTRAM is in LUTs. Synthesis\n"
                "results, without placement and timing.\n\n"
                f"| block | {' | '.join(COLUMNS.values())} |\n|---{'|---' * len(COLUMNS)}|\n")
        old = args.out.read_text(encoding="utf-8") if args.out.exists() else ""
        args.out.write_text(with_table(old, head + "\n".join(rows) + "\n"), encoding="utf-8")
    for line in wrong:
        print(f"synth: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
