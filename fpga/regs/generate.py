#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the C header, the Verilog package and the reference table from gpulink.toml.

generate.py [--check]   writes the three files, or with --check lists those that are out of date and
                        exits with 1.
"""

import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "gpulink.toml"
TARGETS = {
    "c": HERE / "gpulink_regs.h",
    "verilog": HERE / "glk_regs.sv",
    "table": HERE.parents[1] / "docs" / "registers.md",
}
NOTICE = "Generated from fpga/regs/gpulink.toml by fpga/regs/generate.py: edit that, not this."


class Bad(Exception):
    """An inconsistent description."""


def mask(field):
    return ((1 << field["width"]) - 1) << field["lsb"]


def check_fields(where, fields):
    used = {}
    for f in fields:
        q = f.get("q", 0)
        if f["lsb"] < 0 or f["width"] < 1 or f["lsb"] + f["width"] > 64:
            raise Bad(f"{where}.{f['name']}: bits do not fit 64")
        if used.get(q, 0) & mask(f):
            raise Bad(f"{where}.{f['name']}: overlaps another field")
        used[q] = used.get(q, 0) | mask(f)


def expand(d):
    """Expands register arrays."""
    for b in d["block"]:
        b["reg"] = [dict(r, name=f"{r['name']}_{one}", offset=r["offset"] + 8 * i, doc=f"{r['doc']}: {one.replace('_', ' ')}")
                    if one else r for r in b["reg"] for i, one in enumerate(r.get("each", [None]))]


def check(d):
    """Rejects overlapping registers, blocks and fields."""
    extents = []
    for b in d["block"]:
        array = b.get("array")
        size = array["stride"] if array else 0x1000
        seen = set() if array else {0}
        for r in b["reg"]:
            if r["offset"] % 8 or r["offset"] + 8 > size or r["offset"] in seen:
                raise Bad(f"{b['name']}.{r['name']}: offset {r['offset']:#x} is taken, unaligned or outside")
            if r["access"] not in ("ro", "rw", "wo", "w1c"):
                raise Bad(f"{b['name']}.{r['name']}: access {r['access']}")
            seen.add(r["offset"])
            check_fields(f"{b['name']}.{r['name']}", r.get("field", []))
        extents.append((b["offset"], 0x1000, b["name"]))
        if array:
            extents.append((array["offset"], array["stride"] * array["count"], b["name"] + " array"))
    extents.append((d["constants"]["msix_table_offset"]["value"], 0x8000, "MSI-X table"))
    extents.append((d["constants"]["msix_pba_offset"]["value"], 0x8000, "MSI-X pending bits"))
    extents.sort()
    for (a, size, name), (b, _, other) in zip(extents, extents[1:]):
        if a + size > b:
            raise Bad(f"{name} overlaps {other}")
    for r in d["record"]:
        check_fields(r["name"], r["field"])
        if any(8 * f["q"] + 8 > r["bytes"] for f in r["field"]):
            raise Bad(f"{r['name']}: a field lies beyond its end")


def blocks(d):
    """Yields (block, offset of the next one that every card has, or 0)."""
    for i, b in enumerate(d["block"]):
        after = d["block"][i + 1] if i + 1 < len(d["block"]) else {"feature": ""}
        yield b, 0 if "feature" in after else after["offset"]


def header_value(b, nxt):
    return b["type"] | b["version"] << 16 | nxt << 32


def names(d):
    """Yields (group comment or None, [(name, value, doc)]), for C and Verilog."""
    yield "Constants", [(k.upper(), c["value"], c["doc"]) for k, c in d["constants"].items()]
    for b, nxt in blocks(d):
        up = b["name"].upper()
        group = [(f"BLOCK_{up}", b["offset"], "HEADER: type 15:0, version 31:16, offset of the next block 63:32"),
                 (f"BLOCK_{up}_TYPE", b["type"], ""),
                 (f"BLOCK_{up}_VERSION", b["version"], ""),
                 (f"BLOCK_{up}_NEXT", nxt, "")]
        if "array" in b:
            group += [(f"{up}_ARRAY", b["array"]["offset"], "first element"),
                      (f"{up}_STRIDE", b["array"]["stride"], "bytes between elements"),
                      (f"{up}_COUNT", b["array"]["count"], "maximum number of elements")]
        for r in b["reg"]:
            reg = f"{up}_{r['name'].upper()}"
            base = 0 if "array" in b else b["offset"]
            group.append((reg, base + r["offset"], r["access"]))
            if r.get("reset"):
                group.append((f"{reg}_RESET", r["reset"], ""))
            for f in r.get("field", []):
                group.append((f"{reg}_{f['name'].upper()}_MASK", mask(f), f.get("doc", "")))
                group.append((f"{reg}_{f['name'].upper()}_SHIFT", f["lsb"], ""))
        yield b["doc"], group
    for r in d["record"]:
        up = r["name"].upper()
        group = [(f"{up}_BYTES", r["bytes"], "")]
        for f in r["field"]:
            group.append((f"{up}_{f['name'].upper()}_Q", f["q"], f.get("doc", "")))
            group.append((f"{up}_{f['name'].upper()}_MASK", mask(f), ""))
            group.append((f"{up}_{f['name'].upper()}_SHIFT", f["lsb"], ""))
        yield r["doc"], group
    for e in d["enum"]:
        group = [(f"{e['prefix']}_{v['name'].upper()}", v["value"], v.get("doc", "")) for v in e["values"]]
        if e["values"][0]["value"] == 0:
            group.append((f"{e['prefix']}_COUNT", len(e["values"]), "number of values"))
        yield e["doc"], group


def number(value, name):
    if name.endswith("_MASK"):
        return f"0x{value:016x}"
    return f"0x{value:x}" if value > 9 else str(value)


def wrap(text, width, first, rest):
    lines, line = [], first
    for word in text.split():
        if len(line) + len(word) + 1 > width and line.strip(" /*"):
            lines.append(line.rstrip())
            line = rest
        line += word + " "
    lines.append(line.rstrip())
    return lines


def c_header(d):
    out = ["/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */",
           f"/* {NOTICE} */", "#ifndef GPULINK_REGS_H", "#define GPULINK_REGS_H", ""]
    for doc, group in names(d):
        out += wrap(doc, 98, "/* ", " * ")
        out[-1] += " */"
        for name, value, note in group:
            line = f"#define GLK_{name}"
            line += "\t" * max(1, (48 - len(line) + 7) // 8)
            suffix = "ULL" if name.endswith("_MASK") or value > 0xffffffff else "U"
            out.append(f"{line}{number(value, name)}{suffix}" + (f" /* {note} */" if note else ""))
        out.append("")
    out.append("#endif /* GPULINK_REGS_H */")
    return "\n".join(out) + "\n"


def verilog_package(d):
    out = ["// SPDX-License-Identifier: Apache-2.0", "`default_nettype none", f"// {NOTICE}", "package glk_regs;", ""]
    for doc, group in names(d):
        out += wrap(doc, 110, "  // ", "  // ")
        for name, value, note in group:
            wide = name.endswith("_MASK") or value > 0x7fffffff
            kind = "logic [63:0]" if wide else "int"
            text = f"64'h{value:016x}" if wide else str(value)
            out.append(f"  localparam {kind} {name} = {text};" + (f" // {note}" if note else ""))
        out.append("")
    out += ["endpackage", "`default_nettype wire"]
    return "\n".join(out) + "\n"


def bits(field):
    top = field["lsb"] + field["width"] - 1
    return f"{top}:{field['lsb']}" if field["width"] > 1 else str(top)


def cell(text):
    return text.replace("|", "\\|")


def register_rows(b):
    base = 0 if "array" in b else b["offset"]
    for r in b["reg"]:
        kind = "counter, " if r.get("counter") else ""
        reset = f" Reset: {r['reset']}." if r.get("reset") else ""
        doc = cell(r["doc"]) + ("" if kind else reset)
        yield f"| `{base + r['offset']:#07x}` | {r['name'].upper()} | {kind}{r['access']} | | {doc} |"
        for f in r.get("field", []):
            yield f"| | | | {bits(f)} {f['name'].upper()} | {cell(f.get('doc', ''))} |"


def reference(d):
    out = ["# Registers, ring entries and codes", "", f"<!-- {NOTICE} -->", "",
           "The interface between software and the card. Registers are in BAR 0, 64 bits wide, and are read and written",
           "as a whole; all numbers are little-endian. Reserved bits read 0. A write that sets a reserved bit, or that",
           "contains an invalid value, changes nothing and is counted in `CARD.ERR_CONFIG`. Counters are monotonic; a",
           "read returns the value latched by the last write to `CARD.SNAPSHOT`.", "",
           "Every block begins with a HEADER register: TYPE in bits 15:0, VERSION in 31:16, and in 63:32 NEXT, the",
           "offset of the next block (0: the last). The first block is at offset 0. In a block with an array, register",
           "offsets are relative to an array element.", "",
           "## Constants", "", "| name | value | meaning |", "|---|---|---|"]
    for k, c in d["constants"].items():
        out.append(f"| {k.upper()} | {number(c['value'], k)} | {cell(c['doc'])} |")
    for b, nxt in blocks(d):
        out += ["", f"## Block {b['name'].upper()} (type {b['type']}, version {b['version']})", ""]
        out += wrap(b["doc"], 112, "", "")
        if "feature" in b:
            out += ["", f"Exists on cards with FEATURES.{b['feature'].upper()}; HEADER of the preceding block then points to it."]
        out += ["", f"HEADER at `{b['offset']:#07x}` reads `{header_value(b, nxt):#x}`." +
                (f" Array: at most {b['array']['count']} elements, from `{b['array']['offset']:#07x}`, "
                 f"{b['array']['stride']:#x} bytes apart." if "array" in b else ""), "",
                "| offset | register | access | bits | meaning |", "|---|---|---|---|---|"]
        out += list(register_rows(b))
    out += ["", "## Records in host memory"]
    for r in d["record"]:
        out += ["", f"### {r['name'].upper()}, {r['bytes']} bytes", ""] + wrap(r["doc"], 112, "", "")
        out += ["", "| word | bits | field | meaning |", "|---|---|---|---|"]
        out += [f"| Q{f['q']} | {bits(f)} | {f['name'].upper()} | {cell(f.get('doc', ''))} |" for f in r["field"]]
    out += ["", "## Codes"]
    for e in d["enum"]:
        out += ["", f"### {e['name']}", "", e["doc"], "", "| value | name | meaning |", "|---|---|---|"]
        out += [f"| {v['value']} | {v['name']} | {cell(v.get('doc', ''))} |" for v in e["values"]]
    return "\n".join(out) + "\n"


def main(argv):
    if argv not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    d = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    expand(d)
    try:
        check(d)
    except Bad as e:
        print(f"{SOURCE.name}: {e}", file=sys.stderr)
        return 1
    made = {"c": c_header(d), "verilog": verilog_package(d), "table": reference(d)}
    stale = 0
    for kind, path in TARGETS.items():
        if path.exists() and path.read_text(encoding="utf-8") == made[kind]:
            continue
        if argv:
            print(f"{path}: out of date, run fpga/regs/generate.py")
            stale = 1
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[kind], encoding="utf-8")
            print(f"wrote {path}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
