#include <stdlib.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_models.h"
#include "tests/unit/tokenizer/sentencepiece_normalizes.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/sentencepiece.h"

#define FFFD "\xEF\xBF\xBD"

/* ---- a double array as Darts writes it ---- */

static void put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t) (v >> 8 * i);
}

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

/* The children of each node stand in 256 units of their own; a node knows where by its offset. */
struct darts {
    struct t2_buf units;
    uint32_t n;
};

static uint32_t add_block(struct darts *d)
{
    uint32_t at = d->n;
    uint8_t *p = t2_buf_reserve(&d->units, 4 * 256);

    memset(p, 0, 4 * 256);
    d->units.len_bytes += 4 * 256;
    d->n += 256;
    return at;
}

static void add_rule(struct darts *d, struct t2_buf *replacements, const char *from, const char *to)
{
    uint32_t node = 0;

    for (size_t i = 0;; i++) {
        uint32_t unit = get_u32(d->units.data + 4 * (size_t) node), base;

        if (unit >> 10 == 0) {
            base = add_block(d);
            unit |= (node ^ base) << 10;
        }
        base = node ^ unit >> 10;
        if (from[i] == 0) {
            put_u32(d->units.data + 4 * (size_t) node, unit | 1U << 8);
            put_u32(d->units.data + 4 * (size_t) base,
                    1U << 31 | (uint32_t) replacements->len_bytes);
            break;
        }
        put_u32(d->units.data + 4 * (size_t) node, unit);
        node = base ^ (uint8_t) from[i];
        unit = get_u32(d->units.data + 4 * (size_t) node);
        put_u32(d->units.data + 4 * (size_t) node, (unit & ~0xFFU) | (uint8_t) from[i]);
    }
    t2_buf_append(replacements, to, strlen(to) + 1);
}

static const char *const rules[][2] = {{"A", "a"},       {"AB", "x y"}, {"\t", " "},
                                       {"\xC2\xAD", ""}, {"  ", "_"},   {"\xE2\x82\xAC", " EUR "},
                                       {"E", "A"}};

static void put_map(struct t2_buf *map)
{
    struct darts d = {.n = 0};
    struct t2_buf replacements = {0};
    uint8_t size[4];

    add_block(&d);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        add_rule(&d, &replacements, rules[i][0], rules[i][1]);
    put_u32(size, (uint32_t) d.units.len_bytes);
    t2_buf_append(map, size, 4);
    t2_buf_append(map, d.units.data, d.units.len_bytes);
    t2_buf_append(map, replacements.data, replacements.len_bytes);
    t2_buf_release(&replacements);
    t2_buf_release(&d.units);
}

static struct tok_encoder *encoder_of(enum flags flags, const struct t2_buf *map)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    fm_put_specials(&file);
    fm_put_piece(&file, "a", -2, FM_NORMAL);
    fm_put_piece(&file, "<A>", 0, FM_USER);
    fm_put_trainer(&file, FM_UNIGRAM, flags == SUFFIX ? 24 : 0, 1);
    fm_put_normalizer(&file, map, flags != BARE, flags != BARE && flags != KEEP, flags != NOESCAPE);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

static void normal(const struct tok_encoder *e, const void *text, size_t n, const char *want)
{
    struct t2_buf out = {0};

    t2_buf_puts(&out, " ");
    tok_sp_normalize(e->model, text, n, &out);
    assert_string_equal(t2_buf_cstr(&out) + 1, want); /* appended */
    t2_buf_release(&out);
}

#define NORMAL(e, text, want) normal((e), (text), sizeof(text) - 1, (want))

static void test_as_sentencepiece(void **state)
{
    struct t2_buf map = {0};

    (void) state;
    put_map(&map);
    for (size_t i = 0; i < sizeof normalizes / sizeof *normalizes; i++) {
        struct tok_encoder *e = encoder_of(normalizes[i].flags, &map);

        normal(e, normalizes[i].text, strlen(normalizes[i].text), normalizes[i].normal);
        tok_free(e);
    }
    t2_buf_release(&map);
}

