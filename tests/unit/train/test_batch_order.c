/*
 * Tests of train/input/batch_order.c: in every mode of train/input a run that is continued, at any
 * place and with any number of threads, has the batches of one that was not; what an order says of
 * its members.
 */
#include "train/input/batch_order.h"

#include <inttypes.h>

#include "tests/unit/train/input_modes.h"

enum { N_BATCHES = 40 };

static struct t2_err err;

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (size_t i = 0; data && i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return t_hash64(h ^ (data ? bytes : 1));
}

/* A number for everything in a batch. */
static uint64_t digest(const struct mdl_batch *b)
{
    size_t inputs = (size_t) b->batch * (size_t) b->inputs_length * 4;
    size_t targets = (size_t) b->batch * (size_t) b->targets_length * 4;
    uint64_t h = hash(1, &b->batch, sizeof b->batch);

    h = hash(h, b->inputs, inputs);
    h = hash(h, b->targets, targets);
    h = hash(h, b->inputs_segmentation, inputs);
    h = hash(h, b->inputs_position, inputs);
    h = hash(h, b->targets_segmentation, targets);
    h = hash(h, b->targets_position, targets);
    h = hash(h, b->images,
             (size_t) b->batch * (size_t) b->height * (size_t) b->width * (size_t) b->channels * 4);
    h = hash(h, b->other_labels, (size_t) b->batch * 4);
    return hash(h, b->label_weights, (size_t) b->batch * 4);
}

/* Up to n batches' digests and positions; how many there were. */
static int read_batches(struct in_input *in, int n, uint64_t *digests, uint64_t *positions)
{
    struct mdl_batch b;
    int k = 0;

    while (k < n && in_next(in, &b, &positions[k], &err) == T2_OK)
        digests[k++] = digest(&b);
    return k;
}

static void check_mode(const struct modes_mode *m, struct modes_setup *s)
{
    uint64_t digests[N_BATCHES], positions[N_BATCHES], again[N_BATCHES], at[N_BATCHES];
    struct in_input *in = modes_open(m, s);
    int n = read_batches(in, N_BATCHES, digests, positions);

    assert_true(n == N_BATCHES || (!m->training && n > 1));
    for (int from = 0; from < n; from += m->training ? 9 : n) {
        uint64_t first = from > 0 ? positions[from - 1] : 0;
        int k;

        assert_int_equal(in_rewind(in, first, &err), T2_OK);
        k = read_batches(in, n - from, again, at);
        assert_true(k == n - from);
        assert_memory_equal(again, digests + from, (size_t) k * sizeof *again);
        assert_memory_equal(at, positions + from, (size_t) k * sizeof *at);
        in_free(in);
        s->options.first_sample = first;
        s->options.num_threads = 1 + from % 4;
        s->options.prefetch_batches = 1 + from % 3;
        in = modes_open(m, s);
        k = read_batches(in, n - from, again, at);
        assert_true(k == n - from);
        assert_memory_equal(again, digests + from, (size_t) k * sizeof *again);
    }
    in_free(in);
}

static void test_every_mode(void **state)
{
    const char *dir = modes_write();

    (void) state;
    for (int i = 0; i < N_MODES; i++) {
        struct modes_setup s = {0};

        modes_set_up(&modes[i], dir, &s);
        check_mode(&modes[i], &s);
        modes_release(&s);
    }
}

/* ---- members ---- */

enum { N_SAMPLES = 37, N_BUCKETS = 3, MOST_BATCH = 6, MOST_EPOCHS = 60 };

/* Samples of lengths 1 to 9 in three buckets, in two files. */
struct data {
    struct in_index index;
    struct in_shard shards[2];
    struct in_scheme scheme;
    int32_t boundaries[N_BUCKETS - 1], sizes[N_BUCKETS];
    uint64_t counts[N_BUCKETS];
    struct in_order_data of;
};

