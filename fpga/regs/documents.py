# SPDX-License-Identifier: Apache-2.0
"""The description as documents: the reference of registers, and blocks of other files."""
import textwrap

from description import GROUPS, allowed, counters, settings
from sources import NOTICE, blocks, header_value, number, policy_texts, wrap


def bits(field):
    top = field["lsb"] + field["width"] - 1
    return f"{top}:{field['lsb']}" if field["width"] > 1 else str(top)


def only_on(one, before):
    return f"{before}nly on cards with FEATURES.{one['feature'].upper()}" if "feature" in one else ""


def zero_without(counter, before):
    return f"{before}always 0 on cards without FEATURES.{counter['feature'].upper()}" if "feature" in counter else ""


def cell(text):
    return text.replace("|", "\\|")


def of_unit(r):
    return f" ({r['unit']})" if "unit" in r else ""


def register_rows(b):
    base = 0 if "array" in b else b["offset"]
    for r in b["reg"]:
        kind = f"counter{of_unit(r)}, " if r.get("counter") else ""
        reset = f" Reset: {r['reset']}." if r.get("reset") else ""
        doc = cell(r["doc"]) + zero_without(r, "; ") + ("" if kind else reset)
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
        more = ("| error |", "---|") if any("error" in v for v in e["values"]) else ("|", "|")
        out += ["", f"### {e['name']}", "", e["doc"], "", f"| value | name | meaning {more[0]}", f"|---|---|---{more[1]}"]
        out += [f"| {v['value']} | {v['name']} | {cell(v.get('doc', ''))} |" + f" {v.get('error', '')} |" * (len(more[0]) > 1)
                for v in e["values"]]
    return "\n".join(out) + "\n"


# --- blocks of other files ---

def sentence(text):
    return text[0].upper() + text[1:] + "."


def md_counters(d, group):
    """The names, as a paragraph."""
    names = ", ".join(f"`{c['name']}`" for c in counters(d, group))
    return wrap(names + f": registers.md, block {GROUPS[group].upper()}.", 128, "", "")


def md_settings(d, group):
    out = ["| file | value | default | meaning |", "|---|---|---|---|"]
    for s in settings(d, group):
        see = f" ([{s['see'].partition('#')[0]}]({s['see']}))" if "see" in s else ""
        needs = f"; has an effect only with `{s['needs']}` 1" if "needs" in s else ""
        out.append(f"| `{s['name']}` | {allowed(s)} | {s['reset']} | {s['doc']}{see}{needs}{only_on(s, '; o')} |")
    return out


def md_values(d, group):
    out = ["| setting | value |", "|---|---|"]
    return out + [f"| `{s['name']}` | {allowed(s)}{only_on(s, '; o')} |" for s in settings(d, group)]


def md_names(d, group):
    return wrap(", ".join(f"`{s['name']}`" for s in settings(d, group)), 128, "", "")


def abi(what, text):
    lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
    return ["What:\t\t" + what, "Date:\t\tNovember 2026", "KernelVersion:\tgpulink 0.1.0", "Contact:\tThe gpulink authors",
            "Description:"] + ["\t\t" + line for line in lines] + [""]


def abi_counters(d, group, folder):
    out = []
    for c in counters(d, group):
        out += abi(f"/sys/class/gpulink/gpulinkN/{folder}/{c['name']}",
                   f"(RO) Counter of {c['unit']}: {c['doc']}. Never decreases while the card has power. Each read takes a snapshot. "
                   f"{sentence(zero_without(c, '')) + ' ' if 'feature' in c else ''}"
                   "ENODEV: the card is gone; ESTALE: it is being reset.")
    return out[:-1]


def abi_settings(d, group, folder, with_link=None):
    """with_link: only those of cards with a link, or only the others."""
    out = []
    for s in settings(d, group):
        if with_link not in (None, s.get("feature") == "link"):
            continue
        flushes = "A change flushes the partition first and loses no stores. " if group == "partition" else ""
        needs = f"Has an effect only with {s['needs']} 1. " if "needs" in s else ""
        out += abi(f"/sys/class/gpulink/gpulinkN/{folder}/{s['name']}",
                   f"(RW) {sentence(s['doc'])} Values: {allowed(s)}; default: {s['reset']}. {needs}{flushes}"
                   f"{only_on(s, 'O')}{'. ' * ('feature' in s)}"
                   "Kept across resets of the card. EINVAL: not allowed, nothing is changed.")
    return out[:-1]


def abi_events(d):
    out = []
    for group in ("partition", "card"):
        for c in counters(d, group):
            needs = (f" Requires a partition: \"gpulink0/{c['name']},partition=0/\"; 255 selects all partitions."
                     if group == "partition" else "")
            out += abi(f"/sys/bus/event_source/devices/gpulinkN/events/{c['name']}",
                       f"(RO) Event, in {c['unit']}: {c['doc']}{zero_without(c, '; ')}.{needs}")
    return out[:-1]


