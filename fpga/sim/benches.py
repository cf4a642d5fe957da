# SPDX-License-Identifier: Apache-2.0
"""The co-simulation tests of a build folder, rebuilt elsewhere from the commands of the build: with other Verilog, or with other
options of `verilate`. For `mutate` and `coverage`."""
import json
import pathlib
import re
import shlex
import subprocess

# Tests in the order of their cost, with arguments for a short run.
TESTS = {
    "async-fifo-4": [], "link-clock": [], "pool-axi-128": [], "trim-rtl": [], "link-registers": [],
    "lockstep-tsu-2-2-4": [], "lockstep-region-chunks": [], "lockstep-registers": [],
    "lockstep-cluster-tx-16": ["--flits", "100000"], "lockstep-cluster-rx": ["--flits", "100000"], "lockstep-link-layer-4": [],
    "link-chain": [],
    "lockstep-finepack-rx-128-1": ["--packets", "1000"], "lockstep-finepack-rx-256-2": ["--packets", "1000"],
    "lockstep-finepack-tx-128-1-16": ["--stores", "40000"], "lockstep-finepack-tx-256-2-32": ["--stores", "40000"],
    "remote-send-128": [], "remote-ask-128-4-rtl": [], "serve-load-128-3": [], "serve-128-3": [], "pcie-us": [], "pcie-reads": [],
    "pcie-us-256": [], "top-us": ["--rounds", "12"], "top-us-256": ["--rounds", "12"],
    "lockstep-card-128-1": ["--rounds", "12"], "lockstep-card-256-4": ["--rounds", "13"],
    "linked-card-256-4-rtl-model": [],
}


class Bench:
    def __init__(self, build, name, command):
        self.build, self.name = build, name
        self.arguments = TESTS[name] or command[1:]
        self.target = str(pathlib.Path(command[0]).relative_to(build))
        self.link = shlex.split(self.ninja("commands", self.target)[-1])
        self.library = next(w for w in self.link if re.fullmatch(r"fpga/sim/lib[\w-]+\.a", w) and "runtime" not in w)
        self.verilate = shlex.split(self.ninja("commands", self.library)[-1])
        self.blocks = {pathlib.Path(f.strip()).stem for f in self.ninja("deps", self.library) if f.strip().endswith(".sv")}

    def ninja(self, tool, target):
        done = subprocess.run(["ninja", "-C", str(self.build), "-t", tool, target], capture_output=True, text=True, check=True)
        return [line for line in done.stdout.splitlines() if not line.startswith("ninja:")]

    def make(self, sim, work, option="shared"):
        """The program, with the Verilog next to `sim` and that option of `verilate`; None if it does not elaborate."""
        out, program = work / f"{self.name}.a", work / f"{self.name}.bench"
        words = [str(sim / "verilate"), str(out), str(work / f"{self.name}.d"), *(option if w == "shared" else w for w in self.verilate[3:])]
        if subprocess.run(words, cwd=self.build, capture_output=True, check=False).returncode:
            return None
        link = [w for w in self.link if option == "shared" or "verilated-runtime" not in w]
        subprocess.run([{self.library: str(out), self.target: str(program)}.get(w, w) for w in link], cwd=self.build, check=True)
        return program


def benches(build):
    """Those of TESTS that are in the build, by name."""
    build = build.resolve()
    commands = {t["name"]: t["cmd"] for t in json.loads((build / "meson-info" / "intro-tests.json").read_text())}
    return {name: Bench(build, name, commands[name]) for name in TESTS if name in commands}
