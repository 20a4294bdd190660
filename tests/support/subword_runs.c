/*
 * tests/support/subword_runs.c - comparing with recorded runs of the originals' subword encoders.
 */
#include "tests/support/subword_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"

void t_assert_same(const char *what, const struct t2_buf *ours, const struct t2_buf *theirs)
{
    size_t n = ours->len_bytes < theirs->len_bytes ? ours->len_bytes : theirs->len_bytes, i = 0;

    if (ours->len_bytes == theirs->len_bytes &&
        (n == 0 || memcmp(ours->data, theirs->data, n) == 0))
        return;
    while (i < n && ours->data[i] == theirs->data[i])
        i++;
    fail_msg("%s: %zu bytes, recorded %zu; the first difference is at %zu", what, ours->len_bytes,
             theirs->len_bytes, i);
}

/* A file of the case, unpacked; empty when it is not there. */
bool t_read_recorded(const char *name, const char *file, struct t2_buf *out)
{
    char relative[512];
    const char *path;

    snprintf(relative, sizeof relative, "%s/%s", name, file);
    path = t_data_path(relative);
    if (!path) {
        snprintf(relative, sizeof relative, "%s/%s.gz", name, file);
        path = t_data_path(relative);
    }
    if (path)
        t_read_unpacked(path, out);
    return path != NULL;
}

void t_check_ids(const char *name, const struct tok_encoder *e, struct tok_cache *cache,
                 bool with_eos)
{
    struct t_texts samples = {0}, rows = {0};
    char relative[512];
    const char *path;
    struct t2_buf row, text;

    snprintf(relative, sizeof relative, "%s/samples.json", name);
    path = t_data_path(relative);
    assert_non_null(path);
    t_json_texts(path, &samples);
    snprintf(relative, sizeof relative, "%s/ids.txt", name);
    path = t_data_path(relative);
    assert_non_null(path);
    t_read_lines(path, &rows);
    assert_int_equal(samples.n, rows.n);
    t2_buf_init(&row);
    t2_buf_init(&text);
    for (size_t i = 0; i < samples.n; i++) {
        struct t2_slice s = t_texts_at(&samples, i), want = t_texts_at(&rows, i);
        struct t2_err err = T2_ERR_INIT;
        struct tok_ids ids = {0};
        enum t2_status st = tok_encode(e, cache, s.data, s.len_bytes, &ids, &err);

        if (want.len_bytes >= 4 && memcmp(want.data, "FAIL", 4) == 0) {
            assert_int_equal(st, T2_EFORMAT);
            continue;
        }
        assert_int_equal(st, T2_OK);
        t2_buf_clear(&row);
        if (with_eos)
            tok_ids_push(&ids, TOK_EOS);
        for (size_t k = 0; k < ids.n; k++)
            t2_buf_printf(&row, "%s%" PRId32, k > 0 ? " " : "", ids.items[k]);
        if (!t2_slice_eq(t2_buf_slice(&row), want))
            fail_msg("%s: sample %zu: ids %s, recorded %.*s", name, i, t2_buf_cstr(&row),
                     (int) want.len_bytes, (const char *) want.data);
        t2_buf_clear(&text);
        tok_decode(e, ids.items, ids.n - with_eos, &text);
        if (!t2_slice_eq(t2_buf_slice(&text), s))
            fail_msg("%s: sample %zu is not restored", name, i);
        tok_ids_release(&ids);
    }
    t2_buf_release(&row);
    t2_buf_release(&text);
    t_texts_release(&samples);
    t_texts_release(&rows);
}

/* Lines [[id, id, ...], "text"], or [[...], null, "error"]. */
void t_check_decode(const char *name, const struct tok_encoder *e)
{
    struct t_texts rows = {0};
    char relative[512];
    const char *path;
    struct t2_buf text, want;

    snprintf(relative, sizeof relative, "%s/decode.jsonl", name);
    path = t_data_path(relative);
    assert_non_null(path);
    t_read_lines(path, &rows);
    t2_buf_init(&text);
    t2_buf_init(&want);
    for (size_t i = 0; i < rows.n; i++) {
        struct t2_slice row = t_texts_at(&rows, i);
        char *line = t2_strndup((const char *) row.data, row.len_bytes),
             *at = strchr(line, '[') + 1;
        struct tok_ids ids = {0};
        const char *string;

        while (*++at != ']' && at[-1] != ']') {
            char *end;

            if (*at == '[' || *at == ',' || *at == ' ')
                continue;
            tok_ids_push(&ids, (int32_t) strtol(at, &end, 10));
            at = end - 1;
        }
        string = at + 2;
        t2_buf_clear(&want);
        t2_buf_clear(&text);
        if (t_json_string(&string, &want)) {
            tok_decode(e, ids.items, ids.n, &text);
            t_join_surrogates(&text);
            if (!t2_slice_eq(t2_buf_slice(&text), t2_buf_slice(&want)))
                fail_msg("%s: decode.jsonl line %zu: '%s', recorded '%s'", name, i + 1,
                         t2_buf_cstr(&text), t2_buf_cstr(&want));
        }
        tok_ids_release(&ids);
        t2_free(line);
    }
    t2_buf_release(&text);
    t2_buf_release(&want);
    t_texts_release(&rows);
}
