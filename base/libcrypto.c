/*
 * base/libcrypto.c - OpenSSL's libcrypto, made ready before its first use.
 */
#include "base/libcrypto.h"

#include <pthread.h>

#include <openssl/crypto.h>

#include "base/alloc.h"

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
