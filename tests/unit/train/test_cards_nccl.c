/*
 * test_cards_nccl.c - transfers between cards: with the emulated GPU and what stands in for NCCL
 * there (make check-cuda); without, what a machine that has no NCCL says.
 */
#include "train/dist/cards.h"

#include <string.h>

#include "tests/support/comm_threads.h"
#include "tests/support/t.h"
#include "train/device/device.h"
#ifdef DEV_CUDA_ON_HOST
#include "tests/support/cuda_on_host/on_host.h"
#endif

enum { RANKS = 3, N = 5 };

#ifdef DEV_CUDA_ON_HOST

/* Each rank sends its number and its place to each, some floats or none, by way of its card. */
static enum t2_status exchange(struct dist *dist, struct dev *d, struct dist_cards *cards,
                               struct t2_err *err)
{
    int me = dist_rank(dist);
    float *out = d->alloc(d, N * 4), *in = d->alloc(d, RANKS * N * 4), host[RANKS * N];
    struct dist_piece send[RANKS], receive[RANKS];
    enum t2_status st;

    for (int i = 0; i < N; i++)
        host[i] = (float) (10 * me + i);
    d->upload_now(d, out, host, N * 4);
    for (int k = 1; k < RANKS; k++) {
        int r = (me + k) % RANKS;

        send[k - 1] = (struct dist_piece){r, out, (size_t) (me + r == 1 ? 0 : N) * 4};
        receive[k - 1] = (struct dist_piece){r, in + r * N, (size_t) (me + r == 1 ? 0 : N) * 4};
    }
    st = cards->queue(cards->state, &(struct dist_transfer){send, receive, RANKS - 1, RANKS - 1},
                      d->native_queue(d, DEV_COMPUTE), err);
    d->download(d, host, in, sizeof host);
    for (int i = 0; i < RANKS * N && st == T2_OK; i++) {
        int r = i / N;
        float want = r == me || me + r == 1 ? 0.0f : (float) (10 * r + i % N);

        if (!(host[i] == want))
            st = t2_fail(err, T2_EFORMAT, "float %d is %g, not %g", i, (double) host[i],
                         (double) want);
    }
    d->free(d, out);
    d->free(d, in);
    return st == T2_OK ? cards->check(cards->state, err) : st;
}

static enum t2_status connected(struct dist *dist, void *arg, struct t2_err *err)
{
    struct dist_cards cards = {{0}, NULL, NULL, NULL, NULL};
    struct dev *d;
    enum t2_status st;

    T2_TRY(dev_open_nth("cuda", dist_rank(dist), 1, &d, err));
    st = dist_cards_nccl(dist, &cards, err);
    if (st == T2_OK && strcmp(cards.name, "NCCL 2.27.3") != 0)
        st = t2_fail(err, T2_EFORMAT, "the library is called '%s'", cards.name);
    for (int i = 0; i < 3 && st == T2_OK; i++)
        st = exchange(dist, d, &cards, err);
    if (cards.close)
        cards.close(cards.state);
    dev_close(d);
    (void) arg;
    return st;
}

static void test_transfers(void **state)
{
    struct t_rank_result results[RANKS];

    (void) state;
    cuda_on_host_devices(RANKS);
    cuda_on_host_watch(true);
    t_run_ranks(RANKS, connected, NULL, results);
    t_assert_ranks(RANKS, results);
    cuda_on_host_watch(false);
}

/* All are told, the same. */
static void test_one_card(void **state)
{
    struct t_rank_result results[2];

    (void) state;
    cuda_on_host_devices(1);
    t_run_ranks(2, connected, NULL, results);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].status, T2_EUNSUPPORTED);
        if (!strstr(results[r].err.message, "ncclCommInitRank: invalid usage"))
            fail_msg("rank %d: %s", r, results[r].err.message);
    }
    cuda_on_host_devices(-1);
}

T_MAIN(cmocka_unit_test(test_transfers), cmocka_unit_test(test_one_card))

#else

static enum t2_status connect(struct dist *dist, void *arg, struct t2_err *err)
{
    struct dist_cards cards;

    (void) arg;
    return dist_cards_nccl(dist, &cards, err);
}

static void test_no_library(void **state)
{
    struct t_rank_result results[2];

    (void) state;
    t_run_ranks(2, connect, NULL, results);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].status, T2_EUNSUPPORTED);
        if (!strstr(results[r].err.message, "NCCL cannot be opened: apt-get install libnccl2") &&
            !strstr(results[r].err.message, "nccl"))
            fail_msg("'%s'", results[r].err.message);
    }
}

T_MAIN(cmocka_unit_test(test_no_library))

#endif
