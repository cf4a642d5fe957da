#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rooms.py MODEL ARCHIVE: rooms of the model use only the rooms below them, and its files call each other without cycles.
rooms.py --circles BUILD: nor do the files of any other program or library in a build folder.

Includes are read from the sources under MODEL; calls from the symbols that the objects in ARCHIVE define and leave undefined.
A room is a folder; ROOMS lists them from the lowest to the highest. TAP.
"""
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


def calls(*objects):
    """{object: objects that define what it leaves undefined}, of objects or of the members of an archive."""
    defined, undefined = {}, {}
    listing = subprocess.run(["nm", "-A", *objects], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        place, symbol = line.rsplit(":", 1)
        member = os.path.basename(place.split(":")[-1]).removesuffix(".o")
        kind, symbol = symbol.split()[-2:]
        used = undefined.setdefault(member, set())
        if kind == "U":
            used.add(symbol)
        elif kind.isupper():
            defined[symbol] = member
    return {member: {defined[s] for s in symbols if s in defined} - {member} for member, symbols in undefined.items()}


def upward(graph):
    """Uses that lead from a room to a higher one."""
    level = {room: i for i, room in enumerate(ROOMS)}
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


def circles(build):
    """Checks that no program or library of a build folder has files that call each other in a circle, but for CIRCULAR. Tests may stand
    in for the files below and above those that they test: they are left out."""
    objects = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for command in json.load(commands):
            folder, name = os.path.split(command["output"])
            if name.endswith(".c.o") and "/test/" not in command["file"]:
                objects.setdefault(folder, []).append(os.path.join(build, folder, name))
    found = {os.path.basename(folder): cycles(calls(*files)) for folder, files in sorted(objects.items())}
    return [("programs and libraries have objects", [] if found else [build]),
            ("no file calls one that calls it", [f"{name}: {c}" for name, all_ in found.items() if name not in CIRCULAR for c in all_]),
            ("the exceptions are still circular", [name for name in CIRCULAR if not found.get(name)])]


def rooms(model, archive):
    """Checks the model's rooms."""
    graphs = {"include": includes(model), "call": {m.replace("_", "/", 1): {u.replace("_", "/", 1) for u in used}
                                                   for m, used in calls(archive).items()}}
    sources = {f for f in graphs["include"] if f.endswith(".c")}
    checks = [
        ("every room has its place in the order", sorted({f.split("/")[0] for f in graphs["include"]} - set(ROOMS))),
        ("every source is in the library", sorted(sources ^ set(graphs["call"]))),
        ("something includes, something calls", [k for k, g in graphs.items() if not any(g.values())]),
    ]
    if not any(wrong for _, wrong in checks):
        for kind, graph in graphs.items():
            checks.append((f"no room {kind}s a higher one", upward(graph)))
            checks.append((f"no cycle of files that {kind} each other", cycles(graph)))
    return checks


def main():
    checks = circles(sys.argv[2]) if sys.argv[1] == "--circles" else rooms(*sys.argv[1:])
    print(f"1..{len(checks)}")
    for i, (name, wrong) in enumerate(checks, 1):
        for w in wrong:
            print(f"# {w}")
        print(f"{'not ok' if wrong else 'ok'} {i} - {name}")
    return any(wrong for _, wrong in checks)


sys.exit(main())
