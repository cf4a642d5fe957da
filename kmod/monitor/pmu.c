// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf: the counters of card N as the system-wide PMU gpulinkN, as in
 * `perf stat -e gpulink0/stores,partition=0/`.
 *
 * Some supported kernels crash if a PMU is unregistered with open events, and none reports when the
 * last event is closed. So a PMU belongs to a card number, not to a card: it is registered with the
 * first card of that number, stays registered without a card, and is unregistered on module unload,
 * which open events block. Events hold no reference to the card: they look it up in their PMU,
 * under the PMU's lock. While the card is missing or being reset, events keep their counts.
 *
 * perf reads with interrupts disabled, so this file cannot take card->lock or state_lock; see
 * glk_card_read_counter_atomic().
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/part.h"
#include "core/counters.h"
#include "monitor/pmu.h"

/* perf_event_attr.config: event 7:0, partition 15:8. */
#define CONFIG_EVENT(config)		((config) & 0xff)
#define CONFIG_PARTITION(config)	((config) >> 8 & 0xff)
#define CONFIG_KNOWN			0xffffULL
#define EVENT_CARD			0x80	/* first event of the card's counters */
#define ALL_PARTITIONS			0xff

struct glk_pmu {
	struct pmu pmu;
	raw_spinlock_t lock;	/* card; outside card->snapshot_lock */
	struct glk_card *card;	/* NULL: no card has this number */
	struct hlist_node node;
	unsigned int cpu;	/* on which perf reads the events */
	atomic_t events;	/* number of open events */
	char name[16];
};

static DEFINE_MUTEX(pmus_lock);
static struct glk_pmu *pmus[GLK_MINORS];
static int pmu_hotplug_state;

static struct glk_pmu *to_glk_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct glk_pmu, pmu);
}

/* False: the counter cannot be read now. */
static bool pmu_event_value(struct perf_event *event, u64 *value)
{
	struct glk_pmu *pmu = to_glk_pmu(event->pmu);
	unsigned int partition = CONFIG_PARTITION(event->attr.config);
	unsigned int index = CONFIG_EVENT(event->attr.config);
	struct glk_card *card;
	unsigned long flags;
	bool ok = false;

	raw_spin_lock_irqsave(&pmu->lock, flags);
	card = pmu->card;
	if (card && index >= EVENT_CARD)
		ok = glk_card_read_counter_atomic(card, GPULINK_COUNTERS_CARD, 0,
						  index - EVENT_CARD, value);
	else if (card && partition == ALL_PARTITIONS)
		ok = glk_card_read_counter_atomic(card, 0, card->partition_count, index, value);
	else if (card && partition < card->partition_count)
		ok = glk_card_read_counter_atomic(card, partition, 1, index, value);
	raw_spin_unlock_irqrestore(&pmu->lock, flags);
	return ok;
}

/*
 * hw.config_base: whether hw.prev_count was read since the start. If the counter went back, because
 * the card lost power, counting continues from the new value.
 */
static void pmu_event_update(struct perf_event *event)
{
	u64 now, before;

	if (!pmu_event_value(event, &now))
		return;
	before = local64_xchg(&event->hw.prev_count, now);
	if (event->hw.config_base && now >= before)
		local64_add(now - before, &event->count);
	event->hw.config_base = 1;
}

static void pmu_event_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	event->hw.config_base = 0;
	pmu_event_update(event);
}

static void pmu_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	pmu_event_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int pmu_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pmu_event_start(event, flags);
	return 0;
}

static void pmu_event_del(struct perf_event *event, int flags)
{
	pmu_event_stop(event, PERF_EF_UPDATE);
}

static void pmu_event_destroy(struct perf_event *event)
{
	atomic_dec(&to_glk_pmu(event->pmu)->events);
}

