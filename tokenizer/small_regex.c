/*
 * tokenizer/small_regex.c - reader and matcher of the expressions whose grammar is in
 * small_regex.h.
 *
 * An expression becomes a list of sequences of parts; a part is a set of characters, a look ahead
 * or behind of several sets, or one of the two anchors.  The reader is a recursive descent with one
 * function per rule: read_regex > read_sequence > read_item > read_part > read_one > read_class >
 * read_char.  On a refusal it returns false without a message: the caller then names the pattern.
 *
 * Groups are multiplied out when the expression is read: (?:a|b)c becomes ac|bc, in the order in
 * which a backtracking matcher tries them.  What is left is a short list of sequences, and nothing
 * backtracks.
 */
#include "tokenizer/small_regex.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

/*
 * Limits: parts of one sequence, sequences after multiplying out, nested groups. A pattern beyond
 * them is refused, as one that this grammar does not have.
 */
enum { MAX_PARTS = 16, MAX_SEQUENCES = 16, MAX_DEPTH = 4 };

struct range {
    uint32_t first, last;
};

/* A set of characters: ranges[from .. from + n - 1] of the expression, sorted and disjoint, both
 * ends included.  ascii repeats the ranges below 0x80 as a bit map of 128 bits. */
struct set {
    size_t from, n;
    uint64_t ascii[2];
    bool negate;
};

enum part_type { ONE, AHEAD, BEHIND, START, END };

struct part {
    enum part_type type;
    bool negate;      /* AHEAD, BEHIND */
    size_t first_set; /* n_sets of them stand in the text one behind the other */
    size_t n_sets;
};

struct sequence {
    struct part parts[MAX_PARTS];
    size_t n;
};

struct sequences {
    struct sequence items[MAX_SEQUENCES];
    size_t n;
};

struct tok_regex {
    struct sequences all;
    struct set *sets;
    struct range *ranges;
    size_t n_sets, sets_capacity, n_ranges, ranges_capacity;
};

/* ---- sets ---- */

/* Binary search for the first range that does not end before c. */
static bool in_ranges(const struct range *ranges, size_t n, uint32_t c)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && c >= ranges[low].first;
}

static bool has(const struct tok_regex *r, const struct set *s, uint32_t c)
{
    bool in =
        c < 128 ? (s->ascii[c / 64] >> c % 64 & 1) != 0 : in_ranges(r->ranges + s->from, s->n, c);

    return in != s->negate;
}

static void add_range(struct tok_regex *r, uint32_t first, uint32_t last)
{
    if (r->n_ranges == r->ranges_capacity) {
        r->ranges_capacity = 2 * r->ranges_capacity + 16;
        r->ranges = t2_realloc(r->ranges, r->ranges_capacity, sizeof *r->ranges);
    }
    r->ranges[r->n_ranges++] = (struct range){first, last};
}

