/*
 * tokenizer/sp_scores.c - a SentencePiece model from its .vocab file, a list of pieces and scores.
 *
 * The list lacks the normalizer, the types of pieces and the algorithm.  They are guessed from the
 * names of pieces and from the scores, a model is written with these guesses and read again as any
 * other; each guess is reported (say_assumptions).
 */
#include "tokenizer/sp_scores.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/list_kinds.h"
#include "tokenizer/sp_write.h"
#include "tokenizer/unicode.h"

enum { MAX_FILE_BYTES = 256 << 20, N_BYTES = 256 };

struct row {
    struct t2_slice piece;
    double score;
    enum tok_sp_type type;
};

struct rows {
    struct row *items;
    size_t n;
    struct tok_sp_trainer trainer;
};

static enum t2_status read_rows(const char *origin, const uint8_t *at, size_t len_bytes,
                                struct rows *r, struct t2_err *err)
{
    const uint8_t *end = at + len_bytes;
    size_t capacity = 0;

    while (at < end) {
        const uint8_t *feed = memchr(at, '\n', (size_t) (end - at)), *stop = feed ? feed : end;
        struct t2_slice line = {at, (size_t) (stop - at)};
        struct row row = {.type = TOK_SP_NORMAL};

        if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
            line.len_bytes--;
        if (!tok_table_line(line, &row.piece, &row.score) ||
            tok_utf8_invalid_at(row.piece.data, row.piece.len_bytes) != row.piece.len_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s': line %zu is not a piece, a TAB and its score",
                           origin, r->n + 1);
        if (!(row.score <= 0))
            return t2_fail(
                err, T2_EFORMAT,
                "'%s': line %zu: scores are logarithms or ranks, never above 0; is it an id?",
                origin, r->n + 1);
        if (r->n == capacity) {
            capacity += capacity / 2 + 1024;
            r->items = t2_realloc(r->items, capacity, sizeof *r->items);
        }
        r->items[r->n++] = row;
        at = feed ? feed + 1 : end;
    }
    return r->n > 0 && r->n <= INT32_MAX
               ? T2_OK
               : t2_fail(err, T2_EFORMAT, "'%s': %zu lines are no vocabulary", origin, r->n);
}

static int32_t id_of(const struct t2_map *ids, const char *piece)
{
    const uint64_t *id = t2_map_find(ids, piece, strlen(piece));

    return id ? (int32_t) *id : -1;
}

/* BPE's scores are 0, -1, -2, ... in the order of the file; logarithms of a unigram model are
 * not. */
static bool is_bpe(const struct rows *r)
{
    double want = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (r->items[i].type != TOK_SP_NORMAL)
            continue;
        if (r->items[i].score != want)
            return false;
        want -= 1;
    }
    return want < 0;
}

static void set_type(struct rows *r, int32_t id, enum tok_sp_type type)
{
    if (id >= 0)
        r->items[id].type = type;
}

static void find_types(struct rows *r, const struct t2_map *ids)
{
    int32_t bytes[N_BYTES];
    struct tok_sp_trainer *t = &r->trainer;

    *t = (struct tok_sp_trainer){.n = (int32_t) r->n,
                                 .unknown = id_of(ids, "<unk>"),
                                 .bos = id_of(ids, "<s>"),
                                 .eos = id_of(ids, "</s>"),
                                 .pad = id_of(ids, "<pad>"),
                                 .byte_fallback = true};
    for (unsigned b = 0; b < N_BYTES; b++) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", b);
        bytes[b] = id_of(ids, name);
        t->byte_fallback = t->byte_fallback && bytes[b] >= 0;
    }
    set_type(r, t->unknown, TOK_SP_UNKNOWN);
    set_type(r, t->bos, TOK_SP_CONTROL);
    set_type(r, t->eos, TOK_SP_CONTROL);
    set_type(r, t->pad, TOK_SP_CONTROL);
    for (unsigned b = 0; t->byte_fallback && b < N_BYTES; b++)
        set_type(r, bytes[b], TOK_SP_BYTE);
    t->type = is_bpe(r) ? TOK_SP_BPE : TOK_SP_UNIGRAM;
    for (size_t i = 0; t->type == TOK_SP_UNIGRAM && i < r->n; i++)
        if (r->items[i].type == TOK_SP_NORMAL && r->items[i].score == 0)
            r->items[i].type = TOK_SP_USER_DEFINED;
}

