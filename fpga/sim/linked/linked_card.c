// SPDX-License-Identifier: Apache-2.0
#include "linked_card.h"

#include <errno.h>
#include <string.h>

#include <gpulink_regs.h>
#include <card/state.h>

#define CLOCK_NS GLK_LINK_CLOCK_NS
#define POSTS	 8u /* posted stores waiting for the RTL card, as over PCIe */

/* --- endpoints on the bus --- */

static void arrive(struct linked_card *card, unsigned p)
{
	struct linked_late *late = &card->late[p];
	struct linked_write *write = &late->writes[late->first];
	bool deaf = card->deaf >> p & 1;

	if (deaf && card->model)
		late->failed++;
	else if (card_memory_write(&card->memory, write->address, write->data, write->length))
		late->failed++;
	late->visible++;
	late->arrived++;
	late->first = (late->first + 1) % LINKED_LATE;
	late->count--;
}

static void post_late(struct linked_card *card, unsigned p, uint64_t address, const void *data, size_t len)
{
	struct linked_late *late = &card->late[p];
	uint64_t due = card->now + below(&card->chance, card->delay + 1);
	struct linked_write *write;

	if (late->count == LINKED_LATE)
		arrive(card, p);
	late->posted++;
	write = &late->writes[(late->first + late->count++) % LINKED_LATE];
	write->address = address;
	write->due = due;
	write->length = (unsigned)len;
	memcpy(write->data, data, len);
}

static void arrive_all(struct linked_card *card, unsigned p)
{
	while (card->late[p].count)
		arrive(card, p);
}

/* A release may continue then, and wait. */
static void acknowledge(struct linked_card *card, unsigned p, unsigned visible, unsigned failed)
{
	bool was_inside = card->inside;

	card->inside = true;
	glk_card_endpoint_acknowledge(card->model, p, visible, failed);
	card->inside = was_inside;
}

static void arrivals(struct linked_card *card)
{
	for (unsigned p = 0; p < card->p.partitions; p++) {
		struct linked_late *late = &card->late[p];
		unsigned visible, failed;

		while (late->count && late->writes[late->first].due <= card->now && !card->stalled)
			arrive(card, p);
		if (!card->model || !late->visible)
			continue;
		visible = late->visible;
		failed = late->failed;
		late->visible = late->failed = 0;
		acknowledge(card, p, visible, failed);
	}
}

/* --- the model's platform --- */

static int model_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct linked_card *card = platform;

	return card_memory_read(&card->memory, address, data, len);
}

static int model_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct linked_card *card = platform;

	return card_memory_write(&card->memory, address, data, len);
}

static void model_endpoint_write(void *platform, unsigned p, uint64_t address, const void *data, size_t len)
{
	post_late(platform, p, address, data, len);
}

static int model_endpoint_read(void *platform, unsigned p, uint64_t address, void *data, size_t len)
{
	struct linked_card *card = platform;

	arrive_all(card, p);
	return card->deaf >> p & 1 ? -EFAULT : card_memory_read(&card->memory, address, data, len);
}

static void model_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct linked_card *card = platform;

	glk_card_link_receive(card->model, packet, len); /* loopback within the cluster */
}

static uint64_t model_link_wait(void *platform, uint64_t until)
{
	struct linked_card *card = platform;

	(void)until;
	return card->config.wait(card->config.user);
}

static void model_interrupt(void *platform, unsigned vector)
{
	struct linked_card *card = platform;

	(void)vector;
	card->interrupts++;
}

static const struct glk_card_ops model_ops = {
	.dma_read = model_dma_read,
	.dma_write = model_dma_write,
	.endpoint_write = model_endpoint_write,
	.endpoint_read = model_endpoint_read,
	.link_send = model_link_send,
	.link_wait = model_link_wait,
	.interrupt = model_interrupt,
};

static int create_model(struct linked_card *card)
{
	const struct glk_card_config config = {
		.partitions = card->p.partitions,
		.queue_entries = card->p.entries,
		.contexts = card->p.contexts,
		.slices = card->p.slices,
		.slice_shift = card->p.slice_shift,
		.registrations = card->p.registrations,
		.vectors = card->p.vectors,
		.loopback = true,
		.link = true,
		.cluster = card->config.cluster,
		.link_session = card->config.session,
		.no_packing = !card->config.packing,
		.pool_bytes = LINKED_POOL_BYTES,
		.serial = card->config.serial,
		.ops = &model_ops,
		.platform = card,
	};

	return glk_card_create(&config, &card->model);
}

