#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rooms.py MODEL ARCHIVE: rooms of the model use only the rooms below them, and its files call each other without cycles.
rooms.py --circles BUILD TOP: nor do the files of any other program or library in a build folder; and the folders of the tree
include and link only what ARCHITECTURE.md lists.
rooms.py --driver TOP SYMBOLS...: nor do the files of the driver, and its rooms call only those below them, in the order of the
table in ARCHITECTURE.md. SYMBOLS is the output of `nm -A` in a folder with the driver's objects.

Includes are read from the sources under MODEL; calls from the symbols that the objects in ARCHIVE define and leave undefined.
A room is a folder; ROOMS lists them from the lowest to the highest. TAP.
"""
import collections
import json
import os
import re
import subprocess
import sys

ROOMS = ["base", "registration", "finepack", "netcrafter", "pool", "link", "window", "remote", "region", "release", "ring", "registers", "card"]
# Why stands in netcrafter/system.h.
CIRCULAR = ["libreplaynetcrafter.a.p"]


def includes(model):
    """{file: files of the model that it includes}, test/ folders left out."""
    found = {}
    for folder, folders, files in os.walk(model):
        folders[:] = [f for f in folders if f != "test"]
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith((".c", ".h")) and folder != model:
                with open(path, encoding="utf-8") as source:
                    found[os.path.relpath(path, model)] = set(re.findall(r'^#include ["<]([^">]+)[">]', source.read(), re.M))
    return {file: {i for i in used if i in found} for file, used in found.items()}


def calls(listing, name=os.path.basename):
    """{object: objects that define what it leaves undefined}, from the output of `nm -A`."""
    defined, undefined = {}, {}
    for line in listing.splitlines():
        place, symbol = line.rsplit(":", 1)
        member = name(place.split(":")[-1]).removesuffix(".o")
        kind, symbol = symbol.split()[-2:]
        used = undefined.setdefault(member, set())
        if kind == "U":
            used.add(symbol)
        elif kind.isupper():
            defined[symbol] = member
    return {member: {defined[s] for s in symbols if s in defined} - {member} for member, symbols in undefined.items()}


def symbols(*objects):
    """Of objects, or of the members of an archive."""
    return subprocess.run(["nm", "-A", *objects], check=True, capture_output=True, text=True).stdout


def upward(graph, order):
    """Uses that lead from a room to a higher one."""
    level = {room: i for i, room in enumerate(order)}
    return [f"{a} uses {b}" for a in sorted(graph) for b in sorted(graph[a])
            if level[b.split("/")[0]] > level[a.split("/")[0]]]


def cycles(graph):
    """One cycle, as text, for each file at which a walk along the graph comes back to where it is."""
    found, done = [], set()

    def walk(file, path):
        if file in path:
            found.append(" -> ".join(path[path.index(file):] + [file]))
        elif file not in done:
            for used in sorted(graph[file]):
                walk(used, path + [file])
            done.add(file)

    for file in sorted(graph):
        walk(file, [])
    return found


def is_test(path):
    return "/test/" in path or path.startswith("tests/")


def compiled(build, top):
    """Of each compiled source of the tree: its path, its object's, and the folders that it finds headers in, all from TOP."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for command in json.load(commands):
            place = lambda path: os.path.relpath(os.path.join(command["directory"], path), top)
            yield (place(command["file"]), command["output"],
                   [place(folder) for folder in re.findall(r" -(?:I|isystem )(\S+)", command["command"])])


def circles(build, top):
    """Checks that no program or library of a build folder has files that call each other in a circle, but for CIRCULAR. Tests may stand
    in for the files below and above those that they test: they are left out."""
    objects = {}
    for source, output, _ in compiled(build, top):
        folder, name = os.path.split(output)
        if name.endswith(".c.o") and not is_test(source):
            objects.setdefault(folder, []).append(os.path.join(build, folder, name))
    found = {os.path.basename(folder): cycles(calls(symbols(*files))) for folder, files in sorted(objects.items())}
    return [("programs and libraries have objects", [] if found else [build]),
            ("no file calls one that calls it", [f"{name}: {c}" for name, all_ in found.items() if name not in CIRCULAR for c in all_]),
            ("the exceptions are still circular", [name for name in CIRCULAR if not found.get(name)])]


def page_arrows(page):
    """{folder: folders that it may use}, from the lines "A -> B, C (why)" of ARCHITECTURE.md. What is no folder is a package."""
    found = {}
    for user, used in re.findall(r"^ (\S+) +-> (.+)$", page, re.M):
        found[user] = set(re.sub(r"\([^)]*\)", "", used).replace(",", " ").split())
    return found


