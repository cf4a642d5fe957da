/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of fake cards (made_up_cards.c), for C tests. Failures terminate the test program. */
#ifndef GPULINKD_TEST_CARD_FOLDER_H
#define GPULINKD_TEST_CARD_FOLDER_H

/** Creates a temporary directory without cards for made_up_cards.c; removed by card_folder_remove(). */
void card_folder_make(void);
void card_folder_remove(void);

/** A path below the folder; valid until the next call but seven. */
const char *card_folder_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Makes a card with width 4, payload limit 1024, no timeout, coalescing, and no endpoint on its partitions. */
void card_make(const char *card, const char *serial, unsigned partitions);

/** Writes and reads a file of a partition; reading gives the text without its line end, valid as above. */
void card_write(const char *card, unsigned partition, const char *file, const char *text);
const char *card_read(const char *card, unsigned partition, const char *file);

/** A line of a partition's file, counted from 0; "" after the last. */
const char *card_line(const char *card, unsigned partition, const char *file, unsigned line);

/** Writes any text file below the folder. */
void file_write(const char *path, const char *text);

/** Gives a card a link, all settings 1. Reads one of them. */
void card_make_link(const char *card);
const char *card_read_link(const char *card, const char *setting);

#endif /* GPULINKD_TEST_CARD_FOLDER_H */
