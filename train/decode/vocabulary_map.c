/*
 * train/decode/vocabulary_map.c - see the header.
 *
 * Rules are sorted by their symbols, and found by bisection, of every piece of a source.
 */
#include "train/decode/vocabulary_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text.h"

/* A symbol of a vocabulary by its text. */
struct entry {
    struct t2_slice text;
    int32_t id;
};

struct entries {
    struct entry *items; /* sorted by text */
    int32_t n;
    bool by_number; /* their texts mean nothing */
};

struct rule {
    int32_t symbols[DEC_MAP_MOST_SYMBOLS];
    int32_t n; /* 0: of all sources */
    size_t at, n_ids;
};

struct dec_vocabulary_map {
    struct rule *rules;
    size_t n, capacity;
    struct tok_ids ids;                          /* of all rules */
    int32_t longest;                             /* symbols of a rule */
    size_t most[DEC_MAP_MOST_SYMBOLS + 1];       /* ids of a rule of so many symbols */
    uint64_t n_unknown_lines, n_unknown_targets; /* what was left out */
};

/* ---- symbols ---- */

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    size_t n = x->text.len_bytes < y->text.len_bytes ? x->text.len_bytes : y->text.len_bytes;
    int order = n > 0 ? memcmp(x->text.data, y->text.data, n) : 0;

    if (order != 0)
        return order;
    if (x->text.len_bytes != y->text.len_bytes)
        return x->text.len_bytes < y->text.len_bytes ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void entries_init(struct entries *e, const struct tok_encoder *vocabulary)
{
    const char *kind = tok_kind(vocabulary);

    e->n = tok_size(vocabulary);
    e->items = t2_alloc((size_t) e->n, sizeof *e->items);
    e->by_number = strcmp(kind, "subwords") != 0 && strcmp(kind, "tokens") != 0;
    for (int32_t i = 0; i < e->n; i++)
        e->items[i] = (struct entry){tok_entry(vocabulary, i), i};
    qsort(e->items, (size_t) e->n, sizeof *e->items, by_text);
}

