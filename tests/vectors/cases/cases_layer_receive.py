# SPDX-License-Identifier: Apache-2.0
"""Vectors of receiving: frames, what is wrong, and what cannot be."""

from link_layer import ACK, ENDED, NONE, OTHER, OWN, POSTED, ROOM, Vector


def receive_frames():
    v = Vector("receive-frames", "Frames of 1 to 11 flits, of all types, and acknowledgements for them.")
    v.up()
    number, cls = 0, 0
    for count in range(1, 12):
        numbers = range(number, number + count)
        number += count
        v.in_frame(*numbers, seq=count - 1)
        v.clock(v.now + ACK)
        v.out_word(ack=count, cls=cls)
        cls = (cls + 1) % 3
    yield v

    v = Vector("receive-repeated", "A frame that came already is forgotten, and acknowledged again.")
    v.up()
    v.in_frame(1, seq=0)
    v.in_frame(1, seq=0, deliver=False)
    v.clock(19 + ACK)
    v.out_word(ack=1, cls=0)
    v.in_frame(1, seq=0, deliver=False)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=1)
    v.in_frame(9, seq=1 + 512, deliver=False)
    v.note("A word without flits that came late")
    v.clock()
    v.in_word(seq=0)
    v.clock(v.now + ACK - 1)
    v.out_word(ack=1, cls=2)
    v.errors(repeated=3)
    yield v

    v = Vector("receive-missing",
               "A frame is missing: said at once, in every word until it comes; once more at once when it is missing "
               "in the next pass, too.")
    v.up()
    v.in_frame(1, seq=1, deliver=False)
    v.clock()
    v.out_word(cls=0, wanted=1)
    v.in_frame(2, seq=2, deliver=False)
    v.in_frame(3, seq=511, deliver=False)
    v.clock(v.now - 2 + ACK)
    v.out_word(cls=1, wanted=1)
    v.in_frame(1, seq=1, turn=1, deliver=False)
    v.clock()
    v.out_word(cls=2, wanted=2)
    v.in_frame(0, seq=0, turn=0)
    v.clock(v.now + ACK)
    v.out_word(cls=0, ack=1)
    v.errors(sequence=4)
    v.note("A word without flits announces a frame that was not received; the next one announces none.")
    v.clock()
    v.in_word(seq=2)
    v.clock()
    v.out_word(cls=1, ack=1, wanted=1)
    v.clock()
    v.in_word(seq=1)
    v.send(0)
    v.clock()
    v.out_word(0, cls=2, ack=1)
    v.errors(sequence=5)
    yield v


def wrong(v, cls):
    """Asked for at once; then the other says that there is nothing, so that the next is missing anew."""
    v.clock()
    v.out_word(cls=cls % 3, wanted=1)
    v.in_word(seq=0)


def receive_wrong():
    v = Vector("receive-wrong-pass",
               "What is wrong is missing in the pass of the last right word, and asked for again when that is a new "
               "one.")
    v.up()
    v.in_frame(0)
    v.in_frame(1, seq=2, deliver=False)
    v.clock()
    v.out_word(cls=0, ack=1, wanted=1)
    v.in_frame(0, seq=0, turn=1, deliver=False)
    v.clock()
    v.in_data(v.flit(2)[0])
    v.clock()
    v.in_word(2, seq=1, turn=1, flip=0x60)
    v.clock()
    v.out_word(cls=1, ack=1, wanted=2)
    v.in_frame(2, seq=1, turn=0)
    v.clock()
    v.in_data(v.flit(3)[0])
    v.clock()
    v.in_word(3, seq=2, flip=0x7f)
    v.clock()
    v.out_word(cls=2, ack=2, wanted=1)
    v.errors(crc=2, sequence=1, repeated=1)
    yield v

    v = Vector("receive-wrong-bit", "A bit of a frame of one flit is wrong, each in turn: never taken.")
    v.up()
    for bit in range(256):
        data = int.from_bytes(v.flit(0)[0], "little")
        v.clock()
        v.in_data((data ^ (1 << bit if bit < 128 else 0)).to_bytes(16, "little"))
        v.come = v.flit(0)[0]
        v.clock()
        v.in_word(0, flip=bit - 128 if bit >= 128 else None)
        wrong(v, bit)
    v.errors(crc=256)
    v.in_frame(0)
    yield v

    v = Vector("receive-wrong-blocks", "Blocks are lost, come twice, are exchanged, or change their kind: never taken.")
    v.up()
    blocks = [v.flit(n)[0] for n in range(3)]
    streams = [[0, 1], [0, 2], [1, 2], [0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 2], [1, 0, 2], [0, 2, 1], [0, 1, 2] * 4,
               [0, 1, 2] * 5 + [0], [0, 1, 2] * 6]
    for i, stream in enumerate(streams):
        for n in stream:
            v.clock()
            v.in_data(blocks[n])
        v.come = b"".join(blocks)
        v.clock()
        v.in_word(0, 1, 2)
        wrong(v, i)
    v.note("A flit that looks like a word: wrong, and what follows, too. Nothing came before: that alone asks for nothing.")
    v.clock()
    v.block("in", 1, blocks[0])
    v.clock()
    v.clock()
    v.in_data(blocks[1])
    v.come = b"".join(blocks[:2])
    v.clock()
    v.in_word(0, 1)
    wrong(v, len(streams))
    v.note("A word that looks like a flit: wrong with the frame behind it.")
    v.clock()
    v.in_data(blocks[0])
    v.clock()
    v.in_data(bytes(16))
    v.come = blocks[0]
    v.clock()
    v.in_data(blocks[0])
    v.come = blocks[0]
    v.clock()
    v.in_word(0, seq=1)
    wrong(v, len(streams) + 1)
    v.note("More flits than a frame has, and a word that agrees, checked over those that are kept.")
    for count in range(12, 16):
        for n in range(count):
            v.clock()
            v.in_data(v.flit(n)[0])
        v.come = v.come[:11 * 16]
        v.clock()
        v.in_word(*range(11), count=count)
        wrong(v, len(streams) + count - 10)
    v.errors(crc=len(streams) + 7)
    v.in_frame(0)
    yield v

    v = Vector("receive-wrong-session",
               "Frames of another session: a number of either side, or those of both exchanged, is wrong.")
    v.up()
    pairs = [(OTHER, OWN + 1), (OTHER, OWN - 1), (OTHER ^ 0x8000, OWN), (OWN, OTHER), (0, 0), (OTHER, 0), (0, OWN)]
    for i, pair in enumerate(pairs):
        v.clock()
        v.in_data(v.flit(0)[0])
        v.clock()
        v.in_word(0, pair=pair)
        wrong(v, i)
    v.errors(crc=len(pairs))
    v.in_frame(0)
    yield v


