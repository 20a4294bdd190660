/*
 * base/isal.c - the only file that includes ISA-L, which is opened at the first use.
 *
 * ISA-L's inflate is faster than zlib's and gives the same bytes; where the
 * library is missing, or T2_ISAL=0 asks for it, zlib takes over.  Its messages are zlib's, so that
 * an error reads the same with either.
 */
#include "base/isal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

#ifdef T2_HAVE_ISAL

#include <isa-l.h>
#include <pthread.h>

#include "base/library.h"

struct t2_isal {
    struct inflate_state state;
};

static __typeof__(&isal_inflate_init) inflate_init;
static __typeof__(&isal_inflate) inflate;
static bool is_here;

static void load(void)
{
    const struct t2_symbol symbols[] = {{"isal_inflate_init", &inflate_init},
                                        {"isal_inflate", &inflate}};
    char why[128]; /* zlib does the same, slower */

    is_here =
        t2_library_open(&t2_libisal, symbols, sizeof symbols / sizeof *symbols, why, sizeof why);
}

struct t2_isal *t2_isal_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *spec = getenv("T2_ISAL");
    struct t2_isal *z;

    if (spec && strcmp(spec, "0") == 0)
        return NULL;
    pthread_once(&once, load);
    if (!is_here)
        return NULL;
    z = t2_alloc(1, sizeof *z);
    t2_isal_reset(z);
    return z;
}

void t2_isal_free(struct t2_isal *z)
{
    t2_free(z);
}

void t2_isal_reset(struct t2_isal *z)
{
    inflate_init(&z->state);
    z->state.crc_flag = ISAL_GZIP;
}

/* In zlib's words. */
static const char *problem_of(int rc)
{
    switch (rc) {
    case ISAL_INVALID_BLOCK:
        return "invalid block type";
    case ISAL_INVALID_SYMBOL:
        return "invalid code lengths set";
    case ISAL_INVALID_LOOKBACK:
        return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
        return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        return "incorrect data check";
    case ISAL_NEED_DICT:
        return "needs a preset dictionary";
    default:
        return rc < 0 ? "invalid data" : NULL;
    }
}

const char *t2_isal_step(struct t2_isal *z, const uint8_t *in, size_t in_bytes, uint8_t *out,
                         size_t out_bytes, size_t *n_used, size_t *n_made, bool *member_ended)
{
    struct inflate_state *s = &z->state;
    uint32_t n_in = in_bytes < UINT32_MAX ? (uint32_t) in_bytes : UINT32_MAX;
    uint32_t n_out = out_bytes < UINT32_MAX ? (uint32_t) out_bytes : UINT32_MAX;
    int rc;

    s->next_in = (uint8_t *) (uintptr_t) in; /* it is not written to */
    s->avail_in = n_in;
    s->next_out = out;
    s->avail_out = n_out;
    rc = inflate(s);
    *n_used = n_in - s->avail_in;
    *n_made = n_out - s->avail_out;
    *member_ended = rc >= 0 && s->block_state == ISAL_BLOCK_FINISH;
    return problem_of(rc);
}

#else

struct t2_isal *t2_isal_new(void)
{
    return NULL;
}

void t2_isal_free(struct t2_isal *z)
{
    (void) z;
}

void t2_isal_reset(struct t2_isal *z)
{
    T2_ASSERT(!z); /* there is none */
}

const char *t2_isal_step(struct t2_isal *z, const uint8_t *in, size_t in_bytes, uint8_t *out,
                         size_t out_bytes, size_t *n_used, size_t *n_made, bool *member_ended)
{
    (void) z, (void) in, (void) in_bytes, (void) out, (void) out_bytes;
    *n_used = *n_made = 0;
    *member_ended = false;
    return "this build is without ISA-L";
}

#endif
