#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rooms.py MODEL ARCHIVE: rooms of the model use only the rooms below them, and its files call each other without cycles.

Includes are read from the sources under MODEL; calls from the symbols that the objects in ARCHIVE define and leave undefined.
A room is a folder; ROOMS lists them from the lowest to the highest. TAP.
"""
import os
import re
import subprocess
import sys

ROOMS = ["base", "finepack", "netcrafter", "pool", "link", "window", "remote", "release", "ring", "registers", "card"]


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


def calls(archive):
    """{object: objects that define what it leaves undefined}; an object is named as its source, room/file.c."""
    defined, undefined, member = {}, {}, None
    listing = subprocess.run(["nm", archive], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        if line.endswith(":"):
            room, _, file = os.path.basename(line[:-1]).removesuffix(".o").partition("_")
            member = f"{room}/{file}"
            undefined[member] = set()
        elif line and member:
            kind, symbol = line.split()[-2:]
            if kind == "U":
                undefined[member].add(symbol)
            elif kind.isupper():
                defined[symbol] = member
    return {member: {defined[s] for s in symbols if s in defined} - {member} for member, symbols in undefined.items()}


def upward(graph):
    """What in it leads from a room to a higher one."""
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


def main():
    model, archive = sys.argv[1:]
    graphs = {"include": includes(model), "call": calls(archive)}
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
    print(f"1..{len(checks)}")
    for i, (name, wrong) in enumerate(checks, 1):
        for w in wrong:
            print(f"# {w}")
        print(f"{'not ok' if wrong else 'ok'} {i} - {name}")
    return any(wrong for _, wrong in checks)


sys.exit(main())
