/*
 * Tests of train/input/input.c: what batches hold, every sample once, resuming, threads, damage,
 * _rev and _copy.
 */
#include "train/input/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/record_writer.h"
#include "tests/unit/train/id_shards.h"

static struct t2_err err;

static struct mdl_hparams *hparams(int64_t batch_size, int64_t max_length)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    mdl_hp_set_int(hp, "batch_size", batch_size);
    mdl_hp_set_int(hp, "max_length", max_length);
    return hp;
}

static struct in_options options(const char *dir, const char *split, bool training)
{
    return (struct in_options){.data_dir = dir,
                               .dataset = "ids",
                               .split = split,
                               .inputs_feature = "inputs",
                               .targets_feature = "targets",
                               .inputs_vocab = IDS_VOCAB,
                               .targets_vocab = IDS_VOCAB,
                               .training = training,
                               .seed = 17,
                               .num_threads = 2};
}

static struct in_input *open_ok(const struct in_options *o, const struct mdl_hparams *hp)
{
    struct in_input *in = NULL;

    if (in_new(o, hp, &in, &err) != T2_OK)
        fail_msg("%s", err.message);
    return in;
}

static enum t2_status open_fails(const struct in_options *o, const struct mdl_hparams *hp)
{
    struct in_input *in = NULL;
    enum t2_status st = in_new(o, hp, &in, &err);

    assert_null(in);
    return st;
}

/* Length without padding; checks that only padding follows. */
static int32_t row_length(const int32_t *ids, int32_t width)
{
    int32_t n = 0;

    while (n < width && ids[n] != 0)
        n++;
    for (int32_t i = n; i < width; i++)
        assert_int_equal(ids[i], 0);
    assert_true(n > 0 && ids[n - 1] == 1);
    return n;
}

/* A number for everything in a batch. */
static uint64_t digest(const struct mdl_batch *b, uint64_t samples)
{
    uint64_t h = t_hash64(samples);

    for (int32_t i = 0; i < b->batch * b->inputs_length; i++)
        h = t_hash64(h ^ (uint64_t) b->inputs[i]);
    for (int32_t i = 0; i < b->batch * b->targets_length; i++)
        h = t_hash64(h ^ (uint64_t) b->targets[i]);
    return t_hash64(h ^ (uint64_t) b->inputs_length << 32 ^ (uint64_t) b->targets_length);
}

