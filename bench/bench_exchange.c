/*
 * bench/bench_exchange.c - seconds of the exchange of gradients between ranks, and the rates that
 * it is made of.
 *
 *   mpirun -n 2 bench_exchange --floats=16777216
 *   mpirun --mca btl self,tcp -n 2 bench_exchange        # Open MPI over TCP instead of memory
 *
 * Rank 0 prints one JSON object: "value", the median seconds of dist_tree_sum_run of one shard a
 * rank; of ranks 0 and 1 "pair_bytes_per_s", which pieces of 4 MiB reach in both directions
 * together, each time of another part of the vector, as gradients are not in a cache, and
 * "message_s" of each of 32 small ones, half of them to each side; "copy_bytes_per_s" of memcpy and
 * "add_bytes_per_s" of the sum of two vectors (bytes read), each by one thread while the other
 * ranks wait, and "all_add_..." of one while the others do the same.
 * bench/scaling_model.py reads it.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "bench/bench_main.h"
#include "train/dist/tree_sum.h"

static int64_t floats = 1 << 24, repeats = 7, bucket = 0;
static bool bfloat16;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"floats", T2_FLAG_INT, &floats, "N", "of the vector", NULL},
    {"bucket", T2_FLAG_INT, &bucket, "N", "floats of a bucket; 0: as in training", NULL},
    {"bfloat16", T2_FLAG_BOOL, &bfloat16, NULL, "gradients travel as bfloat16", NULL},
    {"repeats", T2_FLAG_INT, &repeats, "N", "each time is the median of so many", NULL},
};
static const struct t2_tool tool = {.name = "bench_exchange",
                                    .usage = "mpirun -n N bench_exchange [flags]",
                                    .summary = "Measures the exchange of gradients.",
                                    .flags = flags,
                                    .n_flags = sizeof flags / sizeof *flags};

enum { PIECE = 4 << 20, PIECES = 8, MESSAGES = 16 };

/* Ranks 0 and 1 send `n` pieces to each other at once, of a vector of so many bytes. */
static enum t2_status exchange_pieces(struct dist *d, float *x, size_t x_bytes, int n, size_t bytes,
                                      double *seconds, struct t2_err *err)
{
    const size_t block = 2 * (size_t) PIECES * PIECE;
    struct dist_piece send[MESSAGES], receive[MESSAGES];
    double *times = t2_alloc((size_t) repeats, sizeof *times);
    int me = dist_rank(d);
    enum t2_status st = T2_OK;

    for (int64_t i = 0; i < repeats && st == T2_OK; i++) {
        uint64_t number;

        st = dist_barrier(d, err);
        if (me > 1 || st != T2_OK)
            continue;
        for (int k = 0; k < n; k++) {
            char *at = (char *) x + (size_t) i % (x_bytes / block) * block + (size_t) k * bytes;

            send[k] = (struct dist_piece){1 - me, at, bytes};
            receive[k] = (struct dist_piece){1 - me, at + (size_t) PIECES * PIECE, bytes};
        }
        times[i] = t2_now_s();
        st = d->comm.start(d->comm.state, &(struct dist_transfer){send, receive, n, n}, &number,
                           err);
        if (st == T2_OK)
            st = d->comm.finish(d->comm.state, number, err);
        times[i] = t2_now_s() - times[i];
    }
    *seconds = bench_median(times, repeats);
    t2_free(times);
    return st == T2_OK ? dist_barrier(d, err) : st;
}

/* In place, as gradients are. */
static enum t2_status time_sum(struct dist *d, float *x, double *seconds, struct t2_err *err)
{
    struct dist_tree_sum *s = dist_tree_sum_new(d, dist_size(d), floats, bucket,
                                                bfloat16 ? DIST_BFLOAT16 : DIST_FLOAT32, NULL);
    double *times = t2_alloc((size_t) repeats, sizeof *times);
    enum t2_status st = T2_OK;

