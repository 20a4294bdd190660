/*
 * tests/oracle/test_tokenizer_vocab.c - vocabularies, ids and texts that Tensor2Tensor's
 * SubwordTextEncoder wrote (T2_DATA/reference-runs/subword-t2t): every case of its cases.json.
 *
 * Inputs are looked for beside the cases and in T2_DATA, or in a zip file of the folder's name.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/subword_runs.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"
#include "tokenizer/encoder.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocab_builder.h"

#define RUN "reference-runs/subword-t2t"

struct probe_log {
    struct t2_buf text;
    bool new_line;
};

/* As probes.txt: min_count and the sizes of its rounds. */
static void log_probe(void *arg, const char *line)
{
    struct probe_log *l = arg;
    const char *number = strrchr(line, ' ') + 1;

    if (t2_starts_with(line, "Trying min_count"))
        t2_buf_printf(&l->text, "%s%s", l->text.len_bytes > 0 ? "\n" : "", number);
    else if (t2_starts_with(line, "vocab_size = "))
        t2_buf_printf(&l->text, " %s", number);
    else
        assert_true(t2_starts_with(line, "Iteration "));
}

/* A folder of T2_DATA that begins with the first folder of name and has a zip with its last
 * part. */
static bool find_zipped(const char *name, const char *to)
{
    const char *root = t_data_path("."), *slash = strchr(name, '/');
    struct t2_strs folders = {0}, files = {0};
    struct t2_err err = T2_ERR_INIT;
    bool found = false;

    assert_non_null(slash);
    assert_int_equal(t2_list_dir(root, &folders, &err), T2_OK);
    for (size_t i = 0; i < folders.n && !found; i++) {
        char *folder = t2_path_join(root, folders.items[i]);

        if (strncmp(folders.items[i], name, (size_t) (slash - name)) == 0 && t2_is_dir(folder)) {
            assert_int_equal(t2_list_dir(folder, &files, &err), T2_OK);
            for (size_t k = 0; k < files.n && !found; k++) {
                char *zip = t2_path_join(folder, files.items[k]);

                found = t2_ends_with(zip, ".zip") && t_unzip_to_gzip(zip, slash + 1, to);
                t2_free(zip);
            }
            t2_strs_release(&files);
        }
        t2_free(folder);
    }
    t2_strs_release(&folders);
    return found;
}

static const char *input_path(const char *name)
{
    char relative[512];
    const char *path, *unpacked;

    snprintf(relative, sizeof relative, RUN "/%s", name);
    path = t_data_path(relative);
    if (!path)
        path = t_data_path(name);
    if (path)
        return path;
    unpacked = t_tmp_path("unpacked.gz");
    return find_zipped(name, unpacked) ? unpacked : NULL;
}

/* The lines of a plain file as the recording took them. */
static void add_lines(const struct t2_json_value *c, const char *path, struct t_texts *texts)
{
    size_t every = (size_t) t2_json_as_i64(t2_json_get(c, "every"), 1);
    size_t offset = (size_t) t2_json_as_i64(t2_json_get(c, "offset"), 0);
    int64_t column = t2_json_as_i64(t2_json_get(c, "column"), -1);
    int64_t first = t2_json_as_i64(t2_json_get(c, "first"), INT64_MAX);
    struct t_texts lines = {0};

    t_read_lines(path, &lines);
    for (size_t i = offset; i < lines.n && first > 0; i += every) {
        struct t2_slice line = t_texts_at(&lines, i);
        const uint8_t *end = line.data + line.len_bytes, *tab = NULL;
        int64_t k;

        for (k = 0; k <= column; k++) {
            if (k > 0)
                line.data = tab + 1;
            tab = memchr(line.data, '\t', (size_t) (end - line.data));
            if (!tab)
                break;
        }
        if (k < column)
            continue; /* too few columns */
        line.len_bytes = (size_t) ((column >= 0 && tab ? tab : end) - line.data);
        tok_strip(&line.data, &line.len_bytes);
        t_texts_add(texts, line.data, line.len_bytes);
        first--;
    }
    t_texts_release(&lines);
}

/* false when an input is not there. */
static bool read_texts(const struct t2_json_value *c, struct t_texts *texts)
{
    const struct t2_json_value *inputs = t2_json_get(c, "inputs");

    for (size_t i = 0; i < t2_json_size(inputs); i++) {
        const char *path = input_path(t2_json_as_string(t2_json_item(inputs, i), ""));

        if (!path)
            return false;
        if (t2_json_as_bool(t2_json_get(c, "json"), false))
            t_json_texts(path, texts);
        else
            add_lines(c, path, texts);
    }
    return true;
}

