/*
 * base/hash.h - SHA-256 (by libcrypto) for identity, a fast 64-bit hash for tables.
 */
#ifndef T2_BASE_HASH_H
#define T2_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { T2_SHA256_HEX = 65 };

struct t2_sha256;
struct t2_sha256 *t2_sha256_new(void);
void t2_sha256_update(struct t2_sha256 *h, const void *data, size_t len_bytes);
void t2_sha256_peek(const struct t2_sha256 *h, char hex[T2_SHA256_HEX]); /* of all so far */
void t2_sha256_free(struct t2_sha256 *h);
void t2_sha256_of(const void *data, size_t len_bytes, char hex[T2_SHA256_HEX]);
T2_MUST_CHECK enum t2_status t2_sha256_file(const char *path, char hex[T2_SHA256_HEX],
                                            uint64_t *bytes, struct t2_err *err);

/* For names that are SHA-1 digests of something; nothing is proved by it. */
enum { T2_SHA1_HEX = 41 };
void t2_sha1_of(const void *data, size_t len_bytes, char hex[T2_SHA1_HEX]);

/* MD5, which object stores use as a checksum; nothing is proved by it. */
enum { T2_MD5_BYTES = 16, T2_MD5_HEX = 33 };
/* Of bytes [from, from + bytes) of an open file, as they are there (t2_io_pread_arrived); 0 or an
 * errno value. */
int t2_md5_fd(int fd, uint64_t from, uint64_t bytes, char hex[T2_MD5_HEX]);

/* Not for tables of untrusted keys that outlive the process.  There is no seed per process, because
 * results must not depend on one (D1); the mixing is strong enough that ordinary data does not
 * collide. */
uint64_t t2_hash64(const void *data, size_t len_bytes, uint64_t seed);

/* ---- OpenSSL's libcrypto, before its first use ---- */

/* Gives the library our allocator, and takes it out of exit(): its own handler there frees what
 * belongs to threads while they, too, free it (those which bring objects are not waited for).
 * Whoever calls the library calls this before; any thread, any number of times.  What somebody else
 * in the process (a plug-in) has made of the library before stays. */
void t2_libcrypto_begin(void);

/* For OPENSSL_init_crypto of a library that was opened at run time and may have its own. */
enum { T2_LIBCRYPTO_STAY = 0x00080000 }; /* OPENSSL_INIT_NO_ATEXIT */

#endif
