#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes from the descriptions (*.toml) what else states their facts: headers, the Verilog package, the reference, and blocks
of other files between the lines "generated from fpga/regs: NAME" and "end of NAME".

generate.py [--check | --list] [TREE]   writes what is out of date; --check lists it instead, and exits with 1; --list lists all
                                        files that it writes. TREE is the root of the sources (default: those of this file).
"""

import pathlib
import sys

import documents
import sources
from description import Bad, load

WHOLE = {
    "fpga/regs/gpulink_regs.h": sources.c_header,
    "fpga/regs/gpulink_tables.h": sources.c_tables,
    "fpga/regs/glk_regs.sv": sources.verilog_package,
    "docs/registers.md": documents.reference,
}


def made(tree, name, d):
    path = tree / name
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    return old, WHOLE[name](d) if name in WHOLE else documents.fill(path, old, documents.BLOCKS[name], d)


def main(argv):
    mode = argv.pop(0) if argv and argv[0] in ("--check", "--list") else ""
    if len(argv) > 1 or (argv and argv[0].startswith("-")):
        print(__doc__, file=sys.stderr)
        return 2
    tree = pathlib.Path(argv[0] if argv else pathlib.Path(__file__).parents[2]).resolve()
    names = [*WHOLE, *documents.BLOCKS]
    stale = 0
    try:
        d = load(tree / "fpga/regs")
        for name in names:
            old, new = (0, 1) if mode == "--list" else made(tree, name, d)
            if old == new:
                continue
            if mode:
                print(name + (": out of date, run fpga/regs/generate.py" if mode == "--check" else ""))
                stale |= mode == "--check"
            else:
                (tree / name).write_text(new, encoding="utf-8")
                print(f"wrote {name}")
    except (Bad, ValueError) as e:
        print(f"fpga/regs: {e}", file=sys.stderr)
        return 1
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
