// SPDX-License-Identifier: Apache-2.0
/*
 * Data-parallel training's exchange of gradients, layer by layer from the last one to the first, as backward propagation
 * makes them. Each layer is an all-reduce in two phases: a GPU pushes each peer the part of its gradients that the peer
 * adds up, into the array of that source; then each pushes its sums to all. Thread i has the i-th 16 bytes (float4) of what
 * it pushes, so that a warp stores 4 whole lines. memcpy would copy the same parts. Gradients are made by chance; `size`
 * divides the layers. An iteration is a batch of 64 images, shared out over the GPUs. Forward and backward propagation
 * through a layer are 6 operations for each multiplication forward; they are in the time of the kernel that pushes the
 * layer's gradients.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { LANE_FLOATS = 4, BATCH_IMAGES = 64, FLOPS_A_MULTIPLICATION = 6 };

/*
 * Parameters of each layer, those of the torchvision models (VGG16 and ResNet18 for 224 * 224 images, 1000 classes) and of
 * LeCun's LeNet-5 for 28 * 28 images: weights, biases and batch norms' scales and shifts; multiplications forward, an
 * image.
 */
struct layer {
	const char *name;
	uint64_t parameters, multiplications;
};

static const struct layer lenet[] = {
	{"conv1", 156, 117600}, {"conv2", 2416, 240000}, {"fc1", 48120, 48000}, {"fc2", 10164, 10080},
	{"fc3", 850, 840},
};

static const struct layer vgg16[] = {
	{"conv1", 1792, 86704128}, {"conv2", 36928, 1849688064}, {"conv3", 73856, 924844032},
	{"conv4", 147584, 1849688064}, {"conv5", 295168, 924844032}, {"conv6", 590080, 1849688064},
	{"conv7", 590080, 1849688064}, {"conv8", 1180160, 924844032}, {"conv9", 2359808, 1849688064},
	{"conv10", 2359808, 1849688064}, {"conv11", 2359808, 462422016}, {"conv12", 2359808, 462422016},
	{"conv13", 2359808, 462422016}, {"fc1", 102764544, 102760448}, {"fc2", 16781312, 16777216},
	{"fc3", 4097000, 4096000},
};

static const struct layer resnet18[] = {
	{"conv1", 9408, 118013952}, {"bn1", 128, 0}, {"layer1.0.conv1", 36864, 115605504}, {"layer1.0.bn1", 128, 0},
	{"layer1.0.conv2", 36864, 115605504}, {"layer1.0.bn2", 128, 0}, {"layer1.1.conv1", 36864, 115605504},
	{"layer1.1.bn1", 128, 0}, {"layer1.1.conv2", 36864, 115605504}, {"layer1.1.bn2", 128, 0},
	{"layer2.0.conv1", 73728, 57802752}, {"layer2.0.bn1", 256, 0}, {"layer2.0.conv2", 147456, 115605504},
	{"layer2.0.bn2", 256, 0}, {"layer2.0.downsample", 8192, 6422528}, {"layer2.0.downbn", 256, 0},
	{"layer2.1.conv1", 147456, 115605504}, {"layer2.1.bn1", 256, 0}, {"layer2.1.conv2", 147456, 115605504},
	{"layer2.1.bn2", 256, 0}, {"layer3.0.conv1", 294912, 57802752}, {"layer3.0.bn1", 512, 0},
	{"layer3.0.conv2", 589824, 115605504}, {"layer3.0.bn2", 512, 0}, {"layer3.0.downsample", 32768, 6422528},
	{"layer3.0.downbn", 512, 0}, {"layer3.1.conv1", 589824, 115605504}, {"layer3.1.bn1", 512, 0},
	{"layer3.1.conv2", 589824, 115605504}, {"layer3.1.bn2", 512, 0}, {"layer4.0.conv1", 1179648, 57802752},
	{"layer4.0.bn1", 1024, 0}, {"layer4.0.conv2", 2359296, 115605504}, {"layer4.0.bn2", 1024, 0},
	{"layer4.0.downsample", 131072, 6422528}, {"layer4.0.downbn", 1024, 0},
	{"layer4.1.conv1", 2359296, 115605504}, {"layer4.1.bn1", 1024, 0}, {"layer4.1.conv2", 2359296, 115605504},
	{"layer4.1.bn2", 1024, 0}, {"fc", 513000, 512000},
};

