// SPDX-License-Identifier: GPL-2.0-only
/* The list of parts: calls that can fail, or that undo others. */
#include "core/part.h"

const struct glk_part * const *glk_parts;

int glk_parts_identify(struct glk_card *card)
{
	const struct glk_part * const *part;
	int err = 0;

	for (part = glk_parts; *part && !err; part++)
		if ((*part)->identify)
			err = (*part)->identify(card);
	return err;
}

/* Removes what the parts before `end` have added, last first. */
static void parts_unpublish(struct glk_card *card, const struct glk_part * const *end)
{
	while (end-- > glk_parts)
		if ((*end)->unpublish)
			(*end)->unpublish(card);
}

/* On error nothing is published. */
int glk_parts_publish(struct glk_card *card)
{
	const struct glk_part * const *part;
	int err;

	for (part = glk_parts; *part; part++) {
		err = (*part)->publish ? (*part)->publish(card) : 0;
		if (err) {
			parts_unpublish(card, part);
			return err;
		}
	}
	return 0;
}

void glk_parts_unpublish(struct glk_card *card)
{
	const struct glk_part * const *end = glk_parts;

	while (*end)
		end++;
	parts_unpublish(card, end);
}
