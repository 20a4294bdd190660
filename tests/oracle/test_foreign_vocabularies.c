/*
 * tests/oracle/test_foreign_vocabularies.c - what SentencePiece, tokenizers, tiktoken and
 * subword-nmt made of 300 lines with vocabularies of their own (T2_DATA/goldens/vocabularies):
 * every <name>.tsv.gz there.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"
#include "tokenizer/encoder.h"

#define FOLDER "goldens/vocabularies"

enum { MAX_PATH = 1024 };

/* A row of a recording: line number, ids, pieces, text. */
struct row {
    struct tok_ids ids;
    struct t_texts pieces;
    struct t2_buf text;
};

static void row_release(struct row *r)
{
    tok_ids_release(&r->ids);
    t_texts_release(&r->pieces);
    t2_buf_release(&r->text);
}

static void parse_row(const char *name, struct t2_slice line, struct row *r)
{
    struct t2_buf copy = {NULL, 0, 0}, piece = {NULL, 0, 0};
    const char *at;

    t2_buf_append(&copy, line.data, line.len_bytes);
    t2_buf_push(&copy, 0);
    at = strchr((const char *) copy.data, '\t');
    assert_non_null(at);
    for (++at; *at != '\t'; at += *at == ' ') {
        char *end;
        long id = strtol(at, &end, 10);

        if (end == at)
            fail_msg("%s: a row without ids: %.60s", name, at);
        tok_ids_push(&r->ids, (int32_t) id);
        at = end;
    }
    for (at += 2; *at != 0 && *at != ']' && *at != '\t'; at += strspn(at, ", ")) {
        t2_buf_clear(&piece);
        if (!t_json_string(&at, &piece))
            fail_msg("%s: no piece at: %.60s", name, at);
        /* of a line without words, cut at its spaces */
        if (piece.len_bytes > 0)
            t_texts_add(&r->pieces, piece.data, piece.len_bytes);
    }
    assert_int_equal(*at, ']');
    at += 2;
    if (!t_json_string(&at, &r->text))
        fail_msg("%s: no text at: %.60s", name, at);
    t2_buf_release(&copy);
    t2_buf_release(&piece);
}

/* The vocabulary that belongs to a recording. */
static const char *vocabulary_of(const char *name)
{
    static const char *const ends[] = {"model", "tokenizer.json", "codes"};
    char file[MAX_PATH];
    const char *path;

    if (strcmp(name, "tiktoken") == 0)
        return t_data_path(FOLDER "/ranks.tiktoken");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(file, sizeof file, FOLDER "/%s.%s", name, ends[i]);
        path = t_data_path(file);
        if (path)
            return path;
    }
    return NULL;
}

static void check_ids(const char *name, size_t i, const struct tok_ids *ids, const struct row *r)
{
    if (ids->n != r->ids.n ||
        (ids->n > 0 && memcmp(ids->items, r->ids.items, ids->n * sizeof *ids->items) != 0))
        fail_msg("%s: line %zu: other ids: %zu, %zu were recorded", name, i, ids->n, r->ids.n);
}

static void check_pieces(const char *name, size_t i, const struct tok_encoder *e,
                         const struct tok_ids *ids, const struct row *r)
{
    if (ids->n != r->pieces.n)
        fail_msg("%s: line %zu: %zu pieces, %zu were recorded", name, i, ids->n, r->pieces.n);
    for (size_t k = 0; k < ids->n; k++) {
        struct t2_slice ours = tok_entry(e, ids->items[k]), theirs = t_texts_at(&r->pieces, k);
        char hex[256];

        if (strcmp(name, "tiktoken") == 0) { /* recorded as hexadecimal bytes */
            assert_true(2 * ours.len_bytes < sizeof hex);
            for (size_t b = 0; b < ours.len_bytes; b++)
                snprintf(hex + 2 * b, 3, "%02x", ours.data[b]);
            ours = (struct t2_slice){(const uint8_t *) hex, 2 * ours.len_bytes};
        }
        /* what is no entry is recorded as it stood in the text */
        if (ids->items[k] != tok_special(e).unknown && !t2_slice_eq(ours, theirs))
            fail_msg("%s: line %zu, piece %zu is '%.*s', recorded '%.*s'", name, i, k,
                     (int) ours.len_bytes, (const char *) ours.data, (int) theirs.len_bytes,
                     (const char *) theirs.data);
    }
}

static void check_line(const char *name, size_t i, const struct tok_encoder *e,
                       struct tok_cache *cache, struct t2_slice line, const struct row *r)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_buf text = {NULL, 0, 0};
    bool has_ids = strncmp(name, "subword-nmt", 11) != 0; /* apply_bpe.py has none */

    if (tok_encode(e, cache, line.data, line.len_bytes, &ids, &err) != T2_OK)
        fail_msg("%s: line %zu: %s", name, i, err.message);
    if (has_ids) {
        check_ids(name, i, &ids, r);
        tok_decode(e, r->ids.items, r->ids.n, &text);
        if (!t2_slice_eq(t2_buf_slice(&text), t2_buf_slice(&r->text)))
            fail_msg("%s: line %zu: ids become '%.*s', recorded '%.*s'", name, i,
                     (int) text.len_bytes, (const char *) text.data, (int) r->text.len_bytes,
                     (const char *) r->text.data);
    }
    check_pieces(name, i, e, &ids, r);
    tok_ids_release(&ids);
    t2_buf_release(&text);
}

static void check_vocabulary(const char *name, const struct t_texts *lines)
{
    const char *path = vocabulary_of(name);
    char recorded[MAX_PATH];
    struct t_texts rows = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;
    struct tok_cache *cache;

    if (!path)
        fail_msg("%s.tsv.gz has no vocabulary beside it", name);
    if (tok_load(path, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    snprintf(recorded, sizeof recorded, FOLDER "/%s.tsv.gz", name);
    t_read_lines(t_data_path(recorded), &rows);
    assert_int_equal(rows.n, lines->n);
    cache = tok_cache_new(e, 0);
    for (size_t i = 0; i < rows.n; i++) {
        struct row r = {.ids = {NULL, 0, 0}};

        parse_row(name, t_texts_at(&rows, i), &r);
        check_line(name, i, e, NULL, t_texts_at(lines, i), &r);
        check_line(name, i, e, cache, t_texts_at(lines, i), &r);
        row_release(&r);
    }
    tok_cache_free(cache);
    tok_free(e);
    t_texts_release(&rows);
}

static void test_recordings(void **state)
{
    const char *folder = t_data_path(FOLDER), *probe = t_data_path(FOLDER "/probe.json.gz");
    struct t_texts lines = {.n = 0};
    struct dirent *entry;
    size_t n = 0;
    DIR *dir;

    (void) state;
    if (!folder || !probe)
        t_skip("no " FOLDER " in T2_DATA");
    t_json_texts(probe, &lines);
    dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        const char *dot = strstr(entry->d_name, ".tsv.gz");
        char name[256];

        if (!dot)
            continue;
        snprintf(name, sizeof name, "%.*s", (int) (dot - entry->d_name), entry->d_name);
        check_vocabulary(name, &lines);
        n++;
    }
    closedir(dir);
    t_texts_release(&lines);
    assert_true(n > 0);
}

T_MAIN(cmocka_unit_test(test_recordings))
