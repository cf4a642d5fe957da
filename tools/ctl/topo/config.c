// SPDX-License-Identifier: Apache-2.0
/* Decodes a configuration space. Every offset is checked: dumps may contain anything. */
#include "tree.h"

#include <string.h>

enum { VENDOR_GPULINK = 0x1234, DEVICE_GPULINK = 0x6c6b };
enum { CLASS_NETWORK = 0x02, CLASS_DISPLAY = 0x03, CLASS_BRIDGE = 0x06, CLASS_ACCELERATOR = 0x12 };
enum { CAP_PCI_EXPRESS = 0x10, EXTENDED_AER = 0x01, EXTENDED_ACS = 0x0d, EXTENDED_REBAR = 0x15 };

/* Reads `bytes` little-endian bytes; 0 beyond the readable part. */
static uint32_t topo_config_get(const struct function *f, unsigned at, unsigned bytes)
{
	uint32_t value = 0;

	if (at + bytes > f->config_bytes || at + bytes > CONFIG_BYTES)
		return 0;
	for (unsigned i = bytes; i--;)
		value = value << 8 | f->config[at + i];
	return value;
}

static unsigned find_cap(const struct function *f, unsigned id)
{
	unsigned at = topo_config_get(f, 0x34, 1) & 0xfc;

	if (!(topo_config_get(f, 0x06, 2) & 0x10))
		return 0;
	for (unsigned hops = 0; at >= 0x40 && hops < 48; hops++) {
		if (topo_config_get(f, at, 1) == id)
			return at;
		at = topo_config_get(f, at + 1, 1) & 0xfc;
	}
	return 0;
}

static unsigned find_extended(const struct function *f, unsigned id)
{
	unsigned at = 0x100;

	for (unsigned hops = 0; at >= 0x100 && hops < (CONFIG_BYTES - 0x100) / 8; hops++) {
		uint32_t header = topo_config_get(f, at, 4);

		if (!header || header == UINT32_MAX)
			return 0;
		if ((header & 0xffff) == id)
			return at;
		at = header >> 20 & 0xffc;
	}
	return 0;
}

static unsigned payload_of(unsigned code)
{
	return code <= 5 ? 128u << code : 0;
}

static struct link_rate rate_of(uint32_t word)
{
	struct link_rate rate = {.generation = word & 0xf, .lanes = word >> 4 & 0x3f};

	if (!rate.generation || rate.generation > 6 || !rate.lanes)
		return (struct link_rate){0};
	return rate;
}

static void decode_express(struct function *f)
{
	unsigned at = find_cap(f, CAP_PCI_EXPRESS);
	uint32_t control, able2, control2;

	f->port = PORT_NONE;
	if (!at)
		return;
	f->port = (enum port_type)(topo_config_get(f, at + 2, 2) >> 4 & 0xf);
	f->payload_most = payload_of(topo_config_get(f, at + 4, 4) & 7);
	control = topo_config_get(f, at + 8, 2);
	f->payload = payload_of(control >> 5 & 7);
	f->read_request = payload_of(control >> 12 & 7);
	f->relaxed_ordering = control & 0x10;
	f->rate_most = rate_of(topo_config_get(f, at + 0xc, 4));
	f->rate = rate_of(topo_config_get(f, at + 0x12, 2));
	if ((topo_config_get(f, at + 2, 2) & 0xf) < 2)
		return; /* version 1 has no second set of registers */
	able2 = topo_config_get(f, at + 0x24, 4);
	control2 = topo_config_get(f, at + 0x28, 2);
	f->atomics_routed = able2 & 0x40;
	f->atomics_complete = able2 & 0x180;
	f->tags10_complete = able2 & 0x10000;
	f->tags10_request = able2 & 0x20000;
	f->atomics_request = control2 & 0x40;
	f->atomics_blocked = control2 & 0x80;
	f->tags10_enabled = control2 & 0x1000;
}