static void make_data(struct data *d)
{
    *d = (struct data){.boundaries = {4, 7}, .sizes = {MOST_BATCH, 4, 3}};
    d->scheme = (struct in_scheme){.boundaries = d->boundaries,
                                   .batch_sizes = d->sizes,
                                   .n_boundaries = N_BUCKETS - 1,
                                   .max_length = 9};
    d->index.places = t2_alloc(N_SAMPLES, sizeof *d->index.places);
    d->index.n = N_SAMPLES;
    t2_strs_push(&d->index.paths, "one");
    t2_strs_push(&d->index.paths, "two");
    for (uint64_t i = 0; i < N_SAMPLES; i++) {
        uint64_t file = i / 20;
        int32_t length = 1 + (int32_t) (t_hash64(i) % 9);

        d->index.places[i] = (struct in_place){.at = file << IN_OFFSET_BITS | i,
                                               .inputs_length = length,
                                               .targets_length = 1};
        d->counts[in_scheme_bucket(&d->scheme, length)]++;
    }
    d->of = (struct in_order_data){.index = &d->index,
                                   .scheme = &d->scheme,
                                   .counts = d->counts,
                                   .batch_shuffle_size = 3,
                                   .seed = 5};
}

static void release_data(struct data *d)
{
    t2_free(d->index.places);
    t2_strs_release(&d->index.paths);
}

/* Which sample of make_data. */
static size_t number_of(const struct in_place *p)
{
    return (size_t) (p->at & (((uint64_t) 1 << IN_OFFSET_BITS) - 1));
}

/* Full batches of one bucket each; no sample comes twice in an epoch; positions count samples. */
static void check_training_members(struct in_batch_order *o, const struct data *d)
{
    bool seen[N_SAMPLES][MOST_EPOCHS] = {{0}};
    uint64_t samples = 0;
    struct in_members m = {0};

    for (int k = 0; k < 200; k++) {
        int bucket;

        assert_int_equal(in_batch_order_next(o, &m), T2_OK);
        bucket = in_scheme_bucket(&d->scheme, in_place_length(m.places[0]));
        assert_int_equal(m.n_rows, d->sizes[bucket]);
        for (int32_t i = 0; i < m.n_rows; i++) {
            bool *in_epochs = seen[number_of(m.places[i])];

            assert_true(m.epochs[i] < MOST_EPOCHS && !in_epochs[m.epochs[i]]);
            in_epochs[m.epochs[i]] = true;
            assert_int_equal(m.begins[i], i);
            assert_int_equal(in_scheme_bucket(&d->scheme, in_place_length(m.places[i])), bucket);
        }
        samples += (uint64_t) m.n_rows;
        assert_int_equal(m.samples, samples);
    }
    assert_int_equal(in_batch_order_seek(o, m.samples, &err), T2_OK);
    assert_int_equal(in_batch_order_seek(o, m.samples - 1, &err), T2_EFORMAT);
    in_members_release(&m);
}

static void test_training_members(void **state)
{
    double per_epoch = 0;
    struct in_batch_order o;
    struct data d;

    (void) state;
    make_data(&d);
    for (int b = 0; b < N_BUCKETS; b++)
        per_epoch += (double) d.counts[b] / d.sizes[b];
    in_reference_order(&d.of, &o); /* before the index is sorted */
    check_training_members(&o, &d);
    assert_true(in_batch_order_per_epoch(&o) == per_epoch);
    in_batch_order_free(&o);
    in_batch_order_free(&o);
    assert_int_equal(in_shuffled_order(&d.of, &o, &err), T2_OK);
    check_training_members(&o, &d);
    assert_true(in_batch_order_per_epoch(&o) == per_epoch);
    in_batch_order_free(&o);
    release_data(&d);
}

static void test_pass_members(void **state)
{
    struct in_batch_order o;
    struct in_members m = {0};
    struct data d;

    (void) state;
    make_data(&d);
    assert_int_equal(in_pass_order(&d.index, &d.scheme, false, &o, &err), T2_OK);
    assert_int_equal(in_batch_order_bytes(&o), N_SAMPLES * 4);
    for (int round = 0; round < 2; round++) {
        uint64_t n = 0;

        while (in_batch_order_next(&o, &m) == T2_OK) {
            n += (uint64_t) m.n_rows;
            assert_int_equal(m.samples, n);
        }
        assert_int_equal(n, N_SAMPLES);
        assert_int_equal(in_batch_order_seek(&o, 17, &err), T2_OK); /* a pass only begins again */
    }
    in_batch_order_free(&o);
    in_members_release(&m);
    release_data(&d);
}

T_MAIN(cmocka_unit_test(test_every_mode), cmocka_unit_test(test_training_members),
       cmocka_unit_test(test_pass_members))
