/*
 * base/sha256.c - SHA-256, SHA-1 and MD5, by OpenSSL's libcrypto, which is made ready here.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"

/* MD5 has a small piece of the stack: it is asked of thousands of small objects. */
enum { DIGEST_BYTES = 32, READ_BYTES = 1 << 18, MD5_BYTES = 1 << 15 };

struct t2_sha256 {
    EVP_MD_CTX *ctx;
};

/* Hashing fails only when memory does; that is as for t2_alloc. */
static _Noreturn void no_memory(void)
{
    t2_out_of_memory("libcrypto cannot compute a hash");
}

_Static_assert(T2_LIBCRYPTO_STAY == OPENSSL_INIT_NO_ATEXIT, "as OpenSSL has it");

/* OpenSSL 3 crashes when it cannot load a method because memory is short, so its allocator is
 * replaced by one that ends the program.  OpenSSL refuses the replacement when it has allocated
 * before; then its own allocator stays. */
static void *library_malloc(size_t n, const char *file, int line)
{
    (void) file, (void) line;
    return n ? t2_library_malloc(n) : NULL;
}

static void *library_realloc(void *p, size_t n, const char *file, int line)
{
    (void) file, (void) line;
    if (n > 0)
        return t2_library_realloc(p, n);
    t2_free(p);
    return NULL;
}

static void library_free(void *p, const char *file, int line)
{
    (void) file, (void) line;
    t2_free(p);
}

static void begin(void)
{
    (void) CRYPTO_set_mem_functions(library_malloc, library_realloc, library_free);
    (void) OPENSSL_init_crypto(T2_LIBCRYPTO_STAY, NULL);
}

void t2_libcrypto_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, begin);
}

static EVP_MD_CTX *new_context(void)
{
    EVP_MD_CTX *ctx;

    t2_libcrypto_begin();
    ctx = EVP_MD_CTX_new();
    if (!ctx)
        no_memory();
    return ctx;
}

struct t2_sha256 *t2_sha256_new(void)
{
    struct t2_sha256 *h = t2_alloc(1, sizeof *h);

    h->ctx = new_context();
    if (EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL) != 1)
        no_memory();
    return h;
}

void t2_sha256_update(struct t2_sha256 *h, const void *data, size_t len_bytes)
{
    if (len_bytes > 0 && EVP_DigestUpdate(h->ctx, data, len_bytes) != 1)
        no_memory();
}

static void to_hex(const unsigned char *digest, unsigned n, char *hex)
{
    static const char digits[] = "0123456789abcdef";

    for (unsigned i = 0; i < n; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * n] = '\0';
}

void t2_sha1_of(const void *data, size_t len_bytes, char hex[T2_SHA1_HEX])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;

    t2_libcrypto_begin();
    if (EVP_Digest(data, len_bytes, digest, &n, EVP_sha1(), NULL) != 1)
        no_memory();
    T2_ASSERT(2 * n + 1 == T2_SHA1_HEX);
    to_hex(digest, n, hex);
}

int t2_md5_fd(int fd, uint64_t from, uint64_t bytes, char hex[T2_MD5_HEX])
{
    EVP_MD_CTX *ctx = new_context();
    unsigned char digest[EVP_MAX_MD_SIZE];
    uint8_t buffer[MD5_BYTES];
    unsigned n_digest = 0;
    int errnum = 0;

    if (EVP_DigestInit_ex(ctx, EVP_md5(), NULL) != 1)
        no_memory();
    for (uint64_t at = 0; at < bytes && errnum == 0;) {
        size_t want = bytes - at < MD5_BYTES ? (size_t) (bytes - at) : MD5_BYTES, n = 0;

        errnum = t2_io_pread_arrived(fd, buffer, want, from + at, &n);
        if (errnum == 0 && n == 0)
            errnum = EIO;
        if (EVP_DigestUpdate(ctx, buffer, n) != 1)
            no_memory();
        at += n;
    }
    if (EVP_DigestFinal_ex(ctx, digest, &n_digest) != 1)
        no_memory();
    to_hex(digest, T2_MD5_BYTES, hex);
    EVP_MD_CTX_free(ctx);
    return errnum;
}

void t2_sha256_peek(const struct t2_sha256 *h, char hex[T2_SHA256_HEX])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    EVP_MD_CTX *copy = new_context();

    if (EVP_MD_CTX_copy_ex(copy, h->ctx) != 1 || EVP_DigestFinal_ex(copy, digest, &n) != 1)
        no_memory();
    T2_ASSERT(n == DIGEST_BYTES);
    EVP_MD_CTX_free(copy);
    to_hex(digest, DIGEST_BYTES, hex);
}

void t2_sha256_free(struct t2_sha256 *h)
{
    if (!h)
        return;
    EVP_MD_CTX_free(h->ctx);
    t2_free(h);
}

void t2_sha256_of(const void *data, size_t len_bytes, char hex[T2_SHA256_HEX])
{
    struct t2_sha256 *h = t2_sha256_new();

    t2_sha256_update(h, data, len_bytes);
    t2_sha256_peek(h, hex);
    t2_sha256_free(h);
}

static enum t2_status hash_descriptor(int fd, const char *path, struct t2_sha256 *h, void *buffer,
                                      uint64_t *bytes, struct t2_err *err)
{
    for (;;) {
        size_t n;

        T2_TRY(t2_io_read_stream(fd, path, buffer, READ_BYTES, &n, err));
        if (n == 0)
            return T2_OK;
        t2_sha256_update(h, buffer, n);
        *bytes += n;
    }
}

enum t2_status t2_sha256_file(const char *path, char hex[T2_SHA256_HEX], uint64_t *bytes,
                              struct t2_err *err)
{
    uint64_t total = 0;
    struct t2_sha256 *h;
    enum t2_status st;
    void *buffer;
    int fd;

    T2_TRY(t2_open_input(path, true, &fd, NULL, err));
    h = t2_sha256_new();
    buffer = t2_alloc(READ_BYTES, 1);
    st = hash_descriptor(fd, path, h, buffer, &total, err);
    if (st == T2_OK) {
        t2_sha256_peek(h, hex);
        if (bytes)
            *bytes = total;
    }
    t2_free(buffer);
    t2_sha256_free(h);
    close(fd);
    return st;
}
