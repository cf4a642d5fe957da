// SPDX-License-Identifier: Apache-2.0
#include "synthetic.h"

#include <math.h>

uint64_t synthetic_copy_ps(const struct synthetic *s, const struct link *link)
{
	uint64_t transactions = 0, bytes = (s->gpus - 1) * link_write(link, 0, s->bytes, &transactions);

	return (uint64_t)llround((double)bytes / link_bytes_per_second(link) * 1e12);
}

struct batch {
	struct replay_sink to;
	struct replay_op op[REPLAY_BATCH];
	size_t count;
};

static int synthetic_flush(struct batch *batch)
{
	int error = batch->count ? batch->to.take(batch->to.user, batch->op, batch->count) : 0;

	batch->count = 0;
	return error;
}

/* `op` to all GPUs but its source. */
static int synthetic_add(const struct synthetic *s, struct batch *batch, struct replay_op op)
{
	int error = batch->count + s->gpus > REPLAY_BATCH ? synthetic_flush(batch) : 0;

	for (unsigned d = 0; d < s->gpus; d++) {
		op.destination = (uint8_t)d;
		if (d != op.source)
			batch->op[batch->count++] = op;
	}
	return error;
}

int synthetic_run(const struct synthetic *s, struct replay_sink sink)
{
	struct batch batch = { .to = sink };
	uint64_t rows = s->bytes / REPLAY_STORE_MAX;
	int error = 0;

	for (uint64_t row = 0; row < rows && !error; row++) {
		uint64_t time_ps = (uint64_t)((double)s->compute_ps * (double)(row + 1) / (double)rows);

		for (unsigned g = 0; g < s->gpus && !error; g++)
			error = synthetic_add(s, &batch,
					      (struct replay_op){ .kind = REPLAY_STORE,
								  .source = (uint8_t)g,
								  .address = row * REPLAY_STORE_MAX,
								  .size = REPLAY_STORE_MAX,
								  .time_ps = time_ps });
	}
	for (unsigned g = 0; g < s->gpus && !error; g++)
		error = synthetic_add(s, &batch,
				      (struct replay_op){ .kind = REPLAY_COPY,
							  .source = (uint8_t)g,
							  .size = (uint32_t)s->bytes,
							  .time_ps = s->compute_ps });
	if (!error)
		error = synthetic_flush(&batch);
	if (error)
		return error;
	batch.op[0] = (struct replay_op){ .kind = REPLAY_BARRIER, .time_ps = s->compute_ps };
	batch.count = 1;
	return synthetic_flush(&batch);
}
