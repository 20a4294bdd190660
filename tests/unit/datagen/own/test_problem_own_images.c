/* test_problem_own_images.c - samples and records of a user's images; splits by content. */
#include "datagen/own/problem_own_images.h"

#include "base/pool.h"
#include "datagen/feature_list.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/images/images_here.h"

static struct t2_err err = T2_ERR_INIT;
static const struct dg_own_images nothing = {
    .name = "mine",
    .image_dir = "",
    .lists = {"", "", ""},
    .classes = "",
    .images = {.on_error = "skip", .quarantine_dir = "", .exif = "ignore", .reencode = "never"}};

/* Samples of a split, prepared before; drops are counted apart. */
static size_t samples(const struct dg_problem *p, enum dg_split split, int64_t *labels,
                      size_t *n_drops)
{
    struct dg_stream *s = NULL;
    struct dg_sample sample = {0};
    size_t n = 0;

    *n_drops = 0;
    assert_int_equal(p->open(p, NULL, split, &s, &err), T2_OK);
    s->hash_on = true;
    while (s->next(s, &sample, &err) == T2_OK) {
        if (sample.drop)
            ++*n_drops;
        else
            labels[n++] = *sample.numbers[DG_TARGETS];
        sample = (struct dg_sample){0};
    }
    assert_int_equal(s->files.n, 1);
    assert_int_equal(s->files.items[0].lines, n + (split == DG_TRAIN ? *n_drops - 1 : 0));
    dg_stream_free(s);
    return n;
}

static void test_folder(void **state)
{
    char *dir = t2_strdup(t_tmp_path("folder"));
    struct dg_own_images own = nothing;
    struct dg_problem *p = NULL;
    struct dg_options options = {.pool = t2_pool_new(2)};
    int64_t labels[8];
    size_t n_drops;

    (void) state;
    t2_free(here_image(dir, "train/cat/1.jpg", 5, 6));
    t2_free(here_image(dir, "train/dog/2.png", 5, 6));
    t2_free(here_text(dir, "train/dog/3.jpg", "no"));
    t2_free(here_image(dir, "train/4.jpg", 5, 6)); /* of no class */
    t2_free(here_image(dir, "dev/dog/5.png", 5, 6));
    own.image_dir = dir;
    assert_int_equal(dg_own_images_new(&own, &p, &err), T2_OK);
    assert_int_equal(p->n_shards[DG_TRAIN], 10);
    assert_int_equal(p->n_shards[DG_DEV], 1);
    assert_int_equal(p->n_shards[DG_TEST], 0);
    assert_string_equal(p->targets_vocab.classes[1], "dog");
    assert_int_equal(p->prepare(p, &options, &err), T2_OK);
    assert_int_equal(p->prepare(p, &options, &err), T2_OK); /* once is enough */
    assert_int_equal(samples(p, DG_TRAIN, labels, &n_drops), 2);
    assert_int_equal(n_drops, 2);
    assert_int_equal(labels[0], 0);
    assert_int_equal(labels[1], 1);
    assert_int_equal(samples(p, DG_DEV, labels, &n_drops), 1);
    assert_int_equal(labels[0], 1);
    dg_own_images_free(p);
    t2_pool_free(options.pool);
    t2_free(dir);
}

static int64_t int_of(struct dg_record *r, const char *name)
{
    const struct dg_feature *f = dg_record_find(r, name);

    assert_non_null(f);
    assert_int_equal(f->n, 1);
    return f->ints[0];
}

/* The record of one image of the list with these flags; its image/format, the size of its bytes. */
static void record_of(const struct dg_own_images *own, const char *number, struct dg_record *r)
{
    struct dg_problem *p = NULL;
    const struct dg_texts texts = {.text = {t2_slice_of(number)}};

    assert_int_equal(dg_own_images_new(own, &p, &err), T2_OK);
    dg_record_clear(r);
    dg_feature_push(dg_record_add(r, "targets", TFR_INT64), 1);
    assert_int_equal(p->record.finish(p, &texts, r, &err), T2_OK);
    dg_own_images_free(p);
}