static void test_pass_gives_every_sample_once(void **state)
{
    const char *dir = t_tmp_path("once");
    struct mdl_hparams *hp = hparams(256, 30);
    struct in_options o = options(dir, "dev", false);
    struct in_input *in;
    struct in_stats stats;
    uint64_t samples, n_inputs = 0, n_targets = 0;

    (void) state;
    ids_write(dir, "dev", 1003, 3, 60); /* longer than max_length: kept */
    in = open_ok(&o, hp);
    stats = in_stats_of(in);
    assert_int_equal(stats.n_records, 1003);
    assert_int_equal(stats.n_kept, 1003);
    assert_int_equal(stats.n_shards, 3);
    for (int round = 0; round < 2; round++) {
        struct mdl_batch b;
        uint64_t n = 0;

        n_inputs = n_targets = 0;
        while (in_next(in, &b, &samples, &err) == T2_OK) {
            n += (uint64_t) b.batch;
            assert_int_equal(samples, n);
            for (int32_t i = 0; i < b.batch; i++) {
                n_inputs += (uint64_t) row_length(b.inputs + i * b.inputs_length, b.inputs_length);
                n_targets +=
                    (uint64_t) row_length(b.targets + i * b.targets_length, b.targets_length);
            }
        }
        assert_int_equal(n, 1003);
        assert_int_equal(in_next(in, &b, &samples, &err), T2_EOF); /* stays */
        assert_int_equal(in_rewind(in, 0, &err), T2_OK);
    }
    assert_int_equal(n_inputs, stats.n_inputs_tokens);
    assert_int_equal(n_targets, stats.n_target_tokens);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_training_drops_long_and_fills_batches(void **state)
{
    const char *dir = t_tmp_path("drops");
    struct mdl_hparams *hp = hparams(200, 40);
    struct in_options o = options(dir, "train", true);
    struct in_input *in;
    struct in_stats stats;
    struct in_scheme scheme;
    struct mdl_shape *shapes;
    size_t n_shapes;

    (void) state;
    ids_write(dir, "train", 400, 5, 60);
    in = open_ok(&o, hp);
    stats = in_stats_of(in);
    assert_int_equal(stats.n_kept + stats.n_too_long, 400);
    assert_true(stats.n_too_long > 0 && stats.n_too_short == 0);
    assert_int_equal(stats.max_length, 40);
    assert_int_equal(in_scheme_of(hp, true, 1, &scheme, &err), T2_OK);
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    for (int k = 0; k < 300; k++) {
        struct mdl_batch b;
        uint64_t samples;
        int32_t longest;
        bool fits = false;

        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        longest = b.inputs_length > b.targets_length ? b.inputs_length : b.targets_length;
        assert_true(longest <= 40);
        assert_int_equal(b.batch, scheme.batch_sizes[in_scheme_bucket(&scheme, longest)]);
        for (size_t i = 0; i < n_shapes; i++)
            fits =
                fits || (b.batch <= shapes[i].batch && b.inputs_length <= shapes[i].inputs_length &&
                         b.targets_length <= shapes[i].targets_length);
        assert_true(fits);
    }
    t2_free(shapes);
    in_scheme_release(&scheme);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_straight_and_resumed_are_the_same(void **state)
{
    const char *dir = t_tmp_path("resume");
    struct mdl_hparams *hp = hparams(150, 40);
    struct in_options o = options(dir, "train", true);
    struct in_input *in;
    uint64_t digests[120], positions[120], samples;
    struct mdl_batch b;

    (void) state;
    ids_write(dir, "train", 300, 4, 40);
    in = open_ok(&o, hp);
    for (int k = 0; k < 120; k++) {
        assert_int_equal(in_next(in, &b, &positions[k], &err), T2_OK);
        digests[k] = digest(&b, positions[k]);
    }
    for (int from = 0; from < 120; from += 13) {
        o.first_sample = from == 0 ? 0 : positions[from - 1];
        o.num_threads = 1 + from % 3;
        o.prefetch_batches = 1 + from % 5;
        in_free(in);
        in = open_ok(&o, hp);
        for (int k = from; k < 120 && k < from + 20; k++) {
            assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
            assert_int_equal(samples, positions[k]);
            assert_int_equal(digest(&b, samples), digests[k]);
        }
    }
    assert_int_equal(in_rewind(in, positions[9], &err), T2_OK);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    assert_int_equal(digest(&b, samples), digests[10]);
    in_free(in);
    o.first_sample = 1;
    assert_int_equal(open_fails(&o, hp), T2_EFORMAT);
    t_assert_contains(err.message, "inside a batch");
    mdl_hparams_free(hp);
}

static void test_reversed_copied_and_without_inputs(void **state)
{
    const char *dir = t_tmp_path("rev");
    struct mdl_hparams *hp = hparams(256, 64);
    struct in_options o = options(dir, "dev", false);
    struct in_input *plain, *other;
    struct mdl_batch a, b;
    uint64_t samples;

    (void) state;
    ids_write(dir, "dev", 50, 1, 7); /* one bucket: the same order for all */
    plain = open_ok(&o, hp);
    assert_int_equal(in_next(plain, &a, &samples, &err), T2_OK);
    o.inputs_feature = "targets";
    o.targets_feature = "inputs";
    other = open_ok(&o, hp);
    assert_int_equal(in_next(other, &b, &samples, &err), T2_OK);
    assert_int_equal(a.batch, b.batch);
    assert_int_equal(a.inputs_length, b.targets_length);
    assert_memory_equal(a.inputs, b.targets, (size_t) (a.batch * a.inputs_length) * 4);
    assert_memory_equal(a.targets, b.inputs, (size_t) (a.batch * a.targets_length) * 4);
    in_free(other);
    o.inputs_feature = "inputs";
    other = open_ok(&o, hp);
    assert_int_equal(in_next(other, &b, &samples, &err), T2_OK);
    assert_memory_equal(a.inputs, b.targets, (size_t) (a.batch * a.inputs_length) * 4);
    assert_memory_equal(a.inputs, b.inputs, (size_t) (a.batch * a.inputs_length) * 4);
    in_free(other);
    o.inputs_feature = NULL;
    o.targets_feature = "targets";
    other = open_ok(&o, hp);
    assert_int_equal(in_next(other, &b, &samples, &err), T2_OK);
    assert_null(b.inputs);
    assert_int_equal(b.inputs_length, 0);
    assert_memory_equal(a.targets, b.targets, (size_t) (a.batch * a.targets_length) * 4);
    in_free(other);
    in_free(plain);
    mdl_hparams_free(hp);
}

static void test_max_records(void **state)
{
    const char *dir = t_tmp_path("max");
    struct mdl_hparams *hp = hparams(256, 64);
    struct in_options o = options(dir, "dev", false);
    struct in_input *in;

    (void) state;
    ids_write(dir, "dev", 100, 4, 20);
    o.max_records = 60;
    in = open_ok(&o, hp);
    assert_int_equal(in_stats_of(in).n_records, 60);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_nothing_to_train_on(void **state)
{
    const char *dir = t_tmp_path("nothing");
    struct mdl_hparams *hp = hparams(256, 64);
    struct in_options o = options(dir, "train", true);

    (void) state;
    ids_write(dir, "train", 0, 2, 20);
    assert_int_equal(open_fails(&o, hp), T2_EFORMAT);
    t_assert_contains(err.message, "no sample to train on");
    ids_write(dir, "train", 30, 2, 20);
    mdl_hp_set_int(hp, "min_length", 50);
    assert_int_equal(open_fails(&o, hp), T2_EFORMAT);
    t_assert_contains(err.message, "of 30 records 0 are longer than 64 (hparam max_length), 30 "
                                   "shorter than 50");
    o.split = "dev";
    assert_int_equal(open_fails(&o, hp), T2_ENOTFOUND);
    t_assert_contains(err.message, "dev");
    mdl_hparams_free(hp);
}

static void test_what_does_not_go_together(void **state)
{
    const char *dir = t_tmp_path("together");
    struct mdl_hparams *hp = hparams(256, 64);
    struct in_options o = options(dir, "train", true);

    (void) state;
    ids_write(dir, "train", 30, 1, 20);
    mdl_hp_set_string(hp, "sample_order", "random");
    assert_int_equal(open_fails(&o, hp), T2_EUSAGE);
    t_assert_contains(err.message, "unknown order 'random'");
    mdl_hparams_free(hp);
}

/* Every row of a batch that was packed: segments count up, positions begin anew, and each segment
 * is one record of ids_make.  Returns how many there are. */
static uint64_t check_packed(const struct mdl_batch *b, int32_t length)
{
    uint64_t n = 0;

    assert_int_equal(b->inputs_length, length);
    assert_int_equal(b->targets_length, length);
    for (int32_t r = 0; r < b->batch; r++) {
        const int32_t *ids = b->targets + r * length, *seg = b->targets_segmentation + r * length;
        const int32_t *pos = b->targets_position + r * length;
        const int32_t *inputs_seg = b->inputs_segmentation + r * length;
        int32_t most = 0, inputs_most = 0;

        for (int32_t i = 0; i < length; i++) {
            bool begins = i == 0 || (seg[i] != 0 && seg[i] != seg[i - 1]);

            assert_int_equal(seg[i] == 0, ids[i] == 0);
            assert_int_equal(pos[i], begins || ids[i] == 0 ? 0 : pos[i - 1] + 1);
            if (begins && ids[i] != 0)
                assert_int_equal(seg[i], ++most);
            inputs_most = inputs_seg[i] > inputs_most ? inputs_seg[i] : inputs_most;
        }
        assert_int_equal(most, inputs_most);
        n += (uint64_t) most;
    }
    return n;
}

static void check_packing(bool custom_ops, const char *order)
{
    char name[40];
    const char *dir = t_tmp_path((snprintf(name, sizeof name, "%s-%d", order, custom_ops), name));
    struct mdl_hparams *hp = hparams(200, 40);
    struct in_options o = options(dir, "train", true);
    struct mdl_shape *shapes;
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples, n = 0, half = 0, after[2] = {0, 0};
    size_t n_shapes;

    mdl_hp_set_bool(hp, "pack_dataset", true);
    mdl_hp_set_bool(hp, "use_custom_ops", custom_ops);
    mdl_hp_set_string(hp, "sample_order", order);
    ids_write(dir, "train", 300, 3, 50); /* longer than 40: cut, or dropped */
    ids_write(dir, "dev", 100, 1, 30);
    in = open_ok(&o, hp);
    assert_int_equal(in_stats_of(in).n_too_long > 0, !custom_ops);
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    assert_int_equal(n_shapes, 1);
    assert_true(shapes[0].packed && shapes[0].batch > 1);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        assert_int_equal(b.batch, shapes[0].batch);
        n += check_packed(&b, 40);
        assert_int_equal(samples, n);
        if (i == 29)
            half = samples;
        if (i > 29)
            after[0] = t_hash64(after[0] ^ digest(&b, samples));
    }
    assert_true(n > in_stats_of(in).n_kept);
    in_free(in);
    o.first_sample = half;
    o.num_threads = 1;
    in = open_ok(&o, hp);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        after[1] = t_hash64(after[1] ^ digest(&b, samples));
    }
    assert_true(after[0] == after[1]);
    in_free(in);

    o = options(dir, "dev", false);
    in = open_ok(&o, hp);
    for (int round = 0; round < 2; round++) {
        n = 0;
        while (in_next(in, &b, &samples, &err) == T2_OK)
            n += check_packed(&b, 40);
        assert_int_equal(n, 100);
        assert_int_equal(in_rewind(in, 0, &err), T2_OK);
    }
    in_free(in);
    t2_free(shapes);
    mdl_hparams_free(hp);
}

static void test_packing(void **state)
{
    (void) state;
    check_packing(true, "shuffled");
    check_packing(false, "shuffled");
    check_packing(true, "reference");
    check_packing(false, "reference");
}

/* Straight and resumed are the same, and every sample comes. */
static void test_order_of_the_original(void **state)
{
    const char *dir = t_tmp_path("reference");
    struct mdl_hparams *hp = hparams(200, 40);
    struct in_options o = options(dir, "train", true);
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples, half = 0, after[2] = {0, 0};

    (void) state;
    mdl_hp_set_string(hp, "sample_order", "reference");
    ids_write(dir, "train", 500, 9, 40);
    in = open_ok(&o, hp);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        for (int32_t r = 0; r < b.batch; r++)
            (void) row_length(b.inputs + r * b.inputs_length, b.inputs_length);
        if (i == 49)
            half = samples;
        if (i > 49)
            after[0] = t_hash64(after[0] ^ digest(&b, samples));
    }
    in_free(in);
    o.first_sample = half;
    in = open_ok(&o, hp);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        after[1] = t_hash64(after[1] ^ digest(&b, samples));
    }
    assert_true(after[0] == after[1]);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_official_static_batches(void **state)
{
    const char *dir = t_tmp_path("static");
    struct mdl_hparams *hp = hparams(200, 25);
    struct in_options o = options(dir, "dev", false);
    struct mdl_shape *shapes;
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples, n = 0, n_kept;
    size_t n_shapes;

    (void) state;
    mdl_hp_set_bool(hp, "static_batch", true); /* as the official sets have it */
    ids_write(dir, "dev", 103, 2, 40);
    in = open_ok(&o, hp);
    n_kept = in_stats_of(in).n_kept;
    assert_true(n_kept < 103); /* long ones are dropped in evaluation, too */
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    assert_int_equal(n_shapes, 1);
    assert_int_equal(shapes[0].inputs_length, 25);
    t2_free(shapes);
    mdl_hp_set_int(hp, "batch_size", 10); /* what --batch_size=auto may ask */
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    assert_int_equal(shapes[0].batch, 1);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_int_equal(b.batch, 8);
        assert_int_equal(b.inputs_length, 25);
        assert_int_equal(b.targets_length, 25);
        n += 8;
    }
    assert_int_equal(n, n_kept / 8 * 8);
    in_free(in);
    t2_free(shapes);
    mdl_hparams_free(hp);
}

