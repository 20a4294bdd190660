/*
 * tokenizer/subword_nmt.c - codes of subword-nmt (learn_bpe.py) as an encoder: apply_bpe.py.
 *
 * A code file holds merges and no ids.  Pieces are what apply_bpe.py prints ("re@@", "ad").  Ids
 * are given by the order of the file, so that the codes alone can be the vocabulary of a data set:
 * 0 <unk>, then each character of the codes, within a word ("i@@") and at its end ("i"), then what
 * each merge makes. A character that the codes do not have is a piece of its own without an id:
 * <unk>.
 *
 * A word is what stands between blanks (U+0020 alone; CR and LF too at the ends of a line).  Runs
 * of blanks are lost, but pieces keep those at the ends of a line, as apply_bpe.py does.
 */
#include "tokenizer/subword_nmt.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_cache.h"

#define END "</w>"
#define VERSION "#version: 0.2"

enum { END_BYTES = 4, VERSION_BYTES = sizeof VERSION - 1 };

struct nmt {
    struct t2_buf file;
    struct t2_map *symbols; /* "in", "in</w>" -> number, in the order of the file */
    struct tok_merges *merges;
};

/*
 * Symbols are numbered from 0 in the order of the file, "in" (inside a word) and "in</w>" (at its
 * end) being two symbols; the id of symbol i is 1 + i, as id 0 is <unk>:
 *
 *   id       0      1     2    3     4    ...   1 + 2 c           ...
 *   entry    <unk>  i@@   i    n@@   n    ...   what merge 0 makes ...
 *   symbol   -      i     i</w> n    n</w> ...
 *
 * with c distinct characters in the codes.  A merge whose result has a number already adds none.
 */

static void free_model(void *model)
{
    struct nmt *m = model;

    t2_buf_release(&m->file);
    t2_map_free(m->symbols);
    tok_merges_free(m->merges);
    t2_free(m);
}

/* ---- cutting ---- */

/* One character of a word. */
struct letter {
    const uint8_t *at;
    size_t len_bytes;
};

static int32_t symbol_of(const struct nmt *m, const uint8_t *s, size_t len_bytes, bool ends)
{
    uint8_t small[8 + END_BYTES];
    const uint64_t *number;

    T2_ASSERT(len_bytes <= 4);
    memcpy(small, s, len_bytes);
    if (ends)
        memcpy(small + len_bytes, END, END_BYTES);
    number = t2_map_find(m->symbols, small, len_bytes + (ends ? END_BYTES : 0));
    return number ? (int32_t) *number : -1;
}

/* The pieces of a word as symbols; a character without a symbol is -1 - its index in letters.  It
 * also splits the word: no merge reaches across it, so each run of known characters is merged by
 * itself. */
static void cut_symbols(const struct nmt *m, const struct letter *letters, size_t n,
                        struct tok_ids *pieces)
{
    struct tok_ids run = {NULL, 0, 0};

    for (size_t i = 0; i < n; i++) {
        int32_t symbol = symbol_of(m, letters[i].at, letters[i].len_bytes, i + 1 == n);
        if (symbol >= 0) {
            tok_ids_push(&run, symbol);
            continue;
        }
        tok_merge_symbols(m->merges, run.items, run.n, pieces);
        run.n = 0;
        tok_ids_push(pieces, -1 - (int32_t) i);
    }
    tok_merge_symbols(m->merges, run.items, run.n, pieces);
    tok_ids_release(&run);
}

static struct letter *split_letters(const uint8_t *word, size_t len_bytes, size_t *n)
{
    struct letter *letters = t2_alloc(len_bytes, sizeof *letters);

    *n = 0;
    for (size_t at = 0; at < len_bytes; ++*n) {
        uint32_t c;
        bool valid;
        size_t bytes = tok_utf8_decode(word + at, len_bytes - at, &c, &valid);
        letters[*n] = (struct letter){word + at, bytes};
        at += bytes;
    }
    return letters;
}

static enum t2_status cut(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                          struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err)
{
    const struct nmt *m = e->model;
    struct tok_ids pieces = {NULL, 0, 0};
    size_t n;
    struct letter *letters = split_letters(word, len_bytes, &n);