struct dnn {
	struct workload_run *run;
	const struct layer *layers;
	unsigned count;
	uint64_t parts, sums; /* arrays: gradients of each source; what they add up to */
	/* The layer that is exchanged: */
	unsigned layer;
	uint64_t parameters, room; /* room: floats of a source in `parts`, for any layer */
	uint64_t flops;		   /* for each gradient, of each GPU */
	double worst;
};

static uint64_t parameters_of(const struct dnn *d, unsigned layer)
{
	uint64_t n = d->layers[layer].parameters / d->run->options.size;

	return n ? n : 1;
}

static float gradient(const struct dnn *d, unsigned gpu, uint64_t i)
{
	uint64_t place = ((uint64_t)gpu * d->count + d->layer) << 32 | i;

	return (float)(workload_fraction(d->run->options.seed, place) - 0.5);
}

/* Where a GPU's part of the layer begins: at a thread's 16 bytes. */
static uint64_t part_begin(const struct dnn *d, unsigned gpu)
{
	uint64_t lanes = (d->parameters + LANE_FLOATS - 1) / LANE_FLOATS,
		 begin = share_begin(d->run, lanes, gpu) * LANE_FLOATS;

	return begin < d->parameters ? begin : d->parameters;
}

/* Pushes the floats [first, first + 128) as far as `end`: 16 bytes a thread, then what is left of the last one. */
static int push_floats(struct replay_warp *warp, uint64_t destinations, uint64_t array, uint64_t first, uint64_t end)
{
	uint64_t count = end - first < REPLAY_WARP * LANE_FLOATS ? end - first : REPLAY_WARP * LANE_FLOATS;
	uint64_t whole = count / LANE_FLOATS, rest = count % LANE_FLOATS;
	int result = 0;

	if (whole)
		result = replay_warp_push_all(warp, destinations, (uint32_t)((UINT64_C(1) << whole) - 1), array + first * 4,
					      LANE_FLOATS * 4);
	if (rest && !result)
		result = replay_warp_push_all(warp, destinations, (1u << rest) - 1,
					      array + (first + whole * LANE_FLOATS) * 4, 4);
	return result;
}

/* A step a destination: this warp's place in the part that each peer adds up. */
static int scatter_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct dnn *d = user;
	unsigned to = (unsigned)number;
	uint64_t first = part_begin(d, to) + warp->first * LANE_FLOATS, end = part_begin(d, to + 1);
	uint64_t part = d->parts + warp->gpu * d->room * 4;
	int result = 0;

	if (first < end) {
		uint64_t count = end - first < REPLAY_WARP * LANE_FLOATS ? end - first : REPLAY_WARP * LANE_FLOATS;

		for (uint64_t i = first; i < first + count; i++)
			floats(d->run, warp->gpu, part)[i] = gradient(d, warp->gpu, i);
		replay_warp_work(warp, count * 4, count * d->flops);
		result = push_floats(warp, UINT64_C(1) << to, part, first, end);
	}
	return result ? result : to + 1 < d->run->options.gpus ? REPLAY_MORE : REPLAY_DONE;
}

static int sum_step(void *user, struct replay_warp *warp, uint64_t number)
{
	struct dnn *d = user;
	uint64_t first = part_begin(d, warp->gpu) + warp->first * LANE_FLOATS, end = part_begin(d, warp->gpu + 1);
	unsigned gpus = d->run->options.gpus;

	(void)number;
	for (uint64_t i = first; i < end && i < first + REPLAY_WARP * LANE_FLOATS; i++) {
		float sum = 0;

		for (unsigned g = 0; g < gpus; g++)
			sum += floats(d->run, warp->gpu, d->parts + g * d->room * 4)[i];
		floats(d->run, warp->gpu, d->sums)[i] = sum;
	}
	replay_warp_work(warp, (gpus + 1) * REPLAY_WARP * LANE_FLOATS * 4, gpus * REPLAY_WARP * LANE_FLOATS);
	return first < end ? push_floats(warp, ~UINT64_C(0), d->sums, first, end) : 0;
}

