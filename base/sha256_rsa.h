/*
 * base/sha256_rsa.h - RS256: what a JSON web token is signed with (RFC 7518, 3.3).
 */
#ifndef T2_BASE_SHA256_RSA_H
#define T2_BASE_SHA256_RSA_H

#include "base/buf.h"

/* Appends the signature of data by the private key (PEM, PKCS#8 or PKCS#1, RSA).  false: it is no
 * such key. */
bool t2_rs256_sign(const char *pem, const void *data, size_t len_bytes, struct t2_buf *signature);

#endif
