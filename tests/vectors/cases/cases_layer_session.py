# SPDX-License-Identifier: Apache-2.0
"""Vectors of sessions: how they begin, are resumed, end, and which hellos are refused."""

from link_layer import (ACK, ENDED, HELLO, LOST, NONE, OTHER, OWN, POSTED, REPLAY, REQUEST, RESPONSE, RESUMED, ROOM, UP,
                  Vector, hello)


def session_begins():
    v = Vector("session-ready", "Hello, at once and again; the other's ready names the session: up.")
    v.out_hello(0)
    v.clock(HELLO - 1)
    v.out_hello(0)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.credits(*ROOM)
    v.out_hello(v.other, ready=1)
    yield v

    v = Vector("session-hello", "The other's hello is answered; its ready ends the hellos, and is answered once.")
    v.out_hello(0)
    v.in_hello(0)
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    v.clock(15)
    v.out_word(cls=0)
    v.in_hello(v.session, ready=1)
    v.clock(19)
    v.out_word(cls=1)
    v.clock(23)
    v.out_word(cls=2)
    v.in_hello(v.session)
    v.note("The other is not up yet, or down again.")
    v.out_hello(v.other, ready=1)
    v.clock(23 + HELLO)
    v.out_word(cls=0)
    v.errors()
    yield v

    v = Vector("session-hello-names", "A hello that names the session is as good as a ready.")
    v.out_hello(0)
    v.in_hello(v.session)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    yield v

    for compact in (0, 1):
        v = Vector(f"session-accepts-compact-{compact}",
                   "A hello and readies with the bit of the compact form, and without it: the session does not depend on it.")
        v.out_hello(0)
        v.in_hello(0, zero=compact)
        v.out_hello(v.other, ready=1)
        v.in_hello(v.session, ready=1, zero=compact)
        v.event(UP)
        v.out_hello(v.other, ready=1)
        v.clock(15)
        v.out_word(cls=0)
        v.in_hello(v.session, ready=1, zero=1 - compact)
        v.clock(19)
        v.out_word(cls=1)
        v.errors()
        yield v

    v = Vector("session-names-another",
               "A hello that names a session that is none; then another card's; the own number stays.")
    v.out_hello(0)
    v.in_hello(v.session + 1)
    v.out_hello(v.other, ready=1)
    v.other = 0x77
    v.in_hello(0x4444)
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    yield v


def session_resumes():
    v = Vector("session-resumes", "The wire is cut amid a frame; what is not acknowledged is sent again.")
    v.up()
    v.in_frame(40, 41, cls=NONE)
    v.send(0, REQUEST)
    v.send(1)
    v.clock()
    v.out_word(0, 1, cls=0, ack=1)
    v.send(2)
    v.gone = b""
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.line("ready", 0)
    v.note("The started frame ends, but no receiver accepts it.")
    v.block("out", 1, bytes(16))
    v.out_hello(v.other)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.credits(ROOM[0] - 2, ROOM[1] - 1, ROOM[2])
    v.out_hello(v.other, ready=1)
    v.note("A replay is a new pass.")
    v.out_frame(0, 1, seq=0, ack=1, cls=1, turn=1)
    v.out_frame(2, seq=1, ack=1, cls=2, turn=1)
    v.note("All classes again: it is unknown which words arrived.")
    v.clock(v.now + ACK)
    v.out_word(seq=2, ack=1, cls=0, turn=1)
    v.in_frame(41, 42, seq=0, cls=NONE, deliver=False)
    v.in_frame(43, seq=1, ack=1, cls=NONE)
    v.clock(v.now + ACK - 2)
    v.out_word(seq=2, ack=2, cls=1, turn=1)
    v.errors(repeated=1, replays=1)
    yield v

    v = Vector("session-resumes-quiet",
               "Nothing is kept, so nothing is sent again; what was missing is not missed any more; and of a frame "
               "that came in part by the old wire nothing is left.")
    v.up()
    v.in_frame(1, seq=1, deliver=False)
    v.clock()
    v.out_word(cls=0, wanted=1)
    v.in_data(v.flit(0)[0])
    v.come = b""
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.out_hello(v.other, now=True)
    v.next(v.now - 2 + HELLO)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.next(v.now + 1)
    v.out_hello(v.other, ready=1)
    v.clock()
    v.out_word(cls=1)
    v.in_frame(0)
    v.next(v.now - 2 + ACK)
    v.errors(sequence=1)
    yield v

    v = Vector("session-cut-amid-ready",
               "The wire is cut amid a ready: that is not gone on with. A replay that was wanted waits.")
    v.up()
    v.send(0)
    v.next(v.now + 1)
    v.clock()
    v.out_word(0, cls=0)
    v.next(v.now + REPLAY)
    v.in_hello(v.session)
    v.clock()
    v.out_data(hello(v.session, v.other)[0])
    v.in_word(wanted=1, pair=(v.other, v.session))
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.block("out", 1, bytes(16))
    v.gone = b""
    v.out_hello(v.other)
    v.next(v.now - 2 + HELLO)
    v.in_hello(v.session, ready=1)
    v.event(RESUMED)
    v.out_hello(v.other, ready=1)
    v.out_frame(0, cls=1, turn=1)
    v.errors(replays=1)
    yield v

    v = Vector("session-cut-amid-replay",
               "The wire is cut amid a frame that is sent again: that is broken off, too.")
    v.up()
    v.send(0)
    v.send(1)
    v.clock()
    v.out_word(0, 1, cls=0)
    v.in_word(wanted=1)
    v.clock()
    v.out_data(v.flit(0)[0])
    v.gone = b""
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.block("out", 1, bytes(16))
    v.out_hello(v.other)
    v.in_hello(v.session, ready=1)
    v.event(RESUMED)
    v.out_hello(v.other, ready=1)
    v.out_frame(0, 1, cls=1)
    v.errors(replays=2)
    yield v

    v = Vector("session-cut-before-ready",
               "The wire is cut before a ready that is owed: a hello goes out, which will be answered.")
    v.up()
    v.in_hello(v.session)
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.out_hello(v.other, now=True)
    yield v

    v = Vector("session-answers", "The other lost the link, and this side did not: it answers, and stays up.")
    v.up()
    v.in_hello(v.session)
    v.clock()
    v.line("ready", 0)
    v.out_hello(v.other, ready=1, now=True)
    v.send(0)
    v.clock()
    v.out_word(0, cls=0)
    v.errors()
    yield v


