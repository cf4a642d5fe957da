// SPDX-License-Identifier: Apache-2.0
/* PMIx is initialised and finalised once for each open device; it counts. */
#include "ucx_launcher.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "../error_text.h"

#define KEY "gpulink.ucx"

static int ucx_launcher_code_of(pmix_status_t status)
{
	switch (status) {
	case PMIX_SUCCESS:
		return 0;
	case PMIX_ERR_TIMEOUT:
		return -GPULINK_ETIMEDOUT;
	case PMIX_ERR_NOMEM:
		return -GPULINK_ENOMEM;
	default:
		errno = EIO;
		return -GPULINK_EIO;
	}
}

int glk_launcher_open(struct glk_ucx_options *o)
{
	pmix_value_t *value;
	pmix_proc_t own, job;

	if (PMIx_Init(&own, NULL, 0) != PMIX_SUCCESS)
		return glk_error(-GPULINK_ENODEV,
				 "options rank, processes and at: must be given, without a launcher with PMIx (mpirun, srun)");
	PMIX_LOAD_PROCID(&job, own.nspace, PMIX_RANK_WILDCARD);
	if (PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value) != PMIX_SUCCESS) {
		glk_launcher_close();
		return -GPULINK_ENODEV;
	}
	o->process = own.rank;
	o->processes = value->type == PMIX_UINT32 ? value->data.uint32 : 0;
	PMIX_VALUE_RELEASE(value);
	if (o->process < o->processes && o->processes <= GLK_UCX_PROCESSES_MAX)
		return 0;
	glk_launcher_close();
	return -GPULINK_ENODEV;
}

void glk_launcher_close(void)
{
	PMIx_Finalize(NULL, 0);
}

static pmix_status_t publish(const struct glk_meet_item *own, int seconds)
{
	pmix_value_t value = { .type = PMIX_BYTE_OBJECT, .data.bo = { .bytes = (char *)own->data, .size = own->bytes } };
	bool collect = true;
	pmix_info_t info[2];
	pmix_status_t status = PMIx_Put(PMIX_GLOBAL, KEY, &value);

	if (status == PMIX_SUCCESS)
		status = PMIx_Commit();
	if (status != PMIX_SUCCESS)
		return status;
	PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
	PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &seconds, PMIX_INT);
	status = PMIx_Fence(NULL, 0, info, 2);
	PMIX_INFO_DESTRUCT(&info[0]);
	PMIX_INFO_DESTRUCT(&info[1]);
	return status;
}

static int ucx_launcher_take(const pmix_value_t *value, struct glk_meet_item *item)
{
	const pmix_byte_object_t *object = &value->data.bo;

	if (value->type != PMIX_BYTE_OBJECT || !object->size || object->size > GLK_MEET_MAX)
		return -GPULINK_EPROTO;
	item->data = malloc(object->size);
	if (!item->data)
		return -GPULINK_ENOMEM;
	memcpy(item->data, object->bytes, object->size);
	item->bytes = (uint32_t)object->size;
	return 0;
}

int glk_launcher_meet(const struct glk_ucx_options *o, const struct glk_meet_item *own, struct glk_meet_item *items)
{
	int error = ucx_launcher_code_of(publish(own, (int)o->timeout));
	pmix_value_t *value;
	pmix_proc_t self, other;

	if (!error && PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) /* its name, once more */
		return -GPULINK_EIO;
	if (error)
		return error;
	for (uint64_t p = 0; p < o->processes && !error; p++) {
		PMIX_LOAD_PROCID(&other, self.nspace, (pmix_rank_t)p);
		error = ucx_launcher_code_of(PMIx_Get(&other, KEY, NULL, 0, &value));
		if (error)
			break;
		error = ucx_launcher_take(value, &items[p]);
		PMIX_VALUE_RELEASE(value);
	}
	PMIx_Finalize(NULL, 0);
	return error;
}
