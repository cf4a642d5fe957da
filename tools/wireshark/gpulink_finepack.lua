-- SPDX-License-Identifier: Apache-2.0
--
-- What a FinePack packet holds (docs/wire-format.md): its header, and its sub-packets, the runs of the compact form, or the
-- records of the array form. gpulink.lua
-- calls this file's function with the module of gpulink_receive.lua, which the function extends.

local floor, byte = math.floor, string.byte

local HEADER_BITS = 16 * 8
local OFFSET_BITS = { [2] = 6, [3] = 14, [4] = 22, [5] = 30, [6] = 38 } -- by bytes of a sub-header
local ARRAY = 7 -- First BE
local COMPACT, SINGLE_TAG, SINGLE_ORDER = 8, 0xf, 0xf -- from this First BE on; Tag of a single run, and its low bits
local NUMBER_BITS, RUN_BYTES, OFFSET_END = 48, 4096, 2 ^ 48

local receive, bits, all_zero -- set below

-- How runs are described: the fields of First BE and Tag.
local function coding_of(h, tag)
	return { unit = 2 ^ (h.first_be % 4), repeats = floor(h.first_be / 4) % 2 == 1, gap_order = tag % 16,
		length_order = floor(tag / 16) % 4 }
end

local function aligned(bytes)
	return floor((bytes + 15) / 16) * 16
end

-- The shape of a packet in the array form: records, bytes of a value and of an offset, where the values begin; nil, and why, when
-- it is none.
local function array_of(text, payload)
	local tag, a = byte(text, 7), { records = byte(text, 5) * 256 + byte(text, 6) }
	if tag % 4 == 3 or floor(tag / 4) % 4 == 3 or tag >= 32 or a.records == 0 then
		return nil, "a reserved field is not 0, or invalid"
	end
	a.unit, a.width, a.distinct = floor(4 * 2 ^ (tag % 4)), 2 + floor(tag / 4) % 4, tag >= 16
	a.low = a.width == 4 and 4 or 2
	a.values = aligned(a.low * a.records) + (a.width == 3 and aligned(a.records) or 0)
	if a.values + a.records * a.unit ~= payload then
		return nil, "offsets and values do not fill the payload"
	end
	return a
end

-- What the header says; `why`: what a receiver refuses in it.
local function finepack_header(text)
	local h = { fmt = bits(text, 5, 3), type = bits(text, 0, 5), dwords = byte(text, 3) % 4 * 256 + byte(text, 4),
		last_be = bits(text, 60, 4), first_be = bits(text, 56, 4), partition = byte(text, 10), base = 0 }
	local tag = bits(text, 48, 6)
	for at = 11, 16 do
		h.base = h.base * 256 + byte(text, at)
	end
	h.payload = #text - 20 + (receive.LAST_BYTES[h.last_be] or 4)
	h.width = h.first_be == 0 and receive.own_width or h.first_be
	local range = OFFSET_BITS[h.width] and 2 ^ OFFSET_BITS[h.width]
	local spare = h.first_be == ARRAY and 4 or h.first_be < COMPACT and 7 or 6 -- the last of the bytes that are 0
	local array_why
	if h.first_be == ARRAY then
		h.width, range = 0, 16
		h.array, array_why = array_of(text, h.payload)
	end
	if h.first_be >= COMPACT then
		h.width, range = 0, 4
		h.single = tag % 16 == SINGLE_ORDER
		h.coding = not h.single and coding_of(h, tag) or nil
	end
	if h.fmt ~= 3 or h.type ~= 0x1c then
		h.why = "Fmt and Type are not those of a FinePack packet"
	elseif byte(text, 2) ~= 0 or byte(text, 3) >= 4 or not all_zero(text:sub(5, spare)) or
		h.single and (h.first_be ~= COMPACT or tag ~= SINGLE_TAG) then
		h.why = "a reserved field is not 0"
	elseif not receive.LAST_BYTES[h.last_be] then
		h.why = "invalid Last BE"
	elseif h.first_be == ARRAY and h.last_be ~= 15 then
		h.why = "invalid Last BE"
	elseif array_why then
		h.why = array_why
	elseif h.first_be == 1 then
		h.why = "invalid First BE"
	elseif byte(text, 9) ~= 0 or range and h.base % range ~= 0 then
		h.why = "invalid base"
	elseif not all_zero(text:sub(17 + h.payload)) then
		h.why = "the padding is not 0"
	end
	h.range = not h.why and range
	return h
end

-- Reads a number of the compact form, whose bits end before `past`. Returns it and the bit behind; nil when it is none.
local function number(text, at, past, order)
	local n = order
	while at < past and bits(text, at, 1) == 0 do
		at, n = at + 1, n + 1
	end
	at = at + 1
	if n > NUMBER_BITS or at + n > past then
		return nil
	end
	-- In two parts, which are exact wherever they begin.
	local low, high = n % 24, n - n % 24
	local value = 2 ^ n - 2 ^ order + 1 + (low > 0 and bits(text, at, low) or 0)
	for more = 0, high - 1, 24 do
		value = value + bits(text, at + low + more, 24) * 2 ^ (low + more)
	end
	return value, at + n