def man(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def man_keys(d, group, prefix):
    out = []
    for s in settings(d, group):
        needs = [f"Requires {s['needs']} = 1."] if "needs" in s else []
        only = [only_on(s, "O") + "."] if "feature" in s else []
        lines = textwrap.wrap(f"{sentence(s['doc'])} Allowed: {allowed(s)} (default: {s['reset']}).", 128,
                              break_long_words=False, break_on_hyphens=False)
        out += [".TP", f".B {prefix}{s['name']}"] + [man(line) for line in lines + needs + only]
    return out


def man_settings(d, group):
    of_group = settings(d, group)
    ends = [","] * (len(of_group) - 2) + [" or", "."]
    return [f".BR {s['name']} \" ({allowed(dict(s, zero=''))}){end}\"" for s, end in zip(of_group, ends)]


def man_policies(d):
    return [man(line) for line in policy_texts(d)]


def conf_keys(d, group):
    return [f"#{s['name']} = {s['reset']}" for s in settings(d, group)]


def comment(text):
    lines = wrap(text, 116, "/** ", " *  ")
    return ["\t" + line for line in lines[:-1]] + ["\t" + lines[-1] + " */"]


def c_members(d, group):
    return [line for c in counters(d, group) for line in comment(c["doc"]) + [f"\tuint64_t {c['name']};"]]


def c_enumerators(d, group, prefix):
    out = []
    for s in settings(d, group):
        values = f"; {allowed(s)}" if (s["least"], s["most"]) != (0, 1) else ""
        out += comment(s["doc"] + values + only_on(s, "; o")) + [f"\t{prefix}{s['name'].upper()},"]
    return out


def c_count(d, group):
    return [f"#define GPULINK_{group.upper()}_COUNTERS {len(counters(d, group))}"]


def c_codes(d):
    out = []
    for c in d["code"]:
        out += comment(c.get("doc", c["text"])) + [f"\tGPULINK_{c['name']} = {c.get('value', c['name'])},"]
    return out


def md_errors(d):
    return ["| code | name | meaning | likely cause | action |", "|---|---|---|---|---|"] + [
        f"| {e['number']} | {e['name']} | {e['meaning']} | {e['cause']} | {e['action']} |" for e in d["error"]]


# File: name of a block in it: what makes its lines.
BLOCKS = {
    "libclient/gpulink.h": {"codes": c_codes, "counters": lambda d: c_members(d, "partition")},
    "libclient/gpulink_admin.h": {
        "settings": lambda d: c_enumerators(d, "partition", "GPULINK_"),
        "link settings": lambda d: c_enumerators(d, "link", "GPULINK_LINK_"),
        "card counters": lambda d: c_count(d, "card"),
        "link counters": lambda d: c_count(d, "link"),
        "pool counters": lambda d: c_count(d, "pool"),
    },
    "docs/errors.md": {"errors": md_errors},
    "kmod/core/error.h": {"errors": lambda d: [f"\tGLK_ERROR_{e['name'].upper()} = {e['number']}," for e in d["error"]]},
    "docs/sysfs.md": {f"{group} {what}": lambda d, group=group, make=make: make(d, group)
                      for what, make in (("counters", md_counters), ("settings", md_settings))
                      for group in ("card", "partition", "link", "pool") if (group, what) != ("card", "settings")},
    "docs/protocol.md": {
        "settings": lambda d: md_names(d, "partition"),
        "counters": lambda d: md_counters(d, "partition"),
        "values": lambda d: md_values(d, "partition"),
        "link values": lambda d: md_values(d, "link"),
    },
    "docs/ABI/testing/sysfs-class-gpulink": {
        "card counters": lambda d: abi_counters(d, "card", "counters"),
        "pool settings": lambda d: abi_settings(d, "pool", "pool"),
        "pool counters": lambda d: abi_counters(d, "pool", "pool_counters"),
        "partition settings": lambda d: abi_settings(d, "partition", "partitions/K", False),
        "partition counters": lambda d: abi_counters(d, "partition", "partitions/K/counters"),
    },
    "docs/ABI/testing/sysfs-class-gpulink-link": {
        "link settings": lambda d: abi_settings(d, "link", "link"),
        "link counters": lambda d: abi_counters(d, "link", "link_counters"),
        "partition settings": lambda d: abi_settings(d, "partition", "partitions/K", True),
    },
    "docs/ABI/testing/sysfs-bus-event_source-devices-gpulink": {"events": abi_events},
    "docs/man/gpulinkctl.1": {"settings": lambda d: man_settings(d, "partition"), "policies": man_policies,
                              "link settings": lambda d: man_settings(d, "link")},
    "docs/man/gpulinkd.conf.5": {"policies": man_policies, "keys": lambda d: man_keys(d, "partition", ""), "link keys": lambda d: man_keys(d, "link", "link_")},
    "daemon/gpulinkd.conf": {"keys": lambda d: conf_keys(d, "partition")},
}
MARKS = {".h": ("/* ", " */"), ".md": ("<!-- ", " -->"), ".1": ('.\\" ', ""), ".5": ('.\\" ', "")}


def marks(path, name):
    """The lines before and after a block."""
    before, after = MARKS.get(path.suffix, ("# ", ""))
    return f"{before}generated from fpga/regs: {name}{after}", f"{before}end of {name}{after}"


def fill(path, text, makers, d):
    """The text of a file with its blocks renewed."""
    lines = text.split("\n")
    for name, make in makers.items():
        first, last = marks(path, name)
        plain = [line.strip() for line in lines]
        if plain.count(first) != 1 or plain.count(last) != 1:
            raise ValueError(f"{path}: must have the lines '{first}' and '{last}' once")
        lines[plain.index(first) + 1:plain.index(last)] = make(d)
    return "\n".join(lines)