static int by_first(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Makes a set of the ranges from `from` on: sorts them and joins those that overlap, in place. */
static void add_set(struct tok_regex *r, size_t from, bool negate)
{
    struct set s = {.from = from, .negate = negate};
    struct range *ranges = r->ranges + from;
    size_t n = 0;

    qsort(ranges, r->n_ranges - from, sizeof *ranges, by_first);
    for (size_t i = 0; i < r->n_ranges - from; i++) {
        if (n > 0 && ranges[i].first <= ranges[n - 1].last) {
            if (ranges[i].last > ranges[n - 1].last)
                ranges[n - 1].last = ranges[i].last;
        } else {
            ranges[n++] = ranges[i];
        }
    }
    r->n_ranges = from + n;
    s.n = n;
    for (uint32_t c = 0; c < 128; c++)
        if (in_ranges(ranges, n, c))
            s.ascii[c / 64] |= (uint64_t) 1 << c % 64;
    if (r->n_sets == r->sets_capacity) {
        r->sets_capacity = 2 * r->sets_capacity + 8;
        r->sets = t2_realloc(r->sets, r->sets_capacity, sizeof *r->sets);
    }
    r->sets[r->n_sets++] = s;
}

/* ---- reading ---- */

struct reading {
    struct tok_regex *r;
    const uint8_t *s;
    size_t len_bytes, at;
};

/* Consumes `what` if the pattern continues with it. */
static bool take(struct reading *x, const char *what)
{
    size_t n = strlen(what);

    if (x->len_bytes - x->at < n || memcmp(x->s + x->at, what, n) != 0)
        return false;
    x->at += n;
    return true;
}

static int hex_digit(struct reading *x)
{
    static const char digits[] = "0123456789abcdef";
    const char *found;

    if (x->at == x->len_bytes || x->s[x->at] == 0)
        return -1;
    found = strchr(digits, x->s[x->at] | (x->s[x->at] >= 'A' && x->s[x->at] <= 'F' ? 0x20 : 0));
    if (!found)
        return -1;
    x->at++;
    return (int) (found - digits);
}

/* What follows \x: two hexadecimal digits below 0x80 (in Oniguruma they are a byte, not a code
 * point), or 1 to 8 digits in braces, a code point. */
static bool read_hex(struct reading *x, uint32_t *c)
{
    bool braces = take(x, "{");
    int n = 0, digit;

    *c = 0;
    while (n < (braces ? 8 : 2) && (digit = hex_digit(x)) >= 0) {
        *c = *c << 4 | (uint32_t) digit;
        n++;
    }
    if (braces)
        return n > 0 && take(x, "}") && *c < TOK_CODE_POINTS;
    return n == 2 && *c < 128;
}

/* A literal character or an escaped one; those of `special` have a meaning here and must be
 * escaped. */
static bool read_char(struct reading *x, const char *special, uint32_t *c)
{
    bool valid;

    if (take(x, "\\x"))
        return read_hex(x, c);
    if (take(x, "\\")) {
        if (x->at == x->len_bytes || x->s[x->at] == 0 ||
            !strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", x->s[x->at]))
            return false;
        *c = x->s[x->at++];
        return true;
    }
    if (x->at == x->len_bytes || strchr(special, x->s[x->at])) /* and NUL */
        return false;
    x->at += tok_utf8_decode(x->s + x->at, x->len_bytes - x->at, c, &valid);
    return valid;
}

/* A class after its "[", up to and with its "]". */
static bool read_class(struct reading *x)
{
    static const char special[] = "[]^-&";
    size_t from = x->r->n_ranges;
    bool negate = take(x, "^");

    do {
        uint32_t first, last;

        if (!read_char(x, special, &first))
            return false;
        last = first;
        if (take(x, "-") && (!read_char(x, special, &last) || last < first))
            return false;
        add_range(x->r, first, last);
    } while (!take(x, "]"));
    add_set(x->r, from, negate);
    return true;
}

/* One character of the text: its set. */
static bool read_one(struct reading *x)
{
    size_t from = x->r->n_ranges;
    uint32_t c;

    if (take(x, "["))
        return read_class(x);
    if (take(x, ".")) {
        add_range(x->r, '\n', '\n');
        add_set(x->r, from, true);
        return true;
    }
    if (!read_char(x, "[](){}.*+?^$|", &c))
        return false;
    add_range(x->r, c, c);
    add_set(x->r, from, false);
    return true;
}

static bool read_part(struct reading *x, struct part *p)
{
    *p = (struct part){.type = ONE, .first_set = x->r->n_sets};
    if (take(x, "\\A")) {
        p->type = START;
        return true;
    }
    if (take(x, "\\z")) {
        p->type = END;
        return true;
    }
    if (take(x, "(?=") || take(x, "(?!")) {
        p->type = AHEAD;
    } else if (take(x, "(?<=") || take(x, "(?<!")) {
        p->type = BEHIND;
    } else {
        p->n_sets = 1;
        return read_one(x);
    }
    p->negate = x->s[x->at - 1] == '!';
    do
        if (!read_one(x))
            return false;
    while (!take(x, ")"));
    p->n_sets = x->r->n_sets - p->first_set;
    return true;
}

/* a = every sequence of a followed by every sequence of b, those of a's first sequence first (the
 * order of a backtracking matcher); false: over a limit. */
static bool multiply(struct sequences *a, const struct sequences *b)
{
    struct sequences *out = t2_alloc(1, sizeof *out);
    bool fits = a->n * b->n <= MAX_SEQUENCES;

    for (size_t i = 0; fits && i < a->n; i++) {
        for (size_t k = 0; fits && k < b->n; k++) {
            struct sequence *s = &out->items[out->n++];

            *s = a->items[i];
            fits = s->n + b->items[k].n <= MAX_PARTS;
            for (size_t m = 0; fits && m < b->items[k].n; m++)
                s->parts[s->n++] = b->items[k].parts[m];
        }
    }
    if (fits)
        *a = *out;
    t2_free(out);
    return fits;
}

static bool read_regex(struct reading *x, struct sequences *all, int depth);

static bool read_item(struct reading *x, struct sequences *so_far, int depth)
{
    struct sequences *item = t2_alloc(1, sizeof *item);
    bool ok;

    if (take(x, "(?:")) {
        ok = depth < MAX_DEPTH && read_regex(x, item, depth + 1) && take(x, ")");
    } else {
        item->n = item->items[0].n = 1;
        ok = read_part(x, &item->items[0].parts[0]);
    }
    ok = ok && multiply(so_far, item);
    t2_free(item);
    return ok;
}

static bool read_sequence(struct reading *x, struct sequences *all, int depth)
{
    struct sequences *some = t2_alloc(1, sizeof *some);
    bool ok = true;

    some->n = 1;
    while (ok && x->at < x->len_bytes && x->s[x->at] != '|' && x->s[x->at] != ')')
        ok = read_item(x, some, depth);
    ok = ok && all->n + some->n <= MAX_SEQUENCES;
    for (size_t i = 0; ok && i < some->n; i++)
        all->items[all->n++] = some->items[i];
    t2_free(some);
    return ok;
}

static bool read_regex(struct reading *x, struct sequences *all, int depth)
{
    do
        if (!read_sequence(x, all, depth))
            return false;
    while (take(x, "|"));
    return true;
}

/* Whether the sequence can match the empty string at the start of a text: it has no ONE and no
 * positive look behind.  Refused, as tokenizers panics there (small_regex.h). */
static bool may_begin_empty(const struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->parts[i].type == ONE || (s->parts[i].type == BEHIND && !s->parts[i].negate))
            return false;
    return true;
}

struct tok_regex *tok_regex_new(struct t2_slice pattern)
{
    struct tok_regex *r = t2_alloc(1, sizeof *r);
    struct reading x = {.r = r, .s = pattern.data, .len_bytes = pattern.len_bytes};
    bool ok = read_regex(&x, &r->all, 0) && x.at == x.len_bytes;

    for (size_t i = 0; ok && i < r->all.n; i++)
        ok = !may_begin_empty(&r->all.items[i]);
    if (ok)
        return r;
    tok_regex_free(r);
    return NULL;
}

void tok_regex_free(struct tok_regex *r)
{
    if (!r)
        return;
    t2_free(r->sets);
    t2_free(r->ranges);
    t2_free(r);
}

/* ---- matching ---- */

/* Whether the n characters at `at` are in the n sets, one after the other; *end: the byte after
 * them. */
static bool fits(const struct tok_regex *r, const struct set *sets, size_t n, struct t2_slice text,
                 size_t at, size_t *end)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t c;
        bool valid;

        if (at >= text.len_bytes)
            return false;
        if (text.data[at] < 0x80)
            c = text.data[at++];
        else
            at += tok_utf8_decode(text.data + at, text.len_bytes - at, &c, &valid);
        if (!has(r, &sets[i], c))
            return false;
    }
    *end = at;
    return true;
}

