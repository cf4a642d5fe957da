// SPDX-License-Identifier: Apache-2.0
#include "goodput.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "option_value.h"
#include "paradigm/link.h"
#include "run.h"

enum { LARGEST = 4096 };

int goodput(int argc, char **argv)
{
	if (argc != 1)
		return option_usage(argc, argv, "usage: gpulink-replay goodput\n");
	printf("%5s", "bytes");
	for (unsigned i = 0; link_preset_at(i); i++)
		printf(" %8s", link_preset_at(i)->name);
	puts("   goodput in % of wire bytes, for a store aligned to its size");
	for (unsigned size = 1; size <= LARGEST; size *= 2) {
		printf("%5u", size);
		for (unsigned i = 0; link_preset_at(i); i++) {
			uint64_t transactions = 0, wire = link_write(link_preset_at(i), 0, size, &transactions);

			printf(" %8.2f", 100 * (double)size / (double)wire);
		}
		putchar('\n');
	}
	return EXIT_SUCCESS;
}
