/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of CSV, in the order in which they are written. */
#ifndef REPLAY_TRACE_CSV_H
#define REPLAY_TRACE_CSV_H

enum csv_column {
	CSV_TIME,
	CSV_OPERATION,
	CSV_SOURCE,
	CSV_DESTINATION,
	CSV_ADDRESS,
	CSV_SIZE,
	CSV_MASK, /* only read */
	CSV_COLUMNS,
};

#define CSV_NAMES "time_ps,operation,source,destination,address,size"

#endif /* REPLAY_TRACE_CSV_H */