static void decode_windows(struct function *f)
{
	uint64_t base, limit;

	f->secondary = (uint8_t)topo_config_get(f, 0x19, 1);
	f->subordinate = (uint8_t)topo_config_get(f, 0x1a, 1);
	f->windows[0].first = (uint64_t)(topo_config_get(f, 0x20, 2) & 0xfff0) << 16;
	f->windows[0].last = (uint64_t)(topo_config_get(f, 0x22, 2) & 0xfff0) << 16 | 0xfffff;
	base = topo_config_get(f, 0x24, 2);
	limit = topo_config_get(f, 0x26, 2);
	f->windows[1].first = (base & 0xfff0) << 16;
	f->windows[1].last = (limit & 0xfff0) << 16 | 0xfffff;
	if ((base & 0xf) == 1) { /* 64 bits wide */
		f->windows[1].first |= (uint64_t)topo_config_get(f, 0x28, 4) << 32;
		f->windows[1].last |= (uint64_t)topo_config_get(f, 0x2c, 4) << 32;
	}
}

/* Keeps the sizes, which are not in the registers. */
static void decode_bars(struct function *f, unsigned count)
{
	for (unsigned b = 0; b < count; b++) {
		uint32_t low = topo_config_get(f, 0x10 + 4 * b, 4);
		struct bar *bar = &f->bars[b];

		bar->memory = low && low != UINT32_MAX && !(low & 1);
		bar->prefetchable = low & 8;
		bar->address = low & ~15u;
		if (bar->memory && (low & 6) == 4 && b + 1 < count) {
			bar->address |= (uint64_t)topo_config_get(f, 0x10 + 4 * ++b, 4) << 32;
			f->bars[b].memory = false;
		}
	}
}

static void decode_resizable(struct function *f)
{
	unsigned at = find_extended(f, EXTENDED_REBAR), count;

	if (!at)
		return;
	count = topo_config_get(f, at + 8, 4) >> 5 & 7; /* in the first control register */
	for (unsigned i = 0; i < count && i < 6; i++) {
		uint32_t able = topo_config_get(f, at + 4 + 8 * i, 4), control = topo_config_get(f, at + 8 + 8 * i, 4);
		unsigned b = control & 7, size = control >> 8 & 0x3f;

		if (b > 5 || !f->bars[b].memory || size > 43)
			continue;
		/* Bits 4 to 31 stand for 1 MB to 128 TB; the upper half of the control register for more. */
		f->bars[b].sizes = (uint64_t)(able >> 4) << 20;
		if (!f->bars[b].bytes)
			f->bars[b].bytes = UINT64_C(1) << (20 + size);
	}
}

static void decode_extended(struct function *f)
{
	unsigned aer = find_extended(f, EXTENDED_AER), acs = find_extended(f, EXTENDED_ACS);

	f->aer.present = aer;
	if (aer) {
		f->aer.uncorrectable = topo_config_get(f, aer + 0x04, 4);
		f->aer.correctable = topo_config_get(f, aer + 0x10, 4);
	}
	f->has_acs = acs;
	if (acs) {
		f->acs_capable = topo_config_get(f, acs + 4, 2);
		f->acs_enabled = topo_config_get(f, acs + 6, 2);
	}
}

static enum function_kind kind_of(const struct function *f)
{
	unsigned base = f->class_code >> 8;

	if (f->vendor == VENDOR_GPULINK && f->device == DEVICE_GPULINK)
		return KIND_CARD;
	if (f->has_windows || base == CLASS_BRIDGE)
		return KIND_BRIDGE;
	if (base == CLASS_DISPLAY || base == CLASS_ACCELERATOR)
		return KIND_GPU;
	return base == CLASS_NETWORK ? KIND_NIC : KIND_OTHER;
}

void function_decode(struct function *f)
{
	unsigned header = topo_config_get(f, 0x0e, 1) & 0x7f, command = topo_config_get(f, 0x04, 2);

	f->vendor = (uint16_t)topo_config_get(f, 0x00, 2);
	f->device = (uint16_t)topo_config_get(f, 0x02, 2);
	f->class_code = (uint16_t)topo_config_get(f, 0x0a, 2);
	f->has_windows = header == 1 && f->class_code == (CLASS_BRIDGE << 8 | 0x04);
	f->kind = kind_of(f);
	f->decodes_memory = command & 2;
	f->bus_master = command & 4;
	f->caps_known = f->config_bytes >= 256 || !(topo_config_get(f, 0x06, 2) & 0x10);
	decode_bars(f, header == 1 ? 2 : header ? 0 : 6);
	if (f->has_windows)
		decode_windows(f);
	decode_express(f);
	/* Conventional PCI functions end at 256 bytes. */
	f->extended_known = f->config_bytes > 256 || (f->caps_known && f->port == PORT_NONE);
	decode_resizable(f);
	decode_extended(f);
}
