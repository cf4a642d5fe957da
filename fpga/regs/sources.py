# SPDX-License-Identifier: Apache-2.0
"""The description as C and Verilog."""
from description import allowed, block, counters, features, mask, named, policies, registers, settings, words

NOTICE = "Generated from fpga/regs by fpga/regs/generate.py: edit the description there, not this."


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
            if "paper" in r:
                group.append((f"{reg}_PAPER", r["paper"], "FinePack as published"))
            for f in r.get("field", []):
                group.append((f"{reg}_{f['name'].upper()}_MASK", mask(f), f.get("doc", "")))
                group.append((f"{reg}_{f['name'].upper()}_SHIFT", f["lsb"], ""))
            if r["access"] == "rw" and "field" in r:
                group.append((f"{reg}_FIELDS_MASK", sum(mask(f) for f in r["field"]), "all of its fields"))
        offsets = [base + r["offset"] for r in b["reg"] if r.get("counter")]
        if offsets:
            group += [(f"{up}_COUNTERS", len(offsets), "number of counters"),
                      (f"{up}_COUNTER_FIRST", offsets[0], ""),
                      (f"{up}_COUNTER_LAST", offsets[-1], ""),
                      (f"{up}_COUNTER_SPAN", (offsets[-1] - offsets[0]) // 8 + 1, "registers from the first to the last")]
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


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def listed(name, doc, items):
    """A macro with the items of an initializer."""
    out = wrap(doc, 98, "/* ", " * ")
    out[-1] += " */"
    return out + [f"#define {name} \\"] + [f"\t{i}, \\" for i in items[:-1]] + [f"\t{items[-1]}", ""]


def rows(name, doc, cells):
    return listed(name, doc, [f"{{ {', '.join(c)} }}" for c in cells])


def offset(d, group, reg):
    b = block(d, group)
    return f"0x{(0 if 'array' in b else b['offset']) + reg['offset']:x}U"


def metric_rows(d):
    """Samples of one metric follow each other."""
    metrics = {}
    for c in counters(d, "partition"):
        help_ = d["metrics"][c["metric"]] if "label" in c else c["doc"]
        metrics.setdefault(c.get("metric", c["name"]), []).append(
            (text(c.get("metric", c["name"])), text(help_[0].upper() + help_[1:] + "."), text(c["label"]) if "label" in c else "NULL",
             f"offsetof(struct gpulink_counters, {c['name']})"))
    return [row for of_metric in metrics.values() for row in of_metric]


def policy_texts(d):
    """A sentence for each policy."""
    what = {"paper": "FinePack as published", "best": "the defaults"}
    return [f"{policy}: {what[policy]}, " + ", ".join(f"{name} {value}" for _, name, value in of) + "." for policy, of in policies(d).items()]


def setting_help(d, group):
    """The help of a command that takes SETTING VALUE; completions are made from it."""
    lines = wrap("SETTING is " + words([f"{s['name']} ({allowed(dict(s, zero=''))})" for s in settings(d, group)]) + ".", 108, "", "")
    out = [f"#define GLK_{group.upper()}_SETTING_HELP \\"] + [f"\t{text(line)[:-1]}\\n\" \\" for line in lines]
    return out[:-1] + [out[-1][:-2], ""]


TABLES_HEAD = """/* A counter. */
struct glk_counter_row {
	const char *name;
	unsigned int reg;		/* in an array: from the start of an element */
};

/* A setting: a register, or one bit of it. */
struct glk_setting_row {
	const char *name;
	unsigned int reg, slot;		/* the register, and its place in the _SETTING_REGISTERS */
	unsigned long long mask;	/* the bit; 0: all of the register */
	unsigned long long features;	/* bits of CARD.FEATURES with which it exists; 0: always */
	unsigned long long least, most;
	unsigned int power_of_two;	/* nonzero: only such values */
};

/* What users read of one. */
struct glk_setting_text {
	const char *allowed;		/* to follow "must be" */
	int needs;			/* the setting without which it has no effect; -1: none */
};

/* A register that holds settings. */
struct glk_setting_register {
	const char *name;
	unsigned int reg;
	unsigned long long reset;
};

/* A setting of a policy. */
struct glk_policy_row {
	const char *policy;
	unsigned int setting;		/* enum gpulink_setting */
	unsigned long long value;
};

static inline int glk_setting_allows(const struct glk_setting_row *setting, unsigned long long value)
{
	return value >= setting->least && value <= setting->most &&
	       (!setting->power_of_two || !(value & (value - 1)));
}
"""


def c_tables(d):
    out = ["/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */", f"/* {NOTICE} */", "#ifndef GPULINK_TABLES_H",
           "#define GPULINK_TABLES_H", ""] + TABLES_HEAD.split("\n")
    for group in ("card", "partition", "link", "pool"):
        out += rows(f"GLK_{group.upper()}_COUNTER_ROWS", f"Counters of a {group}, in register order: struct glk_counter_row.",
                    [(text(c["name"]), offset(d, group, c)) for c in counters(d, group)])
    out += rows("GLK_PARTITION_METRIC_ROWS", "Metrics of a partition: name, help, value of the label reason or NULL, and the offset.",
                metric_rows(d))
    for group in ("partition", "link", "pool"):
        up, of_group, regs = group.upper(), settings(d, group), registers(d, group)
        names = [s["name"] for s in of_group]
        out += [f"#define GLK_{up}_SETTING_COUNT {len(of_group)}U", f"#define GLK_{up}_SETTING_REGISTER_COUNT {len(regs)}U"]
        out += [f"#define GLK_{up}_SLOT_{r['name'].upper()} {i}U" for i, r in enumerate(regs)]
        out += rows(f"GLK_{up}_SETTING_REGISTERS", f"Registers of the settings of a {group}: struct glk_setting_register.",
                    [(text(r["name"]), offset(d, group, r), f"0x{r.get('reset', 0):x}ULL") for r in regs])
        out += rows(f"GLK_{up}_SETTING_ROWS", f"Settings of a {group}: struct glk_setting_row.",
                    [(text(s["name"]), offset(d, group, s["reg"]), f"{regs.index(s['reg'])}U", f"0x{s['mask']:x}ULL",
                      f"0x{features(d, s.get('feature')):x}ULL", f"{s['least']}ULL", f"{s['most']}ULL",
                      f"{int(s.get('power_of_two', False))}U") for s in of_group])
        out += rows(f"GLK_{up}_SETTING_TEXTS", "Texts of these: struct glk_setting_text.",
                    [(text(allowed(s)), str(names.index(s["needs"]) if "needs" in s else -1)) for s in of_group])
    out += rows("GLK_CODE_ROWS", "Error codes of libgpulink: the code, its name and its text.",
                [(f"GPULINK_{c['name']}", text(c["name"]), text(c["text"])) for c in d["code"]])
    out += listed("GLK_STATUS_CODES", "The code of each status of a completion, by number; 0: none.",
                  [f"GPULINK_{v['error']}" if "error" in v else "0" for v in named(d["enum"], "status", "enums")["values"]])
    out += listed("GLK_ERROR_NAMES", "Names of the errors in the driver's log, by number.",
                  [f"[{e['number']}] = {text(e['name'])}" for e in d["error"]])
    out += rows("GLK_POLICY_ROWS", "Policies, in the order in which to set them: struct glk_policy_row.",
                [(text(policy), f"{number}U", f"{value}ULL") for policy, of in policies(d).items() for number, _, value in of])
    out += ["#define GLK_POLICY_HELP \\"] + [f'\t"{line}\\n" \\' for line in policy_texts(d)]
    out = out[:-1] + [out[-1][:-2], ""]
    for group in ("partition", "link"):
        out += setting_help(d, group)
    out += listed("GLK_LINK_SETTING_KEYS", "Keys of the link's settings in gpulinkd.conf.",
                  [text("link_" + s["name"]) for s in settings(d, "link")]) + ["#endif /* GPULINK_TABLES_H */"]
    return "\n".join(out) + "\n"
