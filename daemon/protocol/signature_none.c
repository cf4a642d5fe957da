// SPDX-License-Identifier: Apache-2.0
/* Without OpenSSL: what demands a signature is refused. */
#include "signature.h"

#include <stdio.h>

int signature_certificate(const char *certificate, char *reason)
{
	(void)certificate;
	snprintf(reason, XCLBIN_REASON_BYTES, "this build cannot check signatures (meson -Dsignatures=disabled)");
	return -1;
}

int signature_check(const struct xclbin *xclbin, const char *certificate, char *reason)
{
	(void)xclbin;
	(void)certificate;
	snprintf(reason, XCLBIN_REASON_BYTES, "a signature is demanded, and this build cannot check one (meson -Dsignatures=disabled)");
	return -1;
}
