// SPDX-License-Identifier: Apache-2.0
#include "mcap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Tests have a folder of their own. */
#ifndef GLK_PCI_DEVICES
#define GLK_PCI_DEVICES "/sys/bus/pci/devices"
#endif

enum { JTAG_ID = 0x08,
       STATUS = 0x10,
       CONTROL = 0x14,
       DATA = 0x18 };
enum { EXTENDED = 0x100,
       CONFIG_BYTES = 0x1000,
       CAPABILITY_VENDOR = 0x000b,
       VSEC_MCAP = 0x0001 };

#define CONTROL_ENABLE UINT32_C(0x00000001)
#define CONTROL_RESETS UINT32_C(0x00000030)
#define CONTROL_READ   UINT32_C(0x00000002)
#define CONTROL_ACCESS UINT32_C(0x00000100)
#define CONTROL_SWITCH UINT32_C(0x00001000)
#define CONTROL_WRITE  UINT32_C(0x00010000)

#define STATUS_ERROR	UINT32_C(0x00000001)
#define STATUS_EOS	UINT32_C(0x00000002)
#define STATUS_OVERFLOW UINT32_C(0x00000100)
#define STATUS_WANTED	UINT32_C(0x01000000) /* the part's configuration logic is not the port's yet */

#define NOOP	UINT32_C(0x20000000)
#define LOOKS	100
#define LOOK_NS 10000000 /* 10 ms: a second in all */
#define MOST	(UINT64_C(256) << 20)

#define PROGRESS_BYTES (1u << 18) /* less than a second, even if a word takes 10 us */

static int read_word(const struct mcap *mcap, unsigned offset, uint32_t *value)
{
	uint8_t bytes[4];
	ssize_t got = pread(mcap->config, bytes, sizeof(bytes), (off_t)offset);

	if (got < 0)
		return -errno;
	if (got != sizeof(bytes)) /* without CAP_SYS_ADMIN the kernel ends the file after 64 bytes */
		return -EACCES;
	*value = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return 0;
}

static int write_word(const struct mcap *mcap, unsigned offset, uint32_t value)
{
	const uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
	ssize_t put = pwrite(mcap->config, bytes, sizeof(bytes), (off_t)offset);

	return put < 0 ? -errno : put == sizeof(bytes) ? 0 : -EIO;
}

/* The extended capabilities are a list, which a broken function may close to a ring. */
static int find_port(struct mcap *mcap)
{
	unsigned at = EXTENDED;
	uint32_t header, vendor;
	int error;

	for (unsigned i = 0; i < (CONFIG_BYTES - EXTENDED) / 8 && at >= EXTENDED && at <= CONFIG_BYTES - 0x2c; i++) {
		error = read_word(mcap, at, &header);
		if (!error && (header & 0xffff) == CAPABILITY_VENDOR) {
			error = read_word(mcap, at + 4, &vendor);
			if (!error && (vendor & 0xffff) == VSEC_MCAP) {
				mcap->offset = at;
				return read_word(mcap, at + JTAG_ID, &mcap->part);
			}
		}
		if (error)
			return error;
		if (!header || header == UINT32_MAX)
			break;
		at = header >> 20 & ~3u;
	}
	return -ENOTSUP;
}

int mcap_open(struct mcap *mcap, const char *pci_address)
{
	struct stat status;
	char path[128];
	int error;

	snprintf(path, sizeof(path), GLK_PCI_DEVICES "/%.32s/config", pci_address);
	mcap->config = open(path, O_RDWR | O_CLOEXEC);
	if (mcap->config < 0)
		return -errno;
	error = fstat(mcap->config, &status) ? -errno : status.st_size < CONFIG_BYTES ? -ENOTSUP :
											find_port(mcap);
	if (error)
		mcap_close(mcap);
	return error;
}

void mcap_close(struct mcap *mcap)
{
	close(mcap->config);
	mcap->config = -1;
}

/* Until the masked bits of the status are `value`. The port needs clocks, which words give it. */
static int mcap_await(const struct mcap *mcap, uint32_t mask, uint32_t value, bool clocks)
{
	uint32_t status;
	int error;

	for (unsigned look = 0; look < LOOKS; look++) {
		error = read_word(mcap, mcap->offset + STATUS, &status);
		if (error)
			return error;
		if (status & (STATUS_ERROR | STATUS_OVERFLOW))
			return -EIO;
		if ((status & mask) == value)
			return 0;
		for (unsigned i = 0; clocks && !error && i < 16; i++)
			error = write_word(mcap, mcap->offset + DATA, NOOP);
		if (error)
			return error;
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	}
	return -EIO;
}

/* Tools write bitstreams byte by byte, the first one of a word in its highest bits. */
static int write_stream(const struct mcap *mcap, const uint8_t *bytes, size_t count, void (*progress)(void))
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i += 4) {
		uint32_t word = 0;

		for (unsigned b = 0; b < 4; b++)
			word = word << 8 | (i + b < count ? bytes[i + b] : 0u);
		error = write_word(mcap, mcap->offset + DATA, word);
		if (progress && i % PROGRESS_BYTES == 0)
			progress();
	}
	return error;
}

int mcap_load(struct mcap *mcap, const void *bitstream, size_t bytes, void (*progress)(void))
{
	uint32_t before, control;
	int error, ended;

	if (!bytes || bytes > MOST)
		return -EINVAL;
	error = read_word(mcap, mcap->offset + CONTROL, &before);
	if (error)
		return error;
	/* A previous, failed load is reset. */
	error = write_word(mcap, mcap->offset + CONTROL, CONTROL_ENABLE | CONTROL_ACCESS | CONTROL_RESETS);
	if (error)
		return error;
	control =
		(before | CONTROL_ENABLE | CONTROL_ACCESS | CONTROL_WRITE) & ~(CONTROL_RESETS | CONTROL_READ | CONTROL_SWITCH);
	error = write_word(mcap, mcap->offset + CONTROL, control);
	if (!error)
		error = mcap_await(mcap, STATUS_WANTED, 0, false);
	if (!error)
		error = write_stream(mcap, bitstream, bytes, progress);
	if (!error)
		error = mcap_await(mcap, STATUS_EOS, STATUS_EOS, true);
	/* Gives the configuration logic back, and the logic the reset that it waits for. */
	ended = write_word(mcap, mcap->offset + CONTROL, error ? before : before | CONTROL_SWITCH);
	return error ? error : ended;
}
