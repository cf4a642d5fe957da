// SPDX-License-Identifier: Apache-2.0
#include "mcap.h"

#include <stdio.h>
#include <string.h>

/* Registers of the capability. */
enum { HEADER = 0x00,
       VENDOR_HEADER = 0x04,
       JTAG_ID = 0x08,
       VERSION = 0x0c,
       STATUS = 0x10,
       CONTROL = 0x14,
       DATA = 0x18,
       BYTES = 0x2c };

#define CAPABILITY_VENDOR 0x000bu
#define VSEC_MCAP	  0x0001u
#define PART_ID		  UINT32_C(0x06c6b093) /* of no real part */

#define CONTROL_ENABLE UINT32_C(0x00000001)
#define CONTROL_ACCESS UINT32_C(0x00000100)
#define CONTROL_WRITE  UINT32_C(0x00010000)
#define CONTROL_RESETS UINT32_C(0x00000030)
#define CONTROL_ALL    (CONTROL_ENABLE | CONTROL_ACCESS | CONTROL_WRITE)

#define STATUS_ERROR	UINT32_C(0x00000001)
#define STATUS_EOS	UINT32_C(0x00000002)
#define STATUS_OVERFLOW UINT32_C(0x00000100)

/* The stream: FPGA tools begin theirs with the same word. */
#define SYNC  UINT32_C(0xaa995566)
#define FIRST "gpulink emulated logic 1\n"
#define LAST  "end\n"

static uint32_t mcap_get(const struct pci_config *config, unsigned reg)
{
	const uint8_t *at = config->value + MCAP_OFFSET + reg;

	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void mcap_put(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void set_status(struct pci_config *config, uint32_t status)
{
	mcap_put(config->value + MCAP_OFFSET + STATUS, status);
}

void mcap_add(struct pci_config *config)
{
	uint8_t *capability = config->value + MCAP_OFFSET;

	mcap_put(capability + HEADER, CAPABILITY_VENDOR | 1u << 16);
	mcap_put(capability + VENDOR_HEADER, VSEC_MCAP | BYTES << 20);
	mcap_put(capability + JTAG_ID, PART_ID);
	mcap_put(capability + VERSION, 1);
	mcap_put(capability + STATUS, STATUS_EOS); /* as after power-on */
	mcap_put(config->writable + MCAP_OFFSET + CONTROL, 0xffffffff);
	mcap_put(config->writable + MCAP_OFFSET + DATA, 0xffffffff);
}

/* One line, without its end. */
static bool take_line(struct mcap_image *image, const char *line)
{
	unsigned value;
	char rest;

	if (!*line)
		return true;
	if (!strcmp(line, "logic model") || !strcmp(line, "logic rtl") || !strcmp(line, "logic dead")) {
		image->rtl = !strcmp(line, "logic rtl");
		image->dead = !strcmp(line, "logic dead");
		return true;
	}
	if (sscanf(line, "partitions %2u%c", &value, &rest) == 1) {
		image->partitions = value;
		return value >= 1 && value <= 16;
	}
	if (!strcmp(line, "packing 0")) {
		image->no_packing = true;
		return true;
	}
	if (sscanf(line, "queue_entries %2u%c", &value, &rest) == 1) {
		image->queue_entries = value;
		return value == 16 || value == 32 || value == 64;
	}
	return false;
}

/* The whole text, which ends with LAST. */
static bool parse(struct mcap *mcap)
{
	char *line = mcap->text + sizeof(FIRST) - 1, *end;

	memset(&mcap->image, 0, sizeof(mcap->image));
	for (; strcmp(line, LAST); line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return false;
		*end = '\0';
		if (!take_line(&mcap->image, line))
			return false;
	}
	return true;
}

static bool ends(const struct mcap *mcap)
{
	size_t length = strlen(mcap->text), last = sizeof(LAST) - 1;

	return length >= last && !strcmp(mcap->text + length - last, LAST);
}

/* A word of the stream; its first byte is the most significant one. Before the sync word it is padding. */
static enum mcap_event take_word(struct mcap *mcap, struct pci_config *config, uint32_t word)
{
	if (!mcap->streaming) {
		if (word != SYNC)
			return MCAP_NONE;
		mcap->streaming = true;
		mcap->bytes = 0;
		memset(mcap->text, 0, sizeof(mcap->text));
		set_status(config, 0);
		return MCAP_CLEARED;
	}
	if (mcap->bytes + 4 > MCAP_IMAGE_BYTES) {
		set_status(config, STATUS_ERROR | STATUS_OVERFLOW);
		return MCAP_NONE;
	}
	for (unsigned i = 0; i < 4; i++)
		mcap->text[mcap->bytes++] = (char)(word >> (24 - 8 * i));
	if (!ends(mcap))
		return MCAP_NONE;
	mcap->streaming = false;
	if (strncmp(mcap->text, FIRST, sizeof(FIRST) - 1) || !parse(mcap)) {
		set_status(config, STATUS_ERROR);
		return MCAP_NONE;
	}
	set_status(config, STATUS_EOS);
	return MCAP_LOADED;
}

enum mcap_event mcap_written(struct mcap *mcap, struct pci_config *config, uint64_t offset, unsigned len)
{
	uint32_t control = mcap_get(config, CONTROL);

	/* A stream that was abandoned. The reset also clears the error. */
	if (offset == MCAP_OFFSET + CONTROL && (control & CONTROL_ALL) != CONTROL_ALL)
		mcap->streaming = false;
	if (offset == MCAP_OFFSET + CONTROL && control & CONTROL_RESETS)
		set_status(config, mcap_get(config, STATUS) & STATUS_EOS);
	if (offset != MCAP_OFFSET + DATA || len != 4 || (control & CONTROL_ALL) != CONTROL_ALL)
		return MCAP_NONE;
	return take_word(mcap, config, mcap_get(config, DATA));
}

void mcap_failed(struct pci_config *config)
{
	set_status(config, STATUS_ERROR);
}
