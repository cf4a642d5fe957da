// SPDX-License-Identifier: Apache-2.0
/* Curves and terms, from made data whose parameters are known. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json.h>

#include <chance.h>

#include "../study.h"
#include "../terms.h"

static void near(double got, double should, double most)
{
	if (!(fabs(got - should) <= most * fabs(should)))
		fail_msg("%g, should be %g", got, should);
}

/* Powers of two from 1 to 16 MiB. */
enum { SIZES = 25 };

static void make(struct loggop_point *p, double (*time)(double bytes), struct chance *chance, double noise)
{
	for (unsigned i = 0; i < SIZES; i++) {
		p[i].bytes = ldexp(1, (int)i);
		p[i].time = time(p[i].bytes);
		if (chance)
			p[i].time *= 1 + noise * ((double)(draw(chance) % 2001) / 1000 - 1);
	}
}

static double straight(double bytes)
{
	return 40 + 0.08 * (bytes - 1);
}

/* Another protocol from 8 KiB on. */
static double bent(double bytes)
{
	return bytes < 8192 ? 200 + 0.5 * (bytes - 1) : 9000 + 0.08 * (bytes - 1);
}

static void one_line(void **state)
{
	struct loggop_point p[SIZES];
	struct loggop_curve c;

	(void)state;
	make(p, straight, NULL, 0);
	assert_int_equal(loggop_fit(p, SIZES, 0, &c), 0);
	assert_int_equal(c.count, 1);
	near(c.segment[0].base, 40, 1e-6);
	near(c.segment[0].slope, 0.08, 1e-6);
	near(c.r2, 1, 1e-6);
	assert_true(c.worst < 1e-6);
}

static void two_lines(void **state)
{
	struct loggop_point p[SIZES];
	struct loggop_curve c;

	(void)state;
	make(p, bent, NULL, 0);
	assert_int_equal(loggop_fit(p, SIZES, 0, &c), 0);
	assert_int_equal(c.count, 2);
	assert_true(c.segment[0].to == 4096 && c.segment[1].from == 8192);
	near(c.segment[0].base, 200, 1e-6);
	near(c.segment[0].slope, 0.5, 1e-6);
	near(c.segment[1].base + c.segment[1].slope * 8191, bent(8192), 1e-6);
	near(c.segment[1].slope, 0.08, 1e-6);
	near(loggop_at(&c, 100), bent(100), 1e-6);
	near(loggop_at(&c, 1e6), bent(1e6), 1e-6);
	near(loggop_at(&c, 1e8), bent(1e8), 1e-6);
}

/* With noise there are no more segments, and the parameters stay near. */
static void with_noise(void **state)
{
	struct chance chance;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct loggop_point p[SIZES];
		struct loggop_curve c;

		chance_start(&chance, 1, round);
		make(p, straight, &chance, 0.03);
		assert_int_equal(loggop_fit(p, SIZES, 0.03, &c), 0);
		assert_int_equal(c.count, 1);
		near(c.segment[0].base, 40, 0.03);
		near(c.segment[0].slope, 0.08, 0.03);
		assert_true(c.worst < 0.06);
		make(p, bent, &chance, 0.03);
		assert_int_equal(loggop_fit(p, SIZES, 0.03, &c), 0);
		assert_int_equal(c.count, 2);
		near(c.segment[1].slope, 0.08, 0.06);
	}
}

/* One slow point opens no segment: the residual does not stay doubled. */
static void one_outlier(void **state)
{
	struct loggop_point p[SIZES];
	struct loggop_curve c;

	(void)state;
	make(p, straight, NULL, 0);
	p[19].time *= 1.4;
	assert_int_equal(loggop_fit(p, SIZES, 0.03, &c), 0);
	assert_int_equal(c.count, 1);
	near(c.worst, 0.28, 0.1);
}

/* A step, as of a bus whose beat is full: the boundary is where it is, though the points before it lie on their line exactly.
 */
static void a_step(void **state)
{
	struct loggop_point p[16];
	struct loggop_curve c;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		p[i].bytes = 8 * (i + 1);
		p[i].time = p[i].bytes <= 64 ? 1 : 2;
	}
	p[7].time = 1.07;
	assert_int_equal(loggop_fit(p, 16, 0, &c), 0);
	assert_int_equal(c.count, 2);
	assert_true(c.segment[0].to == 64 && c.segment[1].from == 72);
	near(loggop_at(&c, 64), 1, 0.1);
	near(loggop_at(&c, 72), 2, 1e-6);
}

