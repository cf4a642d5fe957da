// SPDX-License-Identifier: Apache-2.0
#include "route.h"

void glk_route_init(struct glk_route *route, unsigned processes, uint64_t bytes)
{
	unsigned columns = 1, slot = 12;

	while ((uint64_t)columns * columns < processes)
		columns++;
	while (UINT64_C(1) << slot <= bytes)
		slot++;
	*route = (struct glk_route){
		.processes = processes, .columns = columns, .rows = (processes + columns - 1) / columns, .slot = slot,
	};
}

unsigned glk_route_relay(const struct glk_route *route, unsigned process, unsigned column)
{
	unsigned relay = glk_route_row(route, process) * route->columns + column;

	/* Those of the last row share the columns that it does not reach among the full rows. */
	return relay < route->processes ? relay :
					  glk_route_column(route, process) % (route->rows - 1) * route->columns + column;
}
