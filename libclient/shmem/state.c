// SPDX-License-Identifier: Apache-2.0
#include "state.h"

struct glk_shmem glk_shmem;
