/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window aperture (BAR 2): stores of devices and processors go to the write queue of the window's partition, loads read the
 * endpoint behind them. The functions are those of card/card.h, glk_card_aperture_store() and the next two. Internal to the
 * model.
 */
#ifndef GLK_APERTURE_H
#define GLK_APERTURE_H

#include "window/window_table.h"

int glk_aperture_store(struct glk_windows *windows, uint64_t offset, const void *data, size_t len);
int glk_aperture_load(struct glk_windows *windows, uint64_t offset, void *data, size_t len);
int glk_aperture_poisoned(struct glk_windows *windows, uint64_t offset);

#endif /* GLK_APERTURE_H */
