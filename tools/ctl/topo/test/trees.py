#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trees.py GPULINKCTL: topo and doctor on dumps of VMs (trees/), and on these dumps with the registers of other machines. TAP."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from dump import Dump

TREES = pathlib.Path(__file__).parent / "trees"
# In the tree "switch": the switch's two ports with card and endpoint; the other endpoints.
CARD, NEAR, NEAR2, OTHER, FAR = "03:00.0", "04:00.0", "05:00.0", "07:00.0", "41:00.0"
CARD_PORT, NEAR_PORT = "02:00.0", "02:01.0"


def on_xeon(d):
    """A Xeon with Skylake's root complex, which the kernel lists."""
    d.machine["cpu"] = "GenuineIntel 6"
    d["00:00.0"].put(2, 2, 0x2020)
    d["40:00.0"].put(0, 4, 0x20308086)


def on_desktop(d):
    """A desktop processor, which the kernel does not list."""
    d.machine["cpu"] = "GenuineIntel 6"


def acs_redirect(d):
    on_desktop(d)
    for port in (CARD_PORT, NEAR_PORT):
        d[port].acs(0x1d)


def acs_redirect_listed(d):
    acs_redirect(d)
    on_xeon(d)


def fast(d):
    """Links as of a real machine: 32 GT/s x16, payload size 512."""
    for f in d.functions.values():
        if f.config[0x34] and any(f.config[f.config[0x34]:]):
            try:
                f.express()
            except AssertionError:
                continue
            f.payload(512, 512)
            f.link(5, 16, 5, 16)


def degraded(d):
    fast(d)
    d[NEAR].link(3, 16, 5, 16)
    d[CARD].link(5, 8, 5, 16)


def payload_mismatch(d):
    fast(d)
    d[NEAR].payload(1024, 1024)
    d[NEAR2].payload(256, 256)


def small_payload(d):
    fast(d)
    for f in d.functions.values():
        if any(f.config[0x60:0x68]) or f.config[0x34]:
            try:
                f.payload(128, 512)
            except AssertionError:
                pass


def small_bar(d):
    d[NEAR].facts = ["Region 0: Memory at fe84000000 (prefetchable) [size=256M]"]
    at = d[NEAR].add_extended(0x15, 12)
    d[NEAR].put(at + 4, 4, 0x3f00 << 4)
    d[NEAR].put(at + 8, 4, 8 << 8 | 1 << 5)
    at = d[NEAR2].add_extended(0x15, 12)  # resizable, and as large as can be
    d[NEAR2].put(at + 4, 4, 0x40 << 4)
    d[NEAR2].put(at + 8, 4, 6 << 8 | 1 << 5)
    for bridge in ("00:04.0", "01:00.0", NEAR_PORT):
        d[bridge].put(0x24, 2, 0x0001)  # the windows grow, too
        d[bridge].put(0x26, 2, 0xfff1)


def sockets(d):
    on_xeon(d)
    d[CARD].fact("NUMA node: 0")
    d[NEAR].fact("NUMA node: 0")
    d[FAR].fact("NUMA node: 1")


def features(d):
    """AtomicOps routed to one endpoint, blocked at the other; 10-bit tags supported; relaxed ordering off; 64 GT/s."""
    fast(d)
    for bridge in ("00:04.0", "01:00.0", CARD_PORT, NEAR_PORT, "02:02.0"):
        d[bridge].change(d[bridge].express() + 0x24, 4, 0x40, 0x40)
    d["02:02.0"].change(d["02:02.0"].express() + 0x28, 2, 0x80, 0x80)
    for endpoint in (NEAR, NEAR2):
        d[endpoint].change(d[endpoint].express() + 0x24, 4, 0x180, 0x180)
    for f in (CARD, CARD_PORT, NEAR, NEAR_PORT):
        d[f].link(6, 16, 6, 16)
    d[NEAR].change(d[NEAR].express() + 0x28, 2, 0x1000, 0x1000)
    d[NEAR].fact("NUMA node: 3")
    at = d[CARD].express()
    d[CARD].change(at + 0x24, 4, 0x30000, 0x30000)
    d[CARD].change(at + 8, 2, 0x10, 0)


def not_root(d):
    """lspci -xxxx of a user: 64 bytes, and nothing of the system."""
    d.machine.clear()
    for f in d.functions.values():
        f.size = 64
        f.facts = []