static void model_forgets(struct linked_card *card)
{
	for (unsigned p = 0; p < card->p.partitions; p++) {
		arrive_all(card, p);
		card->late[p].visible = card->late[p].failed = 0;
	}
}

static bool model_clock(struct linked_card *card, const struct glk_block *came, struct glk_block *goes)
{
	bool sent = glk_card_link_clock(card->model, card->now, true, goes);

	if (came)
		glk_card_link_block(card->model, card->now, came);
	return sent;
}

static void model_work(struct linked_card *card)
{
	card->inside = true;
	glk_card_advance(card->model, card->now * CLOCK_NS);
	glk_card_service(card->model, 1);
	card->inside = false;
}

static void model_write(struct linked_card *card, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	uint64_t value = 0;

	card->inside = true;
	switch (bar) {
	case 0:
		memcpy(&value, data, len);
		if (offset == GLK_CARD_CONTROL && value & GLK_CARD_CONTROL_RESET_MASK)
			model_forgets(card);
		glk_card_register_write(card->model, offset, (unsigned)len, value);
		break;
	case 1:
		glk_card_aperture_store(card->model, offset, data, len);
		break;
	default:
		glk_card_pool_write(card->model, offset, data, len);
		break;
	}
	card->inside = false;
}

static void model_read(struct linked_card *card, unsigned bar, uint64_t offset, void *data, size_t len)
{
	uint64_t value;

	card->inside = true;
	switch (bar) {
	case 0:
		glk_card_register_read(card->model, offset, (unsigned)len, &value);
		memcpy(data, &value, len);
		break;
	case 1:
		glk_card_aperture_load(card->model, offset, data, len);
		break;
	default:
		glk_card_pool_read(card->model, offset, data, len);
		break;
	}
	card->inside = false;
}

/* --- the RTL card's platform --- */

static void rtl_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct linked_card *card = user;
	unsigned p = card_memory_endpoint(address);

	if (p >= card->p.partitions)
		card_memory_write(&card->memory, address, data, len);
	else if (card->deaf >> p & 1)
		card->late[p].failed++;
	else
		post_late(card, p, address, data, len);
}

/* A read pushes earlier writes; a flush read (no bytes) completes only after they have arrived, with their status. */
static int rtl_read(void *user, uint64_t address, void *data, size_t len)
{
	struct linked_card *card = user;
	unsigned p = card_memory_endpoint(address);
	struct linked_late *late = &card->late[p];
	bool failed;

	if (p >= card->p.partitions)
		return card_memory_read(&card->memory, address, data, len);
	if (len) {
		arrive_all(card, p);
		return card->deaf >> p & 1 ? -EFAULT : card_memory_read(&card->memory, address, data, len);
	}
	failed = card->deaf >> p & 1 || late->failed;
	late->failed = 0;
	late->asked = late->posted;
	return failed ? -EFAULT : 0;
}

static bool flush_waits(const struct linked_card *card)
{
	for (unsigned p = 0; p < card->p.partitions; p++)
		if ((int64_t)(card->late[p].asked - card->late[p].arrived) > 0)
			return true;
	return false;
}

static void rtl_interrupt(void *user, unsigned vector)
{
	struct linked_card *card = user;

	(void)vector;
	card->interrupts++;
}

static bool rtl_hold(void *user, enum card_dut_stream stream)
{
	struct linked_card *card = user;

	if (stream == CARD_DUT_RD && (card->stalled || flush_waits(card)))
		return true;
	return card->gaps[stream] && below(&card->chance, 256) < card->gaps[stream];
}

static unsigned rtl_choose(void *user, unsigned n)
{
	struct linked_card *card = user;

	return below(&card->chance, n);
}

static bool rtl_block_comes(void *user, struct card_block *block)
{
	struct linked_card *card = user;

	if (!card->came)
		return false;
	block->control = card->came->control;
	memcpy(block->data, card->came->bytes, sizeof(block->data));
	card->came = NULL;
	return true;
}

static void rtl_block_goes(void *user, const struct card_block *block)
{
	struct linked_card *card = user;

	card->sent = true;
	card->goes.control = block->control;
	memcpy(card->goes.bytes, block->data, sizeof(block->data));
}