/* All cards have the same counters; the number of partitions depends on the card. */
static int pmu_check_config(struct glk_pmu *pmu, u64 config)
{
	unsigned int index = CONFIG_EVENT(config), partition = CONFIG_PARTITION(config);
	unsigned long flags;
	int err = 0;

	if (config & ~CONFIG_KNOWN)
		return -EINVAL;
	if (index >= EVENT_CARD ? index - EVENT_CARD >= GLK_CARD_COUNTERS || partition :
				  index >= GLK_PARTITION_COUNTERS)
		return -EINVAL;
	raw_spin_lock_irqsave(&pmu->lock, flags);
	if (!pmu->card)
		err = -ENODEV;
	else if (partition != ALL_PARTITIONS && partition >= pmu->card->partition_count)
		err = -EINVAL;
	raw_spin_unlock_irqrestore(&pmu->lock, flags);
	return err;
}

static int pmu_event_init(struct perf_event *event)
{
	struct glk_pmu *pmu = to_glk_pmu(event->pmu);
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* Counters are card-wide and raise no interrupt: no per-task events, no sampling. */
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (event->attr.config1 || event->attr.config2)
		return -EINVAL;
	err = pmu_check_config(pmu, event->attr.config);
	if (err)
		return err;
	atomic_inc(&pmu->events);
	event->destroy = pmu_event_destroy;
	event->cpu = READ_ONCE(pmu->cpu);
	return 0;
}

static ssize_t pmu_cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct glk_pmu *pmu = to_glk_pmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpumask_of(READ_ONCE(pmu->cpu))));
}

static struct device_attribute pmu_attr_cpumask = __ATTR(cpumask, 0444, pmu_cpumask_show, NULL);

static struct attribute *pmu_cpumask_attrs[] = {
	&pmu_attr_cpumask.attr,
	NULL
};

static const struct attribute_group pmu_cpumask_group = {
	.attrs = pmu_cpumask_attrs,
};

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(partition, "config:8-15");

static struct attribute *pmu_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_partition.attr,
	NULL
};

static const struct attribute_group pmu_format_group = {
	.name = "format",
	.attrs = pmu_format_attrs,
};

static struct perf_pmu_events_attr pmu_events[GLK_PARTITION_COUNTERS + GLK_CARD_COUNTERS];
static struct attribute *pmu_event_attrs[ARRAY_SIZE(pmu_events) + 1];

static const struct attribute_group pmu_events_group = {
	.name = "events",
	.attrs = pmu_event_attrs,
};

static const struct attribute_group *pmu_groups[] = {
	&pmu_cpumask_group,
	&pmu_format_group,
	&pmu_events_group,
	NULL
};

/* The "?" makes perf require a value for partition. */
static ssize_t pmu_alias_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 id = container_of(attr, struct perf_pmu_events_attr, attr)->id;

	return sysfs_emit(buf, "event=0x%02llx%s\n", id, id < EVENT_CARD ? ",partition=?" : "");
}

static void pmu_init_event_attr(struct perf_pmu_events_attr *event, const char *name, u64 id)
{
	sysfs_attr_init(&event->attr.attr);
	event->attr.attr.name = name;
	event->attr.attr.mode = 0444;
	event->attr.show = pmu_alias_show;
	event->id = id;
	pmu_event_attrs[event - pmu_events] = &event->attr.attr;
}

/*
 * Moves events to another CPU when theirs goes offline. On some kernels (6.12 is one) each call
 * migrates only one group of events, so call it once per event; extra calls are cheap.
 */
static int pmu_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct glk_pmu *pmu = hlist_entry(node, struct glk_pmu, node);
	unsigned int target;
	int i;

	if (cpu != pmu->cpu)
		return 0;
	target = cpumask_any_but(cpu_online_mask, cpu);
	if (target >= nr_cpu_ids)
		return 0;
	WRITE_ONCE(pmu->cpu, target);
	for (i = atomic_read(&pmu->events); i > 0; i--)
		perf_pmu_migrate_context(&pmu->pmu, cpu, target);
	return 0;
}

