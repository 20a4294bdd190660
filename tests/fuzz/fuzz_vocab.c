/*
 * tests/fuzz/fuzz_vocab.c - vocabulary files: no crash on any bytes; what is accepted encodes and
 * decodes; what is quoted comes back from what would be written.
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encoder.h"
#include "tokenizer/sp_scores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

/* As tok_save writes a quoted vocabulary. */
static void check_quoted(const struct tok_encoder *e)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {0};
    struct tok_encoder *again;

    for (int32_t i = 0; i < tok_size(e); i++) {
        t2_buf_puts(&file, "'");
        t2_buf_append(&file, tok_entry(e, i).data, tok_entry(e, i).len_bytes);
        t2_buf_puts(&file, "'\n");
    }
    must(tok_parse("again", file.data, file.len_bytes, &again, &err) == T2_OK);
    must(strcmp(tok_kind(again), "subwords") == 0 && tok_size(again) == tok_size(e));
    for (int32_t i = 0; i < tok_size(e); i++)
        must(t2_slice_eq(tok_entry(e, i), tok_entry(again, i)));
    tok_free(again);
    t2_buf_release(&file);
}

/* As SentencePiece's list of scores. */
static void check_scores(const uint8_t *data, size_t size)
{
    struct t2_strs assumed = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct tok_ids ids = {0};
    struct tok_encoder *e;

    if (tok_sp_parse_scores("scores", data, size, &e, &assumed, &err) != T2_OK) {
        must(!e && err.message[0] != 0 && assumed.n == 0);
        return;
    }
    must(tok_size(e) > 0 && assumed.n == 3);
    must(tok_encode(e, NULL, data, size, &ids, &err) == T2_OK);
    tok_decode(e, ids.items, ids.n, &text);
    tok_ids_release(&ids);
    t2_buf_release(&text);
    t2_strs_release(&assumed);
    tok_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct tok_ids ids = {0};
    struct tok_encoder *e;
    struct tok_cache *cache;
    enum t2_status st;

    check_scores(data, size);
    if (tok_parse("input", data, size, &e, &err) != T2_OK) {
        must(!e && err.message[0] != 0);
        return 0;
    }
    must(tok_size(e) > 0);
    for (int32_t i = -1; i <= tok_size(e); i++)
        tok_ids_push(&ids, i);
    tok_decode(e, ids.items, ids.n, &text);
    ids.n = 0;
    cache = tok_cache_new(e, 0);
    st = tok_encode(e, cache, data, size, &ids, &err);
    must(st == T2_OK || (ids.n == 0 && err.status == T2_EFORMAT));
    if (strcmp(tok_kind(e), "subwords") == 0 && (data[0] == '\'' || data[0] == '"'))
        check_quoted(e);
    tok_cache_free(cache);
    tok_free(e);
    tok_ids_release(&ids);
    t2_buf_release(&text);
    return 0;
}
