// SPDX-License-Identifier: Apache-2.0
#include "remote/mark.h"

void glk_mark_take(struct glk_endpoints *endpoints, struct glk_remote *remote, struct glk_mark *mark)
{
	for (unsigned p = 0; p < endpoints->common->config.partitions; p++) {
		mark->posted[p] = endpoints->of[p].posted;
		glk_remote_want(remote, p);
	}
}

bool glk_mark_reached(const struct glk_endpoints *endpoints, const struct glk_mark *mark)
{
	for (unsigned p = 0; p < endpoints->common->config.partitions; p++)
		if (endpoints->of[p].acknowledged < mark->posted[p])
			return false;
	return true;
}
