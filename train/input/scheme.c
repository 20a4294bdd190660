/*
 * train/input/scheme.c - the bucket table, computed as data_reader.batching_scheme does.
 */
#include "train/input/scheme.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/models/model.h"

/* Batch sizes are divisors of one of these (tf.data wants one window for all buckets). */
static const int64_t highly_composite[] = {
    1,        2,        4,        6,        12,       24,       36,       48,       60,
    120,      180,      240,      360,      720,      840,      1260,     1680,     2520,
    5040,     7560,     10080,    15120,    20160,    25200,    27720,    45360,    50400,
    55440,    83160,    110880,   166320,   221760,   277200,   332640,   498960,   554400,
    665280,   720720,   1081080,  1441440,  2162160,  2882880,  3603600,  4324320,  6486480,
    7207200,  8648640,  10810800, 14414400, 17297280, 21621600, 32432400, 36756720, 43243200,
    61261200, 73513440, 110270160};

enum {
    N_HIGHLY_COMPOSITE = sizeof highly_composite / sizeof *highly_composite,
    MAX_BOUNDARIES = 60000,      /* order.c packs the bucket into 16 bits */
    NO_LENGTH_LIMIT = 1000000000 /* T2T's 10**9 */
};

static int64_t next_boundary(int64_t x, double step)
{
    double y = (double) x * step; /* as Python's int(x * step) */

    if (y > 2.0 * NO_LENGTH_LIMIT)
        return 2 * (int64_t) NO_LENGTH_LIMIT;
    return (int64_t) y > x + 1 ? (int64_t) y : x + 1;
}

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

static int64_t window_for(int64_t max_batch_size)
{
    int i = N_HIGHLY_COMPOSITE - 1;

    while (i > 0 && highly_composite[i] > 3 * max_batch_size)
        i--;
    return highly_composite[i];
}

/* The largest divisor of window that is <= limit. */
static int64_t divisor_below(int64_t window, int64_t limit)
{
    int64_t d = limit < window ? limit : window;

    while (window % d != 0)
        d--;
    return d;
}

static enum t2_status check(int64_t batch_size, int64_t max_length, int64_t min_length_bucket,
                            double step, int64_t shard_multiplier, int64_t length_multiplier,
                            int64_t min_length, struct t2_err *err)
{
    if (batch_size < 1 || batch_size > NO_LENGTH_LIMIT)
        return t2_fail(err, T2_EUSAGE, "hparam batch_size=%" PRId64 " is not in 1 .. 10^9",
                       batch_size);
    if (max_length < 0 || min_length < 0 || max_length > NO_LENGTH_LIMIT)
        return t2_fail(err, T2_EUSAGE,
                       "hparams max_length=%" PRId64 ", min_length=%" PRId64
                       " are not in 0 .. 10^9",
                       max_length, min_length);
    if ((max_length != 0 ? max_length : batch_size) < min_length)
        return t2_fail(err, T2_EUSAGE,
                       "hparam max_length=%" PRId64
                       " must be greater or equal to min_length=%" PRId64,
                       max_length != 0 ? max_length : batch_size, min_length);
    if (min_length_bucket < 1 || min_length_bucket > NO_LENGTH_LIMIT)
        return t2_fail(err, T2_EUSAGE, "hparam min_length_bucket=%" PRId64 " is not in 1 .. 10^9",
                       min_length_bucket);
    if (!(step > 1.0))
        return t2_fail(err, T2_EUSAGE, "hparam length_bucket_step=%g must be greater than 1", step);
    if (shard_multiplier < 1 || length_multiplier < 1)
        return t2_fail(err, T2_EUSAGE, "multipliers of a batching scheme must be at least 1");
    return T2_OK;
}

/* boundaries[] without the multiplier; n_boundaries. */
static enum t2_status list_boundaries(int64_t max_length, int64_t min_length_bucket, double step,
                                      struct in_scheme *s, struct t2_err *err)
{
    int n = 0;

