/*
 * Tests of train/input/image_batch.c, through input.c: every image once, resumed and straight the
 * same bits for any number of threads, another view each epoch, short last batches, bad images by
 * name.
 */
#include "train/input/image_batch.h"

#include <string.h>

#include "tests/unit/train/image_shards.h"
#include "train/input/input.h"

enum { SIZE = 20, FLOATS = SIZE * SIZE * 3 };

static struct t2_err err;
static struct in_image_recipe recipe;

static struct mdl_hparams *hparams(int64_t batch_size)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    mdl_hp_set_int(hp, "batch_size", batch_size);
    assert_int_equal(mdl_hparams_override(hp, "image_size=20", &err), T2_OK);
    assert_int_equal(in_image_recipe_of("pictures", hp, &recipe, &err), T2_OK);
    return hp;
}

static struct in_options options(const char *dir, const char *split, bool training)
{
    return (struct in_options){.data_dir = dir,
                               .dataset = "p",
                               .split = split,
                               .targets_feature = "targets",
                               .targets_vocab = IMAGE_CLASSES,
                               .images = &recipe,
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

static uint64_t digest(const struct mdl_batch *b)
{
    uint64_t h = (uint64_t) b->batch;

    for (int32_t i = 0; i < b->batch; i++)
        h = t_hash64(h ^ (uint64_t) b->targets[i]);
    for (int64_t i = 0; i < (int64_t) b->batch * FLOATS; i++) {
        uint32_t bits;

        memcpy(&bits, &b->images[i], sizeof bits);
        h = t_hash64(h ^ bits);
    }
    return h;
}

static void test_pass(void **state)
{
    const char *dir = t_tmp_path("pass");
    struct mdl_hparams *hp = hparams(8), *large = hparams(64);
    struct in_options o = options(dir, "dev", false);
    struct in_input *in, *whole;
    struct mdl_shape *shapes;
    struct in_stats stats;
    struct mdl_batch b, all;
    uint64_t samples;
    size_t n_shapes;

    (void) state;
    images_write(dir, "p", "dev", 21, 3, 30, 40, 3, 0);
    in = open_ok(&o, hp);
    whole = open_ok(&o, large); /* fewer examples than a batch */
    assert_int_equal(in_next(whole, &all, &samples, &err), T2_OK);
    assert_int_equal(all.batch, 21);
    assert_int_equal(in_shapes(whole, large, &shapes, &n_shapes, &err), T2_OK);
    assert_true(n_shapes == 1 && shapes[0].batch == 21 && shapes[0].height == SIZE &&
                shapes[0].channels == 3 && shapes[0].targets_length == 1);
    t2_free(shapes);
    stats = in_stats_of(in);
    assert_int_equal(stats.n_records, 21);
    assert_int_equal(stats.n_kept, 21);
    assert_true(stats.batches_per_epoch == 3);
    assert_true(stats.memory_bytes > (uint64_t) 8 * FLOATS * 4 * 4);
    for (int round = 0; round < 2; round++) {
        int32_t n = 0;

        while (in_next(in, &b, &samples, &err) == T2_OK) {
            assert_true(b.height == SIZE && b.width == SIZE && b.channels == 3);
            assert_null(b.inputs);
            assert_int_equal(b.targets_length, 1);
            for (int32_t i = 0; i < b.batch; i++)
                assert_int_equal(b.targets[i], (n + i) % IMAGE_CLASSES);
            assert_memory_equal(b.images, all.images + (int64_t) n * FLOATS,
                                (size_t) b.batch * FLOATS * sizeof(float));
            n += b.batch;
            assert_int_equal(samples, n);
        }
        assert_int_equal(n, 21); /* the last has five */
        assert_int_equal(in_rewind(in, 0, &err), T2_OK);
    }
    in_free(in);
    in_free(whole);
    mdl_hparams_free(hp);
    mdl_hparams_free(large);
}

/* Straight, and from places within. */
static void check_training(const char *changes)
{
    enum { N = 40 };
    const char *dir = t_tmp_path("train");
    struct mdl_hparams *hp = hparams(6);
    struct in_options o = options(dir, "train", true);
    uint64_t digests[N], positions[N], samples;
    struct in_input *in;
    struct mdl_batch b;

    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    assert_int_equal(in_image_recipe_of("pictures", hp, &recipe, &err), T2_OK);
    images_write(dir, "p", "train", 23, 2, 30, 40, 3, 0);
    in = open_ok(&o, hp);
    for (int k = 0; k < N; k++) {
        assert_int_equal(in_next(in, &b, &positions[k], &err), T2_OK);
        assert_int_equal(b.batch, 6);
        assert_int_equal(positions[k], 6 * (k + 1));
        digests[k] = digest(&b);
        for (int i = 0; i < k; i++)
            assert_true(digests[i] != digests[k]); /* another view, each epoch */
    }
    for (int from = 0; from < N; from += 7) {
        o.first_sample = from == 0 ? 0 : positions[from - 1];
        o.num_threads = 1 + from % 4;
        o.prefetch_batches = 1 + from % 3;
        in_free(in);
        in = open_ok(&o, hp);
        for (int k = from; k < N && k < from + 9; k++) {
            assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
            assert_int_equal(samples, positions[k]);
            assert_int_equal(digest(&b), digests[k]);
        }
    }
    in_free(in);
    o.first_sample = 5;
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EFORMAT);
    o.first_sample = 0;
    o.seed = 18;
    in = open_ok(&o, hp);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    assert_true(digest(&b) != digests[0]);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_training(void **state)
{
    (void) state;
    check_training("");
    check_training("sample_order=reference,batch_shuffle_size=4");
    check_training("sample_order=reference,batch_shuffle_size=0,mixup_alpha=0.5");
}

/* Each epoch has every image once: 12 images, batches of 4. */
static void test_epochs(void **state)
{
    const char *dir = t_tmp_path("epochs");
    struct mdl_hparams *hp = hparams(4);
    struct in_options o = options(dir, "train", true);
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;

    (void) state;
    images_write(dir, "p", "train", 12, 1, 24, 24, 1, 3);
    o.first_label = 3;
    in = open_ok(&o, hp);
    for (int epoch = 0; epoch < 3; epoch++) {
        int seen[IMAGE_CLASSES] = {0};

        for (int k = 0; k < 3; k++) {
            assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
            for (int i = 0; i < 4; i++)
                seen[b.targets[i]]++;
        }
        for (int c = 0; c < IMAGE_CLASSES; c++)
            assert_int_equal(seen[c], 12 / IMAGE_CLASSES + (c < 12 % IMAGE_CLASSES));
    }
    in_free(in);
    mdl_hparams_free(hp);
}

/* An image looks otherwise in every epoch: seven of them with labels of their own, a batch an
 * epoch. */
static void test_views(void **state)
{
    const char *dir = t_tmp_path("views");
    struct mdl_hparams *hp = hparams(IMAGE_CLASSES);
    struct in_options o = options(dir, "train", true);
    static float seen[3][IMAGE_CLASSES][FLOATS];
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;

    (void) state;
    images_write(dir, "p", "train", IMAGE_CLASSES, 1, 30, 40, 3, 0);
    in = open_ok(&o, hp);
    for (int epoch = 0; epoch < 3; epoch++) {
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        for (int i = 0; i < IMAGE_CLASSES; i++)
            memcpy(seen[epoch][b.targets[i]], b.images + i * FLOATS, sizeof seen[0][0]);
    }
    for (int i = 0; i < IMAGE_CLASSES; i++)
        for (int epoch = 1; epoch < 3; epoch++)
            assert_true(memcmp(seen[epoch][i], seen[epoch - 1][i], sizeof seen[0][0]) != 0);
    in_free(in);
    mdl_hparams_free(hp);
}

static void test_bad(void **state)
{
    const char *dir = t_tmp_path("bad");
    struct mdl_hparams *hp = hparams(4);
    struct in_options o = options(dir, "dev", false);
    struct t2_buf records[5] = {{0}}, file = {0};
    char *path = tfr_shard_path(dir, "p", "dev", 0, 1);
    struct in_input *in;
    struct mdl_batch b;
    uint64_t samples;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (uint64_t i = 0; i < 5; i++)
        images_record_of(i, 30, 40, 3, 0, &records[i]);
    t_jpeg(30, 40, 3, 77, &file); /* whose end is not there: seen when it is decoded */
    file.len_bytes = file.len_bytes * 2 / 3;
    images_record(&file, 2, &records[3]);
    images_write_records(path, records, 5);
    in = open_ok(&o, hp);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_EFORMAT);
    t_assert_contains(err.message, "p-dev-00000-of-00001': record 3 at offset ");
    in_free(in);
    images_record(&file, IMAGE_CLASSES, &records[2]);
    images_write_records(path, records, 5);
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EFORMAT);
    t_assert_contains(err.message, "': record 2 at offset ");
    t_assert_contains(err.message, "image/class/label is 7, but the 7 classes are numbered 0 to 6");
    images_write_records(path, records, 0);
    o.training = true;
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EFORMAT);
    t_assert_contains(err.message, "no image to train on: the shards '");
    t_assert_contains(err.message, "/p-dev-*' are empty");
    mdl_hparams_free(hp);
    hp = hparams(0);
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EUSAGE);
    t_assert_contains(err.message, "hparam batch_size=0 images");
    for (int i = 0; i < 5; i++)
        t2_buf_release(&records[i]);
    t2_buf_release(&file);
    t2_free(path);
    mdl_hparams_free(hp);
}

