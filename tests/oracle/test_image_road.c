/* test_image_road.c - photographs become shards, shards become batches: the same floats as from the
 * files, by any number of threads. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/images/write_images.h"
#include "tests/support/image_batches.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

enum { BATCH = 16, SIZE = 224 };

static struct t2_err err = T2_ERR_INIT;
static struct dg_images list;
static char *shards[2];

static int set_up(void **state)
{
    const char *dir = t_data_path("imagenet-sample/train");
    struct dg_write_images w = {.n_shards = {2, 0, 0}, .n_tasks = 1, .num_threads = 2};
    struct dg_images_made made = {.bytes = 0};

    (void) state;
    if (!dir)
        return 0;
    w.output_dir = t_tmp_path("road");
    if (dg_images_read_folders(dir, DG_FOLDERS_CLASSES, 0, &list, &err) != T2_OK ||
        dg_write_images(&list, &w, &made, &err) != T2_OK)
        return 1;
    shards[0] = t2_path_join(w.output_dir, "train-00000-of-00002");
    shards[1] = t2_path_join(w.output_dir, "train-00001-of-00002");
    return made.n_records[DG_IMAGES_TRAIN] == list.n ? 0 : 1;
}

static int tear_down(void **state)
{
    (void) state;
    dg_images_release(&list);
    t2_free(shards[0]);
    t2_free(shards[1]);
    return 0;
}

static void make(const struct t_file files[BATCH], int n_threads, float *floats)
{
    struct t_batcher b = {.pool = t2_pool_new(n_threads),
                          .pipeline = aug_pipeline_find("resnet_train_normalized"),
                          .seed = 3};

    assert_int_equal(t_batcher_floats(&b), SIZE * SIZE * 3);
    t_batcher_begin(&b);
    assert_int_equal(t_batch_make(&b, files, BATCH, 1, floats, &err), T2_OK);
    t_batcher_end(&b);
    t2_pool_free(b.pool);
}

/* The first images of a shard: bytes, label and floats are those of the files. */
static void check_shard(const char *shard, size_t first)
{
    const size_t n = (size_t) BATCH * SIZE * SIZE * 3;
    float *by_one = t2_alloc(n, sizeof *by_one), *by_many = t2_alloc(n, sizeof *by_many);
    struct t_file of_records[BATCH], of_files[BATCH];
    struct t2_buf files[BATCH] = {{NULL, 0, 0}};
    struct tfr_example ex = {.n = 0};
    struct tfr_reader *r = NULL;
    struct t2_slice record, file;
    int64_t label;

    assert_int_equal(tfr_reader_new(shard, &r, &err), T2_OK);
    for (size_t i = 0; i < BATCH; i++) {
        const struct dg_image *p = &list.items[first + i];
        assert_int_equal(tfr_reader_next(r, &record, &err), T2_OK);
        assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
        tfr_view_bytes(tfr_example_find(&ex, "image/encoded"), &file);
        tfr_view_ints(tfr_example_find(&ex, "image/class/label"), &label);
        assert_int_equal(label, p->label + 1);
        assert_int_equal(t2_read_file(p->path, 1 << 30, &files[i], &err), T2_OK);
        assert_true(t2_slice_eq(file, t2_buf_slice(&files[i])));
        of_records[i] = (struct t_file){file.data, file.len_bytes, first + i};
        of_files[i] = (struct t_file){files[i].data, files[i].len_bytes, first + i};
    }
    make(of_files, 1, by_one);
    make(of_records, 3, by_many);
    assert_memory_equal(by_one, by_many, n * sizeof *by_one);
    assert_true(by_one[0] != by_one[n - 1]);
    for (size_t i = 0; i < BATCH; i++)
        t2_buf_release(&files[i]);
    tfr_example_release(&ex);
    tfr_reader_free(r);
    t2_free(by_one);
    t2_free(by_many);
}

static void test_batches(void **state)
{
    (void) state;
    if (!shards[0])
        t_skip("no imagenet-sample in T2_DATA");
    check_shard(shards[0], 0);
    check_shard(shards[1], list.n / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
