# SPDX-License-Identifier: Apache-2.0
"""Runs tshark with the dissector over captures, and reads what it says."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

PATIENCE = 600
SOURCES = pathlib.Path(__file__).resolve().parent.parent
NOBODY = 65534


def number(text):
    """What a field shows, if it is a number or a truth."""
    truth = {"True": 1, "False": 0}
    return truth[text] if text in truth else int(text, 16 if text.startswith("0x") else 10)


def fields(node):
    """{name: what it shows} of the fields right below a node; a list where there are several."""
    found = {}
    for one in node:
        found.setdefault(one.get("name").removeprefix("gpulink."), []).append(one.get("show"))
    return {name: shown[0] if len(shown) == 1 else shown for name, shown in found.items()}


def numbers(node):
    return {name: number(shown) for name, shown in fields(node).items() if isinstance(shown, str) and
            re.fullmatch(r"True|False|0x[0-9a-f]+|\d+", shown)}


def children(node, name):
    return [one for one in node if one.get("name") == "gpulink." + name]


def data_of(node, name):
    """The bytes of a field right below a node."""
    return next((bytes.fromhex(one.get("value")) for one in children(node, name)), None)


class Packet:
    """A packet that is whole in a frame."""

    def __init__(self, node):
        self.node = node
        self.said = numbers(node)
        self.kind = self.said["kind"]
        self.bytes = data_of(node, "length")
        self.sub_packets = [(n["offset"], data_of(sub, "sub_packet.data"), n["sub_packet.offset"], n["sub_packet.length"])
                            for sub in children(node, "sub_packet") for n in [numbers(sub)]]


class Flit:
    def __init__(self, node):
        self.said = numbers(node)
        self.pieces = [numbers(piece) for piece in children(node, "piece")]
        self.experts = experts(node)


class Frame:
    """A frame of the capture."""

    def __init__(self, packet):
        protocols = {proto.get("name"): proto for proto in packet}
        self.text = xml.tostring(packet, encoding="unicode")
        self.number = number(next(f.get("show") for f in protocols["geninfo"] if f.get("name") == "num"))
        flags = next(f.get("show") for f in protocols["frame"].iter() if f.get("name") == "frame.packet_flags")
        self.inward = number(flags) & 3 == 1
        self.node = protocols.get("gpulink", xml.Element("none"))
        self.said = numbers(self.node)
        self.word = next((numbers(word) for word in children(self.node, "word")), {})
        self.hello = next((numbers(hello) for hello in children(self.node, "hello")), None)
        self.flits = [Flit(flit) for flit in children(self.node, "flit")]
        self.packets = [Packet(one) for one in children(self.node, "packet")]
        self.experts = experts(self.node)
        # Those of the frame as a whole.
        self.own_experts = experts(one for one in self.node if one.get("name") not in ("gpulink.flit", "gpulink.packet"))


def experts(nodes):
    """The names of all expert infos below nodes."""
    return {one.get("name").rsplit(".", 1)[1] for node in nodes for one in node.iter()
            if one.get("name", "").startswith("gpulink.expert.")}


class Shark:
    """Captures by gpulinkctl, read by tshark with the dissector."""

    def __init__(self, gpulinkctl):
        self.gpulinkctl = gpulinkctl
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulink-wireshark-"))
        self.folder.chmod(0o755)
        self.plugins = self.folder / ".local/lib/wireshark/plugins/gpulink"
        self.plugins.mkdir(parents=True)
        for name in ("gpulink.lua", "gpulink_finepack.lua", "gpulink_receive.lua"):
            shutil.copyfile(SOURCES / name, self.plugins / name)
        card = self.folder / "cards" / "gpulink0"
        card.mkdir(parents=True)
        (card / "serial").write_text("a0\n", encoding="ascii")
        self.records, self.capture = card / "link_capture", self.folder / "link.pcapng"

    def close(self):
        shutil.rmtree(self.folder)

    def tshark(self, *words):
        """Its standard output. The superuser's tshark may refuse scripts of his own, so it is somebody else's."""
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        done = subprocess.run(["tshark", *words], capture_output=True, check=False, timeout=PATIENCE, cwd=self.folder,
                              env=dict(os.environ, HOME=str(self.folder), LC_ALL="C.UTF-8"), **other)
        said = done.stderr.decode(errors="replace")
        if done.returncode or "Lua" in said:
            sys.exit(f"tshark {' '.join(words)}: exit status {done.returncode}: {said}")
        return done.stdout.decode()

    def make(self, records):
        """Has gpulinkctl make a capture of records."""
        self.records.write_bytes(records)
        subprocess.run([self.gpulinkctl, "capture", str(self.capture)], check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, MADE_UP_CARDS=str(self.records.parent.parent)))
        self.capture.chmod(0o644)

    def read(self, records, *words):
        """The frames of a capture of records."""
        self.make(records)
        return [Frame(packet) for packet in xml.fromstring(self.tshark("-r", str(self.capture), "-T", "pdml", *words))]