def protocol_errors():
    """Words whose check is right and which cannot be: the link is reset. Two frames of one flit have been sent."""
    cases = [(f"types-{n}-of-{flits}", range(flits), {"high_types": 1 << 4 + 5 * flits + n})
             for flits, n in ((0, 0), (0, 54), (1, 0), (1, 49), (10, 0), (10, 4))]
    cases += [(f"acknowledge-{ack:x}", (), {"ack": ack}) for ack in (3, 0x1ff)]
    cases += [(f"no-credit-{credit:x}", (), {"credit": credit}) for credit in (1, 0x800)]
    cases += [(f"credit-{cls}-{credit:x}", (), {"cls": cls, "credit": credit})
              for cls, credit in ((0, 2), (0, 0x800), (1, 2), (2, 1), (2, 0x7ff))]
    for what, numbers, fields in cases:
        v = Vector(f"error-{what}", "A link word that cannot be: the link is reset.")
        v.up()
        for i in range(2):
            v.send(i, i)
            v.clock()
            v.out_word(i, cls=i, seq=i)
        v.in_frame(*numbers, deliver=False, **{"cls": NONE, **fields})
        v.event(ENDED)
        v.errors(protocol=1)
        v.session += 1
        v.out_hello(0)
        yield v

    v = Vector("error-late", "What is late is no error, and changes nothing.")
    v.up()
    for i in range(3):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    for ack, cls, credit, left in ((2, POSTED, 2, 1), (1, POSTED, 1, 1), (0, POSTED, 0, 1), (3 + 512, POSTED, 0x803, 1),
                                   (1023, POSTED, 0xfff, 1), (2 + 512, NONE, 0, 1), (2, POSTED, 3, 0)):
        v.clock()
        v.in_word(ack=ack, cls=cls, credit=credit)
        v.credits(ROOM[0] - left, *ROOM[1:])
    v.clock()
    v.in_word(ack=3, wanted=1)
    v.clock()
    v.line("ready", 1)
    v.errors()
    yield v

    v = Vector("error-flit",
               "A flit that is refused further up: the link is reset, and what is behind it in the frame not taken.")
    v.up()
    for i in range(2):
        v.clock()
        v.in_data(v.flit(i)[0])
    v.clock()
    v.line("refuse")
    v.in_word(0, 1)
    v.event(ENDED)
    v.errors(protocol=1)
    v.session += 1
    v.out_hello(0)
    yield v

    v = Vector("error-room",
               "There is room for as many pieces as hello says, and for no more; what was freed is room again.")
    v.up()
    for cls, room in enumerate(ROOM):
        v.line("hold", cls, room + 1, 0)
        v.line("hold", cls, room - 1, 1)
        v.line("hold", cls, 2, 0)
        v.line("hold", cls, 1, 1)
        v.line("hold", cls, 1, 0)
        v.line("free", cls, 2)
        v.line("hold", cls, 3, 0)
        v.line("hold", cls, 2, 1)
    yield v


GROUPS = (receive_frames, receive_wrong, protocol_errors)
