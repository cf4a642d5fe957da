/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in sysfs, of a card or of its partitions: a number, or text. */
#ifndef GLK_ATTRIBUTE_H
#define GLK_ATTRIBUTE_H

#include <linux/device.h>
#include <linux/types.h>

#include "gpulink_tables.h"

struct glk_card;

/* Counters of the partition whose file it is. */
#define GLK_ROW_PARTITION	S32_MAX	/* not a GPULINK_COUNTERS_* */

struct glk_attr {
	struct device_attribute dev_attr;
	/* A number. set: with the card entered, glk_card_enter(), unless `anytime`. */
	int (*get)(struct glk_card *card, unsigned int partition, const struct glk_attr *attr,
		   u64 *value);
	int (*set)(struct glk_card *card, unsigned int partition, const struct glk_attr *attr,
		   u64 value);
	/* Or text. */
	ssize_t (*show)(struct glk_card *card, unsigned int partition, char *buf);
	int (*store)(struct glk_card *card, unsigned int partition, const char *buf);
	u32 id;			/* for get and set: register, limit, or row of the table */
	u32 row;		/* of the counter */
	bool anytime;		/* the card need not be live for set, nor is it locked */
	u64 mask;		/* nonzero: the file is this field. One that can be set is a bit */
};

#define GLK_ATTR(_name, _mode, ...)						\
	{									\
		.dev_attr = __ATTR(_name, _mode, glk_attr_show, glk_attr_store),	\
		__VA_ARGS__							\
	}

ssize_t glk_attr_show(struct device *dev, struct device_attribute *attr, char *buf);
ssize_t glk_attr_store(struct device *dev, struct device_attribute *attr, const char *buf,
		       size_t count);
ssize_t glk_attr_read(struct glk_card *card, unsigned int partition, struct attribute *attr,
		      char *buf);
ssize_t glk_attr_write(struct glk_card *card, unsigned int partition, struct attribute *attr,
		       const char *buf, size_t count);
int glk_attr_get_register(struct glk_card *card, unsigned int partition,
			  const struct glk_attr *attr, u64 *value);
void glk_attr_counters(struct glk_attr *attrs, struct attribute **list,
		       const struct glk_counter_row *rows, unsigned int count, u32 row);
void glk_attr_settings(struct glk_attr *attrs, struct attribute **list,
		       const struct glk_setting_row *rows, unsigned int count,
		       const struct glk_attr *like);

#endif /* GLK_ATTRIBUTE_H */