def session_ends():
    v = Vector("session-other-ends", "The other has forgotten what it had: the session is over, all begins at 0.")
    v.up()
    v.in_frame(7, cls=POSTED, credit=0)
    v.send(0)
    v.clock()
    v.out_word(0, cls=0, ack=1)
    v.other = 0xbeef
    v.in_hello(0)
    v.event(ENDED)
    v.session += 1
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.credits(*ROOM)
    v.out_hello(v.other, ready=1)
    v.clock()
    v.out_word(cls=0)
    v.note("A frame of the session before: its check is wrong in this one.")
    v.clock()
    v.in_data(v.flit(9)[0])
    v.clock()
    v.in_word(9, pair=(OTHER, OWN))
    v.clock()
    v.out_word(cls=1, wanted=1)
    v.in_frame(10)
    v.errors(crc=1)
    yield v

    v = Vector("session-ends-while-lost", "Lost first, then over.")
    v.up()
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.out_hello(v.other, now=True)
    v.other = 0x101
    v.in_hello(0)
    v.event(ENDED)
    v.session += 1
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    yield v

    v = Vector("session-reset",
               "Reset, before it is up and then: a new session each time, and no end of what has not begun.")
    v.out_hello(0)
    v.clock(v.now + 2)
    v.line("reset")
    v.session += 1
    v.out_hello(0, now=True)
    v.in_hello(v.session)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    v.clock()
    v.out_word(cls=0)
    v.clock()
    v.line("reset")
    v.event(ENDED)
    v.session += 1
    v.out_hello(0, now=True)
    v.note("The other has not heard of it yet, and names the session before. It is known from now on, and will change its own.")
    v.in_hello(v.session - 1)
    v.out_hello(v.other, ready=1)
    v.other += 1
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    v.errors()
    yield v

    v = Vector("session-last-number", "Behind the last number comes 1.", session=0xffff)
    v.out_hello(0)
    v.clock(v.now + 2)
    v.line("reset")
    v.session = 1
    v.out_hello(0, now=True)
    yield v

    v = Vector("session-broken-off", "Reset amid a frame, and amid a hello: a word of zeros ends what was begun.")
    v.up()
    v.send(0)
    v.send(1)
    v.clock()
    v.line("reset")
    v.event(ENDED)
    v.session += 1
    v.block("out", 1, bytes(16))
    v.gone = b""
    v.out_hello(0)
    v.clock(v.now + HELLO - 2)
    v.out_data(hello(v.session, 0)[0])
    v.clock()
    v.line("reset")
    v.session += 1
    v.block("out", 1, bytes(16))
    v.gone = b""
    v.out_hello(0)
    yield v


