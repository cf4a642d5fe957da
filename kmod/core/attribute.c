// SPDX-License-Identifier: GPL-2.0-only
/* Files in sysfs: numbers and text, settings, registers and counters (docs/sysfs.md). */
#include <linux/bitops.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/counters.h"

static const struct glk_attr *to_glk_attr(struct attribute *attr)
{
	return container_of(attr, struct glk_attr, dev_attr.attr);
}

ssize_t glk_attr_read(struct glk_card *card, unsigned int partition, struct attribute *attr,
		      char *buf)
{
	const struct glk_attr *a = to_glk_attr(attr);
	u64 value;
	int err;

	if (a->show)
		return a->show(card, partition, buf);
	err = a->get(card, partition, a, &value);
	if (err)
		return err;
	if (a->mask)
		value = (value & a->mask) >> __ffs64(a->mask);
	return sysfs_emit(buf, "%llu\n", value);
}

ssize_t glk_attr_write(struct glk_card *card, unsigned int partition, struct attribute *attr,
		       const char *buf, size_t count)
{
	const struct glk_attr *a = to_glk_attr(attr);
	bool on = false;
	u64 value;
	int err;

	if (a->store)
		return a->store(card, partition, buf) ?: count;
	err = a->mask ? kstrtobool(buf, &on) : kstrtou64(buf, 0, &value);
	if (err)
		return err;
	if (a->anytime)
		return a->set(card, partition, a, value) ?: count;
	err = glk_card_enter(card);
	if (err)
		return err;
	if (a->mask) {
		err = a->get(card, partition, a, &value);
		value = (value & ~a->mask) | (on ? a->mask : 0);
	}
	err = err ?: a->set(card, partition, a, value);
	glk_card_leave(card);
	return err ?: count;
}

ssize_t glk_attr_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return glk_attr_read(glk_to_card(dev), 0, &attr->attr, buf);
}

ssize_t glk_attr_store(struct device *dev, struct device_attribute *attr, const char *buf,
		       size_t count)
{
	return glk_attr_write(glk_to_card(dev), 0, &attr->attr, buf, count);
}

/* A register of the card, whose offset is `id`. */
int glk_attr_get_register(struct glk_card *card, unsigned int partition,
			  const struct glk_attr *attr, u64 *value)
{
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	*value = glk_read(card, attr->id);
	err = glk_card_read_error(card, *value);
	glk_card_leave_read(card);
	return err;
}

static int attr_get_counter(struct glk_card *card, unsigned int partition,
			    const struct glk_attr *attr, u64 *value)
{
	u32 row = attr->row == GLK_ROW_PARTITION ? partition : attr->row;
	int err;

	err = glk_card_enter_to_read(card);
	if (err)
		return err;
	err = glk_card_read_counter(card, row, attr->id, value);
	glk_card_leave_read(card);
	return err;
}

/* Makes the files of a row of counters, and their list for a group. Before any card is added. */
void glk_attr_counters(struct glk_attr *attrs, struct attribute **list,
		       const struct glk_counter_row *rows, unsigned int count, u32 row)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		attrs[i] = (struct glk_attr)GLK_ATTR(counter, 0444, .get = attr_get_counter,
						     .id = i, .row = row);
		attrs[i].dev_attr.attr.name = rows[i].name;
		sysfs_attr_init(&attrs[i].dev_attr.attr);
		list[i] = &attrs[i].dev_attr.attr;
	}
}

/* The same with settings; `like`: one of them, with get and set of the register that has it. */
void glk_attr_settings(struct glk_attr *attrs, struct attribute **list,
		       const struct glk_setting_row *rows, unsigned int count,
		       const struct glk_attr *like)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		attrs[i] = *like;
		attrs[i].id = i;
		attrs[i].mask = rows[i].mask;
		attrs[i].dev_attr.attr.name = rows[i].name;
		sysfs_attr_init(&attrs[i].dev_attr.attr);
		list[i] = &attrs[i].dev_attr.attr;
	}
}