static const struct card_dut_ops rtl_ops = {
	.mem_write = rtl_write, .mem_read = rtl_read, .interrupt = rtl_interrupt, .hold = rtl_hold, .choose = rtl_choose,
	.block_comes = rtl_block_comes, .block_goes = rtl_block_goes,
};

static int create_rtl(struct linked_card *card)
{
	const struct card_dut_config config = {
		.pool_bytes = LINKED_POOL_BYTES,
		.serial = card->config.serial,
		.link = true,
		.cluster = card->config.cluster,
		.link_session = card->config.session,
		.wave = card->config.wave,
		.ops = &rtl_ops,
		.user = card,
	};

	return card_dut_create(&config, &card->dut);
}

static bool rtl_clock(struct linked_card *card, const struct glk_block *came, struct glk_block *goes)
{
	card->came = came;
	card->sent = false;
	card_dut_set_now(card->dut, card->now * CLOCK_NS);
	card_dut_clock(card->dut);
	if (!card->fault)
		card->fault = card_dut_fault(card->dut);
	*goes = card->goes;
	return card->sent;
}

/* --- both kinds --- */

int linked_card_create(struct linked_card *card, const struct linked_config *config)
{
	memset(card, 0, sizeof(*card));
	card->config = *config;
	chance_start(&card->chance, config->seed + 2000000 + config->cluster, config->round);
	card_pins_parameters(&card->p);
	return config->kind == LINKED_MODEL ? create_model(card) : create_rtl(card);
}

void linked_card_destroy(struct linked_card *card)
{
	glk_card_destroy(card->model);
	card_dut_destroy(card->dut);
	card->model = NULL;
	card->dut = NULL;
}

bool linked_card_ready(const struct linked_card *card)
{
	return card->dut ? card_dut_posts(card->dut) < POSTS : !card->inside;
}

int linked_card_post(struct linked_card *card, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	if (card->dut)
		return card_dut_posts(card->dut) < POSTS ? card_dut_post(card->dut, bar, offset, data, len, false) : -EAGAIN;
	if (card->inside)
		return -EAGAIN;
	model_write(card, bar, offset, data, len);
	return 0;
}

int linked_card_read(struct linked_card *card, unsigned bar, uint64_t offset, size_t len)
{
	int error;

	if (card->inside || card->reading)
		return -EAGAIN;
	if (card->dut) {
		error = card_dut_read_begin(card->dut, bar, offset, len);
		if (error)
			return error;
	} else {
		card->reading = true; /* reserves the read while it waits */
		card->answer_bytes = 0;
		model_read(card, bar, offset, card->answer, len);
		card->answer_bytes = (unsigned)len;
	}
	card->reading = true;
	return 0;
}

bool linked_card_answer(struct linked_card *card, void *data)
{
	if (card->dut) {
		if (!card_dut_read_end(card->dut, data))
			return false;
	} else {
		memcpy(data, card->answer, card->answer_bytes);
	}
	card->reading = false;
	return true;
}

bool linked_card_clock(struct linked_card *card, uint64_t now, const struct glk_block *came, struct glk_block *goes)
{
	card->now = now;
	return card->dut ? rtl_clock(card, came, goes) : model_clock(card, came, goes);
}

void linked_card_work(struct linked_card *card)
{
	arrivals(card);
	if (card->model && !card->inside)
		model_work(card);
}

bool linked_card_taken(const struct linked_card *card)
{
	return card->dut ? card_dut_posts(card->dut) == 0 : !card->inside;
}

void linked_card_flr(struct linked_card *card)
{
	if (card->dut) {
		card_dut_flr_begin(card->dut);
		return;
	}
	model_forgets(card);
	card->inside = true;
	glk_card_reset(card->model);
	card->inside = false;
}

bool linked_card_flr_done(struct linked_card *card)
{
	return !card->dut || card_dut_flr_end(card->dut);
}

void linked_card_cut(struct linked_card *card)
{
	if (card->model)
		glk_card_link_cut(card->model, card->now);
	else
		card_dut_cut(card->dut);
}

const uint8_t *linked_card_pool(const struct linked_card *card)
{
	return card->dut ? card_dut_pool(card->dut) : card->model->pool.data;
}