/* ---- images with texts ---- */

enum { TEXTS = 9, LONGEST = 5 };

/* Text i is of 1 + i % LONGEST ids, the first of them i + 2. */
static void write_texts(const char *dir, const char *split)
{
    struct t2_buf records[TEXTS] = {{0}};
    char *path = tfr_shard_path(dir, "p", split, 0, 1);

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (int i = 0; i < TEXTS; i++) {
        int64_t ids[LONGEST] = {i + 2, 20, 21, 22, 1};
        struct t2_buf file = {0};
        struct t2_slice bytes;
        struct tfr_feature features[] = {
            {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &bytes},
            {.name = "words", .kind = TFR_INT64, .n = (size_t) (1 + i % LONGEST), .ints = ids}};

        t_jpeg(30, 40, 3, (uint64_t) i, &file);
        bytes = t2_buf_slice(&file);
        tfr_example_build(&records[i], features, 2);
        t2_buf_release(&file);
    }
    images_write_records(path, records, TEXTS);
    for (int i = 0; i < TEXTS; i++)
        t2_buf_release(&records[i]);
    t2_free(path);
}

static struct mdl_hparams *of_texts(const char *changes)
{
    struct mdl_hparams *hp = hparams(4);

    if (mdl_hparams_override(hp, "use_fixed_batch_size=true,max_length=100", &err) != T2_OK ||
        mdl_hparams_override(hp, changes, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

/* Batches of four: images as those of classes are, ids with zeros behind them. */
static void test_texts(void **state)
{
    const char *dir = t_tmp_path("texts");
    struct mdl_hparams *hp = of_texts("");
    struct in_options o = options(dir, "dev", false);
    struct mdl_shape *shapes;
    struct in_stats stats;
    struct in_input *in;
    uint64_t samples, seen = 0;
    struct mdl_batch b;
    size_t n;

    (void) state;
    write_texts(dir, "dev");
    o.targets_feature = "words";
    o.targets_vocab = 30;
    o.describes = true;
    in = open_ok(&o, hp);
    stats = in_stats_of(in);
    assert_int_equal(stats.n_target_tokens, 1 + 2 + 3 + 4 + 5 + 1 + 2 + 3 + 4);
    assert_int_equal(in_shapes(in, hp, &shapes, &n, &err), T2_OK);
    assert_true(n == 1 && shapes[0].batch == 4 && shapes[0].inputs_length == SIZE * SIZE &&
                shapes[0].targets_length == LONGEST && shapes[0].width == SIZE);
    t2_free(shapes);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_true(b.height == SIZE && b.channels == 3 && b.inputs_length == SIZE * SIZE);
        assert_true(!b.inputs && b.images && b.batch == (seen < 8 ? 4 : 1));
        for (int32_t r = 0; r < b.batch; r++, seen++) {
            const int32_t *ids = b.targets + r * b.targets_length;
            int32_t length = 1 + (ids[0] - 2) % LONGEST;

            for (int32_t k = length; k < b.targets_length; k++)
                assert_int_equal(ids[k], 0);
            assert_true(length < 2 || ids[1] == 20);
        }
    }
    assert_int_equal(seen, TEXTS);
    in_free(in);
    o.targets_vocab = 22;
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EFORMAT);
    t_assert_contains(err.message, "words[3] is 22, but the vocabulary has 22 entries");
    o.targets_vocab = 30;
    mdl_hparams_free(hp);
    hp = of_texts("max_length=19"); /* an image has 20 rows */
    write_texts(dir, "train");
    o.split = "train";
    o.training = true;
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EFORMAT);
    t_assert_contains(err.message, "9 are longer than 19 (hparam max_length)");
    mdl_hparams_free(hp);
    hp = of_texts("split_to_length=4");
    assert_int_equal(in_new(&o, hp, &in, &err), T2_EUSAGE);
    t_assert_contains(err.message, "are for text");
    mdl_hparams_free(hp);
}

