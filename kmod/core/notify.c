// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifications of changes: poll() on a sysfs file, and a uevent (docs/sysfs.md). Sent by work
 * items, which may run at any time until the card's interrupts are freed, and by open debugfs
 * files, hence notify_lock: the files exist only while the card is published.
 */
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "core/card.h"
#include "core/part.h"

/* trace.h has them too, for user space that formats traces. */
const char * const glk_state_names[] = {
	[GLK_LIVE] = "live",
	[GLK_RESETTING] = "resetting",
	[GLK_SUSPENDED] = "suspended",
	[GLK_LOST] = "lost",
	[GLK_REMOVED] = "removed",
};

/* `file` of the card changed, or NULL; envp: variables of the uevent. */
void glk_notify(struct glk_card *card, const char *file, char *envp[])
{
	mutex_lock(&card->notify_lock);
	if (card->published) {
		if (file)
			sysfs_notify(&card->dev.kobj, NULL, file);
		kobject_uevent_env(&card->dev.kobj, KOBJ_CHANGE, envp);
	}
	mutex_unlock(&card->notify_lock);
}

/* After publication, and before its end: no notification is in progress on return. */
void glk_notify_enable(struct glk_card *card, bool enable)
{
	mutex_lock(&card->notify_lock);
	card->published = enable;
	mutex_unlock(&card->notify_lock);
}

/* The state may have changed several times: reports the current one. */
static void state_notify(struct work_struct *work)
{
	struct glk_card *card = container_of(work, struct glk_card, state_work);
	char state[32], generation[48], *envp[] = { state, generation, NULL };

	scnprintf(state, sizeof(state), "GPULINK_STATE=%s",
		  glk_state_names[READ_ONCE(card->state)]);
	scnprintf(generation, sizeof(generation), "GPULINK_GENERATION=%llu",
		  READ_ONCE(card->generation));
	glk_notify(card, "state", envp);
}

static void notify_init(struct glk_card *card)
{
	mutex_init(&card->notify_lock);
	INIT_WORK(&card->state_work, state_notify);
}

const struct glk_part glk_notify_part = {
	.init = notify_init,
};
