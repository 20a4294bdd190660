/*
 * train/dist/cards_nccl.c - transfers between cards by NCCL, which is opened at run time.
 *
 * Only its sends and receives are used, many in a group: sums are made along the tree of the shards
 * (shard_tree.h), so that they have the same bits for any number of cards, which an all-reduce of
 * NCCL's would not give.  A group of sends from each rank to each is what its all-to-all is made
 * of; every vector crosses a link once each way, as in a ring.  The few declarations are our own:
 * NCCL's binary interface has been the same since 2.7 (2020), the first with sends.
 */
#include "train/dist/cards.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/library.h"

/* ---- the library ---- */

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_INT8 = 0, NCCL_ID_BYTES = 128 };

struct nccl_id {
    char bytes[NCCL_ID_BYTES];
};

typedef struct ncclComm *nccl_comm;

#define FUNCTIONS(F)                                                                               \
    F(ncclGetVersion, int, (int *version))                                                         \
    F(ncclGetUniqueId, int, (struct nccl_id * id))                                                 \
    F(ncclCommInitRank, int, (nccl_comm * comm, int size, struct nccl_id id, int rank))            \
    F(ncclCommDestroy, int, (nccl_comm comm))                                                      \
    F(ncclCommGetAsyncError, int, (nccl_comm comm, int *error))                                    \
    F(ncclGetErrorString, const char *, (int error))                                               \
    F(ncclGroupStart, int, (void) )                                                                \
    F(ncclGroupEnd, int, (void) )                                                                  \
    F(ncclSend, int,                                                                               \
      (const void *data, size_t n, int type, int rank, nccl_comm comm, void *stream))              \
    F(ncclRecv, int, (void *data, size_t n, int type, int rank, nccl_comm comm, void *stream))

static struct {
#define F(name, result, parameters) result(*name) parameters;
    FUNCTIONS(F)
#undef F
} lib;

#ifdef DEV_CUDA_ON_HOST
/* linked with what stands in for it: tests/support/cuda_on_host/nccl_on_host.cpp */
#define F(name, result, parameters) result name parameters;
FUNCTIONS(F)
#undef F

static bool find_functions(char *why, size_t why_bytes)
{
    (void) why, (void) why_bytes;
#define F(name, result, parameters) lib.name = name;
    FUNCTIONS(F)
#undef F
    return true;
}
#else
static bool find_functions(char *why, size_t why_bytes)
{
    static const struct t2_library library = {"NCCL", {"libnccl.so.2", NULL}, "libnccl2", false};
    const struct t2_symbol symbols[] = {
#define F(name, result, parameters) {#name, &lib.name},
        FUNCTIONS(F)
#undef F
    };

    return t2_library_open(&library, symbols, sizeof symbols / sizeof *symbols, why, why_bytes);
}
#endif

/* ---- transfers ---- */

struct nccl {
    nccl_comm comm;
};

static enum t2_status fails(const char *call, int rc, struct t2_err *err)
{
    return t2_fail(err, T2_EDEVICE, "exchange between cards: %s: %s", call,
                   lib.ncclGetErrorString(rc));
}

static enum t2_status queue(void *state, const struct dist_transfer *t, void *stream,
                            struct t2_err *err)
{
    const struct nccl *n = state;
    const char *call = "ncclGroupStart";
    int rc = lib.ncclGroupStart(), ended;

    for (int i = 0; i < t->n_send && rc == NCCL_SUCCESS; i++) {
        const struct dist_piece *p = &t->send[i];

        call = "ncclSend";
        rc = p->bytes ? lib.ncclSend(p->data, p->bytes, NCCL_INT8, p->rank, n->comm, stream) : rc;
    }
    for (int i = 0; i < t->n_receive && rc == NCCL_SUCCESS; i++) {
        const struct dist_piece *p = &t->receive[i];

        call = "ncclRecv";
        rc = p->bytes ? lib.ncclRecv(p->data, p->bytes, NCCL_INT8, p->rank, n->comm, stream) : rc;
    }
    ended = lib.ncclGroupEnd(); /* also after a failure */
    if (rc == NCCL_SUCCESS) {
        call = "ncclGroupEnd";
        rc = ended;
    }
    return rc == NCCL_SUCCESS ? T2_OK : fails(call, rc, err);
}

static enum t2_status check(void *state, struct t2_err *err)
{
    const struct nccl *n = state;
    int error = NCCL_SUCCESS, rc = lib.ncclCommGetAsyncError(n->comm, &error);

    rc = rc == NCCL_SUCCESS ? error : rc;
    return rc == NCCL_SUCCESS || rc == NCCL_IN_PROGRESS ? T2_OK
                                                        : fails("ncclCommGetAsyncError", rc, err);
}

static void close_nccl(void *state)
{
    struct nccl *n = state;

    if (n && n->comm)
        (void) lib.ncclCommDestroy(n->comm);
    t2_free(n);
}

/* ---- life ---- */

/* T2_OK when all ranks have `mine` true; else `why`, of this rank or of another. */
static enum t2_status all_have(struct dist *d, bool mine, const char *why, struct t2_err *err)
{
    int64_t least;

    T2_TRY(dist_least(d, mine, &least, err));
    if (least)
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "%s", mine ? "another rank cannot take part" : why);
}

static enum t2_status connect(struct dist *d, struct nccl *n, struct t2_err *err)
{
    struct nccl_id id;
    char why[200] = "";
    int rc = NCCL_SUCCESS;

    memset(&id, 0, sizeof id);
    if (dist_rank(d) == 0)
        rc = lib.ncclGetUniqueId(&id);
    if (rc != NCCL_SUCCESS)
        snprintf(why, sizeof why, "ncclGetUniqueId: %s", lib.ncclGetErrorString(rc));
    T2_TRY(all_have(d, rc == NCCL_SUCCESS, why, err));
    T2_TRY(dist_broadcast(d, &id, sizeof id, 0, err));
    rc = lib.ncclCommInitRank(&n->comm, dist_size(d), id, dist_rank(d));
    if (rc != NCCL_SUCCESS)
        snprintf(why, sizeof why, "ncclCommInitRank: %s", lib.ncclGetErrorString(rc));
    return all_have(d, rc == NCCL_SUCCESS, why, err);
}

enum t2_status dist_cards_nccl(struct dist *d, struct dist_cards *cards, struct t2_err *err)
{
    char why[256] = "";
    int version = 0;
    struct nccl *n;
    enum t2_status st;

    T2_TRY(all_have(d, find_functions(why, sizeof why), why, err));
    n = t2_alloc(1, sizeof *n);
    st = connect(d, n, err);
    if (st != T2_OK) {
        close_nccl(n);
        return st;
    }
    (void) lib.ncclGetVersion(&version);
    *cards = (struct dist_cards){.state = n, .queue = queue, .check = check, .close = close_nccl};
    snprintf(cards->name, sizeof cards->name, "NCCL %d.%d.%d", version / 10000, version / 100 % 100,
             version % 100);
    return T2_OK;
}
