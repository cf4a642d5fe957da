// SPDX-License-Identifier: Apache-2.0
/* Coverage of the module, the only code of the debug kernel that is instrumented for KCOV. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* From <linux/kcov.h>, which some kernel headers lack. */
#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0

enum { TRACE_WORDS = 1 << 18, TABLE_BITS = 16, FUNCTIONS_MAX = 1024 };

static uint64_t *trace;
static uint8_t edges[1 << TABLE_BITS];	/* known edges, by hash of the pair */
static uint64_t places[1 << TABLE_BITS];	/* known program counters, open addressing */
static unsigned place_count;

int coverage_init(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, (unsigned long)TRACE_WORDS))
		return -1;
	trace = mmap(NULL, TRACE_WORDS * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (trace == MAP_FAILED)
		return -1;
	return ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC); /* keeps the file open, and tracing enabled */
}

void coverage_begin(void) { __atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED); }

static unsigned hash(uint64_t v) { return (unsigned)(v * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS)); }

static bool add_place(uint64_t place)
{
	unsigned at = hash(place);

	while (places[at] && places[at] != place)
		at = (at + 1) % (1 << TABLE_BITS);
	if (places[at] || place_count > (1 << (TABLE_BITS - 1)))
		return false;
	places[at] = place;
	place_count++;
	return true;
}

int coverage_end(void)
{
	uint64_t count = __atomic_load_n(&trace[0], __ATOMIC_RELAXED), before = 0;
	int found = 0;

	for (uint64_t i = 1; i <= count && i < TRACE_WORDS; i++) {
		uint8_t *edge = &edges[hash(trace[i] ^ before << 1)];

		if (!*edge) {
			*edge = 1;
			found = found ? found : 1;
		}
		if (add_place(trace[i]))
			found = 2;
		before = trace[i];
	}
	return found;
}

unsigned coverage_places(void) { return place_count; }

struct function {
	uint64_t start;
	char name[64];
	bool reached;
};

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct function *)a)->start, y = ((const struct function *)b)->start;

	return x < y ? -1 : x > y;
}

static unsigned read_functions(struct function *f)
{
	char line[256], type, module[64];
	FILE *in = fopen("/proc/kallsyms", "re");
	unsigned count = 0;

	while (in && count < FUNCTIONS_MAX && fgets(line, sizeof(line), in))
		if (sscanf(line, "%" SCNx64 " %c %63s [%63[^]]", &f[count].start, &type, f[count].name, module) == 4 &&
		    (type == 't' || type == 'T') && !strcmp(module, "gpulink"))
			count++;
	if (in)
		fclose(in);
	qsort(f, count, sizeof(*f), by_start);
	return count;
}

/* Lists the functions of the module that were never reached. */
void coverage_report(FILE *out)
{
	static struct function functions[FUNCTIONS_MAX];
	unsigned count = read_functions(functions), reached = 0;

	for (unsigned i = 0; i < 1 << TABLE_BITS; i++) {
		unsigned at = count;

		while (places[i] && at && functions[at - 1].start > places[i])
			at--;
		if (places[i] && at)
			functions[at - 1].reached = true;
	}
	for (unsigned i = 0; i < count; i++)
		reached += functions[i].reached;
	fprintf(out, "# fuzz: %u places in %u of %u functions; not in:", place_count, reached, count);
	for (unsigned i = 0; i < count; i++)
		if (!functions[i].reached)
			fprintf(out, " %s", functions[i].name);
	fputc('\n', out);
}
