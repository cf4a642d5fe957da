# SPDX-License-Identifier: Apache-2.0
"""What gpulink-replay and gpulink-model printed for docs/papers.md. `make paper` runs them and keeps the record next to this file; the
check makes the page from the record again, and repeats some of the runs. Part of `paper`."""

import gzip
import json
import pathlib
import random
import subprocess
import sys
import time

DATA = pathlib.Path(__file__).resolve().parents[3] / "tests/data"
RECORD = pathlib.Path(__file__).with_name("record.json.gz")


class Missing(Exception):
    """A run that the record does not have."""


def holds(recorded, found):
    """Whether `found` has all that was recorded: new fields do not change the page."""
    if isinstance(recorded, dict):
        return isinstance(found, dict) and all(key in found and holds(value, found[key]) for key, value in recorded.items())
    if isinstance(recorded, list):
        return isinstance(found, list) and len(recorded) == len(found) and all(map(holds, recorded, found))
    return recorded == found


def read(path):
    return json.loads(gzip.decompress(path.read_bytes()))


class Programs:
    """Runs programs, whose output is JSON or text; what `record` has is not run again. `made` is a folder of inputs that the page's
    scripts make, if `makes`."""

    makes = True

    def __init__(self, programs, made, record=None):
        self.programs = dict(programs)
        self.folders = {"tests/data": DATA, "made": made}
        self.record = record or {}
        self.used = set()

    def key(self, program, words):
        return self.named(" ".join([program, *words]))

    def named(self, text):
        """The folders' names instead of their places on this machine."""
        for name, folder in self.folders.items():
            for place in (str(folder), str(folder).replace("/", "\\/")):  # in JSON slashes may be escaped
                text = text.replace(place, name)
        return text

    def words(self, key):
        """A run's program and arguments."""
        for name, folder in self.folders.items():
            key = key.replace(f" {name}/", f" {folder}/")
        return key.split()

    def run(self, program, *words):
        # The rows of packing are beside FinePack's: all have its width.
        width = ["--subheader", "5"] if words[0] == "run" and "--paradigms" in words and "--subheader" not in words else []
        done = subprocess.run([self.programs[program], *words, *width], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"paper: {program} {' '.join(words)}: {done.stderr.strip()}")
        printed = self.named(done.stdout)
        return json.loads(printed) if printed[:1] in "{[" else printed

    def output(self, program, *words):
        key = self.key(program, words)
        if key not in self.record:
            self.record[key] = self.missing(key, program, words)
        self.used.add(key)
        return json.loads(json.dumps(self.record[key]))

    def missing(self, key, program, words):
        return self.run(program, *words)

    def write(self, path):
        """A line for each run that the page uses."""
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in sorted(self.record.items())
                            if key in self.used)
        path.write_bytes(gzip.compress(("{\n" + lines + "\n}\n").encode(), mtime=0))


class Played(Programs):
    """Answers from a record, and repeats runs for some seconds."""

    def __init__(self, programs, made, path, seconds=0):
        super().__init__(programs, made, read(path))
        self.makes, self.seconds = seconds > 0, seconds

    def missing(self, key, program, words):
        raise Missing(key)

    def sample(self, seed):
        """Repeats runs in a random order. Yields (run, whether the output is that of the record)."""
        keys = sorted(self.used)
        random.Random(seed).shuffle(keys)
        until = time.monotonic() + self.seconds
        for key in keys:
            if time.monotonic() >= until:
                return
            program, *words = self.words(key)
            yield key, holds(self.record[key], self.run(program, *words))