/* Records of 12 + 12 ids, cut into pieces of 4. */
static void test_split_to_length(void **state)
{
    const char *dir = t_tmp_path("split");
    char *path = tfr_shard_path(dir, "ids", "dev", 0, 1);
    struct mdl_hparams *hp = hparams(32, 3); /* pieces are kept whatever max_length is */
    struct in_options o = options(dir, "dev", false);
    struct ids_record *r = t2_alloc(1, sizeof *r);
    struct t_writer *w = NULL;
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples, n = 0;

    (void) state;
    mdl_hp_set_int(hp, "split_to_length", 4);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    r->n_inputs = r->n_targets = 12;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 12; k++)
            r->inputs[k] = r->targets[k] = 1 + i * 12 + k;
        ids_add(w, r);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    in = open_ok(&o, hp);
    assert_int_equal(in_stats_of(in).n_kept, 15);
    while (in_next(in, &b, &samples, &err) == T2_OK)
        for (int32_t i = 0; i < b.batch; i++, n++)
            for (int32_t k = 0; k < 4; k++) {
                assert_int_equal(b.inputs[i * 4 + k], 1 + (int32_t) n * 4 + k);
                assert_int_equal(b.targets[i * 4 + k], 1 + (int32_t) n * 4 + k);
            }
    assert_int_equal(n, 15);
    in_free(in);
    t2_free(path);
    t2_free(r);
    mdl_hparams_free(hp);
}

