// SPDX-License-Identifier: Apache-2.0
/* Counts triangles: reads the neighbors of each neighbor, of higher numbers, and looks for common ones. */
#include "workload.h"

/* Neighbors of v with higher numbers, without repetitions, in order. Returns how many. */
static int neighbors(const struct workload *w, long v, long *to)
{
	int count = 0;

	for (int i = 0; i < DEGREE; i++) {
		long t = v + 1 + target_of(w, v, i) % 64; /* near ones, else there are hardly any triangles */
		int at = count;

		if (t >= w->vertices)
			continue;
		for (int k = 0; k < count; k++)
			if (to[k] == t)
				at = -1;
		if (at < 0)
			continue;
		for (; at > 0 && to[at - 1] > t; at--)
			to[at] = to[at - 1];
		to[at] = t;
		count++;
	}
	return count;
}

static long common(const long *a, int as, const long *b, int bs)
{
	long found = 0;

	for (int i = 0, k = 0; i < as && k < bs;) {
		found += a[i] == b[k];
		if (a[i] <= b[k])
			i++;
		else
			k++;
	}
	return found;
}

int main(int argc, char **argv)
{
	struct workload w = begin("triangles", 20000, argc, argv);
	long *lists = symmetric((size_t)w.mine * (DEGREE + 1) * sizeof(*lists)), other[DEGREE + 1], own[DEGREE], count = 0,
	     expected = 0, mine = 0;

	for (long v = w.me; v < w.vertices; v += w.pes) {
		long *list = lists + v / w.pes * (DEGREE + 1);

		list[0] = neighbors(&w, v, list + 1);
	}
	timed_begin(&w);
	for (long v = w.me; v < w.vertices; v += w.pes) {
		const long *list = lists + v / w.pes * (DEGREE + 1);

		for (int i = 1; i <= list[0]; i++, mine++) {
			shmem_long_get(other, lists + list[i] / w.pes * (DEGREE + 1), DEGREE + 1, (int)(list[i] % w.pes));
			count += common(list + 1, (int)list[0], other + 1, (int)other[0]);
		}
	}
	count = sum_of(&w, count);
	timed_end(&w);
	for (long v = 0; v < w.vertices; v++) {
		int n = neighbors(&w, v, own);

		for (int i = 0; i < n; i++)
			expected += common(own, n, other, neighbors(&w, own[i], other));
	}
	return end(&w, mine, count != expected);
}
