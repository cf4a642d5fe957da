// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <stddef.h>
#include <string.h>

#define TLP_FORMULA "TLP: header 16 + payload in DWs + framing 2, sequence 2, LCRC 4 [+ ECRC 4]; "
#define PCIE(name_, formula_, code_bits_, code_used_, gigatransfers_)                                                  \
	{                                                                                                              \
		.name = (name_), .formula = (formula_), .header_bytes = 16, .answer_bytes = 12, .framing_bytes = 8,    \
		.unit_bytes = 4, .payload_bytes = 4096, .flit_bytes = 1, .flit_used = 1, .code_bits = (code_bits_),    \
		.code_used = (code_used_), .gigatransfers = (gigatransfers_), .lanes = 16                              \
	}

static const struct link presets[] = {
	PCIE("pcie1", TLP_FORMULA "8b/10b", 10, 8, 2.5),
	PCIE("pcie2", TLP_FORMULA "8b/10b", 10, 8, 5),
	PCIE("pcie3", TLP_FORMULA "128b/130b", 130, 128, 8),
	PCIE("pcie4", TLP_FORMULA "128b/130b", 130, 128, 16),
	PCIE("pcie5", TLP_FORMULA "128b/130b", 130, 128, 32),
	{ .name = "pcie6",
	  .formula = "TLP: header 16 + OHC 4 for a partial DW + payload in DWs [+ ECRC 4]; of 256 bytes of a flit 236 "
		     "carry TLPs (DLP 6, CRC 8, FEC 6)",
	  .header_bytes = 16, .answer_bytes = 12, .enables_bytes = 4, .unit_bytes = 4, .payload_bytes = 4096,
	  .flit_bytes = 256, .flit_used = 236, .code_bits = 1, .code_used = 1, .gigatransfers = 64, .lanes = 16 },
	{ .name = "nvlink",
	  .formula = "flits of 16 bytes: header 1, byte enables 1 for a partial flit, data 1 to 16",
	  .header_bytes = 16, .answer_bytes = 16, .enables_bytes = 16, .unit_bytes = 16, .payload_bytes = 256,
	  .flit_bytes = 1, .flit_used = 1, .code_bits = 1, .code_used = 1, .gigatransfers = 25, .lanes = 16 },
};

const struct link *link_preset_at(unsigned index)
{
	return index < sizeof(presets) / sizeof(presets[0]) ? &presets[index] : NULL;
}

const struct link *link_preset(const char *name)
{
	for (unsigned i = 0; link_preset_at(i); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

static uint64_t in_flits(const struct link *link, uint64_t bytes)
{
	return (bytes * link->flit_bytes + link->flit_used - 1) / link->flit_used;
}

/* A part that one transaction carries. */
static uint64_t part(const struct link *link, uint64_t header, uint64_t from, uint64_t end)
{
	uint64_t unit = link->unit_bytes;
	uint64_t data = (end + unit - 1) / unit * unit - from / unit * unit;
	uint64_t enables = from % unit || end % unit ? link->enables_bytes : 0;

	return in_flits(link, header + link->framing_bytes + link->digest_bytes + enables + data);
}

static uint64_t parts(const struct link *link, uint64_t header, uint64_t address, uint64_t size, uint64_t *transactions)
{
	uint64_t end = address + size, bytes = 0;

	while (address < end) {
		uint64_t cut = (address / link->payload_bytes + 1) * link->payload_bytes;
		uint64_t part_end = end < cut ? end : cut;

		bytes += part(link, header, address, part_end);
		(*transactions)++;
		address = part_end;
	}
	return bytes;
}

uint64_t link_write(const struct link *link, uint64_t address, uint64_t size, uint64_t *transactions)
{
	return parts(link, link->header_bytes, address, size, transactions);
}

uint64_t link_packet(const struct link *link, uint64_t payload)
{
	uint64_t unit = link->unit_bytes;

	/* Padded, and the packet itself says how many bytes count: no byte enables. */
	return part(link, link->header_bytes, 0, (payload + unit - 1) / unit * unit);
}

uint64_t link_read_request(const struct link *link)
{
	return in_flits(link, link->header_bytes + link->framing_bytes + link->digest_bytes);
}

uint64_t link_read_answer(const struct link *link, uint64_t address, uint64_t size)
{
	uint64_t transactions = 0;

	return parts(link, link->answer_bytes, address, size, &transactions);
}

double link_bytes_per_second(const struct link *link)
{
	return link->gigatransfers * 1e9 / 8 * link->lanes * link->code_used / link->code_bits;
}
