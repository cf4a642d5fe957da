#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the test vectors of docs/wire-format.md and docs/link-format.md.

generate.py [--check]   writes the .vec files in data/ and removes those that no case generates any more;
                        --check only lists the files that are out of date, and exits with 1 if there are any.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # the modules below are in the source tree
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cases"))

import cases_compact  # noqa: E402
import cases_flush  # noqa: E402
import cases_keep  # noqa: E402
import cases_layer_receive  # noqa: E402
import cases_layer_send  # noqa: E402
import cases_layer_session  # noqa: E402
import cases_leases  # noqa: E402
import cases_link  # noqa: E402
import cases_pack  # noqa: E402
import cases_packing  # noqa: E402
import cases_receive  # noqa: E402
import cases_unstitch  # noqa: E402

DATA = HERE / "data"
CASES = {
    "finepack": (cases_pack, cases_packing, cases_compact, cases_keep, cases_flush, cases_receive),
    "netcrafter": (cases_link, cases_unstitch, cases_leases),
    "link": (cases_layer_session, cases_layer_send, cases_layer_receive),
}


def vectors():
    made = {}
    for folder, modules in CASES.items():
        for group in (group for module in modules for group in module.GROUPS):
            for v in group():
                name = f"{folder}/{v.name}.vec"
                assert name not in made, name
                made[name] = v.text()
    return made


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    made = vectors()
    there = {str(path.relative_to(DATA)): path.read_text() for path in DATA.glob("*/*.vec")}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    for name in stale:
        if arguments:
            print(f"tests/vectors/data/{name} is out of date: run tests/vectors/generate.py")
        elif name in made:
            (DATA / name).write_text(made[name])
        else:
            (DATA / name).unlink()
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
