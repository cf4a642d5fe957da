// SPDX-License-Identifier: Apache-2.0
#include "card_context.h"

#include <errno.h>
#include <sys/mman.h>

int glk_card_code_of(int error)
{
	switch (error) {
	case EINVAL:
		return -GPULINK_EINVAL;
	case ENOMEM:
		return -GPULINK_ENOMEM;
	case ENODEV:
	case ENOENT:
		return -GPULINK_ENODEV;
	case EACCES:
	case EPERM:
		return -GPULINK_EACCES;
	case ENXIO:
		return -GPULINK_ENOENDPOINT;
	case ERANGE:
		return -GPULINK_ERANGE;
	case ENOSPC:
	case EDQUOT:
		return -GPULINK_ENOSPC;
	case ETIMEDOUT:
		return -GPULINK_ETIMEDOUT;
	case ESTALE:
		return -GPULINK_ERESET;
	case EBUSY:
		return -GPULINK_EBUSY;
	case EHOSTUNREACH:
		return -GPULINK_EUNREACHABLE;
	case EOPNOTSUPP:
		return -GPULINK_ENOTSUP;
	case EINTR:
		return -GPULINK_EINTR;
	default:
		return -GPULINK_EIO;
	}
}

void *glk_card_map(uint64_t bytes, int protection, int fd, uint64_t offset)
{
	void *address = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

	if (address == MAP_FAILED)
		return NULL;
	if (madvise(address, bytes, MADV_DONTFORK)) {
		munmap(address, bytes);
		return NULL;
	}
	return address;
}

int glk_card_map_record(struct card *card)
{
	if (!card->record)
		card->record = glk_card_map(GLK_PAGE_SIZE, PROT_READ, card->fd, card->query.record_offset);
	return card->record ? 0 : glk_card_code_of(errno);
}