/* Where the n characters before `at` begin; false: there are not so many. */
static bool step_back(struct t2_slice text, size_t at, size_t n, size_t *from)
{
    for (; n > 0; n--) {
        if (at == 0)
            return false;
        do
            at--;
        while (at > 0 && (text.data[at] & 0xC0) == 0x80);
    }
    *from = at;
    return true;
}

static bool part_fits(const struct tok_regex *r, const struct part *p, struct t2_slice text,
                      size_t *at)
{
    const struct set *sets = r->sets + p->first_set;
    size_t from = *at, end;

    switch (p->type) {
    case ONE:
        return fits(r, sets, 1, text, *at, at);
    case AHEAD:
        return fits(r, sets, p->n_sets, text, *at, &end) != p->negate;
    case BEHIND:
        return (step_back(text, *at, p->n_sets, &from) &&
                fits(r, sets, p->n_sets, text, from, &end)) != p->negate;
    case START:
        return *at == 0;
    case END:
        return *at == text.len_bytes;
    }
    return false;
}

/*
 * The first sequence that fits at `at`; *end: the byte after the match. No backtracking: each part
 * takes a fixed number of characters.
 */
static bool match(const struct tok_regex *r, struct t2_slice text, size_t at, size_t *end)
{
    for (size_t i = 0; i < r->all.n; i++) {
        const struct sequence *s = &r->all.items[i];
        size_t k = 0;

        *end = at;
        while (k < s->n && part_fits(r, &s->parts[k], text, end))
            k++;
        if (k == s->n)
            return true;
    }
    return false;
}

/*
 * As tokenizers' Replace: an empty match is replaced and the next character
 * is then copied; an empty match that touches the end of the match before is skipped.
 */
void tok_regex_replace(const struct tok_regex *r, struct t2_slice text, struct t2_slice to,
                       size_t max_bytes, struct t2_buf *out)
{
    size_t at = 0, end, last_end = SIZE_MAX;

    while (at <= text.len_bytes && text.len_bytes > 0 && out->len_bytes <= max_bytes) {
        if (match(r, text, at, &end) && !(end == at && at == last_end)) {
            t2_buf_append(out, to.data, to.len_bytes);
            at = last_end = end;
            continue;
        }
        if (at == text.len_bytes)
            break;
        do
            t2_buf_push(out, text.data[at++]);
        while (at < text.len_bytes && (text.data[at] & 0xC0) == 0x80);
    }
}