/* A data set that was packed when it was made is recognised by its features. */
static void test_packed_shards(void **state)
{
    static const char *const names[] = {"inputs",
                                        "targets",
                                        "inputs_segmentation",
                                        "inputs_position",
                                        "targets_segmentation",
                                        "targets_position"};
    static const int32_t ids[] = {5, 1, 6, 1, 1}, seg[] = {1, 1, 2, 2, 3}, pos[] = {0, 1, 0, 1, 0};
    const int32_t *const lists[] = {ids, ids, seg, pos, seg, pos};
    const char *dir = t_tmp_path("packed");
    char *path = tfr_shard_path(dir, "ids", "train", 0, 1);
    struct mdl_hparams *hp = hparams(100, 4); /* rows are kept whatever max_length is */
    struct in_options o = options(dir, "train", true);
    struct t_writer *w = NULL;
    struct mdl_shape *shapes;
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples;
    size_t n_shapes;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (size_t i = 0; i < 30; i++) {
        struct t2_buf text = {0};
        size_t n = 3 + i % 3;

        tfr_example_build_ids(&text, 6, names, lists, (size_t[]){n, n, n, n, n, n});
        t_writer_add(w, text.data, text.len_bytes);
        t2_buf_release(&text);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    in = open_ok(&o, hp);
    assert_int_equal(in_stats_of(in).n_kept, 30);
    assert_int_equal(in_shapes(in, hp, &shapes, &n_shapes, &err), T2_OK);
    assert_true(shapes[0].packed);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    for (int32_t i = 0; i < b.batch; i++)
        for (int32_t k = 0; k < b.targets_length; k++) {
            int32_t at = i * b.targets_length + k;

            assert_int_equal(b.targets_segmentation[at], b.targets[at] != 0 ? seg[k] : 0);
            assert_int_equal(b.targets_position[at], b.targets[at] != 0 ? pos[k] : 0);
            assert_int_equal(b.inputs_segmentation[at], b.inputs[at] != 0 ? seg[k] : 0);
        }
    in_free(in);
    mdl_hp_set_bool(hp, "pack_dataset", true);
    assert_int_equal(open_fails(&o, hp), T2_EUSAGE);
    t_assert_contains(err.message, "the data set is packed already");
    t2_free(shapes);
    t2_free(path);
    mdl_hparams_free(hp);
}

static void test_a_shard_that_changes_under_us(void **state)
{
    const char *dir = t_tmp_path("changes");
    char *path = tfr_shard_path(dir, "ids", "train", 0, 1);
    struct mdl_hparams *hp = hparams(100, 64);
    struct in_options o = options(dir, "train", true);
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;
    enum t2_status st;
    char *bytes;
    size_t n;

    (void) state;
    ids_write(dir, "train", 200, 1, 30);
    in = open_ok(&o, hp);
    assert_int_equal(truncate(path, 100), 0);
    do
        st = in_next(in, &b, &samples, &err);
    while (st == T2_OK);
    assert_int_equal(st, T2_EFORMAT);
    t_assert_contains(err.message, path);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_EFORMAT); /* stays */
    in_free(in);

    /* one bit flipped while the file is open */
    ids_write(dir, "train", 200, 1, 30);
    o.prefetch_batches = 1;
    in = open_ok(&o, hp);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    bytes = t_read_file(path, &n);
    for (size_t i = 14; i < n; i += 40)
        bytes[i] ^= 4;
    {
        FILE *f = fopen(path, "r+b");

        assert_non_null(f);
        assert_int_equal(fwrite(bytes, 1, n, f), n);
        fclose(f);
    }
    free(bytes);
    do
        st = in_next(in, &b, &samples, &err);
    while (st == T2_OK);
    assert_int_equal(st, T2_EFORMAT);
    t_assert_contains(err.message, path);
    t_assert_contains(err.message, "offset");
    in_free(in);
    t2_free(path);
    mdl_hparams_free(hp);
}

