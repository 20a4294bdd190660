/*
 * base/sha256_rsa.c - RSA signatures, by OpenSSL's libcrypto.
 */
#include "base/sha256_rsa.h"

#include <limits.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/hash.h"

static EVP_PKEY *read_key(const char *pem)
{
    size_t n = strlen(pem);
    BIO *text = n < INT_MAX ? BIO_new_mem_buf(pem, (int) n) : NULL;
    EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, NULL, NULL) : NULL;

    BIO_free(text);
    return key;
}

static bool sign(EVP_MD_CTX *ctx, EVP_PKEY *key, const void *data, size_t len_bytes,
                 struct t2_buf *signature)
{
    size_t n = 0;

    if (EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 ||
        EVP_DigestSign(ctx, NULL, &n, data, len_bytes) != 1 ||
        EVP_DigestSign(ctx, t2_buf_reserve(signature, n), &n, data, len_bytes) != 1)
        return false;
    signature->len_bytes += n;
    return true;
}

bool t2_rs256_sign(const char *pem, const void *data, size_t len_bytes, struct t2_buf *signature)
{
    EVP_PKEY *key;
    EVP_MD_CTX *ctx;
    bool ok;

    t2_libcrypto_begin();
    key = read_key(pem);
    ctx = EVP_MD_CTX_new();
    ok = key && ctx && EVP_PKEY_base_id(key) == EVP_PKEY_RSA &&
         sign(ctx, key, data, len_bytes, signature);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok;
}
