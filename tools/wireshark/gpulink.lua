-- SPDX-License-Identifier: Apache-2.0
--
-- Wireshark's dissector of the link between gpulink cards, for what `gpulinkctl capture` writes (docs/capture.md); what goes
-- over the link says docs/link-format.md. For Lua 5.2 (Wireshark 4.0) and 5.4 (Wireshark 4.4). gpulink_receive.lua and
-- gpulink_finepack.lua, which have to lie beside it, play the receiver.
--
-- A frame is taken in once, when Wireshark comes to it in the order of the capture; what came of it is kept by its number.
-- Whenever the frame is shown, a tree is made of that.

-- Not every Wireshark looks for modules where its scripts are.
local here = debug.getinfo(1, "S").source:match("^@(.*[/\\])") or ""
local receive = dofile(here .. "gpulink_receive.lua")
dofile(here .. "gpulink_finepack.lua")(receive)
local gpulink = Proto("gpulink", "gpulink link")
local floor, format = math.floor, string.format
local bits, FLIT_BYTES, FLITS_MAX = receive.bits, receive.FLIT_BYTES, receive.FLITS_MAX

local KINDS = {
	[0] = "none", "read request", "read response", "write request", "write response", "translation request",
	"translation response", "FinePack packet", "release", "released", "atomic request", "atomic response",
	"lease request", "lease response", "timed request", "timed response",
}
local IS_RESPONSE = { [2] = true, [4] = true, [6] = true, [9] = true, [11] = true, [13] = true, [15] = true }
local CLASSES = { [0] = "posted", "request", "response", "none" }
local WANTED = { [0] = "nothing", "replay of pass 0", "replay of pass 1", "session: hello or ready" }
local SECTORS = { [0] = 16, 4, 8, 32 }
local STATUS = { [0] = "done", "refused", "failed", "same", "changed", "time", "no line", "not pool", [8] = "done, trimmed to 16 bytes", [9] = "done, trimmed to 4 bytes",
	[10] = "done, trimmed to 8 bytes", [11] = "done, trimmed to 32 bytes" }
local OPERATIONS = { [0] = "add", "swap", "compare and swap" }
local LEASES = { [0] = "read", "renew", "clock" }
local TIMED = { [0] = "write", "add", "swap", "compare and swap" }
local PARTS = { "whole packet", "part of a packet", "tail of a packet, in another flit", "packet unknown" }
local CHECKS = { [0] = "Bad", "Good", "Unverified" }

-- ---- Fields and settings ----

local f, e = {}, {}