static void test_broken_bytes(void **state)
{
    struct tok_encoder *e = encoder_of(BARE, NULL);

    (void) state;
    NORMAL(e, "a\xFFz", "a" FFFD "z");
    NORMAL(e, "\xE2\x82", FFFD FFFD);
    NORMAL(e, "\xED\xA0\x80", FFFD FFFD FFFD); /* a surrogate */
    NORMAL(e, "\xC0\x80", FFFD FFFD);
    NORMAL(e, "a\xEF\xBF\xBD", "a" FFFD);
    tok_free(e);
}

/* Offsets, values and ends that lead out of the map: less is replaced, nothing is read outside. */
static void test_damaged_maps(void **state)
{
    static const char text[] = "A AB\tA\xC2\xAD  \xE2\x82\xAC"
                               "EABE\0\xFF";
    struct t2_buf map = {0};

    (void) state;
    put_map(&map);
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct t2_buf damaged = {0}, file = {0}, out = {0};
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e;
        size_t n = map.len_bytes;

        t2_buf_append(&damaged, map.data, n);
        for (size_t k = 0; k < 1 + seed % 20; k++) {
            uint64_t h = t_hash64(seed * 100 + k);

            /* where units are set, in the first block of the root, or at the end */
            damaged.data[h % 3 == 0   ? 4 + h / 8 % 1024
                         : h % 3 == 1 ? h / 8 % n
                                      : n - 1 - h / 8 % 20] = (uint8_t) (h >> 40);
        }
        fm_put_specials(&file);
        fm_put_piece(&file, "a", -2, FM_NORMAL);
        fm_put_normalizer(&file, &damaged, true, true, true);
        if (tok_parse("v", file.data, file.len_bytes, &e, &err) == T2_OK) {
            tok_sp_normalize(e->model, (const uint8_t *) text, sizeof text - 1, &out);
            tok_free(e);
        } else {
            assert_int_equal(err.status, T2_EFORMAT);
        }
        t2_buf_release(&out);
        t2_buf_release(&file);
        t2_buf_release(&damaged);
    }
    t2_buf_release(&map);
}

/* A double array whose only unit is its own child by 'a': a walk without end, were it not
 * bounded. */
static void test_circle(void **state)
{
    enum { N = 1 << 20 };
    struct t2_buf map = {0}, out = {0};
    uint8_t units[4 * 256] = {0}, size[4], *text = t2_alloc(N, 1);
    struct tok_encoder *e;

    (void) state;
    for (uint32_t i = 0; i < 256; i++)
        put_u32(units + (size_t) 4 * i, 'a' | (i ^ (i ^ 'a')) << 10);
    put_u32(size, sizeof units);
    t2_buf_append(&map, size, 4);
    t2_buf_append(&map, units, sizeof units);
    e = encoder_of(BARE, &map);
    memset(text, 'a', N);
    tok_sp_normalize(e->model, text, N / 64, &out);
    assert_int_equal(out.len_bytes, N / 64);
    tok_free(e);
    t2_free(text);
    t2_buf_release(&out);
    t2_buf_release(&map);
}

static void test_long_line(void **state)
{
    enum { N = 1 << 20 };
    struct t2_buf map = {0}, out = {0};
    uint8_t *text = t2_alloc(N, 1);
    struct tok_encoder *e;

    (void) state;
    put_map(&map);
    e = encoder_of(USUAL, &map);
    memset(text, '\t', N); /* all blanks, leading and trailing at once */
    tok_sp_normalize(e->model, text, N, &out);
    assert_int_equal(out.len_bytes, 0);
    memset(text, 'A', N);
    tok_sp_normalize(e->model, text, N, &out);
    assert_int_equal(out.len_bytes, N + 3);
    tok_free(e);
    t2_free(text);
    t2_buf_release(&out);
    t2_buf_release(&map);
}

T_MAIN(cmocka_unit_test(test_as_sentencepiece), cmocka_unit_test(test_broken_bytes),
       cmocka_unit_test(test_damaged_maps), cmocka_unit_test(test_circle),
       cmocka_unit_test(test_long_line))