    for (int64_t x = min_length_bucket; x < max_length && n <= MAX_BOUNDARIES;
         x = next_boundary(x, step))
        n++;
    if (n > MAX_BOUNDARIES)
        return t2_fail(err, T2_EUSAGE,
                       "hparams max_length=%" PRId64 ", length_bucket_step=%g give more than %d "
                       "length buckets",
                       max_length, step, MAX_BOUNDARIES);
    s->boundaries = t2_alloc((size_t) n, sizeof *s->boundaries);
    s->batch_sizes = t2_alloc((size_t) n + 1, sizeof *s->batch_sizes);
    for (int64_t x = min_length_bucket; s->n_boundaries < n; x = next_boundary(x, step))
        s->boundaries[s->n_boundaries++] = (int32_t) x;
    return T2_OK;
}

enum t2_status in_scheme_new(int64_t batch_size, int64_t max_length, int64_t min_length_bucket,
                             double length_bucket_step, bool drop_long_sequences,
                             int64_t shard_multiplier, int64_t length_multiplier,
                             int64_t min_length, struct in_scheme *scheme, struct t2_err *err)
{
    struct in_scheme s = {0};
    int64_t max_batch = 1, min_batch = INT64_MAX, window;

    *scheme = s;
    T2_TRY(check(batch_size, max_length, min_length_bucket, length_bucket_step, shard_multiplier,
                 length_multiplier, min_length, err));
    if (max_length == 0)
        max_length = batch_size;
    T2_TRY(list_boundaries(max_length, min_length_bucket, length_bucket_step, &s, err));
    if (length_multiplier > NO_LENGTH_LIMIT / at_least_one(max_length) ||
        shard_multiplier > INT32_MAX / batch_size) {
        in_scheme_release(&s);
        return t2_fail(err, T2_EUSAGE, "the multipliers of the batching scheme are too large");
    }
    max_length *= length_multiplier;
    for (int i = 0; i <= s.n_boundaries; i++) {
        int64_t bound = max_length;

        if (i < s.n_boundaries)
            bound = s.boundaries[i] * length_multiplier;
        if (i < s.n_boundaries)
            s.boundaries[i] = (int32_t) bound;
        s.batch_sizes[i] = (int32_t) at_least_one(batch_size / at_least_one(bound));
        if (s.batch_sizes[i] > max_batch)
            max_batch = s.batch_sizes[i];
    }
    window = window_for(max_batch);
    for (int i = 0; i <= s.n_boundaries; i++) {
        int64_t size = divisor_below(window, s.batch_sizes[i]) * shard_multiplier;

        s.batch_sizes[i] = (int32_t) size;
        if (size < min_batch)
            min_batch = size;
    }
    s.shuffle_queue_size = window * shard_multiplier / min_batch * 3;
    s.min_length = (int32_t) min_length;
    s.max_length = drop_long_sequences ? (int32_t) max_length : NO_LENGTH_LIMIT;
    *scheme = s;
    return T2_OK;
}

enum t2_status in_scheme_official(int64_t batch_size, int64_t max_length, int64_t replicas,
                                  bool is_static, struct in_scheme *scheme, struct t2_err *err)
{
    struct in_scheme s = {.max_length = (int32_t) max_length};

    *scheme = (struct in_scheme){0};
    T2_TRY(check(batch_size, max_length, 8, 1.1, replicas, 1, 0, err));
    if (max_length < 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam max_length=%" PRId64 " must be at least 1 for the official "
                       "Transformer's batches",
                       max_length);
    T2_TRY(list_boundaries(is_static ? 1 : max_length, 8, 1.1, &s, err));
    for (int i = 0; i <= s.n_boundaries; i++) {
        int64_t bound = i < s.n_boundaries ? s.boundaries[i] : max_length + 1;

        s.batch_sizes[i] = (int32_t) (is_static ? batch_size / replicas / max_length * replicas
                                                : at_least_one(batch_size / bound));
        if (s.batch_sizes[i] > 0)
            continue;
        in_scheme_release(&s);
        return t2_fail(err, T2_EUSAGE,
                       "hparam batch_size=%" PRId64
                       " tokens hold no sentence of max_length=%" PRId64,
                       batch_size, max_length);
    }
    s.pad_to = is_static ? (int32_t) max_length : 0;
    *scheme = s;
    return T2_OK;
}