for _, one in ipairs({
	{ "frame.flits", "uint8", "Flits" },
	{ "frame.sequence", "uint16", "Sequence" },
	{ "frame.acknowledge", "uint16", "Acknowledge" },
	{ "frame.repeats", "framenum", "Duplicate of frame" },
	{ "word", "none", "Link word" },
	{ "word.flits", "uint8", "Flits of the frame" },
	{ "word.credit_class", "uint8", "Credit class", base.DEC, CLASSES },
	{ "word.credit", "uint16", "Credit" },
	{ "word.pass", "uint8", "Pass" },
	{ "word.wanted", "uint8", "Replay request", base.DEC, WANTED },
	{ "word.crc", "uint32", "Check", base.HEX },
	{ "word.crc.expected", "uint32", "Expected check", base.HEX },
	{ "word.crc.status", "uint8", "Check status", base.DEC, CHECKS },
	{ "hello", "none", "Hello" },
	{ "hello.ready", "bool", "Ready" },
	{ "hello.serial", "uint64", "Serial number", base.HEX },
	{ "hello.version", "uint8", "Version" },
	{ "hello.cluster", "uint8", "Cluster" },
	{ "hello.session", "uint16", "Own session" },
	{ "hello.other", "uint16", "Remote session" },
	{ "hello.compact", "bool", "Accepts the compact form" },
	{ "hello.posted", "uint16", "Room for posted pieces" },
	{ "hello.request", "uint16", "Room for request pieces" },
	{ "hello.response", "uint16", "Room for response pieces" },
	{ "flit", "none", "Flit" },
	{ "flit.type", "uint8", "Type", base.HEX },
	{ "flit.kind", "uint8", "Kind", base.DEC, KINDS },
	{ "stitched", "bool", "Stitched" },
	{ "flit.padding", "uint8", "Unused bytes" },
	{ "piece", "none", "Piece" },
	{ "piece.kind", "uint8", "Kind", base.DEC, KINDS },
	{ "piece.part", "uint8", "Part", base.DEC, PARTS },
	{ "piece.number", "uint8", "Packet number" },
	{ "piece.offset", "uint16", "Offset in the packet" },
	{ "piece.bytes", "uint16", "Bytes" },
	{ "piece.packet", "framenum", "Packet complete in" },
	{ "packet", "none", "Packet" },
	{ "kind", "uint8", "Kind", base.DEC, KINDS },
	{ "length", "uint16", "Bytes" },
	{ "segment", "framenum", "Piece in" },
	{ "number", "uint8", "Number" },
	{ "partition", "uint8", "Partition" },
	{ "status", "uint8", "Status", base.DEC, STATUS },
	{ "tag", "uint16", "Tag" },
	{ "request", "framenum", "Request in" },
	{ "response", "framenum", "Response in" },
	{ "offset", "uint64", "Offset in the endpoint", base.HEX },
	{ "data", "bytes", "Data" },
	{ "read.trim", "bool", "Trim" },
	{ "read.sector", "uint8", "Sector" },
	{ "read.sector_bytes", "uint8", "Sector size" },
	{ "write.first", "uint8", "First written byte" },
	{ "write.bytes", "uint8", "Written bytes" },
	{ "translation.bytes", "uint64", "Endpoint bytes from there on" },
	{ "translation.readable", "bool", "Readable" },
	{ "translation.writable", "bool", "Writable" },
	{ "release.posted", "uint32", "Posted packets before it" },
	{ "atomic.operation", "uint8", "Operation", base.DEC, OPERATIONS },
	{ "atomic.bytes", "uint8", "Operand size" },
	{ "atomic.operand", "uint64", "Operand", base.HEX },
	{ "atomic.compare", "uint64", "Compared value", base.HEX },
	{ "atomic.old", "uint64", "Old value", base.HEX },
	{ "lease.what", "uint8", "Asks for", base.DEC, LEASES },
	{ "lease.line_bytes", "uint16", "Bytes of the line" },
	{ "lease.copy", "uint64", "Time of the copy", base.HEX },
	{ "timed.operation", "uint8", "Operation", base.DEC, TIMED },
	{ "timed.bytes", "uint8", "Bytes written" },
	{ "time", "uint64", "Time", base.HEX },
	{ "wts", "uint64", "Time of the last write", base.HEX },
	{ "rts", "uint64", "End of the lease", base.HEX },
	{ "finepack.fmt", "uint8", "Fmt", base.HEX },
	{ "finepack.type", "uint8", "Type", base.HEX },
	{ "finepack.dwords", "uint16", "Length in DW" },
	{ "finepack.last_be", "uint8", "Last BE", base.HEX },
	{ "finepack.first_be", "uint8", "First BE", base.HEX },
	{ "finepack.subheader_bytes", "uint8", "Sub-header width" },
	{ "finepack.address", "uint64", "Address", base.HEX },
	{ "finepack.payload_bytes", "uint16", "Payload bytes" },
	{ "finepack.unit", "uint8", "Unit of lengths and gaps, or of offsets" },
	{ "finepack.repeats", "bool", "Runs may repeat" },
	{ "finepack.records", "uint16", "Records" },
	{ "finepack.offset_bytes", "uint8", "Bytes of an offset" },
	{ "finepack.distinct", "bool", "No two records have the same offset" },
	{ "finepack.gap_order", "uint8", "Order of gaps" },
	{ "finepack.length_order", "uint8", "Order of lengths" },
	{ "finepack.sub_packets", "uint16", "Sub-packets" },
	{ "sub_packet", "none", "Sub-packet" },
	{ "sub_packet.offset", "uint64", "Offset from the base", base.HEX },
	{ "sub_packet.length", "uint16", "Length" },
	{ "sub_packet.data", "bytes", "Data" },
}) do
	f[one[1]] = ProtoField[one[2]]("gpulink." .. one[1], select(3, table.unpack(one)))