def used_headers(build, top):
    """Pairs of files of the tree: one that is no test, and one that it includes. The driver's, and benches',
    are not compiled here, or not always."""
    elsewhere = {"kmod": ["kmod", "kmod/uapi", "kmod/compat", "fpga/regs"],
                 "fpga/sim": ["", "fpga/sim", "fpga/model", "fpga/regs", "tests"]}
    seen = set()

    def walk(source, places):
        if source in seen or is_test(source):
            return
        seen.add(source)
        with open(os.path.join(top, source), encoding="utf-8") as text:
            names = re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', text.read(), re.M)
        for name in names:
            paths = (os.path.normpath(os.path.join(place, name)) for place in [os.path.dirname(source), *places])
            header = next((p for p in paths if not p.startswith("..") and os.path.isfile(os.path.join(top, p))), None)
            if header:  # a generated one is of the folder that generates it
                yield source, header.removeprefix(os.path.relpath(build, top) + "/")
                yield from walk(header, places)

    for source, _, places in compiled(build, top):
        if not source.startswith("..") and not os.path.join(top, source).startswith(os.path.join(build, "")):
            yield from walk(source, places)
    for room, places in elsewhere.items():
        for folder, _, files in os.walk(os.path.join(top, room)):
            for name in files:
                if name.endswith((".c", ".h", ".cpp", ".hpp")):
                    yield from walk(os.path.relpath(os.path.join(folder, name), top), places)


def links(build, top):
    """Pairs of files of the build folder: a program or library that is no test, and a library that it is linked with."""
    tests = {os.path.dirname(output) for source, output, _ in compiled(build, top) if is_test(source)}
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as rules:
        for target, inputs in re.findall(r"^build (\S+).*?: \w*_LINKER\S* (.*)$", rules.read(), re.M):
            libraries = [i for i in inputs.split() if re.search(r"^[^/].*\.(a|symbols|so[.0-9]*)$", i)]
            if f"{target}.p" not in tests and not any(map(is_test, [target, *libraries])):
                yield from ((target, library) for library in libraries)


def arrows(build, top, page):
    """Checks that includes and links lead only where the page's arrows do, and that each of these is one."""
    allowed = page_arrows(page)
    names = {name for user, used in allowed.items() for name in {user} | used if os.path.isdir(os.path.join(top, name))}

    def folder(path):
        return max((n for n in names if path.startswith(n + "/")), key=len, default=path.split("/")[0])

    found = collections.defaultdict(set)
    for user, used in [*used_headers(build, top), *links(build, top)]:
        found[folder(user), folder(used)].add(f"{user} uses {used}")
    everyone = allowed.pop("all", set())
    listed = {(user, used) for user, all_ in allowed.items() for used in all_ & names}
    return [("the page has arrows, the tree includes and links", [] if listed and found else [page[:80]]),
            ("only those that the page lists", sorted(f"{a} -> {b}: {min(why)}" for (a, b), why in found.items()
                                                      if a != b and b not in everyone and (a, b) not in listed)),
            ("and all of these", sorted(f"{a} -> {b}" for a, b in listed - set(found)))]


def driver(top, *listings):
    """Checks the driver's rooms. Files beside the rooms are above all of them."""
    with open(os.path.join(top, "ARCHITECTURE.md"), encoding="utf-8") as page:
        table = page.read().split("## Rooms of the driver", 1)[-1].split("\n## ", 1)[0]
    order = re.findall(r"^\| `(\w+)` \|", table, re.M)
    checks = []
    for path in listings:
        with open(path, encoding="utf-8") as listing:
            graph = calls(listing.read(), lambda place: place.split("kmod/", 1)[-1])
        graph = {a if "/" in a else f"/{a}": {b if "/" in b else f"/{b}" for b in used} for a, used in graph.items()}
        found = {f.split("/")[0] for f in graph if f[0] != "/"}
        checks.append((f"{path}: every room has its place in the order", sorted(found ^ set(order))))
        checks.append((f"{path}: no file calls one that calls it", cycles(graph)))
        if found <= set(order):
            checks.append((f"{path}: no room calls a higher one", upward(graph, [*order, ""])))
    return checks


def rooms(model, archive):
    """Checks the model's rooms."""
    graphs = {"include": includes(model), "call": {m.replace("_", "/", 1): {u.replace("_", "/", 1) for u in used}
                                                   for m, used in calls(symbols(archive)).items()}}
    sources = {f for f in graphs["include"] if f.endswith(".c")}
    checks = [
        ("every room has its place in the order", sorted({f.split("/")[0] for f in graphs["include"]} - set(ROOMS))),
        ("every source is in the library", sorted(sources ^ set(graphs["call"]))),
        ("something includes, something calls", [k for k, g in graphs.items() if not any(g.values())]),
    ]
    if not any(wrong for _, wrong in checks):
        for kind, graph in graphs.items():
            checks.append((f"no room {kind}s a higher one", upward(graph, ROOMS)))
            checks.append((f"no cycle of files that {kind} each other", cycles(graph)))
    return checks


def main():
    if sys.argv[1] == "--circles":
        build, top = map(os.path.abspath, sys.argv[2:])
        with open(os.path.join(top, "ARCHITECTURE.md"), encoding="utf-8") as page:
            checks = circles(build, top) + arrows(build, top, page.read())
    else:
        checks = driver(*sys.argv[2:]) if sys.argv[1] == "--driver" else rooms(*sys.argv[1:])
    print(f"1..{len(checks)}")
    for i, (name, wrong) in enumerate(checks, 1):
        for w in wrong:
            print(f"# {w}")
        print(f"{'not ok' if wrong else 'ok'} {i} - {name}")
    return any(wrong for _, wrong in checks)


sys.exit(main())
