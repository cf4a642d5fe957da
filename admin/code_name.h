/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes as the protocol writes them (docs/protocol.md). */
#ifndef ADMIN_CODE_NAME_H
#define ADMIN_CODE_NAME_H

/** Returns the name of an error code, negated or not: "EINVAL". Static. Codes without a name are "EIO". */
const char *code_name(int code);

/** Returns the negative code of a name; -GPULINK_EIO if it is none. */
int code_named(const char *name);

#endif /* ADMIN_CODE_NAME_H */