static enum t2_status index_rows(const char *origin, const struct rows *r, struct t2_map *ids,
                                 struct t2_err *err)
{
    for (size_t i = 0; i < r->n; i++) {
        bool inserted;
        uint64_t *id =
            t2_map_at(ids, r->items[i].piece.data, r->items[i].piece.len_bytes, &inserted);

        if (!inserted)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "'%s': lines %" PRIu64 " and %zu are the same piece", origin, *id + 1,
                           i + 1);
        *id = i;
    }
    return id_of(ids, "<unk>") >= 0
               ? T2_OK
               : t2_fail(err, T2_EUNSUPPORTED,
                         "'%s': no piece is <unk>, so the unknown one is not known", origin);
}

static enum t2_status make_model(const char *origin, const struct rows *r, struct tok_encoder **e,
                                 struct t2_err *err)
{
    struct t2_buf model = {NULL, 0, 0};
    enum t2_status st;

    for (size_t i = 0; i < r->n; i++)
        tok_sp_put_piece(&model, r->items[i].piece, (float) r->items[i].score, r->items[i].type);
    tok_sp_put_trainer(&model, &r->trainer);
    tok_sp_put_normalizer(&model, &(struct tok_sp_normal){.add_dummy_prefix = true,
                                                          .remove_extra_whitespaces = true});
    st = tok_sp_parse(origin, model.data, model.len_bytes, e, err);
    if (st == T2_OK)
        t2_sha256_of(model.data, model.len_bytes, (*e)->sha256);
    t2_buf_release(&model);
    return st;
}

static void say_assumptions(const struct rows *r, struct t2_strs *assumed)
{
    t2_strs_push(assumed,
                 "normalizer: the list does not say it; assumed is `identity` with a blank in "
                 "front and extra blanks removed; models trained by default (nmt_nfkc) change "
                 "ligatures, full-width and other characters first");
    t2_strs_push(assumed, r->trainer.type == TOK_SP_BPE
                              ? "model: assumed is BPE, as the scores are 0, -1, -2, ..."
                              : "model: assumed is unigram; scores have six digits in the list, so "
                                "nearly equal cuts may change places");
    t2_strs_push(assumed,
                 "types: assumed are <unk> unknown; <s>, </s> and <pad> control; <0x00> to "
                 "<0xFF>, if all are there, bytes; pieces of a unigram model with score 0 "
                 "user-defined; all others normal");
}

enum t2_status tok_sp_parse_scores(const char *origin, const void *data, size_t len_bytes,
                                   struct tok_encoder **e, struct t2_strs *assumed,
                                   struct t2_err *err)
{
    struct rows r = {.items = NULL};
    struct t2_map *ids = t2_map_new();
    enum t2_status st;

    *e = NULL;
    T2_GOTO(st, out, read_rows(origin, data, len_bytes, &r, err));
    T2_GOTO(st, out, index_rows(origin, &r, ids, err));
    find_types(&r, ids);
    T2_GOTO(st, out, make_model(origin, &r, e, err));
    say_assumptions(&r, assumed);
out:
    t2_map_free(ids);
    t2_free(r.items);
    return st;
}

enum t2_status tok_sp_load_scores(const char *path, struct tok_encoder **e, struct t2_strs *assumed,
                                  struct t2_err *err)
{
    struct t2_buf file = {NULL, 0, 0};
    enum t2_status st;

    *e = NULL;
    st = t2_read_file(path, MAX_FILE_BYTES, &file, err);
    if (st == T2_OK)
        st = tok_sp_parse_scores(path, file.data, file.len_bytes, e, assumed, err);
    t2_buf_release(&file);
    return st;
}
