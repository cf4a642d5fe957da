-- SPDX-License-Identifier: Apache-2.0
--
-- The receiving side of the link between gpulink cards (docs/link-format.md), as somebody who listens has to play it for both
-- directions: sessions, frames, un-stitching. Of Wireshark it needs the module `bit` alone. gpulink.lua shows what comes of it.
--
-- A capture may begin anywhere, and lack frames. Then the sessions are found in the checks, and where packets begin by what
-- their headers must look like; a direction is "lost" until that is done.

local receive = {}
local floor, byte = math.floor, string.byte

local FLIT_BYTES = 16 -- and those of a link word
local NUMBERS = 128 -- of the packets of a kind
local SEQUENCES = 1024
local BEFORE = 512 -- frames so far behind the expected one, or more, are one of those before
local PREFIX_BYTES = 2 -- before a tail that is a piece
local STITCHED, PARTIAL = 16, 16
local READ_RESPONSE, WRITE_REQUEST, FINEPACK, ATOMIC_REQUEST = 2, 3, 7, 10
local LEASE_REQUEST, LEASE_RESPONSE, TIMED_REQUEST = 12, 13, 14
local KINDS, KINDS_BEFORE_LEASES = 15, 11 -- of versions 2 and 1
local LENGTHS = { 12, 68, 76, 4, 12, 12, 4112, 12, 4, 28, 12, 28, 84, 84, 28 } -- of a packet, or of the longest of its kind
local REQUEST_OF = { [2] = 1, [4] = 3, [6] = 5, [9] = 8, [11] = 10, [13] = 12, [15] = 14 }
local IS_REQUEST = { true, [3] = true, [5] = true, [8] = true, [10] = true, [12] = true, [14] = true }
local BY_STATUS = { -- lengths of responses
	[READ_RESPONSE] = { [0] = 68, 4, 4, [8] = 20, [9] = 8, [10] = 12, [11] = 36 },
	[LEASE_RESPONSE] = { [0] = 84, 4, 4, 20, 20, 4, 4, 4 },
	[15] = { [0] = 28, 4, 4, [5] = 4, [6] = 4, [7] = 4 },
}
local LAST_BYTES = { [1] = 1, [3] = 2, [7] = 3, [15] = 4 } -- by Last BE
local SESSION = 3 -- what the word of a hello or ready wants
local VERSION, LEASES = 1, 2
local CREDITS_LEAST, CREDITS_MOST = { { 388, 2, 132 }, { 388, 135, 265 } }, 2048 -- by version

local OUT = 0
local BAD, GOOD, UNVERIFIED = 0, 1, 2
local WHOLE, PART, TAIL, UNKNOWN = 1, 2, 3, 4
receive.BAD, receive.GOOD, receive.UNVERIFIED = BAD, GOOD, UNVERIFIED
receive.WHOLE, receive.PART, receive.TAIL, receive.UNKNOWN = WHOLE, PART, TAIL, UNKNOWN
receive.LAST_BYTES = LAST_BYTES
receive.FLIT_BYTES, receive.FLITS_MAX, receive.SESSION, receive.FINEPACK = FLIT_BYTES, 11, SESSION, FINEPACK

-- ---- Numbers ----

-- `count` bits of a little-endian string from bit `low` on; at most 48 of them.
local function bits(text, low, count)
	local value = 0
	for at = floor((low + count - 1) / 8), floor(low / 8), -1 do
		value = value * 256 + byte(text, at + 1)
	end
	return floor(floor(value / 2 ^ (low % 8)) % 2 ^ count)
end
receive.bits = bits

local function all_zero(text)
	return not text:find("[^%z]")
end
receive.all_zero = all_zero

local crc_table = {}
for first = 0, 255 do
	local crc = first
	for _ = 1, 8 do
		crc = bit.bxor(bit.rshift(crc, 1), crc % 2 == 1 and 0x82f63b78 or 0)
	end
	crc_table[first] = crc
end

local function crc32c(text)
	local crc = -1
	for at = 1, #text do
		crc = bit.bxor(bit.rshift(crc, 8), crc_table[bit.band(bit.bxor(crc, byte(text, at)), 255)])
	end
	return floor(bit.bnot(crc) % 2 ^ 32)
