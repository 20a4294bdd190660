/*
 * test_edit.c - opening and closing a data set: which one, locks, the same edit again, files that
 * do not belong to it.
 */
#include "tfrec/edit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "tests/unit/tfrec/edit_set.h"

static void refused(const char *set, enum t2_status st, const char *message)
{
    const struct rec_edit_options o = {.set = set, .command = "tfrec test"};
    struct t2_err err = T2_ERR_INIT;
    struct rec_edit *e = NULL;

    assert_int_equal(rec_edit_open(&o, &e, &err), st);
    assert_null(e);
    t_assert_contains(err.message, message);
}

static void test_which_set(void **state)
{
    const char *set = es_make("which");
    char *dir = t2_path_dir(set), *other = t2_path_join(dir, "y.manifest.json");
    size_t n;
    char *text = t_read_file(set, &n);
    struct rec_edit *e = es_open(dir, "tfrec test", NULL);

    (void) state;
    assert_string_equal(e->name, "x");
    assert_int_equal(e->n_records, ES_TRAIN + ES_DEV);
    assert_int_equal(e->files.n, 4);
    assert_int_equal(e->first[2], 6);
    assert_int_equal(e->first[3], 10);
    assert_string_equal(e->files.files[3].split, "dev");
    assert_string_equal(rec_edit_shard(e, 3)->file, "x-dev-00000-of-00001");
    rec_edit_free(e);
    rec_edit_free(NULL);
    rec_edit_free(es_open(set, "tfrec test", NULL));
    t_write_file(other, text, n);
    refused(dir, T2_EUSAGE, "has 2 manifests; say which: 'x.manifest.json', 'y.manifest.json'");
    refused(t_tmp_path("which/x-dev-00000-of-00001"), T2_EUSAGE,
            "is no data set: give its manifest");
    refused("/nowhere/x.manifest.json", T2_ENOTFOUND, "no such file");
    assert_int_equal(unlink(set) + unlink(other), 0);
    refused(dir, T2_EUSAGE, "has no manifest, so it is no finished data set");
    free(text);
    t2_free(dir);
    t2_free(other);
}

static void test_wrong_file(void **state)
{
    const char *set = es_make("wrong");

    (void) state;
    t_write_file(t_tmp_path("wrong/x-train-00001-of-00003"), "short", 5);
    refused(set, T2_EFORMAT, "has 5 bytes, but its manifest says");
    assert_int_equal(unlink(t_tmp_path("wrong/x-train-00001-of-00003")), 0);
    refused(set, T2_ENOTFOUND, "x-train-00001-of-00003': no such file");
}

/* Only a different process is kept out: the lock is the system's. */
static void test_lock(void **state)
{
    const char *set = es_make("lock");
    struct rec_edit *e = es_open(set, "tfrec test", NULL);
    int status;
    pid_t pid = fork();

    (void) state;
    if (pid == 0) {
        const struct rec_edit_options o = {.set = set, .command = "tfrec test"};
        struct t2_err err = T2_ERR_INIT;
        struct rec_edit *second = NULL;
        bool kept_out = rec_edit_open(&o, &second, &err) == T2_EIO && !second &&
                        strstr(err.message, "is editing or making this data set");
        _exit(kept_out ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    rec_edit_free(e);
    assert_null(strstr(es_names(set), "lock"));
}

/* A commit without any change: only the history grows. */
static void commit(const char *set, const char *command)
{
    struct rec_edit *e = es_open(set, command, NULL);

    assert_non_null(e);
    ES_OK(rec_edit_commit(e, &es_err));
    rec_edit_free(e);
}

static void test_the_same_again(void **state)
{
    const char *set = es_make("again");
    struct rec_edit_options o = {.set = set, .command = "tfrec one", .again = true};
    struct rec_edit *e = NULL;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    commit(set, "tfrec one");
    assert_null(es_open(set, "tfrec one", NULL));
    commit(set, "tfrec two");
    commit(set, "tfrec one"); /* not the last any more */
    ES_OK(rec_edit_open(&o, &e, &es_err));
    assert_non_null(e);
    rec_edit_free(e);
    t2_log_set_level(T2_LOG_INFO);
    assert_string_equal(es_content(set), es_untouched);
}

/* Other bytes in the file that it reads make it another edit; a stream is never the same. */
static void test_the_same_with_files(void **state)
{
    const char *set = es_make("again_files");
    struct tfr_inputs in;
    struct rec_edit *e;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    es_write(t_tmp_path("other"), 1, 2);
    es_find(t_tmp_path("other"), &in);
    e = es_open(set, "tfrec a", &in);
    ES_OK(rec_edit_commit(e, &es_err));
    rec_edit_free(e);
    assert_null(es_open(set, "tfrec a", &in));
    es_write(t_tmp_path("other"), 2, 3);
    e = es_open(set, "tfrec a", &in);
    assert_non_null(e);
    rec_edit_free(e);
    tfr_inputs_release(&in);
    es_find("-", &in);
    for (int i = 0; i < 2; i++) {
        e = es_open(set, "tfrec b", &in);
        assert_non_null(e);
        ES_OK(rec_edit_commit(e, &es_err));
        rec_edit_free(e);
    }
    tfr_inputs_release(&in);
    t2_log_set_level(T2_LOG_INFO);
}

static void test_nothing_is_left(void **state)
{
    const char *set = es_make("left");
    struct rec_edit *e = es_open(set, "tfrec test", NULL);
    char before[4000], *path = NULL;

    (void) state;
    ES_OK(rec_edit_stage(e, "x-dev-00000-of-00001", &path, &es_err));
    t_write_file(path, "half", 4);
    t2_free(path);
    rec_edit_free(e);
    snprintf(before, sizeof before, "%s", es_names(set));
    assert_null(strstr(before, "edit"));
    assert_string_equal(es_content(set), es_untouched);
}

static void test_dry_run(void **state)
{
    const char *set = es_make("dry");
    const struct rec_edit_options o = {.set = set, .command = "tfrec test", .dry_run = true};
    struct rec_edit *e = NULL;
    char before[4000];

    (void) state;
    snprintf(before, sizeof before, "%s", es_names(set));
    ES_OK(rec_edit_open(&o, &e, &es_err));
    assert_string_equal(es_names(set), before); /* no lock */
    ES_OK(rec_edit_commit(e, &es_err));
    rec_edit_free(e);
    assert_string_equal(es_names(set), before);
    assert_string_equal(es_content(set), es_untouched);
}

T_MAIN(cmocka_unit_test(test_which_set), cmocka_unit_test(test_wrong_file),
       cmocka_unit_test(test_lock), cmocka_unit_test(test_the_same_again),
       cmocka_unit_test(test_the_same_with_files), cmocka_unit_test(test_nothing_is_left),
       cmocka_unit_test(test_dry_run))