    for (int64_t i = -1; i < repeats && st == T2_OK; i++) { /* one to warm */
        double begin;

        st = dist_barrier(d, err);
        begin = t2_now_s();
        if (st == T2_OK)
            st = dist_tree_sum_run(s, &x, x, err);
        if (st == T2_OK)
            st = dist_barrier(d, err);
        if (i >= 0)
            times[i] = t2_now_s() - begin;
    }
    *seconds = bench_median(times, repeats);
    t2_free(times);
    dist_tree_sum_free(s);
    return st;
}

/* Copies in pieces, as gradients come: memcpy of hundreds of megabytes goes around the caches. */
static double time_local(float *x, float *y, bool adds)
{
    const int64_t piece = PIECE / sizeof *x;
    double *times = t2_alloc((size_t) repeats, sizeof *times), seconds;

    for (int64_t i = 0; i < repeats; i++) {
        times[i] = t2_now_s();
        if (adds)
            for (int64_t k = 0; k < floats; k++)
                y[k] = x[k] + y[k];
        else
            for (int64_t k = 0; k < floats; k += piece)
                memcpy(y + k, x + k,
                       (size_t) (floats - k < piece ? floats - k : piece) * sizeof *x);
        times[i] = t2_now_s() - times[i];
    }
    seconds = bench_median(times, repeats);
    t2_free(times);
    return seconds;
}

static enum t2_status measure(struct dist *d, struct t2_err *err)
{
    const size_t least = 2 * (size_t) PIECES * PIECE / sizeof(float);
    const double bytes = (double) floats * sizeof(float);
    size_t n = (size_t) floats > least ? (size_t) floats : least;
    double copy = 0, add = 0, all_add, sum, pair = 0, message = 0;
    float *x = t2_alloc_aligned(n * sizeof *x), *y = t2_alloc_aligned(n * sizeof *y);
    enum t2_status st = T2_OK;

    if (!x || !y)
        t2_out_of_memory("two vectors of %zu floats", n);
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] = (float) (i % 1000);
    if (dist_rank(d) == 0) {
        copy = bytes / time_local(x, y, false);
        add = 2 * bytes / time_local(x, y, true);
    }
    T2_GOTO(st, out, dist_barrier(d, err));
    all_add = 2 * bytes / time_local(x, y, true);
    if (dist_size(d) > 1) {
        T2_GOTO(st, out, exchange_pieces(d, x, n * sizeof *x, PIECES, PIECE, &pair, err));
        T2_GOTO(st, out, exchange_pieces(d, x, n * sizeof *x, MESSAGES, 64, &message, err));
    }
    T2_GOTO(st, out, time_sum(d, x, &sum, err));
    if (dist_rank(d) == 0) {
        struct t2_buf text = {NULL, 0, 0};
        struct t2_json json;

        t2_json_init(&json, &text, 0);
        t2_json_object(&json);
        t2_json_kv_double(&json, "value", sum);
        t2_json_kv_string(&json, "unit", "s");
        t2_json_kv_string(&json, "transport", d->comm.name);
        t2_json_kv_i64(&json, "ranks", dist_size(d));
        t2_json_kv_i64(&json, "floats", floats);
        t2_json_kv_double(&json, "copy_bytes_per_s", copy);
        t2_json_kv_double(&json, "add_bytes_per_s", add);
        t2_json_kv_double(&json, "all_add_bytes_per_s", all_add);
        if (dist_size(d) > 1) {
            t2_json_kv_double(&json, "pair_bytes_per_s", 2.0 * PIECES * PIECE / pair);
            t2_json_kv_double(&json, "message_s", message / (2 * MESSAGES));
        }
        t2_json_end_object(&json);
        puts(t2_buf_cstr(&text));
        t2_buf_release(&text);
    }
out:
    t2_free_aligned(x);
    t2_free_aligned(y);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    struct dist *d;
    enum t2_status st;

    if (floats < 1 || repeats < 1 || bucket < 0)
        return t2_fail(err, T2_EUSAGE, "--floats and --repeats are at least 1");
    T2_TRY(dist_open(20, &d, err));
    st = measure(d, err);
    if (st != T2_OK)
        dist_abort(d);
    dist_close(d);
    return st;
}

int main(int argc, char **argv)
{
    return bench_main(&tool, argc, argv, run);
}
