/*
 * tokenizer/tokens.c - T2T's TokenTextEncoder: one id for each word between blanks.
 */
#include "tokenizer/tokens.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/list_kinds.h"
#include "tokenizer/stripped_lines.h"
#include "tokenizer/unicode.h"

struct tokens {
    struct t2_map *ids; /* entry -> id */
    int32_t unknown;    /* id for other words, or -1 */
    bool is_reversed;
    const char *pieces; /* NULL; or a description of the entries, which are no words but pieces */
};

static const char *const unknown_words[] = {"<UNK>", "UNK", "<unk>"};

static void free_model(void *model)
{
    t2_map_free(((struct tokens *) model)->ids);
    t2_free(model);
}

static void prepare(const struct tok_encoder *e, struct tokens *m)
{
    m->ids = t2_map_new();
    m->unknown = -1;
    m->pieces = tok_list_of_pieces(e->entries, (size_t) e->n);
    for (int32_t i = 0; i < e->n; i++)
        if (e->entries[i].len_bytes > 0)
            *t2_map_at(m->ids, e->entries[i].data, e->entries[i].len_bytes, NULL) = (uint64_t) i;
    for (size_t i = 0; i < sizeof unknown_words / sizeof *unknown_words && m->unknown < 0; i++) {
        const uint64_t *id = t2_map_find(m->ids, unknown_words[i], strlen(unknown_words[i]));

        if (id)
            m->unknown = (int32_t) *id;
    }
}

bool tok_next_word(const uint8_t *text, size_t len_bytes, size_t *at, struct t2_slice *word)
{
    size_t start = 0, to = *at;
    bool open = false;

    while (to < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text + to, len_bytes - to, &c, &valid);
        bool space = tok_is_space(c);

        if (space && open)
            break;
        if (!space && !open) {
            open = true;
            start = to;
        }
        to += n;
    }
    *at = to;
    *word = (struct t2_slice){text + start, to - start};
    return open;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    const struct tokens *m = e->model;
    struct t2_slice word;
    size_t at = 0, from = ids->n;

    (void) cache;
    if (m->pieces)
        return t2_fail(err, T2_EFORMAT, "the vocabulary is no list of words: %s", m->pieces);
    while (tok_next_word(text, len_bytes, &at, &word)) {
        const uint64_t *id = t2_map_find(m->ids, word.data, word.len_bytes);

        if (!id && m->unknown < 0)
            return t2_fail(err, T2_EFORMAT,
                           "word '%.*s' is not in the vocabulary, which has no <UNK> entry",
                           (int) (word.len_bytes < 100 ? word.len_bytes : 100),
                           (const char *) word.data);
        tok_ids_push(ids, id ? (int32_t) *id : m->unknown);
    }
    for (size_t to = ids->n; m->is_reversed && to > from + 1; from++) {
        int32_t last = ids->items[--to];

        ids->items[to] = ids->items[from];
        ids->items[from] = last;
    }
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    const struct tokens *m = e->model;

    for (size_t i = 0; i < n; i++) {
        int32_t id = ids[m->is_reversed ? n - 1 - i : i];

        if (i > 0)
            t2_buf_push(text, ' ');
        if (id >= 0 && id < e->n)
            t2_buf_append(text, e->entries[id].data, e->entries[id].len_bytes);
        else
            t2_buf_printf(text, "ID_%" PRId32, id);
    }
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    for (int32_t i = 0; i < e->n; i++) {
        t2_buf_append(file, e->entries[i].data, e->entries[i].len_bytes);
        t2_buf_push(file, '\n');
    }
}

static const struct tok_kind kind = {
    .name = "tokens",
    .keeps_ids = true,
    .encode = encode,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};

struct tok_encoder *tok_tokens_of(const struct t2_slice *entries, size_t n)
{
    struct tok_encoder *e = tok_encoder_new(&kind, entries, n);
    struct tokens *m = t2_alloc(1, sizeof *m);

    e->model = m;
    prepare(e, m);
    e->special.unknown = m->unknown;
    if (tok_tokens_reserved(e)) {
        e->special.pad = TOK_PAD;
        e->special.eos = TOK_EOS;
    }
    return e;
}

struct tok_encoder *tok_tokens_of_list(const struct t2_slice *words, size_t n)
{
    struct t2_slice *entries = t2_alloc(n + 2, sizeof *entries);
    struct tok_encoder *e;
    size_t n_entries = 2;

    entries[TOK_PAD] = t2_slice_of("<pad>");
    entries[TOK_EOS] = t2_slice_of("<EOS>");
    for (size_t i = 0; i < n; i++)
        if (!t2_slice_eq(words[i], entries[TOK_PAD]) && !t2_slice_eq(words[i], entries[TOK_EOS]))
            entries[n_entries++] = words[i];
    e = tok_tokens_of(entries, n_entries);
    t2_free(entries);
    return e;
}

enum t2_status tok_tokens_load(const char *path, struct tok_encoder **e, struct t2_err *err)
{
    struct tok_lines l;
    enum t2_status st = tok_stripped_lines(path, &l, err);

    *e = NULL;
    if (st == T2_OK && l.n > INT32_MAX)
        st = t2_fail(err, T2_EFORMAT, "'%s': %zu lines are too many", path, l.n);
    if (st == T2_OK) {
        *e = tok_tokens_of(l.items, l.n);
        memcpy((*e)->sha256, l.sha256, sizeof l.sha256);
    }
    tok_lines_release(&l);
    return st;
}

enum t2_status tok_tokens_replace(struct tok_encoder *e, const char *word, struct t2_err *err)
{
    struct tokens *m = e->model;
    const uint64_t *id = word ? t2_map_find(m->ids, word, strlen(word)) : NULL;

    T2_ASSERT(e->kind == &kind);
    if (word && !id)
        return t2_fail(err, T2_EFORMAT, "the word list has no entry '%s' for unknown words", word);
    e->special.unknown = m->unknown = id ? (int32_t) *id : -1;
    return T2_OK;
}

void tok_tokens_reverse(struct tok_encoder *e)
{
    T2_ASSERT(e->kind == &kind);
    ((struct tokens *) e->model)->is_reversed = true;
}

bool tok_tokens_reserved(const struct tok_encoder *e)
{
    return e->n > TOK_EOS && t2_slice_eq(e->entries[TOK_PAD], t2_slice_of("<pad>")) &&
           t2_slice_eq(e->entries[TOK_EOS], t2_slice_of("<EOS>"));
}
