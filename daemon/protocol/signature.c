// SPDX-License-Identifier: Apache-2.0
#include "signature.h"

#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <errno.h>
#include <limits.h>

static X509 *read_certificate(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	X509 *certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;

	BIO_free(file);
	return certificate;
}

/* What is signed: the container as it was before the signature was added. NULL: out of memory. */
static BIO *signed_data(const struct xclbin *xclbin)
{
	static const unsigned char none[4] = {0xff, 0xff, 0xff, 0xff};
	BIO *data = BIO_new(BIO_s_mem());
	size_t rest = XCLBIN_SIGNATURE_LENGTH + sizeof(none);

	if (data && BIO_write(data, xclbin->file, XCLBIN_SIGNATURE_LENGTH) == XCLBIN_SIGNATURE_LENGTH &&
	    BIO_write(data, none, sizeof(none)) == sizeof(none) &&
	    BIO_write(data, xclbin->file + rest, (int)(xclbin->length - rest)) == (int)(xclbin->length - rest))
		return data;
	BIO_free(data);
	return NULL;
}

/* Certificates in the signature are ignored: its signer must be the one that is given. */
static bool verify(const struct xclbin *xclbin, X509 *certificate)
{
	const unsigned char *at = xclbin->file + xclbin->length;
	CMS_ContentInfo *signature = d2i_CMS_ContentInfo(NULL, &at, (long)xclbin->signature_bytes);
	STACK_OF(X509) *signers = sk_X509_new_null();
	BIO *data = signed_data(xclbin);
	bool good =
		signature && signers && data && sk_X509_push(signers, certificate) &&
		CMS_verify(signature, signers, NULL, data, NULL, CMS_BINARY | CMS_NOINTERN | CMS_NO_SIGNER_CERT_VERIFY) == 1;

	BIO_free(data);
	sk_X509_free(signers);
	CMS_ContentInfo_free(signature);
	return good;
}

int signature_certificate(const char *certificate, struct failure *failure)
{
	X509 *trusted = read_certificate(certificate);

	ERR_clear_error();
	if (!trusted)
		return failure_set(failure, -EINVAL, "cannot read a certificate (PEM)");
	X509_free(trusted);
	return 0;
}

int signature_check(const struct xclbin *xclbin, const char *certificate, struct failure *failure)
{
	X509 *trusted;
	bool good;

	if (!xclbin->signature_bytes)
		return failure_set(failure, -EINVAL, "not signed; the configuration demands a signature by the key of %s",
				   certificate);
	if (xclbin->length > INT_MAX || xclbin->signature_bytes > INT_MAX)
		return failure_set(failure, -EINVAL, "too large for its signature to be checked");
	trusted = read_certificate(certificate);
	if (!trusted) {
		ERR_clear_error();
		return failure_set(failure, -EINVAL, "its signature cannot be checked: no certificate in %s", certificate);
	}
	good = verify(xclbin, trusted);
	X509_free(trusted);
	ERR_clear_error();
	return good ? 0 : failure_set(failure, -EINVAL, "its signature is not by the key of %s", certificate);
}
