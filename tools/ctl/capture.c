// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include "pcapng.h"
#include "signals.h"

#include <gpulink_admin.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef GLK_DEBUGFS
#define GLK_DEBUGFS "/sys/kernel/debug/gpulink"
#endif

/* Layout of the driver's records (docs/capture.md). */
#define RECORD_BYTES	 256u
#define RECORD_DIRECTION 8
#define RECORD_BLOCKS	 9
#define RECORD_FLAGS	 10
#define RECORD_RESERVED	 11
#define RECORD_LOST	 12
#define RECORD_UNUSED	 16
#define RECORD_FRAME	 64
#define BLOCK_BYTES	 16u
#define BLOCKS_MAX	 12u
#define FLAG_DROPPED	 1u
#define FLAG_CUT	 2u /* truncated: more flits arrived than are recorded */

#define NS_PER_SECOND UINT64_C(1000000000)

struct capture {
	const char *name; /**< of the output, for messages */
	int records, output;
	uint64_t frames_max; /**< 0: no limit */
	uint64_t deadline;   /**< of the monotonic clock; 0: none */
	struct ending_signals signals;
	uint64_t frames, dropped, lost;
	size_t have; /**< bytes in `in` */
	uint8_t in[64 * RECORD_BYTES];
	struct pcapng file;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* --- records --- */

static uint64_t capture_get(const uint8_t *bytes, unsigned count)
{
	uint64_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

static bool all_zero(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

/* Whether the record conforms to docs/capture.md. */
static bool record_valid(const uint8_t *record)
{
	size_t frame_bytes = record[RECORD_BLOCKS] * BLOCK_BYTES;
	uint8_t flags = record[RECORD_FLAGS];

	if (flags == (FLAG_CUT | FLAG_DROPPED) ? record[RECORD_BLOCKS] != BLOCKS_MAX : flags > FLAG_DROPPED)
		return false;
	return record[RECORD_DIRECTION] <= 1 && record[RECORD_BLOCKS] && record[RECORD_BLOCKS] <= BLOCKS_MAX &&
	       !record[RECORD_RESERVED] &&
	       all_zero(record + RECORD_UNUSED, RECORD_FRAME - RECORD_UNUSED) &&
	       all_zero(record + RECORD_FRAME + frame_bytes, RECORD_BYTES - RECORD_FRAME - frame_bytes);
}

static enum exit_code write_failed(const struct capture *capture, int error)
{
	complain("%s: %s", capture->name, strerror(-error));
	return EXIT_FAILED;
}

static enum exit_code take_record(struct capture *capture, const uint8_t *record)
{
	struct pcapng_packet packet = {
		.time_ns = capture_get(record, 8),
		.dropped = capture_get(record + RECORD_LOST, 4),
		.direction = record[RECORD_DIRECTION] ? PCAPNG_IN : PCAPNG_OUT,
		.crc_error = record[RECORD_FLAGS] & FLAG_DROPPED,
		.data = record + RECORD_FRAME,
		.length = record[RECORD_BLOCKS] * BLOCK_BYTES,
		.left_out = record[RECORD_FLAGS] & FLAG_CUT ? BLOCK_BYTES : 0,
	};
	int error;

	if (!record_valid(record)) {
		complain("invalid record %" PRIu64 " from the driver", capture->frames);
		return EXIT_FAILED;
	}
	error = pcapng_packet(&capture->file, &packet);
	if (error)
		return write_failed(capture, error);
	capture->frames++;
	capture->lost += packet.dropped;
	capture->dropped += packet.crc_error;
	return EXIT_OK;
}

static bool enough(const struct capture *capture)
{
	return capture->frames_max && capture->frames == capture->frames_max;
}

/* Writes the complete records read so far, and keeps the rest. */
static enum exit_code take_records(struct capture *capture)
{
	enum exit_code code = EXIT_OK;
	size_t done = 0;
	int error;

	for (; code == EXIT_OK && capture->have - done >= RECORD_BYTES && !enough(capture); done += RECORD_BYTES)
		code = take_record(capture, capture->in + done);
	capture->have -= done;
	memmove(capture->in, capture->in + done, capture->have);
	/* A blocked write must be interruptible. */
	sigprocmask(SIG_SETMASK, &capture->signals.open, NULL);
	error = pcapng_flush(&capture->file);
	sigprocmask(SIG_BLOCK, &capture->signals.blocked, NULL);
	return code == EXIT_OK && error ? write_failed(capture, error) : code;
}

/* Reports a failed read. debugfs returns EIO for a removed file. */
static enum exit_code read_failed(int error)
{
	bool gone = error == ENODEV || error == EIO;

	complain("capture ended: %s",
		 gone ? "card removed" : error == ESTALE ? "card reset" : strerror(error));
	return gone ? EXIT_NO_CARD : EXIT_FAILED;
}

/* Waits for records and reads them. *ended: no more will follow. */
static enum exit_code read_records(struct capture *capture, bool *ended)
{
	struct pollfd events = {.fd = capture->records, .events = POLLIN};
	struct timespec left = {0};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	ssize_t got;
	int ready;

	*ended = signals_arrived() || (capture->deadline && now >= capture->deadline);
	if (*ended)
		return EXIT_OK;
	if (capture->deadline) {
		left.tv_sec = (time_t)((capture->deadline - now) / NS_PER_SECOND);
		left.tv_nsec = (long)((capture->deadline - now) % NS_PER_SECOND);
	}
	ready = ppoll(&events, 1, capture->deadline ? &left : NULL, &capture->signals.open);
	*ended = !ready || signals_arrived();
	if (*ended || (ready < 0 && errno == EINTR))
		return EXIT_OK;
	got = ready < 0 ? -1 : read(capture->records, capture->in + capture->have, sizeof(capture->in) - capture->have);
	if (got < 0 && errno != EAGAIN && errno != EINTR)
		return read_failed(errno);
	*ended = !got;
	if (got > 0)
		capture->have += (size_t)got;
	if (*ended && capture->have) {
		complain("truncated record from the driver");
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static enum exit_code capture_all(struct capture *capture, const char *card)
{
	char application[64];
	uint64_t start = clock_ns(CLOCK_REALTIME);
	enum exit_code code = EXIT_OK;
	bool ended = false;
	int error;

	snprintf(application, sizeof(application), "gpulinkctl %s", gpulink_version());
	error = pcapng_begin(&capture->file, capture->output, application, card);
	if (!error)
		error = pcapng_flush(&capture->file);
	if (error)
		return write_failed(capture, error);
	while (code == EXIT_OK && !ended && !enough(capture)) {
		code = read_records(capture, &ended);
		if (code == EXIT_OK)
			code = take_records(capture);
	}
	/* Complete the file also after an error. */
	error = pcapng_end(&capture->file, start, clock_ns(CLOCK_REALTIME), capture->frames, capture->lost);
	return error && code == EXIT_OK ? write_failed(capture, error) : code;
}

/* --- the command --- */

/* Opens the records of a card; the driver captures while the file is open. */
static enum exit_code open_records(struct capture *capture, const char *card)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/link_capture", GLK_DEBUGFS, card);
	capture->records = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (capture->records >= 0)
		return EXIT_OK;
	complain("%s: %s%s", path, strerror(errno),
		 errno == ENOENT ? "; debugfs is not mounted, or the driver does not support capture" : "");
	return errno == EACCES || errno == EPERM ? EXIT_NOT_PERMITTED : EXIT_FAILED;
}

static enum exit_code open_output(struct capture *capture, const char *name)
{
	bool standard = !strcmp(name, "-");

	if (standard && isatty(STDOUT_FILENO)) {
		complain("cannot write a capture to a terminal; name a file or redirect standard output");
		return EXIT_USAGE;
	}
	capture->name = standard ? "standard output" : name;
	/* It contains the data of users: readable only by the owner. */
	capture->output = standard ? STDOUT_FILENO : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (capture->output >= 0)
		return EXIT_OK;
	complain("%s: %s", name, strerror(errno));
	return EXIT_FAILED;
}

/* On standard error when the capture itself goes to standard output. */
static void print_result(const struct capture *capture, bool json)
{
	FILE *where = capture->output == STDOUT_FILENO ? stderr : stdout;

	if (json)
		fprintf(where, "{\"frames\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"lost\": %" PRIu64 "}\n", capture->frames,
			capture->dropped, capture->lost);
	else
		fprintf(where, "frames captured: %" PRIu64 ", of them dropped by the card: %" PRIu64 "; %" PRIu64 " lost\n",
			capture->frames, capture->dropped, capture->lost);
}

/* gpulinkd does not provide access to debugfs. */
static enum exit_code find_local_card(struct invocation *invocation)
{
	struct gpulink_admin_info info;
	enum exit_code code;
	int error;

	invocation->asker.direct = answer_directly;
	code = find_card(invocation);
	if (code != EXIT_OK)
		return code;
	error = gpulink_admin_get_info(invocation->card, &info, sizeof(info));
	if (error == -GPULINK_ENODEV) {
		complain("no such card '%s'", invocation->card);
		return EXIT_NO_CARD;
	}
	if (!error && strcmp(info.state, "lost"))
		return EXIT_OK;
	complain("%s: %s", invocation->card,
		 error ? gpulink_strerror(error) : "lost: it does not answer; a reset may recover it");
	return EXIT_FAILED;
}

/* The driver is capturing from here on. */
static enum exit_code capture_to(struct capture *capture, const struct invocation *invocation)
{
	enum exit_code code = open_output(capture, invocation->arguments[0]);

	if (code != EXIT_OK)
		return code;
	capture->frames_max = invocation->count;
	if (invocation->seconds)
		capture->deadline = clock_ns(CLOCK_MONOTONIC) + invocation->seconds * NS_PER_SECOND;
	code = capture_all(capture, invocation->card);
	if (close(capture->output) && code == EXIT_OK)
		code = write_failed(capture, -errno);
	if (code == EXIT_OK)
		print_result(capture, invocation->json);
	return code;
}

enum exit_code run_capture(struct invocation *invocation)
{
	static struct capture capture;
	enum exit_code code = find_local_card(invocation);

	if (code == EXIT_OK && !signals_catch(&capture.signals))
		code = EXIT_FAILED;
	if (code == EXIT_OK)
		code = open_records(&capture, invocation->card);
	if (code != EXIT_OK)
		return code;
	code = capture_to(&capture, invocation);
	close(capture.records);
	return code;
}
