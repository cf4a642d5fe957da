# SPDX-License-Identifier: Apache-2.0
"""What the vectors are about."""

from link import (ACK, ENDED, HELLO, LOST, NONE, OTHER, OWN, POSTED, REPLAY, REQUEST, RESPONSE, RESUMED, ROOM, UP, Vector,
                  hello)


# ---- Sessions ----

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
    v.note("The frame that was begun is ended, but nobody can take it.")
    v.block("out", 1, bytes(16))
    v.out_hello(v.other)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.credits(ROOM[0] - 2, ROOM[1] - 1, ROOM[2])
    v.out_hello(v.other, ready=1)
    v.note("A replay is a new pass.")
    v.out_frame(0, 1, seq=0, ack=1, cls=1, turn=1)
    v.out_frame(2, seq=1, ack=1, cls=2, turn=1)
    v.note("All classes again: nobody knows which words came.")
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
        ("zero", {"zero": 1}, "protocol"),
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


# ---- Sending ----

def send_frames():
    v = Vector("send-frames",
               "Frames of 1 to 11 flits, one behind the other; a full frame is closed with flits waiting.", frames=16)
    v.up()
    number = 0
    for count in range(1, 12):
        first = number
        for _ in range(count):
            v.send(number, number % 3)
            number += 1
        v.clock()
        v.line("ready", count < 11)
        v.out_word(*range(first, number), cls=(count - 1) % 3, seq=count - 1)
        v.in_word(ack=count)
    v.clock()
    v.line("ready", 1)
    v.credits(*(r - 22 for r in ROOM))
    yield v

    v = Vector("send-window",
               "As many frames as are kept; then none, until one is acknowledged; numbers go on.", frames=2)
    v.up()
    v.send(0)
    v.clock()
    v.out_word(0, cls=0, seq=0)
    for i in range(1, 6):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i % 3, seq=i)
        v.clock()
        v.line("ready", 0)
        v.in_word(ack=i)
        v.clock()
        v.line("ready", 1)
    yield v


def send_replay():
    v = Vector("send-replay-asked",
               "Asked for: all that is not acknowledged, after the frame that is open; asked again in the same pass: "
               "not again; in the next one: again. What is acknowledged meanwhile is left out.")
    v.up()
    for i in range(3):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.send(3)
    v.in_word(ack=1, wanted=1)
    v.clock()
    v.line("ready", 0)
    v.out_word(3, cls=0, seq=3)
    v.out_frame(1, seq=1, cls=1, turn=1)
    v.clock()
    v.out_data(v.flit(2)[0])
    v.in_word(ack=1, wanted=1)
    v.clock()
    v.out_word(2, seq=2, cls=2, turn=1)
    v.in_word(ack=2, wanted=2)
    v.out_frame(2, seq=2, cls=0, turn=0)
    v.clock()
    v.out_data(v.flit(3)[0])
    v.in_word(ack=4)
    v.clock()
    v.out_word(3, seq=3, cls=1, turn=0)
    v.clock()
    v.line("ready", 1)
    v.note("Nothing is kept any more: nothing is sent.")
    v.in_word(ack=4, wanted=1)
    v.clock()
    v.line("ready", 1)
    v.errors(replays=2)
    yield v

    v = Vector("send-replay-left-out",
               "What is acknowledged while it waits to be sent again is left out, to the last frame.")
    v.up()
    for i in range(3):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.in_word(wanted=1)
    v.clock()
    v.out_data(v.flit(0)[0])
    v.in_word(ack=2, wanted=1)
    v.clock()
    v.out_word(0, seq=0, cls=0, turn=1)
    v.out_frame(2, seq=2, cls=1, turn=1)
    v.in_word(ack=2, wanted=2)
    v.clock()
    v.out_data(v.flit(2)[0])
    v.in_word(ack=3, wanted=2)
    v.clock()
    v.out_word(2, seq=2, cls=2, turn=0)
    v.send(4)
    v.clock()
    v.out_word(4, seq=3, cls=0, turn=0)
    v.errors(replays=2)
    yield v

    v = Vector("send-replay-timer",
               "Nothing is acknowledged: sent again, 16 times; then the link is down, and goes on when there is a "
               "hello.")
    v.up()
    v.next(17 + HELLO)
    v.send(0)
    v.clock()
    v.out_word(0, cls=0)
    v.next(19 + REPLAY)
    word, turn = 0, 0
    due = v.now + HELLO
    for i in range(16):
        if due <= v.now + REPLAY:
            v.clock(due)
            word += 1
            v.out_word(seq=1, cls=word % 3, turn=turn)
        turn = 1 - turn
        word += 1
        v.clock(18 + (REPLAY + 2) * (i + 1))
        v.out_frame(0, seq=0, cls=word % 3, turn=turn, now=True)
        due = v.now + HELLO
    v.errors(replays=16)
    v.clock(18 + (REPLAY + 2) * 17)
    v.event(LOST)
    v.out_hello(v.other)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.out_hello(v.other, ready=1)
    v.errors(replays=17)
    yield v

    v = Vector("send-replay-progress", "The clocks of the timer begin anew when something is acknowledged.")
    v.up()
    for i in range(2):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.clock(50)
    v.in_word(ack=1)
    v.clock(50 + REPLAY - 1)
    v.in_word(ack=1)
    v.clock(50 + REPLAY + 1)
    v.out_frame(1, seq=1, cls=2, turn=1, now=True)
    yield v

    v = Vector("send-replay-often",
               "More than 16 replays, but something is acknowledged between them: the link stays up.")
    v.up()
    turn = 0
    for i in range(20):
        v.send(i)
        v.clock()
        v.out_word(i, cls=2 * i % 3, seq=i, ack=0, turn=turn)
        v.in_word(ack=i, wanted=1 + turn)
        turn = 1 - turn
        v.out_frame(i, seq=i, cls=(2 * i + 1) % 3, turn=turn)
        v.in_word(ack=i + 1)
    v.errors(replays=20)
    yield v