end
gpulink.fields = f

for _, one in ipairs({
	{ "bad_check", "CRC error: the receiver drops the frame", expert.group.CHECKSUM, expert.severity.ERROR },
	{ "broken_off", "Aborted: the link went down during the frame", expert.group.SEQUENCE, expert.severity.NOTE },
	{ "repeated", "Duplicate frame", expert.group.SEQUENCE, expert.severity.NOTE },
	{ "later", "An earlier frame is missing: the receiver drops the flits", expert.group.SEQUENCE, expert.severity.WARN },
	{ "not_captured", "Frames before this one were not captured", expert.group.SEQUENCE, expert.severity.WARN },
	{ "wanted", "Replay request", expert.group.SEQUENCE, expert.severity.NOTE },
	{ "session", "New session: counters restart at 0", expert.group.SEQUENCE, expert.severity.CHAT },
	{ "refused_hello", "Refused hello", expert.group.PROTOCOL, expert.severity.WARN },
	{ "protocol_error", "Protocol error", expert.group.PROTOCOL, expert.severity.ERROR },
	{ "malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR },
	{ "refused_packet", "The receiver rejects this packet", expert.group.PROTOCOL, expert.severity.WARN },
	{ "not_done", "Response without success", expert.group.RESPONSE_CODE, expert.severity.NOTE },
}) do
	e[one[1]] = ProtoExpert.new("gpulink.expert." .. one[1], one[2], one[3], one[4])
end
gpulink.experts = e

gpulink.prefs.subheader_bytes = Pref.uint("Sub-header width", 0,
	"Of FinePack packets in the paper's own form (First BE is 0), which do not contain it: 2 to 6, or 0 if unknown")

-- In captures of several cards. Not there when Wireshark wants no tree, as in the first pass of tshark -2.
local interface_id = Field.new("frame.interface_id")

-- ---- What is kept ----

local results, cards = {}, {}

function gpulink.init()
	results, cards = {}, {}
end

local function result_of(tvb, pinfo)
	local result = results[pinfo.number]
	if not result then
		local interface = interface_id()
		local card = interface and interface.value or 0
		cards[card] = cards[card] or receive.new_card()
		receive.own_width = gpulink.prefs.subheader_bytes
		result = receive.take(cards[card], pinfo.p2p_dir == P2P_DIR_RECV and 1 or 0, pinfo.number, tvb:raw(0, tvb:len()),
			pinfo.len > pinfo.caplen)
		results[pinfo.number] = result
	end
	return result
end

-- ---- Packets ----

local function uint64(value)
	return UInt64(floor(value % 2 ^ 32), floor(value / 2 ^ 32))
end

-- Where a read, write, translation or atomic request goes.
local function add_offset(tree, tvb, text)
	tree:add(f["offset"], tvb(4, 6), uint64(bits(text, 32, 48)))
	return bits(text, 80, 16) -- what is above it: bits 63:48
end

local function add_read_request(tree, tvb, text)
	local above = add_offset(tree, tvb, text)
	local trim = above % 2 == 1
	tree:add(f["read.trim"], tvb(10, 1), trim)
	if trim then
		tree:add(f["read.sector_bytes"], tvb(10, 1), SECTORS[floor(above / 2) % 4])
		tree:add(f["read.sector"], tvb(10, 1), floor(above / 8) % 16)
	end
end

local function add_read_response(tree, tvb)
	if tvb:len() > 4 then
		tree:add(f["data"], tvb(4))
	end
end

local function add_write_request(tree, tvb, text)
	local above = add_offset(tree, tvb, text)
	local first, count = above % 64, floor(above / 64) % 64 + 1
	tree:add(f["write.first"], tvb(10, 2), first)
	tree:add(f["write.bytes"], tvb(10, 2), count)
	tree:add(f["data"], tvb(12))
	if first + count > 64 then
		tree:add_proto_expert_info(e["malformed"], "Write exceeds its line")
	end
end

local function add_translation_response(tree, tvb, text)
	tree:add(f["translation.bytes"], tvb(4, 6), uint64(bits(text, 32, 48)))
	tree:add(f["translation.readable"], tvb(10, 1), bits(text, 80, 1) == 1)
	tree:add(f["translation.writable"], tvb(10, 1), bits(text, 81, 1) == 1)
end

local function add_release(tree, tvb)
	tree:add_le(f["release.posted"], tvb(4, 4))
end

local function add_atomic_request(tree, tvb, text)
	local above = add_offset(tree, tvb, text)
	tree:add(f["atomic.operation"], tvb(10, 1), above % 8)
	tree:add(f["atomic.bytes"], tvb(10, 1), floor(above / 8) % 2 == 1 and 8 or 4)
	tree:add_le(f["atomic.operand"], tvb(12, 8))
	tree:add_le(f["atomic.compare"], tvb(20, 8))
end

local function add_atomic_response(tree, tvb)
	tree:add_le(f["atomic.old"], tvb(4, 8))
end

local function add_lease_request(tree, tvb, text)
	local above = add_offset(tree, tvb, text)
	tree:add(f["lease.what"], tvb(10, 1), floor(above / 16) % 4)
	if floor(above / 16) % 4 == 0 then
		tree:add(f["lease.line_bytes"], tvb(10, 1), 64 * 2 ^ (above % 16))
	end
	tree:add_le(f["time"], tvb(12, 8))
	tree:add_le(f["lease.copy"], tvb(20, 8))
end

local function add_lease_response(tree, tvb)
	if tvb:len() > 4 then
		tree:add_le(f["wts"], tvb(4, 8))
		tree:add_le(f["rts"], tvb(12, 8))
	end
	if tvb:len() > 20 then
		tree:add(f["data"], tvb(20))
	end
end

local function add_timed_request(tree, tvb, text)
	local above = add_offset(tree, tvb, text)
	tree:add(f["timed.operation"], tvb(10, 1), floor(above / 64) % 4)
	tree:add(f["timed.bytes"], tvb(10, 1), above % 64 + 1)
	tree:add_le(f["time"], tvb(12, 8))
	tree:add(f["data"], tvb(20))
end

local function add_timed_response(tree, tvb)
	if tvb:len() > 4 then
		tree:add_le(f["wts"], tvb(4, 8))
		tree:add_le(f["rts"], tvb(12, 8))
		tree:add_le(f["atomic.old"], tvb(20, 8))
	end
end

local ADD = { add_read_request, add_read_response, add_write_request, nil, add_offset, add_translation_response, nil,
	add_release, nil, add_atomic_request, add_atomic_response, add_lease_request, add_lease_response, add_timed_request,
	add_timed_response }

local function add_sub_packets(tree, tvb, text, h)
	local found, why = receive.sub_packets(text, h)
	tree:add(f["finepack.sub_packets"], tvb(16), #found):set_generated()
	for index, one in ipairs(found) do
		local head, data = tvb(one.head, one.head_bytes), tvb(one.at, one.length)
		local sub = tree:add(f["sub_packet"], h.width > 0 and tvb(one.head, h.width + one.length) or data)
		sub:set_text(format("Sub-packet %d: %d bytes at offset 0x%x", index - 1, one.length, one.offset))
		sub:add(f["sub_packet.length"], h.single and tvb(2, 2) or h.coding and head or h.array and tvb(6, 1) or tvb(one.head, 2),
			one.length)
		sub:add(f["sub_packet.offset"], head, uint64(one.offset))
		sub:add(f["offset"], head, uint64(h.base + one.offset)):set_generated()
		sub:add(f["sub_packet.data"], data)
	end
	return why
end

local function add_coding(tree, tvb, coding)
	tree:add(f["finepack.unit"], tvb(7, 1), coding.unit)
	tree:add(f["finepack.repeats"], tvb(7, 1), coding.repeats)
	tree:add(f["finepack.gap_order"], tvb(6, 1), coding.gap_order)
	tree:add(f["finepack.length_order"], tvb(6, 1), coding.length_order)
end

local function add_array(tree, tvb, array)
	tree:add(f["finepack.records"], tvb(4, 2), array.records)
	tree:add(f["finepack.unit"], tvb(6, 1), array.unit)
	tree:add(f["finepack.offset_bytes"], tvb(6, 1), array.width)
	tree:add(f["finepack.distinct"], tvb(6, 1), array.distinct)
end

local function add_finepack(tree, tvb, text)
	local h = receive.finepack_header(text)
	local why = h.why
	tree:add(f["finepack.fmt"], tvb(0, 1), h.fmt)
	tree:add(f["finepack.type"], tvb(0, 1), h.type)
	tree:add(f["finepack.dwords"], tvb(2, 2), h.dwords == 0 and 1024 or h.dwords)
	tree:add(f["finepack.last_be"], tvb(7, 1), h.last_be)
	tree:add(f["finepack.first_be"], tvb(7, 1), h.first_be)
	tree:add(f["finepack.address"], tvb(8, 8))
	tree:add(f["partition"], tvb(9, 1), h.partition)
	tree:add(f["offset"], tvb(10, 6), uint64(h.base))
	tree:add(f["finepack.payload_bytes"], tvb(16), h.payload):set_generated()
	if h.range then
		tree:add(f["finepack.subheader_bytes"], tvb(7, 1), h.width)
		if h.coding then
			add_coding(tree, tvb, h.coding)
		elseif h.array then
			add_array(tree, tvb, h.array)
		end
		why = add_sub_packets(tree, tvb, text, h)
	else
		tree:add(f["data"], tvb(16))
	end
	if why then
		tree:add_proto_expert_info(e["refused_packet"], "The receiver rejects this packet: " .. why)
	end
end

-- The packet's bytes: of this frame where they lie in a row there, else gathered.
local function packet_tvb(packet, tvb, number)
	local past
	for _, piece in ipairs(packet.pieces) do
		if piece.frame ~= number or past and piece.frame_at ~= past then
			return ByteArray.new(packet.text, true):tvb(KINDS[packet.kind])
		end
		past = piece.frame_at + piece.length
	end
	return tvb(packet.pieces[1].frame_at, packet.length):tvb()
end

local function add_header(tree, tvb, packet)
	local text = packet.text
	local above = bits(text, 12, 4)
	tree:add(f["number"], tvb(0, 2), bits(text, 5, 7))
	if IS_RESPONSE[packet.kind] then
		tree:add(f["status"], tvb(1, 1), above)
		if above == 1 or above == 2 or above >= 5 and above <= 7 then
			tree:add_proto_expert_info(e["not_done"], "Not successful: " .. STATUS[above])
		end
	else
		tree:add(f["partition"], tvb(1, 1), above)
	end
	tree:add_le(f["tag"], tvb(2, 2))
	if packet.request then
		tree:add(f["request"], tvb(0, 0), packet.request.whole):set_generated()
	elseif packet.response then
		tree:add(f["response"], tvb(0, 0), packet.response.whole):set_generated()
	end
end

local function packet_name(packet)
	if packet.kind ~= receive.FINEPACK then
		return format("%s, tag %d", KINDS[packet.kind], bits(packet.text, 16, 16))
	end
	local h = receive.finepack_header(packet.text)
	return h.range and format("FinePack packet, %d sub-packets", #receive.sub_packets(packet.text, h)) or "FinePack packet"
end

local function add_packet(tree, tvb, packet, number)
	local whole = packet_tvb(packet, tvb, number)
	local sub = tree:add(f["packet"], whole())
	sub:set_text("Packet: " .. packet_name(packet))
	sub:add(f["kind"], whole(0, 1), packet.kind)
	sub:add(f["length"], whole(), packet.length):set_generated()
	if #packet.pieces > 1 then
		for _, piece in ipairs(packet.pieces) do
			sub:add(f["segment"], whole(piece.offset, 1), piece.frame):set_generated()
		end
	end
	if packet.kind == receive.FINEPACK then
		if packet.number then
			sub:add(f["number"], whole(0, 0), packet.number):set_generated()
		end
		add_finepack(sub, whole, packet.text)
	else
		add_header(sub, whole, packet)
		if ADD[packet.kind] then
			ADD[packet.kind](sub, whole, packet.text)
		end
	end
end

-- ---- Flits ----

local function add_piece(tree, tvb, piece)
	local range = tvb(piece.at, piece.length)
	local sub = tree:add(f["piece"], range)
	local number = piece.number or piece.packet and piece.packet.number
	local named = number and format("%s %d", KINDS[piece.kind], number) or KINDS[piece.kind]
	sub:set_text(format("%s: %s, %d bytes", named, PARTS[piece.part], piece.length))
	sub:add(f["piece.kind"], range, piece.kind)
	sub:add(f["piece.part"], range, piece.part)
	if number then
		sub:add(f["piece.number"], range, number)
	end
	if piece.offset then
		sub:add(f["piece.offset"], range, piece.offset):set_generated()
	end
	sub:add(f["piece.bytes"], range, piece.part == receive.TAIL and piece.length - 2 or piece.length)
	if piece.packet and piece.packet.whole then
		sub:add(f["piece.packet"], range, piece.packet.whole):set_generated()
	end
end

local function add_flit(tree, tvb, index, type, flit)
	local sub = tree:add(f["flit"], tvb)
	sub:set_text(format("Flit %d: %s%s", index, KINDS[type % 16] or "undefined kind", type >= 16 and ", stitched" or ""))
	sub:add(f["flit.type"], tvb(0, 0), type):set_generated()
	sub:add(f["flit.kind"], tvb(0, 0), type % 16):set_generated()
	sub:add(f["stitched"], tvb(0, 0), type >= 16):set_generated()
	if not flit then
		return
	end
	for _, piece in ipairs(flit.pieces) do
		add_piece(sub, tvb, piece)
	end
	if flit.why then
		sub:add_proto_expert_info(e["protocol_error"], "Protocol error: " .. flit.why)
	elseif flit.unused < FLIT_BYTES then
		sub:add(f["flit.padding"], tvb(flit.unused), FLIT_BYTES - flit.unused):set_generated()
	end
end

local function add_hello(tree, tvb, result)
	local hello = result.hello
	local sub = tree:add(f["hello"], tvb(0, 2 * FLIT_BYTES))
	sub:set_text(format("%s, session %d", hello.ready and "Ready" or "Hello", hello.session))
	sub:add(f["hello.ready"], tvb(0, 0), hello.ready):set_generated()
	sub:add_le(f["hello.serial"], tvb(0, 8))
	sub:add(f["hello.version"], tvb(8, 1))
	sub:add(f["hello.cluster"], tvb(9, 1))
	sub:add_le(f["hello.session"], tvb(10, 2))
	sub:add_le(f["hello.other"], tvb(12, 2))
	sub:add(f["hello.compact"], tvb(14, 1), bits(tvb:raw(14, 1), 0, 1) == 1)
	sub:add_le(f["hello.posted"], tvb(16, 2))
	sub:add_le(f["hello.request"], tvb(18, 2))
	sub:add_le(f["hello.response"], tvb(20, 2))
	if hello.why then
		sub:add_proto_expert_info(e["refused_hello"], "Refused hello: " .. hello.why)
	elseif result.new_session then
		sub:add_proto_expert_info(e["session"])
	end
end

-- ---- Link words and frames ----

local function add_word(tree, tvb, result)
	local word = result.word
	local sub = tree:add(f["word"], tvb)
	sub:set_text(format("Link word: check %s", CHECKS[result.check]:lower()))
	sub:add(f["word.flits"], tvb(0, 1), word.flits)
	sub:add(f["word.credit_class"], tvb(7, 1), word.class)
	sub:add(f["word.credit"], tvb(7, 3), word.credit)
	sub:add(f["frame.sequence"], tvb(9, 2), word.sequence)
	sub:add(f["frame.acknowledge"], tvb(10, 2), word.acknowledge)
	sub:add(f["word.pass"], tvb(11, 1), word.pass)
	sub:add(f["word.wanted"], tvb(11, 1), word.wanted)
	sub:add_le(f["word.crc"], tvb(12, 4))
	if result.expected and result.expected ~= word.check then
		sub:add(f["word.crc.expected"], tvb(12, 4), result.expected):set_generated()
	end
	sub:add(f["word.crc.status"], tvb(12, 4), result.check):set_generated()
	if word.wanted == 1 or word.wanted == 2 then
		sub:add_proto_expert_info(e["wanted"])
	end
	return sub
end

-- What is to be said of a frame as a whole.
local function add_remarks(tree, tvb, result, word_tree)
	if result.broken_off then
		word_tree:add_proto_expert_info(e["broken_off"])
	elseif result.check == receive.BAD then
		local count = tvb:len() / FLIT_BYTES - 1
		local why = result.cut and "More than 11 flits received" or result.word.flits == count and "CRC error"
			or format("Link word for %d flits, %d received", result.word.flits, count)
		word_tree:add_proto_expert_info(e["bad_check"], why .. ": the receiver drops the frame")
	end
	if result.why then
		word_tree:add_proto_expert_info(e["protocol_error"], "Protocol error: " .. result.why)
	end
	if result.place == "repeated" then
		if result.repeats then
			tree:add(f["frame.repeats"], tvb(0, 0), result.repeats):set_generated()
		end
		tree:add_proto_expert_info(e["repeated"])
	elseif result.place == "later" then
		tree:add_proto_expert_info(e["later"])
	end
	if result.not_captured then
		tree:add_proto_expert_info(e["not_captured"], format("%d frames before this one were not captured", result.not_captured))
	end
end

local function info_of(result)
	local word, what = result.word, {}
	if result.hello then
		return format("%s, session %d", result.hello.ready and "Ready" or "Hello", result.hello.session)
	end
	what[1] = result.check ~= receive.GOOD and format("[check %s]", CHECKS[result.check]:lower())
		or result.place and result.place ~= "taken" and format("[%s]", result.place) or nil
	what[#what + 1] = format("Seq=%d Ack=%d", word.sequence, word.acknowledge)
	what[#what + 1] = word.flits > 0 and format("%d flits:", word.flits) or nil
	for index, packet in ipairs(result.packets) do
		what[#what + 1] = packet_name(packet) .. (index < #result.packets and ";" or "")
	end
	return table.concat(what, " ")
end

local function add_frame(tree, tvb, pinfo, result)
	local count = floor(tvb:len() / FLIT_BYTES) - 1
	local top = tree:add(gpulink, tvb(), format("gpulink link, frame %d, %d flits", result.word.sequence, count))
	-- A frame that comes again has the flits that it had.
	local shown = result.repeats and results[result.repeats] or result
	top:add(f["frame.flits"], tvb(), count):set_generated()
	if result.hello then
		add_hello(top, tvb, result)
	else
		for index = 1, count do
			add_flit(top, tvb((index - 1) * FLIT_BYTES, FLIT_BYTES), index - 1, result.word.types[index], shown.flits[index])
		end
	end
	local word_tree = add_word(top, tvb(count * FLIT_BYTES, FLIT_BYTES), result)
	add_remarks(top, tvb, result, word_tree)
	for _, packet in ipairs(result.packets) do
		add_packet(top, tvb, packet, pinfo.number)
	end
end

function gpulink.dissector(tvb, pinfo, tree)
	pinfo.cols.protocol = "gpulink"
	if tvb:len() == 0 or tvb:len() % FLIT_BYTES ~= 0 or tvb:len() > (FLITS_MAX + 1) * FLIT_BYTES then
		pinfo.cols.info = "Not a frame"
		tree:add(gpulink, tvb()):add_proto_expert_info(e["malformed"], "A frame has 1 to 12 blocks of 16 bytes")
		return
	end
	local result = result_of(tvb, pinfo)
	local inward = pinfo.p2p_dir == P2P_DIR_RECV
	pinfo.cols.src = inward and "remote card" or "this card"
	pinfo.cols.dst = inward and "this card" or "remote card"
	pinfo.cols.info = info_of(result)
	add_frame(tree, tvb, pinfo, result)
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, gpulink)