end

-- The shape of a run but the first, and the bit behind; nil, and why, when it is none. `recent`: the last two shapes.
local function shape(text, at, past, coding, recent)
	local truncated = "the payload ends in the description of a run, or a number is too long"
	if coding.repeats then
		local marks = at < past and bits(text, at, 1) or 0
		local other = marks == 0 and at + 1 < past and bits(text, at + 1, 1) == 1
		if marks == 1 or other then
			local one = recent[other and 2 or 1]
			return one, one and at + (other and 2 or 1) or "a run repeats a shape that does not exist"
		end
		at = at + 2
	end
	local gap, length
	gap, at = number(text, at, past, coding.gap_order)
	if not gap then
		return nil, truncated
	end
	length, at = number(text, at, past, coding.length_order)
	if not length then
		return nil, truncated
	end
	return { gap = gap, length = length }, at
end

local function remember(recent, one)
	local last = recent[1]
	if last and last.gap == one.gap and last.length == one.length then
		return
	end
	recent[1], recent[2] = one, last
end

-- The runs of a packet in the compact form, as those of sub_packets(); where each is described.
local function runs(text, h)
	local unit, past = h.coding.unit, HEADER_BITS + 8 * h.payload
	local found, recent, at, data, offset = {}, {}, HEADER_BITS, 0, bits(text, 54, 2)
	local base = offset
	local function description_bytes()
		return floor((at - HEADER_BITS + 7) / 8)
	end
	while description_bytes() + data ~= h.payload do
		local from, one, behind = at, nil, nil
		if #found > 0 then
			one, behind = shape(text, at, past, h.coding, recent)
		else
			local length
			length, behind = number(text, at, past, h.coding.length_order)
			one = length and { gap = 0, length = length }
			behind = behind or "the payload ends in the description of a run, or a number is too long"
		end
		if not one then
			return {}, behind
		end
		if #found > 0 then
			remember(recent, one)
		end
		at, offset = behind, offset + one.gap * unit
		local length = one.length * unit
		if length > RUN_BYTES then
			return {}, "a run is longer than 4096 bytes"
		elseif offset - base >= OFFSET_END then
			return {}, "a run begins beyond offset 2^48"
		end
		found[#found + 1] = { at = data, length = floor(length), offset = floor(offset), head = floor(from / 8),
			head_bytes = floor((at - 1) / 8) - floor(from / 8) + 1 }
		data, offset = data + floor(length), offset + length
		if description_bytes() + data > h.payload then
			return {}, "the payload ends in a run"
		end
	end
	if at % 8 ~= 0 and bits(text, at, 8 - at % 8) ~= 0 then
		return {}, "the padding of the description is not 0"
	end
	for _, one in ipairs(found) do
		one.at = one.at + 16 + description_bytes()
	end
	return found, nil
end

-- The records of a packet in the array form, as those of sub_packets(); where their offsets are, or their lower bytes.
local function records(text, a)
	local found, high = {}, aligned(a.low * a.records)
	if not all_zero(text:sub(17 + a.low * a.records, 16 + high)) or
		a.width == 3 and not all_zero(text:sub(17 + high + a.records, 16 + a.values)) then
		return {}, "the padding of the offsets is not 0"
	end
	for i = 0, a.records - 1 do
		local head = 16 + a.low * i
		local units = bits(text, 8 * head, 16)
		if a.width == 3 then
			units = units + byte(text, 17 + high + i) * 2 ^ 16
		elseif a.width == 4 then
			units = units + bits(text, 8 * head + 16, 16) * 2 ^ 16
		end
		found[i + 1] = { at = floor(16 + a.values + a.unit * i), length = a.unit, offset = floor(units * a.unit), head = head,
			head_bytes = a.low }
	end
	return found, nil
end

-- The sub-packets of a packet with a right header whose width is known: where, offset, length of each, and where that is said;
-- and why a receiver refuses them.
local function sub_packets(text, h)
	local found, at, past = {}, 16, 16 + h.payload
	if h.single then
		return { { at = at, length = h.payload, offset = bits(text, 54, 2), head = 8, head_bytes = 8 } }, nil
	elseif h.coding then
		return runs(text, h)
	elseif h.array then
		return records(text, h.array)
	end
	while at < past do
		if at + h.width > past then
			return found, "the payload ends in a sub-header"
		end
		local length = bits(text, at * 8, 10)
		local one = { at = at + h.width, length = length == 0 and 1024 or length,
			offset = bits(text, at * 8 + 10, h.width * 8 - 10), head = at, head_bytes = h.width }
		at = at + h.width + one.length
		if at > past then
			return found, "the payload ends in a sub-packet"
		end
		found[#found + 1] = one
		if one.offset + one.length > h.range then
			return found, "a sub-packet exceeds the address window"
		end
	end
	return found, nil
end

return function(module)
	receive, bits, all_zero = module, module.bits, module.all_zero
	receive.own_width = 0 -- bytes of a sub-header in packets with First BE 0; 0: unknown
	receive.finepack_header, receive.sub_packets, receive.array_of, receive.ARRAY = finepack_header, sub_packets, array_of, ARRAY
end
