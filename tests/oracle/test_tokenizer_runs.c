/*
 * tests/oracle/test_tokenizer_runs.c - vocabularies and records of whole runs of Tensor2Tensor, and
 * its published vocabularies.
 *
 * Every folder of T2_DATA/reference-runs that has files vocab.<problem>.* and shards of that
 * problem is taken.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"
#include "tfrecord/example.h"
#include "tokenizer/encoder.h"
#include "tokenizer/vocab_builder.h"

static void list(const char *folder, struct t2_strs *names)
{
    struct t2_err err = T2_ERR_INIT;

    if (t2_is_dir(folder) && t2_list_dir(folder, names, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* Loads a vocabulary, unpacked when it is gzip; *file gets its bytes. */
static struct tok_encoder *load(const char *path, struct t2_buf *file)
{
    const char *plain = t_tmp_path("vocab");
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    t_read_unpacked(path, file);
    t_write_file(plain, file->data, file->len_bytes);
    if (tok_load(plain, &e, &err) != T2_OK)
        fail_msg("%s: %s", path, err.message);
    return e;
}

static void check_kind(const char *path, const struct tok_encoder *e)
{
    if (strstr(path, ".subwords"))
        assert_string_equal(tok_kind(e), "subwords");
    if (strstr(path, ".tokens"))
        assert_string_equal(tok_kind(e), "tokens");
}

/* What was loaded is written again byte for byte; a line feed missing at the end is put there. */
static void check_saved(const char *path, const struct tok_encoder *e, const struct t2_buf *file)
{
    const char *copy = t_tmp_path("copy");
    struct t2_buf saved = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tok_save(e, copy, &err), T2_OK);
    t_read_unpacked(copy, &saved);
    if (file->data[file->len_bytes - 1] != '\n')
        saved.len_bytes--;
    if (!t2_slice_eq(t2_buf_slice(&saved), t2_buf_slice(file)))
        fail_msg("%s: written differently", path);
    t2_buf_release(&saved);
}

/* ---- records ---- */

typedef void (*record_fn)(void *arg, const struct tfr_example *ex);

/* Every record of a shard, plain or gzip.  Framing is not under test here: no checksums. */
static size_t each_record(const char *path, record_fn fn, void *arg)
{
    struct tfr_example ex = {0};
    struct t2_buf shard = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n = 0;

    t_read_unpacked(path, &shard);
    for (size_t at = 0; at < shard.len_bytes; n++) {
        uint64_t len = 0;

        for (int k = 7; k >= 0; k--)
            len = len << 8 | shard.data[at + (size_t) k];
        assert_true(len <= shard.len_bytes - at - 16);
        if (tfr_example_parse(&ex, (struct t2_slice){shard.data + at + 12, len}, &err) != T2_OK)
            fail_msg("%s: record %zu: %s", path, n, err.message);
        fn(arg, &ex);
        at += len + 16;
    }
    tfr_example_release(&ex);
    t2_buf_release(&shard);
    return n;
}

/* Ids of a feature without their EOS; false when it is not such a list. */
static bool ids_of(const struct tfr_example *ex, const char *name, struct tok_ids *ids)
{
    const struct tfr_view *v = tfr_example_find(ex, name);

    ids->n = 0;
    if (!v || v->kind != TFR_INT64 || v->n == 0)
        return false;
    while (ids->n < v->n)
        tok_ids_push(ids, 0);
    if (!tfr_view_ids(v, ids->items) || ids->items[v->n - 1] != TOK_EOS)
        return false;
    ids->n--;
    return true;
}

struct check {
    const char *path;
    const struct tok_encoder *e;
    struct tok_cache *cache;
    struct tok_ids ids, again;
    struct t2_buf text;
    size_t n;
};

