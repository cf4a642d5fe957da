#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the vectors: what docs/wire-format.md and docs/link-format.md say, in executable form.

generate.py [--check]   writes the .vec files beside this one and in link/, and removes those that are no longer made,
                        or with --check says which are out of date and exits with 1.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # the modules below lie in the source tree

import cases_flush  # noqa: E402
import cases_link  # noqa: E402
import cases_pack  # noqa: E402
import cases_receive  # noqa: E402
import cases_unstitch  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def vectors():
    made = {}
    for folder, groups in (("", cases_pack.GROUPS + cases_flush.GROUPS + cases_receive.GROUPS),
                           ("link/", cases_link.GROUPS + cases_unstitch.GROUPS)):
        for group in groups:
            for v in group():
                name = f"{folder}{v.name}.vec"
                assert name not in made, name
                made[name] = v.text()
    return made


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    made = vectors()
    there = {str(path.relative_to(HERE)): path.read_text() for place in ("*.vec", "link/*.vec") for path in HERE.glob(place)}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    for name in stale:
        if arguments:
            print(f"tests/vectors/{name} is out of date: run tests/vectors/generate.py")
        elif name in made:
            (HERE / name).write_text(made[name])
        else:
            (HERE / name).unlink()
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
