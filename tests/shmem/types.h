/* SPDX-License-Identifier: Apache-2.0 */
/* The types of OpenSHMEM's typed calls. */
#ifndef GLK_TESTS_SHMEM_TYPES_H
#define GLK_TESTS_SHMEM_TYPES_H

#define SHMEM_TYPES(X)                                                                                                        \
	X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long) X(longlong, long long)                  \
	X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long)                           \
	X(ulonglong, unsigned long long) X(float, float) X(double, double) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) \
	X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)       \
	X(ptrdiff, ptrdiff_t)
#define SHMEM_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

#endif /* GLK_TESTS_SHMEM_TYPES_H */