/* The ids of a record are those of some text: so they are the ids of their own text. */
static void check_record(void *arg, const struct tfr_example *ex)
{
    static const char *const names[] = {"inputs", "targets"};
    struct check *c = arg;
    struct t2_err err = T2_ERR_INIT;

    if (tfr_example_find(ex, "targets_segmentation"))
        return; /* several texts in one record */
    for (size_t i = 0; i < 2; i++) {
        if (!ids_of(ex, names[i], &c->ids))
            continue;
        t2_buf_clear(&c->text);
        tok_decode(c->e, c->ids.items, c->ids.n, &c->text);
        c->again.n = 0;
        if (tok_encode(c->e, c->cache, c->text.data, c->text.len_bytes, &c->again, &err) != T2_OK)
            fail_msg("%s: %s", c->path, err.message);
        if (c->again.n != c->ids.n ||
            (c->ids.n > 0 && memcmp(c->again.items, c->ids.items, c->ids.n * sizeof(int32_t)) != 0))
            fail_msg("%s: other ids for '%s'", c->path, t2_buf_cstr(&c->text));
        c->n++;
    }
}

static size_t check_records(const char *path, const struct tok_encoder *e)
{
    struct check c = {.path = path, .e = e, .cache = tok_cache_new(e, 0)};

    each_record(path, check_record, &c);
    tok_cache_free(c.cache);
    tok_ids_release(&c.ids);
    tok_ids_release(&c.again);
    t2_buf_release(&c.text);
    return c.n;
}

/* ---- a vocabulary made again from records ---- */

struct remake {
    const struct tok_encoder *e;
    struct tok_counts *counts;
    struct tok_ids ids;
    struct t2_buf text;
};

static void count_record(void *arg, const struct tfr_example *ex)
{
    static const char *const names[] = {"inputs", "targets"};
    struct remake *r = arg;

    for (size_t i = 0; i < 2; i++)
        if (ids_of(ex, names[i], &r->ids)) {
            t2_buf_clear(&r->text);
            tok_decode(r->e, r->ids.items, r->ids.n, &r->text);
            tok_counts_add_text(r->counts, r->text.data, r->text.len_bytes);
        }
}

static void append_log(void *arg, const char *line)
{
    if (!t2_starts_with(line, "Iteration"))
        t2_buf_printf(arg, "%s\n", line);
}

/* The builder's own lines of a recorded log. */
static void recorded_log(const char *path, struct t2_buf *out)
{
    struct t_texts lines = {0};

    t_read_lines(path, &lines);
    for (size_t i = 0; i < lines.n; i++) {
        struct t2_slice line = t_texts_at(&lines, i);
        char *s = t2_strndup((const char *) line.data, line.len_bytes);

        if (t2_starts_with(s, "Trying min_count ") || t2_starts_with(s, "vocab_size = "))
            t2_buf_printf(out, "%s\n", s);
        t2_free(s);
    }
    t_texts_release(&lines);
}

/* A text2text problem counts all of its training samples: with all its training shards there, the
 * same vocabulary must come out of them. */
static bool check_remade(const char *folder, const char *problem, int64_t target,
                         const struct t2_strs *shards, const struct tok_encoder *e,
                         const struct t2_buf *file)
{
    struct remake r = {.e = e};
    struct tok_build_options o = {.target_size = target};
    struct t2_buf log = {0}, want = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *again;
    size_t n_train = 0, n_shards = 0;
    char *prefix, *path;

    if (!t2_starts_with(problem, "text2text") || strcmp(tok_kind(e), "subwords") != 0)
        return false;
    prefix = t2_asprintf("%s-train-", problem);
    for (size_t i = 0; i < shards->n; i++)
        if (t2_starts_with(shards->items[i], prefix)) {
            n_train++;
            n_shards = strtoul(strstr(shards->items[i], "-of-") + 4, NULL, 10);
        }
    if (n_train > 0 && n_train == n_shards) {
        r.counts = tok_counts_new();
        for (size_t i = 0; i < shards->n; i++) {
            path = t2_asprintf("%s/shards/%s", folder, shards->items[i]);
            if (t2_starts_with(shards->items[i], prefix))
                each_record(path, count_record, &r);
            t2_free(path);
        }
        o.log = append_log;
        o.log_arg = &log;
        assert_int_equal(tok_build(r.counts, &o, &again, &err), T2_OK);
        check_saved(folder, again, file);
        path = t2_asprintf("%s/log.txt", folder);
        recorded_log(path, &want);
        assert_string_equal(t2_buf_cstr(&log), t2_buf_cstr(&want));
        t2_free(path);
        tok_free(again);
        tok_counts_free(r.counts);
    }
    t2_free(prefix);
    tok_ids_release(&r.ids);
    t2_buf_release(&r.text);
    t2_buf_release(&log);
    t2_buf_release(&want);
    return n_train > 0 && n_train == n_shards;
}