def other_domain(d):
    """All in the domain of a VMD controller, which libpci does not know in dumps."""
    for f in d.functions.values():
        f.address = "10000" + f.address[4:]


def troubled(d):
    """A user's machine on which much is missing."""
    d.machine.update({"module-loaded": "no", "signatures-required": "yes", "p2pdma": "no", "memlock": "8388608", "module-unsigned": "no"})
    on_desktop(d)
    d[NEAR].change(4, 2, 2, 0)
    d[CARD].fact("gpulink: node-open: no")
    d[CARD].fact("gpulink: iommu-type: DMA-FQ")
    d[CARD].fact("IOMMU group: 4")
    d["01:00.0"].fact("gpulink: errors: 7 0 0")
    d["00:05.0"].fact("gpulink: errors: 0 2 0")


def overridden(d):
    on_desktop(d)
    d[CARD].fact("gpulink: unchecked-peers: yes")


def lost(d):
    d[CARD].fact("gpulink: state: lost")


def no_card(d):
    d[CARD].put(0, 4, 0x12348086)


def narrow_window(d):
    d[NEAR_PORT].put(0x26, 2, d[NEAR_PORT].get(0x24, 2) - 0x10)


NOTE, WARNING, ERROR = "note", "warning", "error"
UNSIGNED = (NOTE, "unsigned-module", "system")
# name, dump, edit; per endpoint: path, words of the reason, MB/s or None; findings without notes (or with those named)
CASES = [
    ("a VM with a switch", "switch", None,
     {NEAR: ("direct", "0000:01:00.0 is above both", 26532), NEAR2: ("direct", "", 26532),
      OTHER: ("root complex", "only the root complex", 210), FAR: ("root complex", "different host bridges", 210)}, {UNSIGNED}),
    ("the same VM with a processor that is not listed", "unlisted", None,
     {NEAR: ("direct", "", 26532), NEAR2: ("direct", "", 26532), OTHER: ("blocked", "the kernel does not list", None),
      FAR: ("blocked", "different host bridges", None)}, {UNSIGNED, (ERROR, "blocked", OTHER), (ERROR, "blocked", FAR)}),
    ("a VM with root ports below Intel's IOMMU", "iommu", None,
     {"00:0b.0": ("root complex", "only the root complex", 26532), "02:00.0": ("root complex", "", 26532),
      "03:00.0": ("root complex", "", 26532), "04:00.0": ("root complex", "", 26532)},
     {UNSIGNED, (NOTE, "iommu-translates", "01:00.0")}),
    ("a VM with a switch below AMD's IOMMU, kernel 6.12", "amd", None,
     {NEAR: ("root complex", "an IOMMU translates", 210), NEAR2: ("root complex", "", 210), OTHER: ("root complex", "", 210),
      FAR: ("root complex", "", 210)},
     {UNSIGNED, (NOTE, "iommu-translates", CARD), (WARNING, "iommu-detour", NEAR), (WARNING, "iommu-detour", NEAR2),
      (WARNING, "no-p2pdma", "system")}),
    ("a VM with a CXL switch", "cxl", None,
     {"00:0a.0": ("root complex", "", 26532), "00:0b.0": ("root complex", "", 26532),
      "43:00.0": ("root complex", "different host bridges", 26532), "44:00.0": ("root complex", "", 26532)}, {UNSIGNED}),
    ("ACS redirect, root complex not listed", "switch", acs_redirect,
     {NEAR: ("blocked", "ACS of 0000:02:01.0 redirects", None), NEAR2: ("blocked", "ACS of 0000:02:00.0", None),
      OTHER: ("blocked", "", None), FAR: ("blocked", "", None)},
     {UNSIGNED, (ERROR, "acs-redirect", NEAR), (ERROR, "acs-redirect", NEAR2), (ERROR, "blocked", OTHER), (ERROR, "blocked", FAR)}),
    ("ACS redirect, root complex listed", "switch", acs_redirect_listed,
     {NEAR: ("root complex", "ACS of 0000:02:01.0 redirects", 210), NEAR2: ("root complex", "", 210),
      OTHER: ("root complex", "the root complex is listed", 210), FAR: ("root complex", "different host bridges", 210)},
     {UNSIGNED, (WARNING, "acs-redirect", NEAR), (WARNING, "acs-redirect", NEAR2)}),
    ("fast links", "switch", fast,
     {NEAR: ("direct", "", 60193), NEAR2: ("direct", "", 60193), OTHER: ("root complex", "", 60193), FAR: ("root complex", "", 60193)},
     {UNSIGNED}),
    ("degraded links", "switch", degraded,
     {NEAR: ("direct", "", 15047), NEAR2: ("direct", "", 30096), OTHER: ("root complex", "", 30096), FAR: ("root complex", "", 30096)},
     {UNSIGNED, (WARNING, "degraded-link", CARD), (WARNING, "degraded-link", NEAR)}),
    ("payload sizes that differ", "switch", payload_mismatch,
     {NEAR: ("direct", "", 60193), NEAR2: ("direct", "", 57613), OTHER: ("root complex", "", 60193), FAR: ("root complex", "", 60193)},
     {UNSIGNED, (ERROR, "mps-mismatch", NEAR), (ERROR, "mps-mismatch", NEAR2)}),
    ("small payload size", "switch", small_payload,
     {NEAR: ("direct", "", 53065), NEAR2: ("direct", "", 53065), OTHER: ("root complex", "", 53065), FAR: ("root complex", "", 53065)},
     {UNSIGNED} | {(WARNING, "small-payload", e) for e in (NEAR, NEAR2, OTHER, FAR)}),
    ("small BAR", "switch", small_bar,
     {NEAR: ("direct", "", 26532), NEAR2: ("direct", "", 26532), OTHER: ("root complex", "", 210), FAR: ("root complex", "", 210)},
     {UNSIGNED, (WARNING, "small-bar", NEAR)}),
    ("two sockets", "switch", sockets,
     {NEAR: ("direct", "", 26532), NEAR2: ("direct", "", 26532), OTHER: ("root complex", "", 210), FAR: ("root complex", "", 210)},
     {UNSIGNED, (WARNING, "numa", FAR)}),
    ("AtomicOps, 10-bit tags, 64 GT/s", "switch", features,
     {NEAR: ("direct", "", 112716), NEAR2: ("direct", "", 60193), OTHER: ("root complex", "", 60193), FAR: ("root complex", "", 60193)},
     {UNSIGNED, (NOTE, "no-atomics", NEAR2), (NOTE, "no-10-bit-tags", CARD), (NOTE, "no-relaxed-ordering", CARD)}),
    ("lspci -xxxx without root", "switch", not_root,
     {NEAR: ("unknown", "requires root", None), NEAR2: ("unknown", "", None), OTHER: ("unknown", "", None), FAR: ("unknown", "", None)},
     {(WARNING, "not-known", e) for e in (NEAR, NEAR2, OTHER, FAR)} |
     {(WARNING, "not-read", f) for f in (CARD, NEAR, NEAR2, OTHER, FAR, "00:04.0", "00:05.0", "40:00.0", "01:00.0", CARD_PORT,
                                         NEAR_PORT, "02:02.0")}),
    ("a domain of five digits", "switch", other_domain,
     {NEAR: ("direct", "10000:01:00.0 is above both", 26532), NEAR2: ("direct", "", 26532), OTHER: ("root complex", "", 210),
      FAR: ("root complex", "", 210)}, {UNSIGNED}),
    ("much is missing", "switch", troubled,
     {NEAR: ("blocked", "memory decoding", None), NEAR2: ("unknown", "IOMMU", 210), OTHER: ("unknown", "this kernel does not check", 210),
      FAR: ("unknown", "", 210)},
     {(ERROR, "no-module", "system"), (ERROR, "no-decoding", NEAR), (WARNING, "no-p2pdma", "system"), (WARNING, "memlock", "system"),
      (WARNING, "no-rights", "gpulink0"), (WARNING, "iommu-detour", NEAR2), (WARNING, "not-known", OTHER), (WARNING, "not-known", FAR), (NOTE, "iommu-translates", CARD),
      (NOTE, "errors", "01:00.0"), (WARNING, "errors", "00:05.0")}),
    ("unchecked_peers", "switch", overridden,
     {NEAR: ("direct", "", 26532), NEAR2: ("direct", "", 26532), OTHER: ("unknown", "unchecked_peers is 1", 210), FAR: ("unknown", "", 210)},
     {UNSIGNED, (WARNING, "not-known", OTHER), (WARNING, "not-known", FAR)}),
    ("a bridge's window does not contain the BAR", "switch", narrow_window,
     {NEAR: ("blocked", "the windows of bridge 0000:02:01.0", None), NEAR2: ("direct", "", 26532), OTHER: ("root complex", "", 210),
      FAR: ("root complex", "", 210)}, {UNSIGNED, (ERROR, "blocked", NEAR)}),
    ("a lost card", "switch", lost,
     {NEAR: ("direct", "", 26532), NEAR2: ("direct", "", 26532), OTHER: ("root complex", "", 210), FAR: ("root complex", "", 210)},
     {UNSIGNED, (ERROR, "card-lost", "gpulink0")}),
    ("no card", "switch", no_card, {}, {UNSIGNED, (ERROR, "no-card", "system")}),
]
# name of a case, function, members of its JSON; None: missing
DETAILS = [
    ("AtomicOps, 10-bit tags, 64 GT/s", NEAR,
     {"kind": "gpu", "above": "0000:02:01.0", "link": "64 GT/s x16", "link_most": "64 GT/s x16", "payload_bytes": 512,
      "payload_bytes_most": 512, "read_request_bytes": 512, "relaxed_ordering": True, "atomics_completer": True, "tags_10_bit": True,
      "tags_10_bit_supported": False, "numa_node": 3, "iommu_group": None}),
    ("AtomicOps, 10-bit tags, 64 GT/s", CARD,
     {"kind": "card", "card": "gpulink0", "driver": "gpulink", "relaxed_ordering": False, "tags_10_bit": False,
      "tags_10_bit_supported": True, "numa_node": None}),
    ("AtomicOps, 10-bit tags, 64 GT/s", "02:02.0", {"kind": "bridge", "atomics_routed": False}),
    ("AtomicOps, 10-bit tags, 64 GT/s", NEAR_PORT, {"atomics_routed": True, "acs_enabled": None}),
    ("ACS redirect, root complex listed", NEAR_PORT, {"acs_supported": 0x5f, "acs_enabled": 0x1d}),
    ("a lost card", CARD, {"card": "gpulink0", "state": "lost"}),
    ("a VM with a switch", CARD, {"card": "gpulink0", "state": None}),
    ("degraded links", CARD, {"link": "32 GT/s x8", "link_most": "32 GT/s x16"}),
    ("a VM with root ports below Intel's IOMMU", "01:00.0", {"iommu_group": 7, "iommu_type": "DMA"}),
    ("a VM with a switch", "06:00.0", {"kind": "nic", "errors": {"correctable": 0, "nonfatal": 0, "fatal": 0,
                                                                 "correctable_status": 0, "uncorrectable_status": 0}}),
]
number = failures = 0


