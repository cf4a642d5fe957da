/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The error log. Every line has a stable code and name, as in "error 3 (dma): ...", documented in
 * docs/errors.md. All messages are rate-limited.
 */
#ifndef GLK_ERROR_H
#define GLK_ERROR_H

#include <linux/dev_printk.h>

enum glk_error {
	/* Up to 6 bits of CARD.ERROR_CAUSE; the driver detects the others. */
	/* generated from fpga/regs: errors */
	GLK_ERROR_WINDOW = 0,
	GLK_ERROR_PACKET = 1,
	GLK_ERROR_CONFIG = 2,
	GLK_ERROR_DMA = 3,
	GLK_ERROR_ENDPOINT = 4,
	GLK_ERROR_RING = 5,
	GLK_ERROR_LINK = 6,
	GLK_ERROR_LOST = 16,
	GLK_ERROR_DRAIN = 17,
	GLK_ERROR_RESET = 18,
	GLK_ERROR_FOREIGN = 19,
	GLK_ERROR_BLOCK = 20,
	GLK_ERROR_CAPABILITIES = 21,
	GLK_ERROR_BAR = 22,
	GLK_ERROR_VECTORS = 23,
	GLK_ERROR_ENDPOINT_NAME = 24,
	GLK_ERROR_ENDPOINT_GONE = 25,
	GLK_ERROR_PERF = 26,
	GLK_ERROR_PEER = 27,
	GLK_ERROR_DMABUF = 28,
	GLK_ERROR_COHERENCE = 29,
	/* end of errors */
};

const char *glk_error_name(enum glk_error error);

#define glk_err(card, error, fmt, ...)							\
do {											\
	const enum glk_error __error = (error);						\
											\
	dev_err_ratelimited(&(card)->pdev->dev, "error %d (%s): " fmt, __error,		\
			    glk_error_name(__error), ##__VA_ARGS__);			\
} while (0)
#define glk_warn(card, error, fmt, ...)							\
do {											\
	const enum glk_error __error = (error);						\
											\
	dev_warn_ratelimited(&(card)->pdev->dev, "error %d (%s): " fmt, __error,	\
			     glk_error_name(__error), ##__VA_ARGS__);			\
} while (0)

#endif /* GLK_ERROR_H */