struct totals {
    size_t n_vocabularies, n_texts, n_remade;
};

/* Of "vocab.<problem>.<rest>"; owned by the caller, NULL when it is not such a name. */
static char *problem_of(const char *name, int64_t *target)
{
    const char *dot;

    if (!t2_starts_with(name, "vocab.") || !(dot = strchr(name + 6, '.')))
        return NULL;
    *target = strtoll(dot + 1, NULL, 10);
    return t2_strndup(name + 6, (size_t) (dot - name - 6));
}

static void check_run(const char *folder, struct totals *totals)
{
    struct t2_strs files = {0}, shards = {0};
    char *shard_folder = t2_path_join(folder, "shards");

    list(folder, &files);
    list(shard_folder, &shards);
    for (size_t i = 0; i < files.n; i++) {
        int64_t target = 0;
        char *problem = problem_of(files.items[i], &target);
        char *path = t2_path_join(folder, files.items[i]);
        struct t2_buf file = {0};

        if (problem) {
            struct tok_encoder *e = load(path, &file);
            bool sided = t2_ends_with(path, ".en") || t2_ends_with(path, ".zh");

            totals->n_vocabularies++;
            check_kind(path, e);
            check_saved(path, e, &file);
            for (size_t k = 0; k < shards.n && !sided; k++) {
                char *prefix = t2_asprintf("%s-", problem);
                char *shard = t2_path_join(shard_folder, shards.items[k]);

                if (t2_starts_with(shards.items[k], prefix))
                    totals->n_texts += check_records(shard, e);
                t2_free(shard);
                t2_free(prefix);
            }
            totals->n_remade += check_remade(folder, problem, target, &shards, e, &file);
            tok_free(e);
        }
        t2_buf_release(&file);
        t2_free(path);
        t2_free(problem);
    }
    t2_free(shard_folder);
    t2_strs_release(&files);
    t2_strs_release(&shards);
}

static void test_runs(void **state)
{
    const char *found = t_data_path("reference-runs");
    struct t2_strs runs = {0};
    struct totals totals = {0, 0, 0};
    char *root;

    (void) state;
    if (!found)
        t_skip("no reference-runs in T2_DATA");
    root = t2_strdup(found);
    list(root, &runs);
    for (size_t i = 0; i < runs.n; i++) {
        char *folder = t2_path_join(root, runs.items[i]);

        if (t2_is_dir(folder))
            check_run(folder, &totals);
        t2_free(folder);
    }
    print_message("%zu vocabularies, %zu texts, %zu made again\n", totals.n_vocabularies,
                  totals.n_texts, totals.n_remade);
    t2_free(root);
    t2_strs_release(&runs);
    if (totals.n_vocabularies == 0)
        t_skip("no vocabulary of a run in T2_DATA");
}

/* ---- published vocabularies ---- */