    (void) scratch;
    (void) err;
    cut_symbols(m, letters, n, &pieces);
    for (size_t i = 0; i < pieces.n; i++)
        tok_ids_push(ids, pieces.items[i] < 0 ? 0 : 1 + pieces.items[i]);
    tok_ids_release(&pieces);
    t2_free(letters);
    return T2_OK;
}

static bool is_end_blank(uint8_t b)
{
    return b == ' ' || b == '\r' || b == '\n';
}

/* A line without the blanks at its ends. */
static struct t2_slice stripped(const uint8_t *text, size_t len_bytes)
{
    size_t from = 0;

    while (from < len_bytes && is_end_blank(text[from]))
        from++;
    while (len_bytes > from && is_end_blank(text[len_bytes - 1]))
        len_bytes--;
    return (struct t2_slice){text + from, len_bytes - from};
}

/* The next word of the line, which gets shorter; false at the end. */
static bool next_word(struct t2_slice *line, struct t2_slice *word)
{
    const uint8_t *blank;

    while (line->len_bytes > 0 && line->data[0] == ' ') {
        line->data++;
        line->len_bytes--;
    }
    if (line->len_bytes == 0)
        return false;
    blank = memchr(line->data, ' ', line->len_bytes);
    *word = *line;
    if (blank)
        word->len_bytes = (size_t) (blank - line->data);
    line->data += word->len_bytes;
    line->len_bytes -= word->len_bytes;
    return true;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    struct t2_slice line, word;

    T2_TRY(tok_check_line(e, len_bytes, err));
    line = stripped(text, len_bytes);
    while (next_word(&line, &word)) {
        struct tok_pending p = {.word = word.data, .len_bytes = word.len_bytes};

        if (!cache) {
            T2_TRY(cut(e, word.data, word.len_bytes, NULL, ids, err));
            continue;
        }
        tok_cache_prepare(cache, &p, text, len_bytes);
        T2_TRY(tok_cache_encode(cache, &p, 1, ids, err));
    }
    return T2_OK;
}

/* piece: a symbol's number, or -1 - the index of a character without a symbol. */
static void put_piece(const struct tok_encoder *e, const struct letter *letters, int32_t piece,
                      bool ends, struct t2_buf *out)
{
    struct t2_slice s =
        piece < 0 ? (struct t2_slice){letters[-1 - piece].at, letters[-1 - piece].len_bytes}
                  : e->entries[1 + piece];

    t2_buf_append(out, s.data, s.len_bytes);
    if (piece < 0 && !ends)
        t2_buf_puts(out, "@@");
    if (!ends)
        t2_buf_push(out, ' ');
}

/* As apply_bpe.py prints them, blanks between. */
static enum t2_status put_pieces(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                                 struct t2_buf *out, struct t2_err *err)
{
    const struct nmt *m = e->model;
    struct tok_ids pieces = {NULL, 0, 0};
    struct t2_slice line, whole, word;
    bool is_first = true;

    T2_TRY(tok_check_line(e, len_bytes, err));
    line = whole = stripped(text, len_bytes);
    t2_buf_append(out, text, (size_t) (line.data - text));
    for (; next_word(&line, &word); is_first = false) {
        size_t n;
        struct letter *letters = split_letters(word.data, word.len_bytes, &n);

        if (!is_first)
            t2_buf_push(out, ' ');
        pieces.n = 0;
        cut_symbols(m, letters, n, &pieces);
        for (size_t i = 0; i < pieces.n; i++)
            put_piece(e, letters, pieces.items[i], i + 1 == pieces.n, out);
        t2_free(letters);
    }
    if (whole.len_bytes > 0)
        t2_buf_append(out, whole.data + whole.len_bytes,
                      (size_t) (text + len_bytes - whole.data) - whole.len_bytes);
    tok_ids_release(&pieces);
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    bool joined = true;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice piece;

