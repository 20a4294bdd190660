/* test_image_journal.c - finished shards: written and read again; other plans, cut lines, strange
 * names. */
#include "datagen/images/image_journal.h"

#include "tests/unit/datagen/images/images_here.h"

static void test_journal(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char first[] = "train-00000-of-00002", second[] = "train-00001-of-00002";
    char *items[] = {first, second};
    const struct t2_strs names = {items, 2, 2};
    char *path = dg_image_journal_path(t_tmp_path(""), 1, 3);
    struct dg_image_shard shard = {
        .file = {.file = t2_strdup(items[1]), .n_records = 7, .bytes = 99}, .height = {1, 5}};
    struct dg_image_shard read[2] = {{.is_done = false}};
    struct t2_buf text = {NULL, 0, 0};
    bool ours;

    (void) state;
    t_assert_contains(path, ".pictures.task-1-of-3.jsonl");
    memset(shard.file.sha256, 'a', 64);
    t2_strs_push(&shard.dropped, "new\nline \"x\"");
    t2_strs_push(&shard.dropped, "why");
    assert_int_equal(dg_image_journal_add(path, true, "plan", 1, &shard, &err), T2_OK);
    assert_int_equal(dg_image_journal_read(path, "other", &names, read, &ours, &err), T2_OK);
    assert_false(read[1].is_done || ours);
    assert_int_equal(dg_image_journal_read(path, "plan", &names, read, &ours, &err), T2_OK);
    assert_true(read[1].is_done && !read[0].is_done && ours);
    assert_int_equal(read[1].file.n_records, 7);
    assert_int_equal(read[1].height.max, 5);
    assert_string_equal(read[1].dropped.items[0], "new\nline \"x\"");
    dg_image_shard_release(&read[1]);
    /* a line that was not finished */
    assert_int_equal(t2_read_file(path, 0, &text, &err), T2_OK);
    t_write_file(path, text.data, text.len_bytes - 1);
    assert_int_equal(dg_image_journal_read(path, "plan", &names, read, &ours, &err), T2_OK);
    assert_false(read[1].is_done);
    /* a name that is not that of the shard */
    t2_free(shard.file.file);
    shard.file.file = t2_strdup("../x");
    assert_int_equal(dg_image_journal_add(path, true, "plan", 1, &shard, &err), T2_OK);
    assert_int_equal(dg_image_journal_read(path, "plan", &names, read, &ours, &err), T2_OK);
    assert_false(read[1].is_done);
    dg_image_shard_release(&shard);
    t2_buf_release(&text);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_journal))