end

local function xor(a, b)
	return floor(bit.bxor(a, b) % 2 ^ 32)
end

-- ---- Packets ----

-- Bytes of the packet of which these are the first 4; nil, and why, when they are none of its kind.
local function packet_bytes(kind, start)
	if kind == FINEPACK then
		local dwords = byte(start, 3) % 4 * 256 + byte(start, 4)
		return 16 + 4 * (dwords == 0 and 1024 or dwords)
	elseif bits(start, 0, 5) ~= kind then
		return nil, string.format("the header is of kind %d", bits(start, 0, 5))
	elseif not BY_STATUS[kind] then
		return LENGTHS[kind]
	end
	local length = BY_STATUS[kind][bits(start, 12, 4)]
	return length, not length and "undefined status"
end

-- Whether these 16 bytes look like a packet's first.
local function plausible(kind, start)
	if kind == FINEPACK then
		local first_be, last_be, low = bits(start, 56, 4), bits(start, 60, 4), byte(start, 16)
		local array = first_be == receive.ARRAY and last_be == 15 and low % 16 == 0 and
			receive.array_of(start, packet_bytes(kind, start) - 16)
		return byte(start, 1) == 0x7c and byte(start, 2) == 0 and byte(start, 3) < 4 and byte(start, 9) == 0 and
			LAST_BYTES[last_be] ~= nil and (array or all_zero(start:sub(5, 6)) and
			(first_be >= 8 and low % 4 == 0 or first_be <= 6 and byte(start, 7) == 0))
	elseif not packet_bytes(kind, start) then
		return false
	elseif kind == WRITE_REQUEST then
		return bits(start, 92, 4) == 0
	elseif kind == LEASE_REQUEST then
		return bits(start, 86, 10) == 0
	elseif kind == TIMED_REQUEST then
		return bits(start, 88, 8) == 0
	end
	return kind ~= ATOMIC_REQUEST or bits(start, 84, 12) == 0
end

-- ---- Pieces to packets ----

-- Of one direction and kind. `number`: of the packet under way, or else the next; nil when it is not known. `tails`: those that
-- came on their own, by number; a card sends them in the order of their packets. While it is lost, `guess`: where the packet
-- under way began is a guess, which only the number of the next can confirm; `sure`: packets found since with their tails, so that
-- the tails of later ones come later. A FinePack packet's number is that of its tail, when that is the first to come (`next_tail`)
-- after one that came in the order of its flits (`anchored`).
local function new_assembly(lost)
	return { number = not lost and 0 or nil, lost = lost, guess = false, sure = 0, tails = {}, tails_seen = 0 }
end

local function start_assemblies(way, lost)
	way.kinds = { most = way.most or KINDS }
	for kind = 1, KINDS do
		way.kinds[kind] = new_assembly(lost)
	end
end

