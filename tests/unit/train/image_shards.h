/*
 * tests/unit/train/image_shards.h - shards of images for tests: image i is t_image(..., i), its
 * label i % IMAGE_CLASSES.
 */
#ifndef T2_TESTS_UNIT_TRAIN_IMAGE_SHARDS_H
#define T2_TESTS_UNIT_TRAIN_IMAGE_SHARDS_H

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"
#include "tfrecord/example.h"
#include "tfrecord/shards.h"

enum { IMAGE_CLASSES = 7 };

/* A record of a file and its label. */
static inline void images_record(const struct t2_buf *file, int64_t label, struct t2_buf *record)
{
    struct t2_slice bytes = t2_buf_slice(file);
    const struct tfr_feature features[] = {
        {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &bytes},
        {.name = "image/class/label", .kind = TFR_INT64, .n = 1, .ints = &label}};

    t2_buf_clear(record);
    tfr_example_build(record, features, 2);
}

/* PNG files when height is width, else JPEG files. */
static inline void images_record_of(uint64_t i, int32_t height, int32_t width, int32_t channels,
                                    int64_t first_label, struct t2_buf *record)
{
    struct t2_buf file = {0};

    if (height == width)
        t_png(height, width, channels, i, &file);
    else
        t_jpeg(height, width, channels, i, &file);
    images_record(&file, first_label + (int64_t) (i % IMAGE_CLASSES), record);
    t2_buf_release(&file);
}

static inline void images_write_records(const char *path, const struct t2_buf *records, size_t n)
{
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (size_t i = 0; i < n; i++)
        t_writer_add(w, records[i].data, records[i].len_bytes);
    if (t_writer_commit(w, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* n images over n_shards shards, one after the other. */
static inline void images_write(const char *dir, const char *stem, const char *split, uint64_t n,
                                int n_shards, int32_t height, int32_t width, int32_t channels,
                                int64_t first_label)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf *records = t2_alloc((size_t) n + 1, sizeof *records);
    uint64_t i = 0;

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (int s = 0; s < n_shards; s++) {
        char *path = tfr_shard_path(dir, stem, split, s, n_shards);
        uint64_t from = i;

        for (uint64_t end = n * (uint64_t) (s + 1) / (uint64_t) n_shards; i < end; i++)
            images_record_of(i, height, width, channels, first_label, &records[i]);
        images_write_records(path, records + from, (size_t) (i - from));
        t2_free(path);
    }
    for (i = 0; i < n; i++)
        t2_buf_release(&records[i]);
    t2_free(records);
}

#endif