static void few_points(void **state)
{
	struct loggop_point p[3] = { { 8, 100 }, { 64, 156 }, { 64, 1 } };
	struct loggop_curve c;

	(void)state;
	assert_int_equal(loggop_fit(p, 1, 0, &c), 0);
	near(loggop_at(&c, 1e6), 100, 1e-9);
	assert_int_equal(loggop_fit(p, 2, 0, &c), 0);
	near(loggop_at(&c, 1), 93, 1e-9);
	assert_int_equal(loggop_fit(p, 3, 0, &c), -EINVAL);
	assert_int_equal(loggop_fit(p, 0, 0, &c), -EINVAL);
}

/* o 20 + 0.01 (s-1), gap 30 + 0.05 (s-1), L 500, S 100; 3 ns more where a delay is. */
static void fill(struct loggop_set *set, bool delays)
{
	for (unsigned i = 0; i < 12; i++) {
		double bytes = ldexp(1, (int)i), o = 20 + 0.01 * (bytes - 1), gap = 30 + 0.05 * (bytes - 1),
		       one = o + 500 + 100;

		set->sample[set->samples++] = (struct loggop_sample){ bytes, 16, 0, one + 15 * gap * 1.5, 0, 0 };
		set->sample[set->samples++] = (struct loggop_sample){ bytes, 1, 0, one, 0, 0 };
		set->sample[set->samples++] = (struct loggop_sample){ bytes, 256, 0, one + 255 * gap, 0, 0 };
		if (delays)
			set->sample[set->samples++] = (struct loggop_sample){ bytes, 16, one, one + 15 * (o + one), 0, 0 };
	}
}

static void terms(void **state)
{
	static struct loggop_set set = { .way = "put", .path = "polling", .latency = 500 };

	(void)state;
	assert_int_equal(loggop_set_fit(&set), -EINVAL);
	fill(&set, true);
	assert_int_equal(loggop_set_fit(&set), 0);
	assert_int_equal(set.overhead.count, 1);
	near(set.overhead.segment[0].base, 20, 1e-6);
	near(set.overhead.segment[0].slope, 0.01, 1e-6);
	assert_int_equal(set.gap.count, 1);
	near(set.gap.segment[0].base, 30, 1e-6);
	near(set.gap.segment[0].slope, 0.05, 1e-6);
	near(set.sync, 100, 1e-6);
	near(loggop_time(&set, 100, 64), 20 + 0.63 + 600 + 99 * (30 + 0.05 * 63), 1e-6);
	assert_string_equal(loggop_bound(&set, 64), "link");
	set.timeouts = 0.6;
	assert_string_equal(loggop_bound(&set, 64), "flush timeout");
	set.timeouts = 0;
	set.full = 0.9;
	set.packet_bytes = 250;
	assert_string_equal(loggop_bound(&set, 64), "payload limit");
	set.overhead.segment[0].base = 30;
	assert_string_equal(loggop_bound(&set, 1), "overhead");
}

/* Without delayed samples the overhead is unknown. */
static void no_delays(void **state)
{
	static struct loggop_set set = { .latency = -1 };

	(void)state;
	fill(&set, false);
	assert_int_equal(loggop_set_fit(&set), 0);
	assert_int_equal(set.overhead.count, 0);
	near(set.sync, 620, 1e-6); /* with L and o */
	assert_string_equal(loggop_bound(&set, 1), "link");
}

static void fill_file(struct loggop_file *file)
{
	assert_int_equal(loggop_file_init(file), 0);
	snprintf(file->device, sizeof(file->device), "soft:memory=2M");
	file->sets = 2;
	snprintf(file->set[0].way, LOGGOP_NAME_BYTES, "put");
	snprintf(file->set[0].path, LOGGOP_NAME_BYTES, "polling");
	file->set[0].latency = 500;
	file->set[0].timeouts = 0.25;
	snprintf(file->set[1].way, LOGGOP_NAME_BYTES, "window");
	snprintf(file->set[1].path, LOGGOP_NAME_BYTES, "doorbell");
	file->set[1].latency = -1;
	for (unsigned i = 0; i < 2; i++) {
		fill(&file->set[i], !i);
		assert_int_equal(loggop_set_fit(&file->set[i]), 0);
	}
}

static void read_back(const char *path, const struct loggop_file *should)
{
	struct loggop_file file;
	struct failure error;

	assert_int_equal(loggop_file_init(&file), 0);
	if (loggop_file_read(&file, path, &error))
		fail_msg("%s", error.text);
	assert_string_equal(file.device, should->device);
	assert_string_equal(file.unit, "ns");
	assert_int_equal(file.sets, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct loggop_set *set = loggop_find(&file, should->set[i].way, should->set[i].path);

		assert_non_null(set);
		near(loggop_time(set, 100, 64), loggop_time(&should->set[i], 100, 64), 1e-4);
		near(loggop_at(&set->overhead, 9), loggop_at(&should->set[i].overhead, 9), 1e-4);
	}
	assert_null(loggop_find(&file, "get", NULL));
	assert_ptr_equal(loggop_find(&file, "window", NULL), &file.set[1]);
	loggop_file_free(&file);
}

