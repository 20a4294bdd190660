/*
 * test_edit_journal.c - an edit that is stopped before any of its steps is finished or never was:
 * for every step of append, remove and relabel, by a process that ends there with nothing cleaned
 * up.
 */
#include "tfrec/edit_journal.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "tests/unit/tfrec/edit_set.h"
#include "tfrec/edit_append.h"
#include "tfrec/edit_choose.h"
#include "tfrec/edit_records.h"

struct scenario {
    const char *name;
    enum t2_status (*run)(const char *set, struct t2_err *err); /* the command */
    const char *after;                                          /* es_content */
};

/* As kill -9 does: nothing is given back. */
static void die_if_stopped(enum t2_status st)
{
    if (st == T2_EINTERRUPTED)
        _exit(9);
}

static enum t2_status run_append(const char *set, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct tfr_inputs in;
    struct rec_edit_options o = {.set = set, .command = "tfrec append x", .others = &in};
    struct rec_append_options a = {&in, "train", 100};
    struct rec_append_counts counts;
    struct rec_edit *e = NULL;
    struct t2_strs args = {0};
    enum t2_status st;

    t2_strs_push(&args, t_tmp_path("more"));
    st = tfr_inputs_find(&args, &in, err);
    t2_strs_release(&args);
    if (st == T2_OK)
        st = rec_edit_open(&o, &e, err);
    if (st == T2_OK && e) {
        st = rec_edit_append(e, &a, pool, &counts, err);
        if (st == T2_OK)
            st = rec_edit_commit(e, err);
    }
    die_if_stopped(st);
    rec_edit_free(e);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
    return st;
}

static enum t2_status drop_even(const void *context, struct rec_where_scratch *scratch,
                                const struct tfr_example *ex, struct t2_slice record,
                                uint64_t number, struct t2_buf *out, enum rec_verdict *verdict,
                                struct t2_err *err)
{
    int64_t v[3];

    (void) context;
    (void) scratch;
    (void) number;
    (void) record;
    (void) err;
    tfr_view_ints(tfr_example_find(ex, "inputs"), v);
    *verdict = v[0] % 2 == 0 ? REC_DROP : REC_KEEP;
    if (v[0] == 3) {
        es_example(out, 3, 7);
        *verdict = REC_CHANGE;
    }
    return T2_OK;
}

static enum t2_status run_remove(const char *set, struct t2_err *err)
{
    const struct rec_edit_rule rule = {drop_even, true, NULL, NULL};
    struct rec_edit_options o = {.set = set, .command = "tfrec remove x"};
    struct t2_pool *pool = t2_pool_new(1);
    struct rec_edit_counts counts;
    struct rec_edit *e = NULL;
    enum t2_status st = rec_edit_open(&o, &e, err);

    if (st == T2_OK && e) {
        st = rec_edit_records(e, &rule, pool, &counts, err);
        if (st == T2_OK)
            st = rec_edit_commit(e, err);
    }
    die_if_stopped(st);
    rec_edit_free(e);
    t2_pool_free(pool);
    return st;
}

static const struct scenario scenarios[] = {
    {"append", run_append, "0 1 2 | 3 4 5 | 6 7 8 9 | 20 | 21 | 22 / 0 1 2 3 "},
    {"remove", run_remove, "1 | 3* 5 | 7 9 / 1 3* "},
};

/* The command in a process that is gone at step n, its locks with it.  true: it came to its end. */
static bool killed_at(const struct scenario *s, const char *set, int n)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct t2_err err = T2_ERR_INIT;
        t2_log_set_level(T2_LOG_ERROR);
        (void) rec_journal_stop_before(n);
        _exit(s->run(set, &err) == T2_OK ? 0 : 9);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

/* What a reader sees: all of before, all of after, or a refusal that says what to do. */
static void check_reader(const struct scenario *s, const char *set)
{
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = tfr_manifest_load(set, &m, &err);

    tfr_manifest_free(m);
    if (st == T2_OK) {
        const char *content = es_content(set);
        if (strcmp(content, es_untouched) != 0)
            assert_string_equal(content, s->after);
        return;
    }
    assert_int_equal(st, T2_EIO);
    t_assert_contains(err.message, "finish it with: tfrec");
}