        if (ids[i] < 0 || ids[i] >= e->n)
            continue;
        piece = e->entries[ids[i]];
        if (!joined)
            t2_buf_push(text, ' ');
        joined = piece.len_bytes > 2 && memcmp(piece.data + piece.len_bytes - 2, "@@", 2) == 0;
        t2_buf_append(text, piece.data, piece.len_bytes - (joined ? 2 : 0));
    }
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    const struct nmt *m = e->model;

    t2_buf_append(file, m->file.data, m->file.len_bytes);
}

static const struct tok_kind kind = {
    .name = "subword-nmt codes",
    .encode = encode,
    .cut = cut,
    .pieces = put_pieces,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};

/* ---- reading ---- */

static int32_t add_symbol(struct nmt *m, const uint8_t *s, size_t len_bytes)
{
    bool inserted = false;
    uint64_t *number = t2_map_at(m->symbols, s, len_bytes, &inserted);

    if (inserted)
        *number = t2_map_count(m->symbols) - 1;
    return (int32_t) *number;
}

/* A character of the codes, within a word and at its end: whether merges know both places or not,
 * both stand in words. */
static void add_letter(struct nmt *m, const uint8_t *s, size_t len_bytes)
{
    uint8_t small[8 + END_BYTES];

    T2_ASSERT(len_bytes <= 4);
    memcpy(small, s, len_bytes);
    memcpy(small + len_bytes, END, END_BYTES);
    (void) add_symbol(m, small, len_bytes);
    (void) add_symbol(m, small, len_bytes + END_BYTES);
}

/* The characters of one side of a merge. */
static bool add_letters(struct nmt *m, struct t2_slice side)
{
    size_t n = side.len_bytes;
    bool ends = n > END_BYTES && memcmp(side.data + n - END_BYTES, END, END_BYTES) == 0;
    size_t stop = ends ? n - END_BYTES : n;

    for (size_t at = 0; at < stop;) {
        uint32_t c;
        bool valid;
        size_t bytes = tok_utf8_decode(side.data + at, stop - at, &c, &valid);

        if (!valid)
            return false;
        add_letter(m, side.data + at, bytes);
        at += bytes;
    }
    return stop > 0;
}

struct merge_line {
    struct t2_slice left, right;
};

static bool parse_merge(struct t2_slice line, struct merge_line *l)
{
    const uint8_t *blank = memchr(line.data, ' ', line.len_bytes);

    if (!blank || blank == line.data)
        return false;
    l->left = (struct t2_slice){line.data, (size_t) (blank - line.data)};
    l->right = (struct t2_slice){blank + 1, line.len_bytes - l->left.len_bytes - 1};
    return l->right.len_bytes > 0 && !memchr(l->right.data, ' ', l->right.len_bytes);
}

/* The next line that is not empty and not the version; *number counts all from 1. */
static bool next_line(struct t2_slice *rest, size_t *number, struct t2_slice *line)
{
    while (rest->len_bytes > 0) {
        const uint8_t *lf = memchr(rest->data, '\n', rest->len_bytes);
        size_t n = lf ? (size_t) (lf + 1 - rest->data) : rest->len_bytes;

        *line = (struct t2_slice){rest->data, lf ? n - 1 : n};
        rest->data += n;
        rest->len_bytes -= n;
        ++*number;
        while (line->len_bytes > 0 &&
               (line->data[line->len_bytes - 1] == ' ' || line->data[line->len_bytes - 1] == '\r'))
            line->len_bytes--;
        if (line->len_bytes > 0 && !(*number == 1 && line->data[0] == '#'))
            return true;
    }
    return false;
}

/* One of two passes over the file: `letters` numbers the characters of all merges, the second pass
 * numbers what the merges make, so that characters have the low ids. */
static enum t2_status read_merges(struct nmt *m, const char *origin, bool letters,
                                  struct t2_err *err)
{
    struct t2_slice rest = t2_buf_slice(&m->file), line;
    struct t2_buf joined = {NULL, 0, 0};
    uint32_t rank = 0;
    size_t number = 0;
    enum t2_status st = T2_OK;

