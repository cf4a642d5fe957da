/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of containers: CMS (PKCS #7), detached, in DER, behind the container. */
#ifndef GPULINKD_SIGNATURE_H
#define GPULINKD_SIGNATURE_H

#include "xclbin.h"

/** Whether a container is signed with the key of a certificate, a PEM file: 0, or -1 with one line in
 *  reason[XCLBIN_REASON_BYTES]. Neither the validity of the certificate nor its issuer are checked: it is the trust. */
int signature_check(const struct xclbin *xclbin, const char *certificate, char *reason);

/** Whether a signature can be checked with this certificate: 0, or -1 with one line in reason[XCLBIN_REASON_BYTES]. */
int signature_certificate(const char *certificate, char *reason);

#endif /* GPULINKD_SIGNATURE_H */