static struct tok_encoder *build(const struct t2_json_value *c, const struct t_texts *texts,
                                 struct t2_pool *pool, struct probe_log *log)
{
    const struct t2_json_value *reserved = t2_json_get(c, "reserved_tokens");
    struct tok_counts *counts = tok_counts_new();
    const char *names[64];
    struct tok_build_options o = {.log = log_probe, .log_arg = log, .pool = pool};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    for (size_t i = 0; i < texts->n; i++) {
        struct t2_slice t = t_texts_at(texts, i);

        tok_counts_add_text(counts, t.data, t.len_bytes);
    }
    o.target_size = t2_json_as_i64(t2_json_get(c, "target"), 0);
    o.min_count = t2_json_as_i64(t2_json_get(c, "min_count"), 0);
    o.iterations = (int) t2_json_as_i64(t2_json_get(c, "iterations"), 0);
    o.max_subtoken_length = (int) t2_json_as_i64(t2_json_get(c, "max_subtoken_length"), 0);
    o.n_reserved = t2_json_size(reserved);
    assert_true(o.n_reserved <= 64);
    for (size_t i = 0; i < o.n_reserved; i++)
        names[i] = t2_json_as_string(t2_json_item(reserved, i), NULL);
    o.reserved = o.n_reserved > 0 ? names : NULL;
    if (o.target_size == 0)
        t2_buf_printf(&log->text, "%" PRId64, o.min_count);
    if (tok_build(counts, &o, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_buf_push(&log->text, '\n');
    tok_counts_free(counts);
    return e;
}

static void check_case(const struct t2_json_value *c, const char *name, const struct t_texts *texts)
{
    const char *saved = t_tmp_path("vocab");
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf ours, theirs;
    struct probe_log log = {.new_line = true}, again = {.new_line = true};
    struct t2_pool *pool = t2_pool_new(3);
    struct tok_encoder *e = build(c, texts, NULL, &log), *threaded = build(c, texts, pool, &again);
    struct tok_encoder *loaded;
    struct tok_cache *cache;
    char hex[65], hex_threaded[65], run[512];

    snprintf(run, sizeof run, RUN "/%s", name);
    t2_buf_init(&ours);
    t2_buf_init(&theirs);
    tok_sha256(e, hex);
    tok_sha256(threaded, hex_threaded);
    assert_string_equal(hex, hex_threaded);
    if (t_read_recorded(run, "probes.txt", &theirs))
        t_assert_same("probes.txt", &log.text, &theirs);
    t_assert_same("probes of three threads", &again.text, &log.text);
    assert_int_equal(tok_save(e, saved, &err), T2_OK);
    t_read_unpacked(saved, &ours);
    assert_true(t_read_recorded(run, "vocab", &theirs));
    t_assert_same(name, &ours, &theirs);
    if (tok_load(saved, &loaded, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(tok_kind(loaded), "subwords");
    t_check_ids(run, loaded, NULL, false);
    cache = tok_cache_new(loaded, 0);
    t_check_ids(run, loaded, cache, false);
    t_check_ids(run, loaded, cache, false);
    t_check_decode(run, loaded);
    tok_cache_free(cache);
    tok_free(loaded);
    tok_free(threaded);
    tok_free(e);
    t2_pool_free(pool);
    t2_buf_release(&log.text);
    t2_buf_release(&again.text);
    t2_buf_release(&ours);
    t2_buf_release(&theirs);
}

static void test_every_case(void **state)
{
    const char *path = t_data_path(RUN "/cases.json");
    struct t2_json_doc *doc;
    struct t2_err err = T2_ERR_INIT;
    size_t n_done = 0;

    (void) state;
    if (!path)
        t_skip("no %s in T2_DATA", RUN);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *c = t2_json_item(t2_json_root(doc), i);
        const char *name = t2_json_as_string(t2_json_get(c, "case"), "");
        struct t_texts texts = {0};

        if (read_texts(c, &texts)) {
            check_case(c, name, &texts);
            n_done++;
        } else {
            print_message("%s: no input\n", name);
        }
        t_texts_release(&texts);
    }
    t2_json_free(doc);
    if (n_done == 0)
        t_skip("no input of " RUN " in T2_DATA");
}

T_MAIN(cmocka_unit_test(test_every_case))
