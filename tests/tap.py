# SPDX-License-Identifier: Apache-2.0
"""TAP of test programs in Python: check() for each result, and at the end sys.exit(end())."""

number = failed = 0


def check(good, what, *said):
    """A result; what is said explains a failure. Returns `good`."""
    global number, failed
    number += 1
    failed += not good
    if not good:
        print("".join(f"# {line}\n" for one in said for line in str(one).splitlines()), end="")
    print(f"{'' if good else 'not '}ok {number} - {' '.join(str(what).splitlines())}", flush=True)
    return good


def end():
    """The plan; returns the exit status."""
    print(f"1..{number}")
    return int(failed > 0)
