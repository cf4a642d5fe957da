#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the vectors of the link layer: what docs/link-format.md says of it, in executable form.

generate.py [--check]   writes the .vec files beside this one and removes those that are no longer made, or with
                        --check says which are out of date and exits with 1.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # the modules below lie in the source tree

import cases_receive  # noqa: E402
import cases_send  # noqa: E402
import cases_session  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GROUPS = cases_session.GROUPS + cases_send.GROUPS + cases_receive.GROUPS


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    made = {v.name + ".vec": v.text() for group in GROUPS for v in group()}
    there = {path.name: path.read_text() for path in HERE.glob("*.vec")}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    for name in stale:
        if arguments:
            print(f"tests/vectors/link-layer/{name} is out of date: run tests/vectors/link-layer/generate.py")
        elif name in made:
            (HERE / name).write_text(made[name])
        else:
            (HERE / name).unlink()
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