/* The lowest id with this text, or, by number, of this number; -1: none. */
static int32_t find(const struct entries *e, struct t2_slice text)
{
    const struct entry wanted = {text, INT32_MIN};
    int32_t low = 0, high = e->n;
    char digits[16] = "";
    int64_t number;

    if (e->by_number) {
        if (text.len_bytes < sizeof digits)
            memcpy(digits, text.data, text.len_bytes);
        return t2_parse_i64(digits, &number) && number >= 0 && number < e->n ? (int32_t) number
                                                                             : -1;
    }
    while (low < high) {
        int32_t middle = low + (high - low) / 2;

        if (by_text(&e->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->n && e->items[low].text.len_bytes == text.len_bytes &&
                   memcmp(e->items[low].text.data, text.data, text.len_bytes) == 0
               ? e->items[low].id
               : -1;
}

/* The next symbol of a text, which loses it; false at its end. */
static bool next_symbol(struct t2_slice *text, struct t2_slice *symbol)
{
    while (text->len_bytes > 0 && text->data[0] == ' ')
        *text = (struct t2_slice){text->data + 1, text->len_bytes - 1};
    *symbol = (struct t2_slice){text->data, 0};
    while (symbol->len_bytes < text->len_bytes && text->data[symbol->len_bytes] != ' ')
        symbol->len_bytes++;
    *text = (struct t2_slice){text->data + symbol->len_bytes, text->len_bytes - symbol->len_bytes};
    return symbol->len_bytes > 0;
}

/* ---- rules ---- */

static int by_symbols(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (int32_t i = 0; i < x->n; i++)
        if (x->symbols[i] != y->symbols[i])
            return x->symbols[i] < y->symbols[i] ? -1 : 1;
    return 0;
}

/* *known: the vocabulary has all of them. */
static enum t2_status read_symbols(const struct entries *sources, struct t2_slice text,
                                   struct rule *r, bool *known, struct t2_err *err)
{
    struct t2_slice symbol;

    *known = true;
    while (next_symbol(&text, &symbol)) {
        if (r->n == DEC_MAP_MOST_SYMBOLS)
            return t2_fail(err, T2_EFORMAT, "more than %d symbols before the tab",
                           DEC_MAP_MOST_SYMBOLS);
        r->symbols[r->n] = find(sources, symbol);
        *known &= r->symbols[r->n] >= 0;
        r->n++;
    }
    return T2_OK;
}

static enum t2_status add_line(struct dec_vocabulary_map *map, const struct entries *sources,
                               const struct entries *targets, struct t2_slice line,
                               struct t2_err *err)
{
    const uint8_t *tab = line.len_bytes > 0 ? memchr(line.data, '\t', line.len_bytes) : NULL;
    struct rule r = {.at = map->ids.n};
    struct t2_slice symbol, text;
    bool known;

    if (line.len_bytes == 0)
        return T2_OK;
    if (!tab)
        return t2_fail(err, T2_EFORMAT, "no tab between symbols of a source and target symbols");
    text = (struct t2_slice){line.data, (size_t) (tab - line.data)};
    T2_TRY(read_symbols(sources, text, &r, &known, err));
    text = (struct t2_slice){tab + 1, line.len_bytes - text.len_bytes - 1};
    map->n_unknown_lines += !known;
    while (known && next_symbol(&text, &symbol)) {
        int32_t id = find(targets, symbol);

        if (id > 0)
            tok_ids_push(&map->ids, id);
        map->n_unknown_targets += id < 0;
    }
    r.n_ids = map->ids.n - r.at;
    if (r.n_ids == 0)
        return T2_OK;
    if (map->n == map->capacity) {
        map->capacity = map->capacity ? 2 * map->capacity : 1024;
        map->rules = t2_realloc(map->rules, map->capacity, sizeof *map->rules);
    }
    map->rules[map->n++] = r;
    return T2_OK;
}

static enum t2_status read_file(struct dec_vocabulary_map *map, const char *path,
                                const struct entries *sources, const struct entries *targets,
                                struct t2_err *err)
{
    struct t2_in *in;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new(path, &in, err));
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (bad < line.len_bytes)
            st = t2_fail(err, T2_EFORMAT, "byte %zu: not UTF-8 (0x%02x)", bad + 1, line.data[bad]);
        else
            st = add_line(map, sources, targets, line, err);
        if (st != T2_OK) {
            st = t2_wrap(err, "'%s': line %" PRIu64, path, t2_in_line_number(in));
            break;
        }
    }
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

/* Sorts the rules, and counts what those of equal symbols have at most. */
static void settle(struct dec_vocabulary_map *m)
{
    size_t n_ids = 0;

    qsort(m->rules, m->n, sizeof *m->rules, by_symbols);
    for (size_t i = 0; i < m->n; i++) {
        const struct rule *r = &m->rules[i];

        n_ids = r->n_ids + (i > 0 && by_symbols(r - 1, r) == 0 ? n_ids : 0);
        m->most[r->n] = n_ids > m->most[r->n] ? n_ids : m->most[r->n];
        m->longest = r->n > m->longest ? r->n : m->longest;
    }
}

enum t2_status dec_vocabulary_map_load(const char *path, const struct tok_encoder *sources,
                                       const struct tok_encoder *targets,
                                       struct dec_vocabulary_map **map, struct t2_err *err)
{
    struct dec_vocabulary_map *m = *map = t2_alloc(1, sizeof *m);
    struct entries of_sources, of_targets;
    enum t2_status st;

    entries_init(&of_sources, sources);
    entries_init(&of_targets, targets);
    st = read_file(m, path, &of_sources, &of_targets, err);
    t2_free(of_sources.items);
    t2_free(of_targets.items);
    if (st == T2_OK && m->n == 0)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s': no line is of symbols of both vocabularies (%" PRIu64
                     " lines of unknown source symbols)",
                     path, m->n_unknown_lines);
    if (st == T2_OK && m->n_unknown_lines + m->n_unknown_targets > 0)
        t2_warn("'%s': %" PRIu64
                " lines are of source symbols that the vocabulary lacks, and %" PRIu64
                " target symbols are left out likewise",
                path, m->n_unknown_lines, m->n_unknown_targets);
    if (st != T2_OK) {
        dec_vocabulary_map_free(m);
        *map = NULL;
        return st;
    }
    settle(m);
    return T2_OK;
}

void dec_vocabulary_map_free(struct dec_vocabulary_map *map)
{
    if (!map)
        return;
    t2_free(map->rules);
    tok_ids_release(&map->ids);
    t2_free(map);
}

/* ---- lists ---- */

/* Those of all rules of these symbols: lines may come again. */
static void add_rules(const struct dec_vocabulary_map *map, const int32_t *symbols, int32_t n,
                      struct tok_ids *ids)
{
    struct rule wanted = {.n = n};
    size_t low = 0, high = map->n;

    if (n > 0)
        memcpy(wanted.symbols, symbols, (size_t) n * sizeof *symbols);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_symbols(&map->rules[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < map->n && by_symbols(&map->rules[low], &wanted) == 0; low++)
        tok_ids_append(ids, map->ids.items + map->rules[low].at, map->rules[low].n_ids);
}

static int ascending(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void dec_vocabulary_map_ids(const struct dec_vocabulary_map *map, const int32_t *source, size_t n,
                            struct tok_ids *ids)
{
    size_t first = ids->n, end;

    tok_ids_push(ids, TOK_EOS);
    add_rules(map, NULL, 0, ids);
    for (size_t i = 0; i < n; i++)
        for (int32_t k = 1; k <= map->longest && (size_t) k <= n - i; k++)
            add_rules(map, source + i, k, ids);
    qsort(ids->items + first, ids->n - first, sizeof *ids->items, ascending);
    end = first + 1;
    for (size_t i = first + 1; i < ids->n; i++)
        if (ids->items[i] != ids->items[end - 1])
            ids->items[end++] = ids->items[i];
    ids->n = end;
}

size_t dec_vocabulary_map_most(const struct dec_vocabulary_map *map, size_t n)
{
    size_t most = 1 + map->most[0];

    for (int32_t k = 1; k <= map->longest; k++)
        most += n * map->most[k];
    return most;
}