/* The same bits from one thread and from three, and those of two ranks, one behind the other. */
static void test_texts_of_threads(void **state)
{
    const char *dir = t_tmp_path("texts_of_threads");
    struct mdl_hparams *hp = of_texts("");
    struct in_options o = options(dir, "train", true);
    struct in_input *one, *three, *parts[2];
    uint64_t samples;

    (void) state;
    write_texts(dir, "train");
    o.targets_feature = "words";
    o.targets_vocab = 30;
    o.describes = true;
    o.num_threads = 1;
    one = open_ok(&o, hp);
    o.num_threads = 3;
    three = open_ok(&o, hp);
    o.n_ranks = 2;
    for (o.rank = 0; o.rank < 2; o.rank++)
        parts[o.rank] = open_ok(&o, hp);
    for (int i = 0; i < 5; i++) {
        struct mdl_batch a, b;
        int32_t row = 0;

        assert_int_equal(in_next(one, &a, &samples, &err), T2_OK);
        assert_int_equal(in_next(three, &b, &samples, &err), T2_OK);
        assert_true(a.targets_length == b.targets_length && digest(&a) == digest(&b));
        for (int r = 0; r < 2; r++) {
            assert_int_equal(in_next(parts[r], &b, &samples, &err), T2_OK);
            assert_int_equal(b.targets_length, a.targets_length);
            assert_memory_equal(b.targets, a.targets + row * a.targets_length,
                                (size_t) b.batch * (size_t) b.targets_length * sizeof *b.targets);
            assert_memory_equal(b.images, a.images + row * FLOATS,
                                (size_t) b.batch * FLOATS * sizeof *b.images);
            row += b.batch;
        }
        assert_int_equal(row, a.batch);
    }
    in_free(one);
    in_free(three);
    in_free(parts[0]);
    in_free(parts[1]);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_pass), cmocka_unit_test(test_training), cmocka_unit_test(test_epochs),
       cmocka_unit_test(test_views), cmocka_unit_test(test_bad), cmocka_unit_test(test_texts),
       cmocka_unit_test(test_texts_of_threads))