static int pmu_register(struct glk_pmu *pmu)
{
	int err;

	/* No CPU matches until the real one is set below. */
	pmu->cpu = nr_cpu_ids;
	err = cpuhp_state_add_instance_nocalls(pmu_hotplug_state, &pmu->node);
	if (err)
		return err;
	cpus_read_lock();
	WRITE_ONCE(pmu->cpu, raw_smp_processor_id());
	cpus_read_unlock();
	err = perf_pmu_register(&pmu->pmu, pmu->name, -1);
	if (err)
		cpuhp_state_remove_instance_nocalls(pmu_hotplug_state, &pmu->node);
	return err;
}

static struct glk_pmu *pmu_create(const char *name)
{
	struct glk_pmu *pmu;
	int err;

	pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	if (!pmu)
		return ERR_PTR(-ENOMEM);
	raw_spin_lock_init(&pmu->lock);
	strscpy(pmu->name, name, sizeof(pmu->name));
	pmu->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
		.attr_groups = pmu_groups,
		.event_init = pmu_event_init,
		.add = pmu_event_add,
		.del = pmu_event_del,
		.start = pmu_event_start,
		.stop = pmu_event_stop,
		.read = pmu_event_update,
	};
	err = pmu_register(pmu);
	if (err) {
		kfree(pmu);
		return ERR_PTR(err);
	}
	return pmu;
}

static void pmu_set_card(struct glk_pmu *pmu, struct glk_card *card)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmu->lock, flags);
	pmu->card = card;
	raw_spin_unlock_irqrestore(&pmu->lock, flags);
}

/* Failure is not fatal: the card works without perf. */
static int pmu_attach(struct glk_card *card)
{
	unsigned int number = MINOR(card->dev.devt);
	struct glk_pmu *pmu;

	mutex_lock(&pmus_lock);
	pmu = pmus[number] ?: pmu_create(dev_name(&card->dev));
	if (IS_ERR(pmu)) {
		glk_warn(card, GLK_ERROR_PERF, "no PMU for perf (%ld)\n", PTR_ERR(pmu));
	} else {
		pmus[number] = pmu;
		pmu_set_card(pmu, card);
	}
	mutex_unlock(&pmus_lock);
	return 0;
}

/* On return no event reads the card. */
static void pmu_detach(struct glk_card *card)
{
	struct glk_pmu *pmu;

	mutex_lock(&pmus_lock);
	pmu = pmus[MINOR(card->dev.devt)];
	if (pmu)
		pmu_set_card(pmu, NULL);
	mutex_unlock(&pmus_lock);
}

const struct glk_part glk_pmu_part = {
	.publish = pmu_attach,
	.unpublish = pmu_detach,
};

int glk_pmu_init(void)
{
	unsigned int i;

	for (i = 0; i < GLK_PARTITION_COUNTERS; i++)
		pmu_init_event_attr(&pmu_events[i], glk_partition_counters[i].name, i);
	for (i = 0; i < GLK_CARD_COUNTERS; i++)
		pmu_init_event_attr(&pmu_events[GLK_PARTITION_COUNTERS + i],
				    glk_card_counters[i].name, EVENT_CARD + i);
	pmu_hotplug_state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/gpulink:online",
						    NULL, pmu_cpu_offline);
	return pmu_hotplug_state < 0 ? pmu_hotplug_state : 0;
}

/* On module unload; no events are open. */
void glk_pmu_exit(void)
{
	unsigned int i;

	for (i = 0; i < GLK_MINORS; i++) {
		if (!pmus[i])
			continue;
		perf_pmu_unregister(&pmus[i]->pmu);
		cpuhp_state_remove_instance_nocalls(pmu_hotplug_state, &pmus[i]->node);
		kfree(pmus[i]);
	}
	cpuhp_remove_multi_state(pmu_hotplug_state);
}