/* With long samples dropped, when T2T would: those it splits are all as long as it splits them. */
static void set_split_length(const struct mdl_hparams *hp, struct in_scheme *scheme)
{
    int64_t split = mdl_hp_has(hp, "split_to_length") ? mdl_hp_int(hp, "split_to_length") : 0;

    if (split > 0 && split <= NO_LENGTH_LIMIT && scheme->max_length < split)
        scheme->max_length = (int32_t) split;
}

/* A model that remembers has room for so many rows; the original fails where shorter ones make
 * larger batches. */
static void limit_to_memory(const struct mdl_hparams *hp, struct in_scheme *scheme)
{
    int32_t rows;

    if (!mdl_hp_has(hp, "memory_type") || mdl_hp_int(hp, "split_targets_chunk_length") == 0)
        return;
    rows = mdl_memory_rows(hp);
    for (int i = 0; i <= scheme->n_boundaries && rows > 0; i++)
        scheme->batch_sizes[i] = scheme->batch_sizes[i] < rows ? scheme->batch_sizes[i] : rows;
}

static enum t2_status scheme_by_lengths(const struct mdl_hparams *hp, bool drop, int32_t replicas,
                                        int64_t length_multiplier, struct in_scheme *scheme,
                                        struct t2_err *err)
{
    T2_TRY(in_scheme_new(mdl_hp_int(hp, "batch_size"), mdl_hp_int(hp, "max_length"),
                         mdl_hp_int(hp, "min_length_bucket"),
                         mdl_hp_float(hp, "length_bucket_step"), drop, replicas, length_multiplier,
                         mdl_hp_int(hp, "min_length"), scheme, err));
    if (mdl_hp_bool(hp, "use_fixed_batch_size")) {
        /* One bucket of batch_size examples. */
        scheme->n_boundaries = 0;
        scheme->batch_sizes[0] = (int32_t) mdl_hp_int(hp, "batch_size") * replicas;
    }
    return T2_OK;
}

static bool drops_long(const struct mdl_hparams *hp, bool training)
{
    return training || mdl_hp_bool(hp, "eval_drop_long_sequences");
}

enum t2_status in_scheme_of(const struct mdl_hparams *hp, bool training, int32_t replicas,
                            struct in_scheme *scheme, struct t2_err *err)
{
    if (mdl_hp_has(hp, "static_batch"))
        return in_scheme_official(mdl_hp_int(hp, "batch_size"), mdl_hp_int(hp, "max_length"),
                                  replicas, mdl_hp_bool(hp, "static_batch"), scheme, err);
    T2_TRY(scheme_by_lengths(hp, drops_long(hp, training), replicas, 1, scheme, err));
    set_split_length(hp, scheme);
    limit_to_memory(hp, scheme);
    return T2_OK;
}

enum t2_status in_scheme_described(const struct mdl_hparams *hp, bool training, int32_t replicas,
                                   struct in_scheme *scheme, struct t2_err *err)
{
    enum { MULTIPLIER = 256 };
    bool drop = drops_long(hp, training);
    int64_t longest = mdl_hp_int(hp, "max_length");

    T2_TRY(scheme_by_lengths(hp, drop, replicas, MULTIPLIER, scheme, err));
    if (drop)
        scheme->max_length = (int32_t) (longest > 0 ? longest : mdl_hp_int(hp, "batch_size"));
    return T2_OK;
}

enum t2_status in_scheme_images(int64_t batch_size, int32_t replicas, struct in_scheme *scheme,
                                struct t2_err *err)
{
    enum { MOST = 1 << 24 };

    *scheme = (struct in_scheme){.max_length = NO_LENGTH_LIMIT};
    if (batch_size < 1 || batch_size > MOST / replicas)
        return t2_fail(err, T2_EUSAGE,
                       "hparam batch_size=%" PRId64 " images is not between 1 and %d", batch_size,
                       MOST / replicas);
    scheme->batch_sizes = t2_alloc(1, sizeof *scheme->batch_sizes);
    scheme->batch_sizes[0] = (int32_t) batch_size * replicas;
    return T2_OK;
}

void in_scheme_release(struct in_scheme *s)
{
    t2_free(s->boundaries);
    t2_free(s->batch_sizes);
    *s = (struct in_scheme){0};
}

int in_scheme_bucket(const struct in_scheme *s, int32_t length)
{
    int low = 0, high = s->n_boundaries;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (length < s->boundaries[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