static int dnn_copy(struct dnn *d, bool sums)
{
	unsigned gpus = d->run->options.gpus;
	int result = 0;

	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		unsigned from = i / gpus, to = (from + i) % gpus, part = sums ? from : to;
		uint64_t begin = part_begin(d, part), bytes = (part_begin(d, part + 1) - begin) * 4;

		if (from != to)
			result = replay_system_copy(&d->run->system, from, to,
						    (sums ? d->sums : d->parts + from * d->room * 4) + begin * 4, bytes);
	}
	return result ? result : replay_system_barrier(&d->run->system);
}

/* Every GPU has got the others' parts and all sums; these against the sums of the gradients themselves. */
static int dnn_measure(struct dnn *d)
{
	unsigned gpus = d->run->options.gpus;
	int result = workload_check_all(d->run, d->sums, d->parameters * 4);

	for (unsigned i = 0; i < gpus * gpus && !result; i++) {
		uint64_t begin = part_begin(d, i % gpus), bytes = (part_begin(d, i % gpus + 1) - begin) * 4;

		result = workload_check_pushed(d->run, i / gpus, i % gpus, d->parts + (i / gpus * d->room + begin) * 4,
					       bytes);
	}
	for (uint64_t i = 0; i < d->parameters; i++) {
		double right = 0;

		for (unsigned g = 0; g < gpus; g++)
			right += (double)gradient(d, g, i);
		for (unsigned g = 0; g < gpus; g++)
			d->worst = fmax(d->worst, fabs((double)floats(d->run, g, d->sums)[i] - right));
	}
	return result;
}

static int exchange_layer(struct dnn *d)
{
	struct replay_kernel scatter = {.step = scatter_step, .user = d}, sum = {.step = sum_step, .user = d};
	uint64_t lanes = (d->parameters + LANE_FLOATS - 1) / LANE_FLOATS, most = 0;
	int result;

	for (unsigned g = 0; g < d->run->options.gpus; g++) {
		sum.threads[g] = share_size(d->run, lanes, g);
		most = sum.threads[g] > most ? sum.threads[g] : most;
	}
	for (unsigned g = 0; g < d->run->options.gpus; g++)
		scatter.threads[g] = most;
	if ((result = replay_system_run(&d->run->system, &scatter)) || (result = dnn_copy(d, false)) ||
	    (result = replay_system_run(&d->run->system, &sum)) || (result = dnn_copy(d, true)))
		return result;
	return dnn_measure(d);
}

static int run_dnn(struct workload_run *run, const struct layer *layers, unsigned count)
{
	struct dnn d = {.run = run, .layers = layers, .count = count};
	int result;

	for (unsigned i = 0; i < count; i++)
		d.room = parameters_of(&d, i) > d.room ? parameters_of(&d, i) : d.room;
	d.room = (d.room + 31) / 32 * 32; /* whole lines */
	d.parts = replay_system_array(&run->system, run->options.gpus * d.room * 4);
	d.sums = replay_system_array(&run->system, d.room * 4);
	result = workload_start(run);
	for (unsigned i = 0; i < run->options.iterations * count && !result; i++) {
		d.layer = count - 1 - i % count;
		d.parameters = parameters_of(&d, d.layer);
		d.flops = layers[d.layer].multiplications * FLOPS_A_MULTIPLICATION * BATCH_IMAGES / run->options.gpus /
			  layers[d.layer].parameters;
		run->info->elements += i < count ? d.parameters : 0;
		result = exchange_layer(&d);
	}
	run->info->iterations = run->options.iterations;
	return result ? result
		      : workload_compare(run, "the largest difference of a gradient's sum, on any GPU, from its serial sum",
					 d.worst, 1e-5 * run->options.gpus);
}

int workload_run_lenet(struct workload_run *run)
{
	return run_dnn(run, lenet, sizeof(lenet) / sizeof(lenet[0]));
}

int workload_run_vgg16(struct workload_run *run)
{
	return run_dnn(run, vgg16, sizeof(vgg16) / sizeof(vgg16[0]));
}

int workload_run_resnet18(struct workload_run *run)
{
	return run_dnn(run, resnet18, sizeof(resnet18) / sizeof(resnet18[0]));
}