static void test_records(void **state)
{
    char *dir = t2_strdup(t_tmp_path("records"));
    char *a = here_image(dir, "x/a.png", 7, 4), *b = here_image(dir, "y/b.jpg", 9, 3);
    struct dg_own_images own = nothing;
    struct dg_record r = {.n = 0};
    struct t2_buf file = {NULL, 0, 0};
    struct t2_slice bytes;

    (void) state;
    own.image_dir = dir;
    record_of(&own, "0", &r);
    assert_int_equal(int_of(&r, "image/class/label"), 1);
    assert_int_equal(int_of(&r, "image/width"), 7);
    assert_int_equal(int_of(&r, "image/height"), 4);
    bytes = dg_record_find(&r, "image/format")->bytes;
    assert_true(t2_slice_eq(bytes, t2_slice_of("png")));
    assert_int_equal(t2_read_file(a, 1 << 20, &file, &err), T2_OK);
    assert_true(t2_slice_eq(dg_record_find(&r, "image/encoded")->bytes, t2_buf_slice(&file)));
    assert_null(dg_record_find(&r, "targets"));
    own.images.reencode = "odd";
    record_of(&own, "0", &r);
    bytes = dg_record_find(&r, "image/format")->bytes;
    assert_true(t2_slice_eq(bytes, t2_slice_of("jpeg")));
    assert_memory_equal(dg_record_find(&r, "image/encoded")->bytes.data, "\xff\xd8\xff", 3);
    record_of(&own, "1", &r);
    assert_int_equal(t2_read_file(b, 1 << 20, &file, &err), T2_OK);
    assert_true(t2_slice_eq(dg_record_find(&r, "image/encoded")->bytes, t2_buf_slice(&file)));
    dg_record_release(&r);
    t2_buf_release(&file);
    t2_free(a);
    t2_free(b);
    t2_free(dir);
}

/* What was surveyed and fits into memory is not read again. */
static void test_read_once(void **state)
{
    char *dir = t2_strdup(t_tmp_path("once"));
    char *a = here_image(dir, "x/a.png", 7, 4), *b = here_image(dir, "y/b.jpg", 9, 3);
    struct dg_options options = {.pool = t2_pool_new(2)};
    struct dg_own_images own = nothing;
    struct dg_problem *p = NULL;
    struct dg_record r = {.n = 0};
    const struct dg_texts texts = {.text = {t2_slice_of("0")}};

    (void) state;
    own.image_dir = dir;
    assert_int_equal(dg_own_images_new(&own, &p, &err), T2_OK);
    assert_int_equal(p->prepare(p, &options, &err), T2_OK);
    assert_int_equal(t2_remove(a, &err), T2_OK);
    dg_feature_push(dg_record_add(&r, "targets", TFR_INT64), 0);
    assert_int_equal(p->record.finish(p, &texts, &r, &err), T2_OK);
    assert_int_equal(int_of(&r, "image/width"), 7);
    assert_int_equal(p->record.finish(p, &texts, &r, &err), T2_ENOTFOUND); /* once */
    dg_own_images_free(p);
    dg_record_release(&r);
    t2_pool_free(options.pool);
    t2_free(a);
    t2_free(b);
    t2_free(dir);
}

/* A file that became another between the two readings. */
static void test_changed(void **state)
{
    char *dir = t2_strdup(t_tmp_path("changed"));
    char *a = here_image(dir, "x/a.png", 7, 4), *b = here_image(dir, "y/b.jpg", 9, 3);
    struct dg_own_images own = nothing;
    struct dg_problem *p = NULL;
    struct dg_record r = {.n = 0};
    struct dg_texts texts = {.text = {t2_slice_of("0")}};

    (void) state;
    own.image_dir = dir;
    assert_int_equal(dg_own_images_new(&own, &p, &err), T2_OK);
    t_write_file(a, "no", 2);
    assert_int_equal(p->record.finish(p, &texts, &r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has changed while it was read");
    dg_own_images_free(p);
    dg_record_release(&r);
    t2_free(a);
    t2_free(b);
    t2_free(dir);
}

/* Parts as they were asked for, copies together, the same at every run. */
static void test_held_out(void **state)
{
    char *dir = t2_strdup(t_tmp_path("held"));
    struct dg_own_images own = nothing;
    struct dg_problem *p = NULL;
    struct dg_options options = {.pool = t2_pool_new(2)};
    int64_t labels[400];
    size_t n[3], n_drops, cats = 0;

    (void) state;
    for (int i = 0; i < 150; i++) {
        char *cat = t2_asprintf("cat/%d.png", i), *dog = t2_asprintf("dog/%d.png", i);
        t2_free(here_image(dir, cat, i + 1, 2));
        t2_free(here_image(dir, dog, i + 1, 2));
        t2_free(cat);
        t2_free(dog);
    }
    t2_free(here_image(dir, "alone.png", 3, 3));
    own.image_dir = dir;
    own.dev_percent = 30;
    own.test_percent = 20;
    assert_int_equal(dg_own_images_new(&own, &p, &err), T2_OK);
    assert_int_equal(p->prepare(p, &options, &err), T2_OK);
    for (int split = 0; split < 3; split++) {
        n[split] = samples(p, (enum dg_split) split, labels, &n_drops);
        cats = 0;
        for (size_t i = 0; i < n[split]; i++)
            cats += labels[i] == 0;
        assert_int_equal(2 * cats, n[split]);
    }
    assert_int_equal(n[0] + n[1] + n[2], 300);
    assert_in_range(n[1], 60, 120);
    assert_in_range(n[2], 34, 86);
    dg_own_images_free(p);
    t2_pool_free(options.pool);
    t2_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder),
                                       cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_read_once),
                                       cmocka_unit_test(test_changed),
                                       cmocka_unit_test(test_held_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