static size_t n_edits(const char *set)
{
    size_t n;
    char *text = t_read_file(set, &n);
    const char *at = text;
    size_t found = 0;

    while ((at = strstr(at, "edit_sha256"))) {
        at++;
        found++;
    }
    free(text);
    return found;
}

static void check_scenario(const struct scenario *s)
{
    char dir[100], plain_names[4000];
    bool ended = false;
    int n = 0;

    snprintf(dir, sizeof dir, "%s_whole", s->name);
    const char *set = es_make(dir);
    assert_true(killed_at(s, set, 0));
    assert_string_equal(es_content(set), s->after);
    snprintf(plain_names, sizeof plain_names, "%s", es_names(set));
    assert_null(strstr(plain_names, "edit"));
    while (!ended) {
        snprintf(dir, sizeof dir, "%s_%d", s->name, ++n);
        set = es_make(dir);
        ended = killed_at(s, set, n);
        check_reader(s, set);
        /* and stopped once more while it is being finished */
        (void) killed_at(s, set, 2);
        check_reader(s, set);
        assert_true(killed_at(s, set, 0));
        assert_string_equal(es_content(set), s->after);
        assert_string_equal(es_names(set), plain_names);
        assert_int_equal(n_edits(set), 1); /* not twice */
    }
    assert_true(n > 8);
}

static void test_append(void **state)
{
    (void) state;
    es_write(t_tmp_path("more"), 20, 23);
    check_scenario(&scenarios[0]);
}

static void test_remove(void **state)
{
    (void) state;
    check_scenario(&scenarios[1]);
}

/* A set that was made anew after an edit of it had been stopped is not edited by the old
 * journal. */
static void test_stale_journal(void **state)
{
    const char *set = es_make("stale");
    struct rec_journal finished;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    char *old = NULL;
    size_t n;

    (void) state;
    assert_false(killed_at(&scenarios[1], set, 2)); /* the journal is there, nothing is moved */
    assert_int_equal(tfr_manifest_load(set, &(struct tfr_manifest *){NULL}, &err), T2_EIO);
    old = t_read_file(set, &n);
    t2_buf_puts(&text, old);
    t2_buf_push(&text, '\n');
    t_write_file(set, text.data, text.len_bytes);
    t2_log_set_level(T2_LOG_ERROR);
    ES_OK(rec_journal_recover(set, &finished, &es_err));
    t2_log_set_level(T2_LOG_INFO);
    assert_null(finished.command);
    assert_string_equal(es_content(set), es_untouched);
    assert_null(strstr(es_names(set), "edit"));
    rec_journal_release(&finished);
    t2_buf_release(&text);
    free(old);
}

static void check_broken(const char *set, const char *text, const char *message)
{
    struct rec_journal finished;
    char *journal = tfr_journal_path(set);
    struct t2_err err = T2_ERR_INIT;

    t_write_file(journal, text, strlen(text));
    assert_int_equal(rec_journal_recover(set, &finished, &err), T2_EFORMAT);
    t_assert_contains(err.message, "the journal of a stopped edit cannot be read");
    t_assert_contains(err.message, message);
    rec_journal_release(&finished);
    t2_free(journal);
}

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_broken_journal(void **state)
{
    const char *set = es_make("broken");

    (void) state;
    check_broken(set, "{", "x.edit.json:1:1");
    check_broken(set, "{}", "\"format\" is not \"t2t.c edit\"");
    check_broken(set, "{\"format\": \"t2t.c edit\", \"format_version\": 2}", "\"format_version\"");
    check_broken(set,
                 "{\"format\": \"t2t.c edit\", \"format_version\": 1, \"command\": \"c\", "
                 "\"before\": \"" SHA "\", \"after\": \"" SHA "\"}",
                 "\"moves\" is not a list of renames");
    check_broken(set,
                 "{\"format\": \"t2t.c edit\", \"format_version\": 1, \"command\": \"c\", "
                 "\"before\": \"" SHA "\", \"after\": \"" SHA
                 "\", \"moves\": [{\"from\": \"../a\"}]}",
                 "\"from\" is not a plain file name");
}

T_MAIN(cmocka_unit_test(test_append), cmocka_unit_test(test_remove),
       cmocka_unit_test(test_stale_journal), cmocka_unit_test(test_broken_journal))
