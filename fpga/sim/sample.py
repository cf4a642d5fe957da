# SPDX-License-Identifier: Apache-2.0
"""GPULINK_SAMPLE=K/N in the environment: of a list, one in N, those with remainder K; without it, all. `formal/prove` reads it too."""
import os
import re
import sys


def one_in_n(items, program, what):
    """The sample of a list; says which, as a comment of TAP."""
    sample = os.environ.get("GPULINK_SAMPLE", "0/1")
    match = re.fullmatch(r"(\d+)/([1-9]\d*)", sample)
    if not match or int(match[1]) >= int(match[2]):
        sys.exit(f"{program}: GPULINK_SAMPLE={sample} is not K/N with K less than N")
    print(f"# GPULINK_SAMPLE={sample}, of {len(items)} {what}")
    return items[int(match[1])::int(match[2])]
