/*
 * tests/unit/tfrec/test_tfds.c - a folder of TensorFlow Datasets: dataset_info.json and its shards.
 */
#include "tests/unit/tfrec/converting.h"

static const char *folder;

static void put_shard(const char *name, const char *rows)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct rec_convert c = cv_defaults();
    c.to = "tfrecord";
    cv_must(c, cv_put("rows.jsonl", rows), path);
}

static void put_info(const char *format, const char *lengths)
{
    char path[600], text[600];

    snprintf(path, sizeof path, "%s/dataset_info.json", folder);
    snprintf(text, sizeof text,
             "{\"name\":\"tiny\",\"fileFormat\":\"%s\",\"splits\":[{\"name\":\"train\","
             "\"shardLengths\":%s,"
             "\"filepathTemplate\":\"{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}\"}]}",
             format, lengths);
    t_write_file(path, text, strlen(text));
}

static void test_folder(void **state)
{
    static char kept[600];
    const char *out = t_tmp_path("out.jsonl");
    struct rec_convert c = cv_defaults();

    (void) state;
    snprintf(kept, sizeof kept, "%s", t_tmp_path("tiny"));
    folder = kept;
    assert_int_equal(mkdir(folder, 0755), 0);
    put_shard("tiny-train.tfrecord-00000-of-00002", "{\"t\":\"a\"}\n{\"t\":\"b\"}\n");
    put_shard("tiny-train.tfrecord-00001-of-00002", "{\"t\":\"c\"}\n");
    put_info("tfrecord", "[\"2\",\"1\"]");
    cv_must(c, folder, out);
    assert_string_equal(cv_text(out), "{\"t\":[\"a\"]}\n{\"t\":[\"b\"]}\n{\"t\":[\"c\"]}\n");
    c.split = "test";
    assert_int_not_equal(cv_run(c, folder, out, 2), T2_OK);
    t_assert_contains(cv_err.message, "train");
    c.split = "";
    put_info("tfrecord", "[\"1\",\"2\"]");
    assert_int_equal(cv_run(c, folder, out, 2), T2_EFORMAT);
    t_assert_contains(cv_err.message, "tiny-train.tfrecord-00000-of-00002");
    put_info("array_record", "[\"2\",\"1\"]");
    assert_int_equal(cv_run(c, folder, out, 2), T2_EUNSUPPORTED);
    put_info("tfrecord", "7");
    assert_int_equal(cv_run(c, folder, out, 2), T2_EFORMAT);
}

T_MAIN(cmocka_unit_test(test_folder))
