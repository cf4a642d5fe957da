/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container in which logic for a card comes: xclbin2, the format of AMD's XRT (struct axlf of its xclbin.h), little endian.
 * The reader trusts nothing in it: every offset and length is checked against the bytes that are there.
 */
#ifndef GPULINKD_XCLBIN_H
#define GPULINKD_XCLBIN_H

#include "../../common/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of sections that gpulink reads. */
enum xclbin_section {
	XCLBIN_BITSTREAM = 0,	   /**< for the configuration port */
	XCLBIN_USER_METADATA = 16, /**< JSON: {"gpulink": {"hw_version": "1.0.0"}} */
};

/** A container that has been checked. Points into the file. */
struct xclbin {
	const uint8_t *file;
	size_t bytes;
	char platform[65]; /**< of the part and board: "gpulink:emulated:card:1.0" */
	size_t length;		/**< without the signature that follows */
	size_t signature_bytes; /**< 0: none */
	uint32_t sections;
};

/** Checks a file; returns 0, or the code of *failure, -EINVAL. */
int xclbin_open(const void *file, size_t bytes, struct xclbin *xclbin, struct failure *failure);

enum { XCLBIN_SIGNATURE_LENGTH = 8 }; /**< offset of 4 bytes, which are ff in what is signed */

/** The first section of a kind, or NULL. */
const void *xclbin_find(const struct xclbin *xclbin, enum xclbin_section kind, size_t *bytes);

#endif /* GPULINKD_XCLBIN_H */