def session_refused():
    """Hellos that are none: (what, fields of in_hello, which counter)."""
    wrong = [
        ("version-2", {"version": 2}, "version"),
        ("version-0", {"version": 0, "zeros": bytes([1] * 10)}, "version"),
        ("session-0", {"session": 0}, "protocol"),
        *((f"zero-{bits:x}", {"zero": bits}, "protocol") for bits in (2, 3, 0x80, 0x100, 0x8000)),
        ("no-flits", {"flits": 0}, "protocol"),
        ("one-flit", {"flits": 1}, "protocol"),
        ("three-flits", {"flits": 3}, "protocol"),
        ("types", {"fields": {"high_types": 1 << 4}}, "protocol"),
        ("more-types", {"fields": {"high_types": 1 << 58}}, "protocol"),
        ("class", {"fields": {"cls": RESPONSE}}, "protocol"),
        ("credit", {"fields": {"credit": 0x800}}, "protocol"),
        ("sequence", {"fields": {"seq": 0x200}}, "protocol"),
        ("acknowledge", {"fields": {"ack": 1}}, "protocol"),
    ]
    wrong += [(f"zeros-{i}", {"zeros": bytes(i) + b"\x80" + bytes(9 - i)}, "protocol") for i in range(10)]
    for cls, least in enumerate((388, 2, 132)):
        for room in (0, least - 1, 2049):
            wrong.append((f"room-{cls}-{room:x}", {"room": [room if c == cls else 2048 for c in range(3)]}, "protocol"))

    v = Vector("session-refused-down", "Hellos that are refused while down: counted, not answered.")
    v.out_hello(0)
    count = {"protocol": 0, "version": 0}
    for i, (what, fields, counter) in enumerate(wrong):
        v.note(what)
        if v.now // HELLO != (v.now + 4) // HELLO:
            v.clock(v.now // HELLO * HELLO + HELLO - 1)
            v.out_hello(0)
        v.in_hello(**{"names": v.session, **fields})
        count[counter] += 1
        v.errors(**count)
    v.in_hello(v.session, room=(388, 2, 132))
    v.event(UP)
    v.credits(388, 2, 132)
    yield v

    for what, fields, counter in wrong:
        v = Vector(f"session-refused-up-{what}", "A hello that is refused while up: the link is reset.")
        v.up()
        v.in_hello(**{"names": v.session, **fields})
        v.event(ENDED)
        v.errors(**{counter: 1})
        v.session += 1
        v.out_hello(0)
        yield v


def session_versions():
    """A card that supports versions 1 and 2."""
    v = Vector("leases-both", "Both support version 2.", version=2)
    v.out_hello(0)
    v.in_hello(0, version=2)
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1, version=2)
    v.event(UP)
    v.credits(*ROOM)
    v.out_hello(v.other, ready=1)
    v.errors()
    yield v

    v = Vector("leases-falls-back", "The other card supports version 1 only; the next session begins with 2 again.", version=2)
    v.out_hello(0)
    v.in_hello(0)
    v.version = 1
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    v.clock()
    v.line("reset")
    v.event(ENDED)
    v.session += 1
    v.version = 2
    v.out_hello(0, now=True)
    v.errors()
    yield v

    v = Vector("leases-other-names-too-soon", "A version above that of the session is answered, but does not begin it.", version=2)
    v.out_hello(0)
    v.in_hello(0)
    v.version = 1
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, version=2)
    v.out_hello(v.other, ready=1)
    v.in_hello(v.session, ready=1)
    v.event(UP)
    yield v

    v = Vector("leases-cut", "A session that goes on keeps its version.", version=2)
    v.out_hello(0)
    v.in_hello(v.session, ready=1)
    v.version = 1
    v.event(UP)
    v.out_hello(v.other, ready=1)
    v.clock()
    v.line("cut")
    v.event(LOST)
    v.out_hello(v.other, now=True)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.out_hello(v.other, ready=1)
    yield v

    v = Vector("leases-refused", "Versions that are not supported; too little room for version 2, enough for 1.", version=2)
    v.out_hello(0)
    v.in_hello(v.session, version=3)
    v.errors(version=1)
    v.in_hello(v.session, version=0)
    v.errors(version=2)
    v.in_hello(v.session, version=2, room=(388, 134, 265))
    v.errors(version=2, protocol=1)
    v.in_hello(v.session, version=2, room=(388, 135, 264))
    v.errors(version=2, protocol=2)
    v.in_hello(v.session, version=2, room=(388, 135, 265), ready=1)
    v.event(UP)
    v.credits(388, 135, 265)
    yield v

    v = Vector("leases-refused-up", "Version 3 while up: the link is reset.", version=2)
    v.out_hello(0)
    v.in_hello(v.session, version=2, ready=1)
    v.event(UP)
    v.out_hello(v.other, ready=1)
    for i, at in enumerate((9, 13, 17)):
        v.clock(at)
        v.out_word(cls=i)
    v.in_hello(v.session, version=3)
    v.event(ENDED)
    v.errors(version=1)
    v.session += 1
    v.out_hello(0)
    yield v


GROUPS = (session_versions, session_begins, session_resumes, session_ends, session_refused)
