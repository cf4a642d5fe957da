// SPDX-License-Identifier: Apache-2.0
/* Without OpenSSL: what demands a signature is refused. */
#include "signature.h"

#include <errno.h>

int signature_certificate(const char *certificate, struct failure *failure)
{
	(void)certificate;
	return failure_set(failure, -EINVAL, "this build cannot check signatures (meson -Dsignatures=disabled)");
}

int signature_check(const struct xclbin *xclbin, const char *certificate, struct failure *failure)
{
	(void)xclbin;
	(void)certificate;
	return failure_set(failure, -EINVAL,
			   "a signature is demanded, and this build cannot check one (meson -Dsignatures=disabled)");
}
