/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of containers: CMS (PKCS #7), detached, in DER, behind the container. */
#ifndef GPULINKD_SIGNATURE_H
#define GPULINKD_SIGNATURE_H

#include "xclbin.h"

/** Whether a container is signed with the key of a certificate, a PEM file: 0, or the code of
 *  *failure, -EINVAL. Neither the validity of the certificate nor its issuer are checked: it is the trust. */
int signature_check(const struct xclbin *xclbin, const char *certificate, struct failure *failure);

/** Whether a signature can be checked with this certificate: 0, or the code of *failure, -EINVAL. */
int signature_certificate(const char *certificate, struct failure *failure);

#endif /* GPULINKD_SIGNATURE_H */