/* Specification §12.3, by the hash of the file. */
static const struct {
    const char *sha256, *text, *ids;
} golden[] = {{"751ad29c4b7d8e1dd1e1dec606ff03dd1d787423438fc89df02cc39ad1ac2735",
               "The quick brown fox jumps over the lazy dog.",
               "29 5241 30598 22 4165 521 13654 3599 244 4 4835 22451 20725 3"},
              {"751ad29c4b7d8e1dd1e1dec606ff03dd1d787423438fc89df02cc39ad1ac2735",
               "Stra\xC3\x9F"
               "e & \xE6\x9D\xB1\xE4\xBA\xAC x_y",
               "4519 807 33590 7619 22283 5186 26817 33590 33393 10018 1269 521 805 105"},
              {"751ad29c4b7d8e1dd1e1dec606ff03dd1d787423438fc89df02cc39ad1ac2735", " leading",
               "850 1218"},
              {"751ad29c4b7d8e1dd1e1dec606ff03dd1d787423438fc89df02cc39ad1ac2735", "tab\there",
               "19482 33590 4091 1269 430"},
              {"63c56c9d9ef7fbdf722bfc6870dddd5f83e7b0ac4ca1bfb5df1cd05cdfa40e1a",
               "The quick brown fox jumps over the lazy dog.",
               "39 1109 353 1995 4943 4989 280 1369 720 6 313 5 1229 3390 2 372 121 4"}};

static void check_golden(const struct tok_encoder *e)
{
    char hex[65];

    tok_sha256(e, hex);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct tok_ids ids = {0};
        struct t2_buf row = {0};
        struct t2_err err = T2_ERR_INIT;

        if (strcmp(golden[i].sha256, hex) == 0) {
            assert_int_equal(tok_encode(e, NULL, (const uint8_t *) golden[i].text,
                                        strlen(golden[i].text), &ids, &err),
                             T2_OK);
            for (size_t k = 0; k < ids.n; k++)
                t2_buf_printf(&row, "%s%" PRId32, k > 0 ? " " : "", ids.items[k]);
            assert_string_equal(t2_buf_cstr(&row), golden[i].ids);
            t2_buf_clear(&row);
            tok_decode(e, ids.items, ids.n, &row);
            assert_string_equal(t2_buf_cstr(&row), golden[i].text);
        }
        tok_ids_release(&ids);
        t2_buf_release(&row);
    }
}

/* The published records of the vocabulary's problem. */
static size_t check_samples(const char *problem, const struct tok_encoder *e)
{
    const char *folder = t_data_path("tfrecord-samples");
    struct t2_strs files = {0};
    size_t n = 0;

    if (!folder)
        return 0;
    list(folder, &files);
    for (size_t i = 0; i < files.n; i++) {
        char *path = t2_path_join(folder, files.items[i]);

        if (strstr(files.items[i], problem) && t2_ends_with(path, ".tfrecord"))
            n += check_records(path, e);
        t2_free(path);
    }
    t2_strs_release(&files);
    return n;
}

static void test_published(void **state)
{
    const char *found = t_data_path("t2t-vocab");
    struct t2_strs files = {0};
    size_t n = 0, n_texts = 0;
    char *root;

    (void) state;
    if (!found)
        t_skip("no t2t-vocab in T2_DATA");
    root = t2_strdup(found);
    list(root, &files);
    for (size_t i = 0; i < files.n; i++) {
        char *path = t2_path_join(root, files.items[i]), *problem;
        struct t2_buf file = {0};
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e;
        int64_t target;

        if (strstr(path, ".subwords")) {
            e = load(path, &file);
            check_kind(path, e);
            check_saved(path, e, &file);
            check_golden(e);
            problem = problem_of(files.items[i], &target);
            if (problem)
                n_texts += check_samples(problem, e);
            t2_free(problem);
            tok_free(e);
            n++;
        } else if (tok_load(path, &e, &err) == T2_OK) {
            assert_string_equal(tok_kind(e), "tokens"); /* a list of words of another kind */
            tok_free(e);
        } else { /* a text */
            t_assert_contains(err.message, ": line ");
        }
        t2_buf_release(&file);
        t2_free(path);
    }
    print_message("%zu vocabularies, %zu texts\n", n, n_texts);
    t2_strs_release(&files);
    t2_free(root);
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_published))