    while (st == T2_OK && next_line(&rest, &number, &line)) {
        struct merge_line l;

        if (!parse_merge(line, &l) ||
            (letters && !(add_letters(m, l.left) && add_letters(m, l.right)))) {
            st = t2_fail(err, T2_EFORMAT, "'%s': line %zu is not a merge of two symbols", origin,
                         number);
        } else if (!letters) {
            int32_t left = add_symbol(m, l.left.data, l.left.len_bytes);
            int32_t right = add_symbol(m, l.right.data, l.right.len_bytes);
            t2_buf_clear(&joined);
            t2_buf_append(&joined, l.left.data, l.left.len_bytes);
            t2_buf_append(&joined, l.right.data, l.right.len_bytes);
            tok_merges_add(m->merges, left, right, rank++,
                           add_symbol(m, joined.data, joined.len_bytes));
        }
    }
    t2_buf_release(&joined);
    return st;
}

/* <unk> and the symbols as apply_bpe.py shows them. */
static struct tok_encoder *make_encoder(struct nmt *m)
{
    size_t n = t2_map_count(m->symbols);
    struct t2_slice *entries = t2_alloc(n + 1, sizeof *entries);
    size_t *ends = t2_alloc(n + 1, sizeof *ends);
    struct t2_buf text = {NULL, 0, 0};
    struct tok_encoder *e;

    entries[0] = t2_slice_of("<unk>");
    for (size_t i = 0; i < n; i++) {
        struct t2_slice s = t2_map_key(m->symbols, i);
        bool is_end = s.len_bytes > END_BYTES &&
                      memcmp(s.data + s.len_bytes - END_BYTES, END, END_BYTES) == 0;
        t2_buf_append(&text, s.data, s.len_bytes - (is_end ? END_BYTES : 0));
        if (!is_end)
            t2_buf_puts(&text, "@@");
        ends[i + 1] = text.len_bytes;
    }
    for (size_t i = 0; i < n; i++)
        entries[i + 1] = (struct t2_slice){text.data + ends[i], ends[i + 1] - ends[i]};
    e = tok_encoder_new(&kind, entries, n + 1);
    e->model = m;
    e->special.unknown = 0;
    t2_buf_release(&text);
    t2_free(ends);
    t2_free(entries);
    return e;
}

bool tok_nmt_looks_like(const void *data, size_t len_bytes)
{
    static const char first[] = "#version: ";

    return len_bytes > sizeof first && memcmp(data, first, sizeof first - 1) == 0;
}

enum t2_status tok_nmt_parse(const char *origin, const void *data, size_t len_bytes,
                             struct tok_encoder **e, struct t2_err *err)
{
    struct nmt *m = t2_alloc(1, sizeof *m);
    enum t2_status st = T2_OK;

    *e = NULL;
    t2_buf_append(&m->file, data, len_bytes);
    m->symbols = t2_map_new();
    m->merges = tok_merges_new(0);
    if (tok_utf8_invalid_at(data, len_bytes) != len_bytes)
        st = t2_fail(err, T2_EFORMAT, "'%s': codes of subword-nmt that are not UTF-8", origin);
    if (st == T2_OK && (len_bytes < VERSION_BYTES || memcmp(data, VERSION, VERSION_BYTES) != 0))
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "'%s': codes of subword-nmt, but not of version 0.2 (ends of words are kept "
                     "elsewhere)",
                     origin);
    if (st == T2_OK)
        st = read_merges(m, origin, true, err);
    if (st == T2_OK)
        st = read_merges(m, origin, false, err);
    if (st == T2_OK)
        *e = make_encoder(m);
    else
        free_model(m);
    return st;
}

/* ---- for conversions ---- */

size_t tok_nmt_n_symbols(const struct tok_encoder *e)
{
    return t2_map_count(((const struct nmt *) e->model)->symbols);
}

struct t2_slice tok_nmt_symbol(const struct tok_encoder *e, size_t i)
{
    return t2_map_key(((const struct nmt *) e->model)->symbols, i);
}

void tok_nmt_merges(const struct tok_encoder *e, tok_nmt_merge_fn *fn, void *arg)
{
    const struct nmt *m = e->model;
    struct t2_slice rest = t2_buf_slice(&m->file), line;
    struct merge_line l;
    size_t number = 0;

    while (next_line(&rest, &number, &line))
        if (parse_merge(line, &l))
            fn(arg, l.left, l.right);
}