def check(name, wrong):
    """One test; `wrong`: what is wrong, or nothing."""
    global number, failures
    number += 1
    failures += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    for line in wrong:
        print(f"# {line}")


def run(*words):
    done = subprocess.run([sys.argv[1], *words], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def differences(what, got, wanted):
    return [f"{what}: {got!r}, should be {wanted!r}"] if got != wanted else []


def check_paths(file, paths):
    """Compares topo's matrix with the expected paths."""
    code, out, _ = run("-o", "json", "topo", "--from", file)
    wrong = differences("exit status", code, 0)
    got = {p["endpoint"].split(":", 1)[1].split(" ")[0]: p for p in json.loads(out)["paths"]}
    wrong += differences("endpoints", sorted(got), sorted(paths))
    for endpoint, (path, reason, mbytes) in paths.items():
        one = got.get(endpoint, {"path": None, "reason": ""})
        wrong += differences(f"path to {endpoint}", one["path"], path)
        wrong += differences(f"bandwidth to {endpoint}", one.get("mbytes_per_second"), mbytes)
        if reason not in one["reason"]:
            wrong.append(f"reason for {endpoint}: {one['reason']}")
    return wrong


def check_details(file, address, members):
    functions = json.loads(run("-o", "json", "topo", "--from", file)[1])["functions"]
    one = next(f for f in functions if f["address"].endswith(address))
    return [w for key, value in members.items() for w in differences(key, one.get(key), value)]


def check_findings(file, findings):
    code, out, _ = run("-o", "json", "doctor", "--from", file)
    got = {(f["weight"], f["check"], f["where"].split(":", 1)[1] if ":" in f["where"] else f["where"]) for f in json.loads(out)}
    weights = {f[0] for f in findings}
    wrong = differences("exit status", code, 7 if ERROR in weights else 6 if WARNING in weights else 0)
    return wrong + [f"not found: {f}" for f in sorted(findings - got)] + [f"found, too: {f}" for f in sorted(got - findings)]


def check_dump(name):
    """A dump that is read and written again is the same, but for the names, which are of this machine's pci.ids."""
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as again:
        run("topo", "--from", str(TREES / name), "--dump", again.name)

        def lines(text):
            return [line.split(" ")[0] if line[:1].isdigit() and "." in line[:16] else line for line in text.split("\n")]

        got, wanted = lines(again.read()), lines((TREES / name).read_text(encoding="ascii"))
        return [f"{a!r}, should be {b!r}" for a, b in zip(got, wanted) if a != b] + differences("lines", len(got), len(wanted))


def check_text(file):
    """The text names each endpoint of the JSON, and the dump of a dump is the same tree."""
    code, text, error = run("topo", "--from", file, "--dump", file + ".again")
    wrong = differences("exit status", (code, error), (0, ""))
    wrong += differences("tree of the dump", run("topo", "--from", file + ".again")[1], text)
    for path in json.loads(run("-o", "json", "topo", "--from", file)[1])["paths"]:
        if path["endpoint"] not in text:
            wrong.append(f"the text lacks {path['endpoint']}")
    return wrong


def check_command_line(file):
    def says(words, code, text):
        got, out, error = run(*words)
        return differences(words, (got, text in (error or out)), (code, True)) + differences("lines", len(error.splitlines()) <= 1, True)

    check("a missing file is reported", says(["topo", "--from", "/nowhere"], 1, "/nowhere: No such file"))
    check("a folder is reported", says(["doctor", "--from", "/"], 1, "/: "))
    check("a file that cannot be written is reported", says(["topo", "--from", file, "--dump", "/nowhere/x"], 1, "/nowhere/x: No such file"))
    check("an unknown card is reported", says(["topo", "--from", file, "--card", "gpulink9"], 4, "card 'gpulink9' not found"))
    check("doctor takes no card", says(["doctor", "--card", "gpulink0"], 2, "--card is not supported"))
    check("other commands take no dump", says(["list", "--from", file], 2, "--from and --dump are not supported"))
    text = pathlib.Path(file).read_text(encoding="ascii")
    cut = pathlib.Path(file + ".cut")
    for part in (0.999, 0.5, 0.1):
        cut.write_text(text[:int(len(text) * part)], encoding="ascii")
        check(f"a dump cut at {part} of its length is refused", says(["topo", "--from", str(cut)], 1, "cut"))
    cut.write_text(text[:text.rindex("\n\n")] + "\n", encoding="ascii")
    check("a dump without its last function is refused", says(["topo", "--from", str(cut)], 1, "the dump is cut"))
    for key, value in ("memlock", "99999999999999999999"), ("functions", "4294967296"):
        cut.write_text(re.sub(rf"(?m)^{key}: .*$|\Agpulink-dump: 1$", rf"gpulink-dump: 1\n{key}: {value}", text, count=1), encoding="ascii")
        check(f"{key} {value} is refused", says(["doctor", "--from", str(cut)], 1, f"{key}: {value}: must be 0 to"))
    cut.write_bytes(bytes(range(256)) * 100)
    check("garbage is refused", says(["topo", "--from", str(cut)], 1, "not a text"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, tree, edit, paths, findings in CASES:
            dump = Dump(TREES / tree)
            if edit:
                edit(dump)
            file = str(pathlib.Path(folder, "dump"))
            pathlib.Path(file).write_text(dump.text(), encoding="ascii")
            check(f"{name}: topo", check_paths(file, paths))
            check(f"{name}: doctor", check_findings(file, findings))
            check(f"{name}: text and dump", check_text(file))
            for of, address, members in DETAILS:
                if of == name:
                    check(f"{name}: details of {address}", check_details(file, address, members))
        for tree in sorted(TREES.iterdir()):
            check(f"{tree.name}: the dump of a dump is the same", check_dump(tree.name))
        file = str(pathlib.Path(folder, "switch"))
        pathlib.Path(file).write_text((TREES / "switch").read_text(encoding="ascii"), encoding="ascii")
        check_command_line(file)
    print(f"1..{number}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