static void test_free_in_the_middle(void **state)
{
    const char *dir = t_tmp_path("middle");
    struct mdl_hparams *hp = hparams(100, 64);
    struct in_options o = options(dir, "train", true);
    struct mdl_batch b;
    uint64_t samples;

    (void) state;
    ids_write(dir, "train", 200, 2, 30);
    for (int k = 0; k < 20; k++) {
        struct in_input *in = open_ok(&o, hp);

        for (int i = 0; i < k % 4; i++)
            assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        in_free(in);
    }
    in_free(NULL);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_pass_gives_every_sample_once),
       cmocka_unit_test(test_training_drops_long_and_fills_batches),
       cmocka_unit_test(test_straight_and_resumed_are_the_same),
       cmocka_unit_test(test_reversed_copied_and_without_inputs),
       cmocka_unit_test(test_max_records), cmocka_unit_test(test_nothing_to_train_on),
       cmocka_unit_test(test_what_does_not_go_together), cmocka_unit_test(test_packing),
       cmocka_unit_test(test_order_of_the_original), cmocka_unit_test(test_official_static_batches),
       cmocka_unit_test(test_split_to_length), cmocka_unit_test(test_packed_shards),
       cmocka_unit_test(test_a_shard_that_changes_under_us),
       cmocka_unit_test(test_free_in_the_middle))
