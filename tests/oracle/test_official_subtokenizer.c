/*
 * tests/oracle/test_official_subtokenizer.c - vocabularies, log lines, ids and texts that the
 * Subtokenizer of the official Transformer wrote (T2_DATA/reference-runs/official-subtokenizer):
 * every case of its cases.json.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/subword_runs.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"
#include "tokenizer/line_sampler.h"
#include "tokenizer/unicode.h"

#define RUN "reference-runs/official-subtokenizer"

enum { DEFAULT_BUDGET = 1000000, N_PARTS = 3 };

/* Lines from (inclusive) to (exclusive) of a text, as a file of the recipe. */
static void count_part(struct tok_counts *counts, const struct t_texts *text, size_t from,
                       size_t to, uint64_t budget)
{
    struct tok_line_sampler s;
    uint64_t bytes = 0;

    for (size_t i = from; i < to; i++)
        bytes += t_texts_at(text, i).len_bytes + 1;
    tok_sampler_init(&s, TOK_DIALECT_OFFICIAL, budget, bytes);
    for (size_t i = from; i < to; i++) {
        struct t2_slice line = t_texts_at(text, i);
        struct t2_buf kept = {0};
        enum tok_line_use use;

        for (size_t k = 0; k < line.len_bytes; k++)
            if (line.data[k] != '\r')
                t2_buf_push(&kept, line.data[k]);
        line = t2_buf_slice(&kept);
        tok_strip(&line.data, &line.len_bytes);
        use = tok_sampler_next(&s, line);
        if (use == TOK_LINE_TAKE)
            tok_counts_add_text(counts, line.data, line.len_bytes);
        t2_buf_release(&kept);
        if (use == TOK_LINE_STOP)
            return;
    }
}

/* The recipe official_small: 10,000 pairs in three parts, the English ones first. */
static bool count_recipe(struct tok_counts *counts, uint64_t budget)
{
    static const char *const names[] = {"opennmt-wmt-ende-10k/src-train.txt",
                                        "opennmt-wmt-ende-10k/tgt-train.txt"};
    static const size_t cuts[N_PARTS + 1] = {0, 4000, 8000, SIZE_MAX};

    for (size_t i = 0; i < 2; i++) {
        const char *path = t_data_path(names[i]);
        struct t_texts text = {0};

        if (!path)
            return false;
        t_read_lines(path, &text);
        for (size_t k = 0; k < N_PARTS; k++)
            count_part(counts, &text, cuts[k], cuts[k + 1] < text.n ? cuts[k + 1] : text.n, budget);
        t_texts_release(&text);
    }
    return true;
}

static bool count_inputs(const struct t2_json_value *c, struct tok_counts *counts)
{
    uint64_t budget = (uint64_t) t2_json_as_i64(t2_json_get(c, "file_byte_limit"), DEFAULT_BUDGET);
    const struct t2_json_value *inputs = t2_json_get(c, "inputs");

    if (strcmp(t2_json_as_string(t2_json_get(c, "recipe"), ""), "official_small") == 0)
        return count_recipe(counts, budget);
    for (size_t i = 0; i < t2_json_size(inputs); i++) {
        const char *path = t_data_path(t2_json_as_string(t2_json_item(inputs, i), ""));
        struct t_texts text = {0};

        if (!path)
            return false;
        t_read_lines(path, &text);
        count_part(counts, &text, 0, text.n, budget);
        t_texts_release(&text);
    }
    return t2_json_size(inputs) > 0;
}

static void append_line(void *arg, const char *line)
{
    t2_buf_puts(arg, line);
    t2_buf_push(arg, '\n');
}

static void check_case(const struct t2_json_value *c, const struct tok_counts *counts)
{
    const char *saved = t_tmp_path("vocab");
    struct t2_buf log = {0}, theirs = {0}, ours = {0};
    struct tok_build_options o = {.dialect = TOK_DIALECT_OFFICIAL,
                                  .log = append_line,
                                  .log_arg = &log};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e, *loaded;
    struct tok_cache *cache;
    char run[512];

    snprintf(run, sizeof run, RUN "/%s", t2_json_as_string(t2_json_get(c, "case"), ""));
    o.target_size = t2_json_as_i64(t2_json_get(c, "target"), 0);
    o.min_count = t2_json_as_i64(t2_json_get(c, "min_count"), 0); /* null: search */
    o.threshold = t2_json_as_i64(t2_json_get(c, "threshold"), 0);
    t2_buf_puts(&log, "Begin steps to create subtoken vocabulary...\n");
    if (tok_build(counts, &o, &e, &err) != T2_OK)
        fail_msg("%s: %s", run, err.message);
    for (int i = 0; i < 2; i++) /* the recording opened it a second time */
        t2_buf_puts(&log, "Initializing Subtokenizer from file OUT/vocab.\n");
    assert_true(t_read_recorded(run, "log.txt", &theirs));
    t_assert_same(run, &log, &theirs);
    assert_int_equal(tok_save(e, saved, &err), T2_OK);
    t_read_unpacked(saved, &ours);
    assert_true(t_read_recorded(run, "vocab", &theirs));
    t_assert_same(run, &ours, &theirs);
    assert_int_equal(tok_load(saved, &loaded, &err), T2_OK);
    cache = tok_cache_new(loaded, 0);
    t_check_ids(run, loaded, NULL, true);
    t_check_ids(run, loaded, cache, true);
    t_check_decode(run, loaded);
    tok_cache_free(cache);
    tok_free(loaded);
    tok_free(e);
    t2_buf_release(&log);
    t2_buf_release(&ours);
    t2_buf_release(&theirs);
}

static void test_cases(void **state)
{
    const char *path = t_data_path(RUN "/cases.json");
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc;
    size_t n_checked = 0;

    (void) state;
    if (!path)
        t_skip("no " RUN " in T2_DATA");
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *c = t2_json_item(t2_json_root(doc), i);
        struct tok_counts *counts = tok_counts_new();

        if (count_inputs(c, counts)) {
            check_case(c, counts);
            n_checked++;
        }
        tok_counts_free(counts);
    }
    t2_json_free(doc);
    assert_true(n_checked > 0);
}

T_MAIN(cmocka_unit_test(test_cases))
