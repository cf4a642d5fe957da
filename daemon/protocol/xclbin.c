// SPDX-License-Identifier: Apache-2.0
#include "xclbin.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Offsets in the file. */
enum {
	MAGIC = 0,
	SIGNATURE_LENGTH = XCLBIN_SIGNATURE_LENGTH, /* -1: none */
	LENGTH = 304,	      /* of the file, without a signature */
	PLATFORM = 352,
	SECTIONS = 448, /* their number */
	FIRST_SECTION = 456,
	/* in the header of a section */
	SECTION_KIND = 0,
	SECTION_OFFSET = 24,
	SECTION_BYTES = 32,
	SECTION_HEADER = 40,
	SECTIONS_MOST = 0x10000,
	PLATFORM_BYTES = 64,
};

static uint64_t xclbin_get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static const uint8_t *header_of(const struct xclbin *xclbin, uint32_t section)
{
	return xclbin->file + FIRST_SECTION + (size_t)section * SECTION_HEADER;
}

static int check_section(const struct xclbin *xclbin, uint32_t section, uint64_t begin, uint64_t length,
			 struct failure *failure)
{
	const uint8_t *header = header_of(xclbin, section);
	uint64_t offset = xclbin_get(header + SECTION_OFFSET, 8), bytes = xclbin_get(header + SECTION_BYTES, 8);

	if (!bytes)
		return 0;
	if (offset < begin || offset > length || bytes > length - offset)
		return failure_set(failure, -EINVAL,
				   "section %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64 ": must be within %" PRIu64
				   " to %" PRIu64,
				   section, bytes, offset, begin, length);
	return 0;
}

static int check_platform(struct xclbin *xclbin, struct failure *failure)
{
	memcpy(xclbin->platform, xclbin->file + PLATFORM, PLATFORM_BYTES);
	xclbin->platform[PLATFORM_BYTES] = '\0';
	for (const char *c = xclbin->platform; *c; c++)
		if (*c <= ' ' || *c > '~')
			return failure_set(failure, -EINVAL, "the name of the platform is not text");
	return 0;
}

/* A signature follows the file, which its length does not count. */
static int check_length(struct xclbin *xclbin, uint64_t length, struct failure *failure)
{
	int64_t signature = (int32_t)(uint32_t)xclbin_get(xclbin->file + SIGNATURE_LENGTH, 4);

	if (signature < -1)
		return failure_set(failure, -EINVAL, "signature of %" PRId64 " bytes", signature);
	if (length < FIRST_SECTION || length > xclbin->bytes)
		return failure_set(failure, -EINVAL, "truncated: %zu bytes of %" PRIu64, xclbin->bytes, length);
	if (signature > 0 && (uint64_t)signature > xclbin->bytes - length)
		return failure_set(failure, -EINVAL, "truncated: %zu bytes of %" PRIu64 " and a signature of %" PRId64,
				   xclbin->bytes, length, signature);
	xclbin->length = (size_t)length;
	xclbin->signature_bytes = signature > 0 ? (size_t)signature : 0;
	return 0;
}

int xclbin_open(const void *file, size_t bytes, struct xclbin *xclbin, struct failure *failure)
{
	uint64_t length, sections;

	*xclbin = (struct xclbin){ .file = file, .bytes = bytes };
	if (bytes < FIRST_SECTION)
		return failure_set(failure, -EINVAL, "truncated: %zu bytes, the header has %d", bytes, FIRST_SECTION);
	if (memcmp(xclbin->file + MAGIC, "xclbin2", 8))
		return failure_set(failure, -EINVAL, "no xclbin2 container");
	length = xclbin_get(xclbin->file + LENGTH, 8);
	sections = xclbin_get(xclbin->file + SECTIONS, 4);
	if (check_length(xclbin, length, failure) || check_platform(xclbin, failure))
		return failure->code;
	if (sections > SECTIONS_MOST || sections > (length - FIRST_SECTION) / SECTION_HEADER)
		return failure_set(failure, -EINVAL, "truncated: %" PRIu64 " sections in %" PRIu64 " bytes", sections, length);
	xclbin->sections = (uint32_t)sections;
	for (uint32_t s = 0; s < xclbin->sections; s++)
		if (check_section(xclbin, s, FIRST_SECTION + sections * SECTION_HEADER, length, failure))
			return failure->code;
	return 0;
}

const void *xclbin_find(const struct xclbin *xclbin, enum xclbin_section kind, size_t *bytes)
{
	for (uint32_t s = 0; s < xclbin->sections; s++) {
		const uint8_t *header = header_of(xclbin, s);

		if (xclbin_get(header + SECTION_KIND, 4) != (uint64_t)kind)
			continue;
		*bytes = (size_t)xclbin_get(header + SECTION_BYTES, 8);
		return *bytes ? xclbin->file + xclbin_get(header + SECTION_OFFSET, 8) : NULL;
	}
	return NULL;
}
