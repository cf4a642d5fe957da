/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads logic into a card: checks the image, unbinds the driver, which drains the card, loads, resets, and binds the driver
 * again, which checks the card's capabilities. If the new logic does not answer, the previous image is put back. gpulinkd
 * configures the card when it appears again.
 */
#ifndef GPULINKD_PROGRAM_H
#define GPULINKD_PROGRAM_H

#include "../../common/failure.h"

#include <gpulink_admin.h>

#include <stdbool.h>
#include <stdint.h>

/** Maximum size of an image. */
#define PROGRAM_FILE_BYTES (UINT64_C(256) << 20)

/** The files of a request: the image, and the one to put back as long as none was loaded into this card. */
struct program_files {
	int image, fallback; /* descriptors, or -1 */
};

struct program {
	struct gpulink_admin_info info; /**< in: of the card; out: with the new logic */
	struct failure failure;
};

/** Returns 0, or the code of program->failure. It may take a minute per 100 MB of image, and holds up nothing but the caller.
 */
int program_card(struct program *program, const struct program_files *files);

/** From now on images must be signed with the key of this certificate, a PEM file; "": they need not, the default. For the
 * whole process; not while a card is programmed. */
void program_demand_signature(const char *certificate);

/** Whether they must. */
bool program_demands_signature(void);

/** Is called at least every few seconds while a card is programmed, for watchdogs. NULL: none. */
void program_on_progress(void (*callback)(void));

/** Loads the previous logic into cards that a load left without any, because it was interrupted or both images failed. Reports
 * each card: failure is NULL, or one line. Without effect, and without a report, if there is none. */
void program_recover(void (*report)(const char *pci_address, const char *failure));

#endif /* GPULINKD_PROGRAM_H */