-- The packet under way is whole. Where it was lost, nobody waits for the first `order` tails any more; `certain`: where
-- packets begin is known from here on.
local function deliver(assembly, taken, order, certain)
	local packet = assembly.packet
	if assembly.number then
		assembly.number = (assembly.number + 1) % NUMBERS
	end
	assembly.packet = nil
	if assembly.guess and not certain then
		return
	elseif assembly.lost then
		for number, tail in pairs(assembly.tails) do
			assembly.tails[number] = tail.order > order and tail or nil
		end
		assembly.sure = assembly.sure + (packet.length % FLIT_BYTES ~= 0 and 1 or 0)
		assembly.lost = assembly.sure < 2 and not certain
	end
	packet.whole = taken.frame
	taken.packets[#taken.packets + 1] = packet
end

-- The packet is whole when its tail, which came on its own, is all that it lacks.
local function join(assembly, taken)
	local packet = assembly.packet
	if not packet or packet.length - #packet.text >= FLIT_BYTES then
		return
	end
	if not assembly.number and packet.length % FLIT_BYTES ~= 0 then
		assembly.number, packet.number = assembly.next_tail, assembly.next_tail
	end
	local number = assembly.number or -1
	local tail = assembly.tails[number]
	if tail and #packet.text + #tail.text == packet.length then
		assembly.tails[number] = nil
		tail.piece.packet, tail.piece.offset = packet, #packet.text
		packet.text = packet.text .. tail.text
		packet.pieces[#packet.pieces + 1] = tail.piece
		deliver(assembly, taken, tail.order)
	end
end

-- Begins a packet. Returns why it is none.
local function begin(assembly, kind, text)
	local length, why = packet_bytes(kind, text)
	if not length then
		return why
	end
	local number = assembly.number
	if kind ~= FINEPACK then
		local own = bits(text, 5, 7)
		if own ~= number and not assembly.lost then
			return string.format("number %d, expected %d", own, number)
		end
		assembly.guess = own ~= number and LENGTHS[kind] > FLIT_BYTES
		assembly.sure = own == number and assembly.sure or 0
		number = own
	end
	local tail = assembly.tails[number or -1]
	if tail and not assembly.lost and (length < FLIT_BYTES or #tail.text ~= length % FLIT_BYTES) then
		return "size differs from its tail, received earlier"
	end
	assembly.number = number
	assembly.packet = { kind = kind, number = number, length = length, text = "", pieces = {} }
	return nil
end

-- Whether the packet under way will never be whole: its tail was not captured, and here is the next packet.
local function without_tail(assembly, kind, text)
	local packet = assembly.packet
	return assembly.lost and packet and packet.length - #packet.text < FLIT_BYTES and plausible(kind, text) and
		(kind == FINEPACK or bits(text, 5, 7) == (packet.number + 1) % NUMBERS)
end

-- The next bytes of a kind's packets, from `at` of a flit on. Returns the piece, or nil and why there is none.
local function take_next(assembly, kind, text, at, taken)
	local rest = text:sub(at + 1)
	if at == 0 and without_tail(assembly, kind, rest) then
		local number = assembly.packet.number
		assembly.packet, assembly.sure, assembly.anchored, assembly.next_tail = nil, 0, false, nil
		assembly.number = kind ~= FINEPACK and (number + 1) % NUMBERS or nil
	end
	if at == 0 and assembly.lost and not assembly.packet and not plausible(kind, rest) then
		return { kind = kind, part = UNKNOWN, at = 0, length = FLIT_BYTES }
	end
	local why = not assembly.packet and begin(assembly, kind, rest)
	if why then
		return nil, why
	end
	local packet = assembly.packet
	local length = math.min(packet.length - #packet.text, FLIT_BYTES)
	local piece = { kind = kind, part = length == packet.length and WHOLE or PART, at = at, length = length, packet = packet,
		offset = #packet.text, frame = taken.frame, frame_at = taken.at + at }
	if assembly.guess and at == 0 then
		piece = { kind = kind, part = UNKNOWN, at = 0, length = FLIT_BYTES }
	end
	packet.text = packet.text .. rest:sub(1, length)
	packet.pieces[#packet.pieces + 1] = piece
	if #packet.text < packet.length then
		join(assembly, taken)
	else
		if packet.length % FLIT_BYTES ~= 0 then
			assembly.anchored, assembly.next_tail = true, nil
		end
		-- A whole packet behind another piece says itself what it is.
		deliver(assembly, taken, packet.length % FLIT_BYTES ~= 0 and assembly.tails_seen or 0, at > 0)
	end
	return piece
end

-- A tail on its own, whose prefix is at `at` of a flit.
local function take_tail(assemblies, text, at, taken)
	if at + PREFIX_BYTES > FLIT_BYTES then
		return nil, "a tail exceeds the flit"
	end
	local kind, length, number = bits(text, at * 8, 4), bits(text, at * 8 + 5, 4) + 1, bits(text, at * 8 + 9, 7)
	-- A flit with room has 4 bytes of it: a tail of 4 or 8 bytes, and packets are multiples of 4 bytes.
	local short = kind == READ_RESPONSE or kind == FINEPACK or kind <= assemblies.most and (kind == LEASE_RESPONSE or kind == TIMED_REQUEST)
	if not (length == 4 and short or length == 8 and kind == FINEPACK) then
		return nil, "a tail that cannot be a piece"
	elseif at + PREFIX_BYTES + length > FLIT_BYTES then
		return nil, "a tail exceeds the flit"
	end
	local assembly = assemblies[kind]
	local packet = assembly.packet
	if not assembly.lost and assembly.tails[number] then
		return nil, "a second tail"
	elseif not assembly.lost and packet and number == packet.number and length ~= packet.length % FLIT_BYTES then
		return nil, "tail size differs from its packet"
	end
	local piece = { kind = kind, part = TAIL, at = at, length = PREFIX_BYTES + length, number = number, frame = taken.frame,
		frame_at = taken.at + at + PREFIX_BYTES }
	assembly.next_tail = assembly.next_tail or assembly.anchored and number or nil
	assembly.tails_seen = assembly.tails_seen + 1
	assembly.tails[number] = { text = text:sub(at + PREFIX_BYTES + 1, at + PREFIX_BYTES + length), piece = piece,
		order = assembly.tails_seen }
	join(assembly, taken)
	return piece
end

-- A piece behind the first.
local function take_piece(assemblies, text, at, taken)
	local kind, room = bits(text, at * 8, 5), FLIT_BYTES - at
	if kind >= PARTIAL then
		return take_tail(assemblies, text, at, taken)
	elseif kind > assemblies.most then
		return nil, string.format("undefined packet kind %d", kind)
	elseif room < 4 or (packet_bytes(kind, text:sub(at + 1)) or 0) > room then
		return nil, "a packet exceeds the flit"
	elseif assemblies[kind].packet and not assemblies[kind].lost then
		return nil, "a whole packet of a kind with an incomplete packet"
	end
	assemblies[kind].packet = nil
	return take_next(assemblies[kind], kind, text, at, taken)
end

-- What a flit holds besides is not known: tails of any kind may be among it.
local function lose_pieces(way)
	for _, assembly in ipairs(way.kinds) do
		assembly.lost, assembly.sure = true, 0
	end
end

-- Takes a flit. Returns its pieces, where its unused bytes begin, and why it is refused.
local function take_flit(way, text, type, taken)
	local pieces, at, kind = {}, 0, type % STITCHED
	if kind == 0 or kind > way.kinds.most then
		return pieces, at, "undefined type"
	end
	local lost = way.kinds[kind].lost
	local piece, why = take_next(way.kinds[kind], kind, text, 0, taken)
	while piece do
		pieces[#pieces + 1] = piece
		at = at + piece.length
		if at == FLIT_BYTES or bits(text, at * 8, 5) == 0 then
			break
		elseif type < STITCHED then
			piece, why = nil, "not marked as stitched, but data follow its first piece"
		else
			piece, why = take_piece(way.kinds, text, at, taken)
		end
	end
	local unknown = pieces[1] and pieces[1].part == UNKNOWN
	if not why and not all_zero(text:sub(at + 1)) then
		why = "the unused bytes are not 0"
	elseif not why and type >= STITCHED and #pieces == 1 and not unknown then
		why = "marked as stitched, but has one piece"
	end
	if lost and why then
		start_assemblies(way, true)
		return { { kind = kind, part = UNKNOWN, at = 0, length = FLIT_BYTES } }, FLIT_BYTES
	elseif unknown and type >= STITCHED then
		lose_pieces(way)
	end
	return pieces, at, why
end

-- ---- Sessions and frames ----

local function new_way()
	local way = { taken = {}, requests = {} }
	start_assemblies(way, true)
	return way
end

-- What is known of a card's link: sessions, the versions of their hellos, and ways by direction, 0 out and 1 in; whether the
-- sessions are from a hello.
function receive.new_card()
	return { sessions = {}, versions = {}, ways = { [0] = new_way(), new_way() } }
end

-- A session has the lower one of both versions; what is not known may have any.
local function set_version(card, direction, version)
	card.versions[direction] = version
	for way = 0, 1 do
		local least = math.min(card.versions[0] or LEASES, card.versions[1] or LEASES)
		card.ways[way].most = least < LEASES and KINDS_BEFORE_LEASES or KINDS
		card.ways[way].kinds.most = card.ways[way].most
	end
end

-- `expected`: the next frame's number; nil: that of whatever comes.
local function restart(card, expected)
	for direction = 0, 1 do
		local way = card.ways[direction]
		way.expected, way.gap, way.taken = expected, false, {}
		start_assemblies(way, not expected)
	end
end

function receive.word(text)
	local types = {}
	for flit = 0, receive.FLITS_MAX - 1 do
		types[flit + 1] = bits(text, 4 + 5 * flit, 5)
	end
	return { flits = bits(text, 0, 4), types = types, class = bits(text, 59, 2), credit = bits(text, 61, 12),
		sequence = bits(text, 73, 10), acknowledge = bits(text, 83, 10), pass = bits(text, 93, 1), wanted = bits(text, 94, 2),
		check = bits(text, 96, 32) }
end

-- Finds the sessions in the check of a frame, which is right if another right after it says the same. While some are known only
-- what the card itself sends can tell that there are others: it is always right.
local function find_sessions(card, direction, difference)
	local sender, receiver = difference % 65536, floor(difference / 65536)
	local own, other = sender, receiver
	if direction ~= OUT then
		own, other = receiver, sender
	end
	if own == 0 or other == 0 or card.sessions[0] and card.sessions[1] and direction ~= OUT then
		return false
	end
	local again = card.candidate == own * 65536 + other
	card.candidate = own * 65536 + other
	if again then
		card.sessions, card.heard = { [0] = own, other }, false
		set_version(card, 0, nil)
		set_version(card, 1, nil)
		restart(card, nil)
	end
	return again
end

-- Returns how the check is, and what it should have been.
local function check_frame(card, direction, text, word)
	local crc = crc32c(text:sub(1, -5))
	local sender, receiver = card.sessions[direction], card.sessions[1 - direction]
	if word.wanted == SESSION then
		return crc == word.check and GOOD or BAD, crc
	elseif sender and receiver then
		local expected = xor(crc, sender + receiver * 65536)
		if expected == word.check then
			card.candidate = nil
			return GOOD, expected
		elseif not find_sessions(card, direction, xor(crc, word.check)) then
			return BAD, expected
		end
	elseif not find_sessions(card, direction, xor(crc, word.check)) then
		return UNVERIFIED, nil
	end
	return GOOD, word.check
end

-- What hello and ready say; `why`: what they are refused for.
local function read_hello(text, word)
	local hello = { version = byte(text, 9), session = bits(text, 80, 16), other = bits(text, 96, 16), ready = word.pass == 1 }
	if hello.version < VERSION or hello.version > LEASES then
		hello.why = "another version"
	elseif hello.session == 0 then
		hello.why = "no session"
	elseif bits(text, 113, 15) ~= 0 or not all_zero(text:sub(23, 32)) or bits(text, 32 * 8 + 4, 48) ~= 0 or
		bits(text, 32 * 8 + 52, 7) ~= 0 or bits(text, 32 * 8 + 61, 32) ~= 0 or word.class ~= 3 then
		hello.why = "a reserved field is not 0"
	end
	for class = 0, 2 do
		local credits = bits(text, 128 + 16 * class, 16)
		if not hello.why and (credits < CREDITS_LEAST[hello.version][class + 1] or credits > CREDITS_MOST) then
			hello.why = "invalid room"
		end
	end
	return hello
end

local function take_hello(card, direction, text, word, result)
	if word.flits ~= 2 then
		result.why = "a hello has 2 flits"
		return
	end
	local hello = read_hello(text, word)
	local other = card.sessions[1 - direction]
	result.hello = hello
	-- Who names a session has its version.
	if not hello.why and hello.other == other and hello.version > (card.versions[1 - direction] or LEASES) then
		hello.why = "another version"
	end
	if hello.why then
		return
	end
	set_version(card, direction, hello.version)
	if hello.session == card.sessions[direction] then
		return
	end
	-- Where neither the session before is known, nor that there was none, this may be one that goes on.
	result.new_session = card.sessions[direction] ~= nil or hello.other == 0 or
		card.ways[0].expected == 0 and card.ways[1].expected == 0
	card.sessions[direction], card.heard = hello.session, true
	restart(card, result.new_session and 0 or nil)
end

local function link_response(card, direction, packet)
	local asked = REQUEST_OF[packet.kind]
	local tag = bits(packet.text, 16, 16)
	if IS_REQUEST[packet.kind] then
		card.ways[direction].requests[packet.kind * 65536 + tag] = packet
	elseif asked then
		local request = card.ways[1 - direction].requests[asked * 65536 + tag]
		if request then
			packet.request, request.response = request, packet
			card.ways[1 - direction].requests[asked * 65536 + tag] = nil
		end
	end
end

local function take_flits(card, direction, text, word, result)
	local way = card.ways[direction]
	for flit = 1, word.flits do
		local at = (flit - 1) * FLIT_BYTES
		local taken = { frame = result.frame, at = at, packets = result.packets }
		local pieces, unused, why = take_flit(way, text:sub(at + 1, at + FLIT_BYTES), word.types[flit], taken)
		result.flits[flit] = { pieces = pieces, unused = unused, why = why }
		if why then
			start_assemblies(way, true) -- the receiver ends the session
			break
		end
	end
	for _, packet in ipairs(result.packets) do
		link_response(card, direction, packet)
	end
end

-- Packet validation in a right word.
local function refused_word(word)
	for flit = word.flits + 1, receive.FLITS_MAX do
		if word.types[flit] ~= 0 then
			return "types of more flits than the frame has"
		end
	end
	return word.class == 3 and word.credit ~= 0 and "a credit without a class" or nil
end

-- Whether a frame is the next one, and if not what it is.
local function place_frame(card, direction, word, result)
	local way = card.ways[direction]
	local after = way.expected and (word.sequence - way.expected) % SEQUENCES
	if after and after >= BEFORE then
		result.repeats = word.flits > 0 and way.taken[word.sequence]
		result.place = word.flits > 0 and "repeated"
	elseif after and after > 0 and not way.gap and direction ~= OUT then
		result.place = "later"
	else
		if not after or after > 0 then
			result.not_captured = after
			way.expected = word.sequence
			start_assemblies(way, after ~= nil or word.sequence > 0 or not card.heard)
		end
		way.gap = false
		result.place = word.flits > 0 and "taken"
	end
end

-- Takes the next frame, flits and link word; `number` is its place in the capture, `cut`: more flits came. Returns what came of it:
-- word, check, expected: the link word, how its check is, what the check should be (nil: not known)
-- broken_off, hello, new_session, place (taken, repeated, later), repeats (frame number), not_captured: what the frame is
-- flits: of each its pieces, where its unused bytes begin, why it is refused; packets: those that are whole now
-- why: a protocol error of the frame as a whole
function receive.take(card, direction, number, text, cut)
	local word = receive.word(text:sub(-FLIT_BYTES))
	local result = { frame = number, word = word, flits = {}, packets = {}, cut = cut }
	local came = #text / FLIT_BYTES - 1
	if came > 0 and all_zero(text:sub(-FLIT_BYTES)) then
		result.broken_off, result.check = true, BAD
		return result
	end
	result.check, result.expected = check_frame(card, direction, text, word)
	if word.flits ~= came or cut then
		result.check = BAD
	end
	if result.check ~= GOOD then
		return result
	elseif word.wanted == SESSION then
		take_hello(card, direction, text, word, result)
		return result
	end
	result.why = refused_word(word)
	if result.why then
		return result
	end
	local other = card.ways[1 - direction]
	local after = other.expected and (word.acknowledge - other.expected) % SEQUENCES or 0
	-- It has taken frames that are not in the capture.
	other.gap = other.gap or after > 0 and after < BEFORE
	place_frame(card, direction, word, result)
	if result.place == "taken" then
		local way = card.ways[direction]
		way.taken[word.sequence] = number
		way.expected = (word.sequence + 1) % SEQUENCES
		take_flits(card, direction, text, word, result)
	end
	return result
end

return receive
