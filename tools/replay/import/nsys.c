// SPDX-License-Identifier: Apache-2.0
/*
 * `nsys export --type sqlite`: peer-to-peer copies are in CUPTI_ACTIVITY_KIND_MEMCPY, copyKind 10, with srcDeviceId and
 * dstDeviceId; times in nanoseconds. A database is opened for reading only, and nothing in its schema is run.
 */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "../trace/message.h"
#include "import.h"

enum { PEER_TO_PEER = 10 };

static int nsys_wrong(sqlite3 *db, const char *path, struct failure *error)
{
	return failure_set(error, -EINVAL, "%s: %.400s", trace_name(path), db ? sqlite3_errmsg(db) : "out of memory");
}

static int nsys_take(sqlite3_stmt *query, const char *path, struct import_events *events, struct failure *error)
{
	sqlite3_int64 start = sqlite3_column_int64(query, 0), bytes = sqlite3_column_int64(query, 1);
	sqlite3_int64 source = sqlite3_column_int64(query, 2), destination = sqlite3_column_int64(query, 3);

	if (start < 0 || start > INT64_MAX / 1000 || bytes < 0 || source < 0 || source >= REPLAY_GPUS_MAX || destination < 0 ||
	    destination >= REPLAY_GPUS_MAX)
		return failure_set(error, -EINVAL, "%s: a copy whose start, bytes or devices (0 to %d) are out of range",
				   trace_name(path), REPLAY_GPUS_MAX - 1);
	return import_add(events,
			  &(struct import_event){ .kind = IMPORT_COPY,
						  .time_ps = (uint64_t)start * 1000,
						  .bytes = (uint64_t)bytes,
						  .source = (unsigned)source,
						  .destination = (unsigned)destination },
			  error);
}

/* A view of that name could run anything: it must be a table. */
static int check_table(sqlite3 *db, const char *path, struct failure *error)
{
	sqlite3_stmt *query = NULL;
	int found;

	if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY' AND type = 'table'",
			       -1, &query, NULL))
		return nsys_wrong(db, path, error);
	found = sqlite3_step(query);
	sqlite3_finalize(query);
	if (found == SQLITE_ROW)
		return 0;
	if (found != SQLITE_DONE)
		return nsys_wrong(db, path, error);
	return failure_set(error, -EINVAL, "%s: has no table CUPTI_ACTIVITY_KIND_MEMCPY: it holds no copies", trace_name(path));
}

static int read_copies(sqlite3 *db, const char *path, struct import_events *events, struct failure *error)
{
	static const char text[] =
		"SELECT start, bytes, srcDeviceId, dstDeviceId FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = ?";
	sqlite3_stmt *query = NULL;
	int rc = check_table(db, path, error), step;

	if (rc)
		return rc;
	if (sqlite3_prepare_v2(db, text, -1, &query, NULL) || sqlite3_bind_int(query, 1, PEER_TO_PEER)) {
		rc = nsys_wrong(db, path, error);
	} else {
		while (!rc && (step = sqlite3_step(query)) == SQLITE_ROW)
			rc = nsys_take(query, path, events, error);
		if (!rc && step != SQLITE_DONE)
			rc = nsys_wrong(db, path, error);
	}
	sqlite3_finalize(query);
	return rc;
}

int import_nsys(const char *path, struct import_events *events, struct failure *error)
{
	sqlite3 *db = NULL;
	int rc;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL)) {
		rc = nsys_wrong(db, path, error);
	} else {
		sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		rc = read_copies(db, path, events, error);
	}
	sqlite3_close(db);
	return rc;
}
