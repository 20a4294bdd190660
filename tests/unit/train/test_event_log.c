/*
 * Tests of train/eval/event_log.c: what a run appends, what is cut when it continues, and what is
 * left alone.
 */
#include "train/eval/event_log.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tfrecord/event.h"
#include "tfrecord/event_write.h"
#include "tfrecord/reader.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

/* A run that begins behind `step` and reports at steps first..last; true: the folder was empty. */
static bool run(const char *dir, int64_t step, int64_t first, int64_t last)
{
    struct ev_event_log *log = NULL;
    struct t2_buf values = {0};
    bool empty;

    OK(ev_event_log_open(dir, step, &log, &err));
    empty = ev_event_log_is_empty(log);
    for (int64_t i = first; i <= last; i++) {
        t2_buf_clear(&values);
        tfr_put_scalar(&values, "loss", (float) i);
        OK(ev_event_log_add(log, i, t2_buf_slice(&values), &err));
    }
    t2_buf_release(&values);
    ev_event_log_close(log);
    return empty;
}

static struct t2_strs files(const char *dir)
{
    struct t2_strs names = {0};

    if (t2_is_dir(dir))
        OK(t2_list_dir(dir, &names, &err));
    return names;
}

static size_t n_files(const char *dir)
{
    struct t2_strs names = files(dir);
    size_t n = names.n;

    t2_strs_release(&names);
    return n;
}

/* The steps of all values in the folder, in the order of its files, as "1 2 3 "; every record must
 * be whole. */
static const char *steps(const char *dir)
{
    static char text[400];
    struct t2_strs names = files(dir);
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        struct tfr_reader *r = NULL;
        struct t2_slice record;
        struct tfr_event e;
        enum t2_status st;

        OK(tfr_reader_new(path, &r, &err));
        while ((st = tfr_reader_next(r, &record, &err)) == T2_OK) {
            OK(tfr_event_parse(record, &e, &err));
            if (e.kind == TFR_EVENT_SUMMARY)
                n += (size_t) snprintf(text + n, sizeof text - n, "%d ", (int) e.step);
        }
        assert_int_equal(st, T2_EOF);
        tfr_reader_free(r);
        t2_free(path);
    }
    t2_strs_release(&names);
    return text;
}

static void test_continue(void **state)
{
    const char *dir = t_tmp_path("continue");

    (void) state;
    assert_true(run(dir, 0, 1, 0)); /* nothing to say: no folder either */
    assert_false(t2_is_dir(dir));
    assert_true(run(dir, 0, 1, 6));
    assert_string_equal(steps(dir), "1 2 3 4 5 6 ");
    assert_false(run(dir, 4, 5, 9)); /* the checkpoint was of step 4 */
    assert_string_equal(steps(dir), "1 2 3 4 5 6 7 8 9 ");
    assert_int_equal(n_files(dir), 2);
    assert_false(run(dir, 9, 10, 11));
    assert_string_equal(steps(dir), "1 2 3 4 5 6 7 8 9 10 11 ");
    assert_false(run(dir, 2, 3, 3)); /* two files keep nothing and go */
    assert_string_equal(steps(dir), "1 2 3 ");
    assert_int_equal(n_files(dir), 2);
    assert_true(run(dir, 0, 1, 1));
    assert_string_equal(steps(dir), "1 ");
    run(dir, -1, 1, 2); /* -1: nothing is cut */
    assert_string_equal(steps(dir), "1 1 2 ");
}

/* Cut anywhere, as a kill may leave it: whole events stay. */
static void test_torn(void **state)
{
    (void) state;
    for (size_t cut = 1; cut < 60; cut++) {
        char name[32];
        const char *dir;
        struct t2_strs names;
        struct t2_buf file = {0};
        char *path;

        snprintf(name, sizeof name, "torn%zu", cut);
        dir = t_tmp_path(name);
        run(dir, 0, 1, 3);
        names = files(dir);
        path = t2_path_join(dir, names.items[0]);
        OK(t2_read_file(path, 0, &file, &err));
        OK(t2_write_file(path, file.data, file.len_bytes - cut, &err));
        run(dir, 3, 4, 4);
        if (cut <= 26 + 16)
            assert_string_equal(steps(dir), "1 2 4 ");
        else
            assert_string_equal(steps(dir), "1 4 ");
        t2_buf_release(&file);
        t2_strs_release(&names);
        t2_free(path);
    }
}

/* Files of others, and what is no event file, stay byte for byte. */
static void test_others(void **state)
{
    static const char *const tags[] = {"BLEU_uncased"};
    static const float score = 27.5f;
    const char *dir = t_tmp_path("others");
    char *bleu = t2_path_join(dir, "events.out.tfevents.0000000001.x");
    char *odd = t2_path_join(dir, "events.out.tfevents.0000000002.x");
    struct t2_buf file = {0}, after = {0};

    (void) state;
    tfr_put_event_version(&file, 1.0, NULL);
    tfr_put_event_scalars(&file, 2.0, 1000, tags, &score, 1);
    OK(t2_make_dirs(dir, &err));
    OK(t2_write_file(bleu, file.data, file.len_bytes, &err));
    OK(t2_write_file(odd, "no record", 9, &err));
    run(dir, 5, 6, 6);
    OK(t2_read_file(bleu, 0, &after, &err));
    assert_int_equal(after.len_bytes, file.len_bytes);
    assert_memory_equal(after.data, file.data, file.len_bytes);
    OK(t2_read_file(odd, 0, &after, &err));
    assert_string_equal(t2_buf_cstr(&after), "no record");
    t2_buf_release(&file);
    t2_buf_release(&after);
    t2_free(bleu);
    t2_free(odd);
}

static void test_no_folder(void **state)
{
    const char *path = t_tmp_path("file");
    struct ev_event_log *log = NULL;
    struct t2_buf values = {0};

    (void) state;
    OK(t2_write_file(path, "x", 1, &err));
    OK(ev_event_log_open(path, 0, &log, &err));
    tfr_put_scalar(&values, "loss", 1.0f);
    assert_int_equal(ev_event_log_add(log, 1, t2_buf_slice(&values), &err), T2_EIO);
    t2_buf_release(&values);
    ev_event_log_close(log);
    ev_event_log_close(NULL);
}

T_MAIN(cmocka_unit_test(test_continue), cmocka_unit_test(test_torn), cmocka_unit_test(test_others),
       cmocka_unit_test(test_no_folder))