static void files(void **state)
{
	char path[] = "loggop-XXXXXX";
	int fd = mkstemp(path);
	struct json_object *object;
	struct loggop_file file;
	FILE *to;

	(void)state;
	assert_true(fd >= 0);
	fill_file(&file);
	object = loggop_file_object(&file);
	assert_non_null(object);
	assert_int_equal(json_object_to_file(path, object), 0);
	json_object_put(object);
	read_back(path, &file);
	to = fdopen(fd, "w");
	assert_non_null(to);
	assert_int_equal(ftruncate(fd, 0), 0);
	loggop_file_csv(to, &file);
	assert_int_equal(fclose(to), 0);
	read_back(path, &file);
	unlink(path);
	loggop_file_free(&file);
}

static void bad_files(void **state)
{
	static const char *const texts[] = {
		"", "{}", "{\"format\": \"gpulink-loggop 1\"}",
		"{\"format\": \"gpulink-loggop 1\", \"ways\": [{\"way\": \"put\"}]}",
		"{\"format\": \"gpulink-loggop 1\", \"ways\": [{\"way\": \"put\", \"single\": {\"segments\": "
		"[{\"from\": 9, \"to\": 10, \"base\": 1}, {\"from\": 8, \"to\": 10, \"base\": 1}]}}]}",
		"device,unit,way,path,bytes,count,delay,time,spread,cpu\n",
		"device,unit,way,path,bytes,count,delay,time,spread,cpu\nd,ns,put,polling,0,1,0,5,0,0\n",
		"device,unit,way,path,bytes,count,delay,time,spread,cpu\nd,ns,put,polling,8,2,0,5,0,0\n",
		"device,unit,way,path,bytes,count,delay,time,spread,cpu\nnonsense\n",
	};
	char path[] = "loggop-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct loggop_file file;
		struct failure error = { 0 };

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, texts[i], strlen(texts[i]), 0), (ssize_t)strlen(texts[i]));
		assert_int_equal(loggop_file_init(&file), 0);
		assert_int_equal(loggop_file_read(&file, path, &error), -EINVAL);
		assert_non_null(strstr(error.text, path));
		loggop_file_free(&file);
	}
	close(fd);
	unlink(path);
}

/* The paper's own numbers at 8 bytes, and where its equations and tables give others than its text. */
static void study(void **state)
{
	(void)state;
	near(study_single(STUDY_HOST_PUT, 0), 1996, 1e-9);
	near(study_single(STUDY_HOST_GET, 0), 2068, 1e-9);
	near(study_single(STUDY_DEVICE_PUT, 0), 6336, 1e-9);
	near(study_single(STUDY_DEVICE_GET, 0), 11168, 1e-9);
	near(study_single(STUDY_HOST_PUT, 1000), 1996 + 2 * 80 + 74, 1e-9);
	near(study_single(STUDY_HOST_GET, 1000), 2068 + 2 * (80 + 67), 1e-9);
	near(study_pipelined(STUDY_HOST, 8, false), 517.6, 0.001);
	near(study_pipelined(STUDY_VERBS, 4096, false), 4096 / 12.5, 1e-9);
	near(study_pipelined(STUDY_HOST, 8, true), 517.6 / 8, 0.001);
	near(study_pipelined(STUDY_HOST, 100, true), 8, 1e-9);
	near(study_pipelined(STUDY_DEVICE, 242, true), 1411 * pow(242, -0.781), 1e-9);
	near(study_pipelined(STUDY_DEVICE, 243, true), 243 / 12.5, 1e-9);
	near(study_processor(false, 0), 1496, 1e-9);
	near(study_speedup(3, 3), 2.5, 1e-9);
	near(study_speedup(1996 + 5000, 1496), 1 / (0.15 + 0.25 * 6996 / 1496), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),   cmocka_unit_test(two_lines),   cmocka_unit_test(with_noise),
		cmocka_unit_test(few_points), cmocka_unit_test(one_outlier), cmocka_unit_test(a_step),
		cmocka_unit_test(terms),      cmocka_unit_test(no_delays),   cmocka_unit_test(files),
		cmocka_unit_test(bad_files),  cmocka_unit_test(study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
