/*
 * tokenizer/dna.c - T2T's DNAEncoder and DelimitedDNAEncoder.
 *
 * Entries are the strings of one to chunk_size bases, padded with '0' to chunk_size characters and
 * sorted.  '0' sorts before the bases, so the order is a tree of five children per node in
 * pre-order; with chunk_size 2:
 *
 *   A0 AA AC AG AN AT  C0 CA CC CG CN CT  G0 ...  T0 TA TC TG TN TT
 *   0  1  2  3  4  5   6  7  8  9  10 11  12      24 25 26 27 28 29
 *
 * A node at depth i heads a subtree of below[i] = 1 + 5 below[i + 1] strings, itself included, with
 * below[chunk_size - 1] = 1.  The index of a string is the sum over its bases of 1 + code below[i],
 * less 1: no table of the strings is looked up.
 *
 * Ids: 0 <pad>, 1 <EOS>, 2 the comma (delimited only; it sorts before all), then the strings.
 */
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/unicode.h"

enum { FIRST = 2, N_BASES = 5 };

static const char bases[] = "ACGNT"; /* in the order of their codes */

struct dna {
    int chunk_size;
    bool is_delimited;
    int32_t below[TOK_DNA_MAX_CHUNK +
                  1]; /* strings that begin with one of so many bases less than all */
};

static void free_model(void *model)
{
    t2_free(model);
}

/* The id of a chunk of n <= chunk_size characters, pads being left out; -1: not one. */
static int32_t id_of(const struct dna *m, const uint8_t *chunk, int n)
{
    int32_t id = FIRST + m->is_delimited - 1;

    while (n > 0 && chunk[n - 1] == '0') /* a pad may be written out */
        n--;
    for (int i = 0; i < n; i++) {
        const char *base = chunk[i] ? strchr(bases, chunk[i]) : NULL;
        if (!base)
            return -1;
        id += 1 + (int32_t) (base - bases) * m->below[i];
    }
    return n > 0 ? id : -1;
}

static enum t2_status encode_part(const struct dna *m, const uint8_t *text, size_t at_byte,
                                  size_t n, struct tok_ids *ids, struct t2_err *err)
{
    const uint8_t *part = text + at_byte;

    for (size_t at = 0; at < n; at += (size_t) m->chunk_size) {
        size_t left = n - at;
        int len = left < (size_t) m->chunk_size ? (int) left : m->chunk_size;
        int32_t id = id_of(m, part + at, len);

        if (id < 0)
            return t2_fail(err, T2_EFORMAT,
                           "byte %zu of the text begins a chunk that is not bases (A, C, T, G, N)",
                           at_byte + at);
        tok_ids_push(ids, id);
    }
    return T2_OK;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    const struct dna *m = e->model;
    size_t at = 0;

    (void) cache;
    while (m->is_delimited && at <= len_bytes) {
        const uint8_t *comma = at < len_bytes ? memchr(text + at, ',', len_bytes - at) : NULL;
        size_t n = comma ? (size_t) (comma - text) - at : len_bytes - at;

        T2_TRY(encode_part(m, text, at, n, ids, err));
        if (comma)
            tok_ids_push(ids, FIRST);
        at += n + 1;
    }
    return m->is_delimited ? T2_OK : encode_part(m, text, 0, len_bytes, ids, err);
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    for (size_t i = 0; i < n; i++) {
        struct t2_slice entry = tok_entry(e, ids[i]);

        if (ids[i] >= FIRST) {
            const uint8_t *pad =
                memchr(entry.data ? entry.data : (const uint8_t *) "", '0', entry.len_bytes);
            if (pad)
                entry.len_bytes = (size_t) (pad - entry.data);
        }
        t2_buf_append(text, entry.data, entry.len_bytes);
    }
}

static const struct tok_kind kind = {
    .name = "DNA", .keeps_ids = true, .encode = encode, .decode = decode, .free_model = free_model};

/* All strings that begin with the first n characters of chunk, in order; the rest of chunk is
 * pads. */
static void add_entries(const struct dna *m, uint8_t *chunk, int n, struct t2_buf *text)
{
    if (n > 0)
        t2_buf_append(text, chunk, (size_t) m->chunk_size);
    for (int b = 0; n < m->chunk_size && b < N_BASES; b++) {
        chunk[n] = (uint8_t) bases[b];
        add_entries(m, chunk, n + 1, text);
        chunk[n] = '0';
    }
}

struct tok_encoder *tok_dna_new(int chunk_size, bool is_delimited)
{
    struct dna *m = t2_alloc(1, sizeof *m);
    uint8_t chunk[TOK_DNA_MAX_CHUNK];
    struct t2_buf text = {NULL, 0, 0};
    struct t2_slice *entries;
    struct tok_encoder *e;
    size_t n = 0, n_strings;

    T2_ASSERT(chunk_size >= 1 && chunk_size <= TOK_DNA_MAX_CHUNK);
    memset(chunk, '0', sizeof chunk);
    m->chunk_size = chunk_size;
    m->is_delimited = is_delimited;
    for (int i = chunk_size - 1, below = 1; i >= 0; i--, below = below * N_BASES + 1)
        m->below[i] = below;
    add_entries(m, chunk, 0, &text);
    n_strings = text.len_bytes / (size_t) chunk_size;
    entries = t2_alloc(n_strings + 3, sizeof *entries);
    entries[n++] = t2_slice_of("<pad>");
    entries[n++] = t2_slice_of("<EOS>");
    if (is_delimited)
        entries[n++] = t2_slice_of(",");
    for (size_t i = 0; i < n_strings; i++)
        entries[n++] = (struct t2_slice){text.data + i * (size_t) chunk_size, (size_t) chunk_size};
    e = tok_encoder_new(&kind, entries, n);
    e->model = m;
    e->special.pad = TOK_PAD;
    e->special.eos = TOK_EOS;
    t2_free(entries);
    t2_buf_release(&text);
    return e;
}
