/* test_write_images.c - files to shards: the same bytes by any threads, tasks, and after a stop. */
#include "datagen/images/write_images.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/datagen/images/images_here.h"
#include "tfrecord/manifest.h"

static struct t2_err err = T2_ERR_INIT;
static struct dg_images list;

static char *sha_of_set(const char *dir)
{
    char *path = t2_path_join(dir, "pictures.manifest.json"), *sha;
    struct tfr_manifest *m = NULL;
    char sha256[65];

    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_OK);
    tfr_manifest_hash_data(m, sha256);
    sha = t2_strdup(sha256);
    tfr_manifest_free(m);
    t2_free(path);
    return sha;
}

static struct dg_images_made made_by(struct dg_write_images *w)
{
    struct dg_images_made made = {.bytes = 0};

    assert_int_equal(dg_write_images(&list, w, &made, &err), T2_OK);
    return made;
}

static void test_same_bytes(void **state)
{
    char *one = t2_strdup(t_tmp_path("one")), *many = t2_strdup(t_tmp_path("many"));
    struct dg_write_images w = {
        .output_dir = one, .n_shards = {3, 0, 0}, .shuffle = true, .n_tasks = 1, .num_threads = 1};
    struct dg_images_made made = made_by(&w);
    char *sha, *other, *lost;

    (void) state;
    assert_true(made.is_complete && !made.was_complete);
    assert_int_equal(made.n_records[DG_IMAGES_TRAIN], 12);
    assert_true(made_by(&w).was_complete);
    w.output_dir = many;
    w.num_threads = 4;
    w.n_tasks = 2;
    w.task = 1;
    assert_false(made_by(&w).is_complete);
    w.task = 0;
    assert_true(made_by(&w).is_complete);
    sha = sha_of_set(one);
    other = sha_of_set(many);
    assert_string_equal(sha, other);
    t2_free(other);
    /* a shard is lost: it and the manifest are made again */
    lost = t2_path_join(one, "train-00001-of-00003");
    assert_int_equal(unlink(lost), 0);
    w = (struct dg_write_images){
        .output_dir = one, .n_shards = {3, 0, 0}, .shuffle = true, .n_tasks = 1, .overwrite = true};
    made_by(&w);
    other = sha_of_set(one);
    assert_string_equal(sha, other);
    /* another set in the same folder */
    w.overwrite = false;
    w.n_shards[0] = 2;
    assert_int_equal(dg_write_images(&list, &w, &made, &err), T2_EIO);
    t_assert_contains(err.message, "--overwrite");
    w.n_shards[0] = 3;
    w.shuffle = false;
    assert_int_equal(dg_write_images(&list, &w, &made, &err), T2_EIO);
    t2_free(other);
    t2_free(sha);
    t2_free(lost);
    t2_free(one);
    t2_free(many);
}

static void test_bad_files(void **state)
{
    char *dir = t2_strdup(t_tmp_path("bad")), *aside = t2_strdup(t_tmp_path("aside"));
    struct dg_write_images w = {.output_dir = dir,
                                .n_tasks = 1,
                                .refusals = {.quarantine_dir = aside}};
    struct dg_images_made made = {.bytes = 0};
    char *copy = t2_path_join(aside, "rose/bad.jpg"),
         *report = t2_path_join(dir, "pictures.dropped.jsonl");

    (void) state;
    dg_images_add(&list, here_text(t_tmp_path("in"), "bad.jpg", "<html>"), DG_IMAGES_TRAIN, 0);
    assert_int_equal(dg_write_images(&list, &w, &made, &err), T2_EFORMAT);
    t_assert_contains(err.message, "bad.jpg");
    w.refusals.on_error = DG_ON_ERROR_QUARANTINE;
    made = made_by(&w);
    assert_int_equal(made.n_dropped, 1);
    assert_int_equal(made.n_records[DG_IMAGES_TRAIN], 12);
    assert_true(t2_exists(copy));
    assert_true(t2_exists(report));
    t2_free(copy);
    t2_free(report);
    t2_free(dir);
    t2_free(aside);
}

/* ---- questions to the file system that get no answer: the linker wraps these (tests/module.mk)
 * ---- */

static int until_fault; /* the question of that number gets EIO; 0: all are answered */

int __real_stat(const char *path, struct stat *s);
int __real_fstat(int fd, struct stat *s);
int __wrap_stat(const char *path, struct stat *s);
int __wrap_fstat(int fd, struct stat *s);

static bool is_faulty(void)
{
    return until_fault > 0 && --until_fault == 0;
}

int __wrap_stat(const char *path, struct stat *s)
{
    if (!is_faulty())
        return __real_stat(path, s);
    errno = EIO;
    return -1;
}

int __wrap_fstat(int fd, struct stat *s)
{
    if (!is_faulty())
        return __real_fstat(fd, s);
    errno = EIO;
    return -1;
}

/* Whichever question fails: the run fails, or the set is whole; and the same run again makes it
 * whole. */
static void test_unanswered(void **state)
{
    char *right = t2_strdup(t_tmp_path("right")), *sha;
    struct dg_write_images w = {.output_dir = right,
                                .n_shards = {3, 0, 0},
                                .n_tasks = 1,
                                .num_threads = 1};
    int n_failed = 0, n = 1;
    bool all_answered = false;

    (void) state;
    made_by(&w);
    sha = sha_of_set(right);
    for (; !all_answered; n++) {
        char name[32];
        struct dg_images_made made = {.bytes = 0};
        enum t2_status st;
        snprintf(name, sizeof name, "fault%d", n);
        char *dir = t2_strdup(t_tmp_path(name)), *again;
        w.output_dir = dir;
        until_fault = n;
        st = dg_write_images(&list, &w, &made, &err);
        all_answered = until_fault > 0;
        until_fault = 0;
        n_failed += st != T2_OK;
        if (st == T2_OK && !made.is_complete)
            fail_msg("question %d: no error, and no manifest", n);
        made = made_by(&w);
        assert_true(made.is_complete);
        again = sha_of_set(dir);
        assert_string_equal(again, sha);
        t2_free(again);
        t2_free(dir);
    }
    assert_true(n > 20 && n_failed > 10); /* the wrap is in place */
    t2_free(right);
    t2_free(sha);
}

static int set_up(void **state)
{
    (void) state;
    t2_strs_push(&list.labels, "rose");
    t2_strs_push(&list.labels, "daisy");
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.jpg", i);
        dg_images_add(&list, here_image(t_tmp_path("in"), name, 8 + i, 8), DG_IMAGES_TRAIN,
                      (uint32_t) i % 2);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    dg_images_release(&list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_unanswered),
                                       cmocka_unit_test(test_bad_files)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