def send_at_once():
    v = Vector("send-at-once",
               "A frame is acknowledged at the clock at which its word goes out; and what is wanted again by who has all "
               "is not sent.")
    v.up()
    v.send(0)
    v.clock()
    v.out_word(0, cls=0)
    v.in_word(ack=1, wanted=1)
    v.next(v.now + HELLO)
    v.send(1, REQUEST)
    v.clock()
    v.out_word(1, cls=1, seq=1)
    v.in_word(ack=2, cls=REQUEST, credit=1)
    v.credits(ROOM[0] - 1, ROOM[1], ROOM[2])
    v.errors()
    yield v


def send_words():
    v = Vector("send-words",
               "Acknowledgements and credits at the latest ACK clocks later, with the word of a frame if there is "
               "one; classes in turn; a word now and then when there is nothing to say.")
    v.up()
    v.in_frame(1, 2, 3, cls=NONE)
    v.line("hold", 1, 3, 1)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=0)
    v.line("free", 1, 2)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=1, credit=2)
    v.clock(v.now + 10)
    v.line("free", 1, 1)
    v.send(0)
    v.clock()
    v.out_word(0, ack=1, cls=2)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=0, seq=1)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=1, credit=3, seq=1)
    v.in_word(ack=1)
    for cls in (2, 0, 1, 2):
        v.clock(v.now + HELLO)
        v.out_word(ack=1, seq=1, cls=cls, credit=3 if cls == 1 else 0)
    yield v

    v = Vector("send-credits-round", "Credits go round at 4096.")
    v.up()
    freed = 0
    for i in range(9):
        v.clock(v.now + 10)
        v.line("hold", 0, 0x200, 1)
        v.line("free", 0, 0x200)
        freed = (freed + 0x200) % 4096
        v.clock(v.now + ACK)
        v.out_word(cls=0, credit=freed)
        v.line("hold", 1, 1, 1)
        v.line("free", 1, 1)
        v.line("hold", 2, 2, 1)
        v.line("free", 2, 2)
        v.clock(v.now + ACK)
        v.out_word(cls=1, credit=i + 1)
        v.clock(v.now + ACK)
        v.out_word(cls=2, credit=2 * i + 2)
    yield v


# ---- Receiving ----

def receive_frames():
    v = Vector("receive-frames", "Frames of 1 to 11 flits, of all types, and acknowledgements for them.")
    v.up()
    number, due, cls = 0, None, 0
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
    v.note("A word without flits tells of a frame that nothing was heard of; and the next that there is none.")
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


CASES = (session_begins, session_resumes, session_ends, session_refused, send_frames, send_replay, send_at_once, send_words,
         receive_frames, receive_wrong, protocol_errors)
