# SPDX-License-Identifier: Apache-2.0
"""Dumps of gpulinkctl topo, to be edited: fixtures are dumps of VMs, with the registers of other machines written into them."""

import re


class Function:
    """A function: its facts, as lines, and its configuration space."""

    def __init__(self, address, name):
        self.address, self.name, self.facts = address, name, []
        self.config = bytearray(4096)
        self.size = 4096

    def get(self, at, width):
        return int.from_bytes(self.config[at:at + width], "little")

    def put(self, at, width, value):
        self.config[at:at + width] = value.to_bytes(width, "little")

    def change(self, at, width, mask, value):
        self.put(at, width, self.get(at, width) & ~mask | value)

    def express(self):
        """Offset of the PCI Express capability."""
        at = self.config[0x34]
        while at and self.config[at] != 0x10:
            at = self.config[at + 1]
        assert at, self.address
        return at

    def add_extended(self, identity, size, version=1):
        """Appends an extended capability of some bytes to the list, filled with zeros; returns its offset."""
        last, free = 0x100, 0x400
        if self.get(last, 4):
            while self.get(last, 4) >> 20:
                last = self.get(last, 4) >> 20
            while any(self.config[free:free + size]):
                free += 0x40
            self.put(last, 4, self.get(last, 4) & 0xfffff | free << 20)
        else:
            free = 0x100
        self.put(free, 4, identity | version << 16)
        return free

    def payload(self, size, most):
        """Sets the maximum payload size and what is supported."""
        at = self.express()
        self.change(at + 4, 4, 7, (most // 128).bit_length() - 1)
        self.change(at + 8, 2, 0xe0, ((size // 128).bit_length() - 1) << 5)

    def link(self, generation, lanes, most_generation, most_lanes):
        at = self.express()
        self.change(at + 0xc, 4, 0x3ff, most_lanes << 4 | most_generation)
        self.change(at + 0x12, 2, 0x3ff, lanes << 4 | generation)

    def acs(self, enabled, capable=0x5f):
        at = self.add_extended(0x0d, 8)
        self.put(at + 4, 2, capable)
        self.put(at + 6, 2, enabled)

    def fact(self, line):
        """Adds a fact, or replaces that of the same key; None removes."""
        key = line.split(": ")[:2] if line.startswith("gpulink: ") else line.split(": ")[:1]
        self.facts = [f for f in self.facts if f.split(": ")[:len(key)] != key]
        if not line.endswith(": "):
            self.facts.append(line)


class Dump:
    """A dump of gpulinkctl: the lines before the functions, and the functions by address."""

    def __init__(self, path):
        self.machine, self.functions, function = {}, {}, None
        with open(path, encoding="ascii") as file:
            for line in file.read().split("\n"):
                if data := re.match(r"([0-9a-f]{2,3}): ([0-9a-f ]+)$", line):
                    row = bytes.fromhex(data[2])
                    function.config[int(data[1], 16):int(data[1], 16) + 16] = row
                elif header := re.match(r"([0-9a-f:]+\.[0-7]) (.*)", line):
                    function = self.functions[header[1]] = Function(header[1], header[2])
                elif size := re.match(r"\tgpulink: config: \d+ of (\d+)", line):
                    function.size = int(size[1])
                elif line.startswith("\t"):
                    function.facts.append(line[1:])
                elif line:
                    key, value = line.split(": ")
                    self.machine[key] = value

    def __getitem__(self, address):
        return self.functions["0000:" + address]

    def text(self):
        """The dump as text, in full rows like lspci's."""
        lines = [f"{key}: {value}" for key, value in self.machine.items()]
        for function in self.functions.values():
            lines += ["", f"{function.address} {function.name}"] + ["\t" + fact for fact in function.facts]
            lines += [f"{at:02x}: " + function.config[at:at + 16].hex(" ") for at in range(0, function.size, 16)]
        return "\n".join(lines) + "\n"
