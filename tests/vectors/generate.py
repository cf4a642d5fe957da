#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the test vectors of docs/wire-format.md and docs/link-format.md.

generate.py FOLDER   writes the .vec files and then SHA256SUMS, their hashes, into FOLDER; removes files that no case generates
                     any more. The same cases give the same bytes with every version of Python: the test vectors-hashes compares
                     SHA256SUMS with the list beside this program.
"""

import hashlib
import pathlib
import sys

sys.dont_write_bytecode = True  # the modules below are in the source tree
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cases"))

import cases_array  # noqa: E402
import cases_compact  # noqa: E402
import cases_flush  # noqa: E402
import cases_layer_receive  # noqa: E402
import cases_layer_send  # noqa: E402
import cases_layer_session  # noqa: E402
import cases_leases  # noqa: E402
import cases_link  # noqa: E402
import cases_pack  # noqa: E402
import cases_packing  # noqa: E402
import cases_receive  # noqa: E402
import cases_unstitch  # noqa: E402

CASES = {
    "finepack": (cases_pack, cases_packing, cases_compact, cases_flush, cases_receive, cases_array),
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
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0])
    made = vectors()
    for name in CASES:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*/*.vec"):
        path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="ascii", newline="\n")
    hashes = "".join(f"{hashlib.sha256(made[name].encode()).hexdigest()}  {name}\n" for name in sorted(made))
    (folder / "SHA256SUMS").write_text(hashes, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
