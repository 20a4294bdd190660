/*
 * test_revision_pairs.c - errors and cuts, as random.seed(123) draws them; whole shards equal T2T's
 * own (bench/compare_t2t_revisions.sh).
 */
#include "datagen/problems/revision_pairs.h"

#include <string.h>

#include "tests/support/t.h"

#define SENTENCE "The quick brown fox jumps over the lazy dog in Z\xc3\xbcrich. "

static struct dg_pairs pairs_new(void)
{
    struct dg_pairs p = {.max_length = 256, .percent_identical = 0.04};

    t2_mt_seed_python(&p.mt, 123);
    return p;
}

/* What the original makes of 40 sentences: five of them get an error. */
static void test_errors(void **state)
{
    static const struct {
        int sentence;
        const char *text;
    } errors[] = {{0, "The quick bronw fox jumps over the lazy dog in Z\xc3\xbcrich. "},
                  {1, "The quick brown fox jumps over t|?|e lazy dog in Z\xc3\xbcrich. "},
                  {6, "The quick brown fox jumps over the lazy |?|\xc3\xbcrich. "},
                  {8, "The quick Zbrown fox jumps over the lazy dog in Z\xc3\xbcrich. "},
                  {31, "The quick brown fox jumps o|?|he lazy dog in Z\xc3\xbcrich. "}};
    struct dg_pairs p = pairs_new();
    struct t2_buf text = {0}, expected = {0}, out = {0};

    (void) state;
    for (int i = 0, at = 0; i < 40; i++) {
        bool wrong = at < 5 && errors[at].sentence == i;
        t2_buf_puts(&text, SENTENCE);
        t2_buf_puts(&expected, wrong ? errors[at].text : SENTENCE);
        at += wrong;
    }
    dg_pairs_bring_errors(&p, t2_buf_slice(&text), &out);
    assert_string_equal(t2_buf_cstr(&out), t2_buf_cstr(&expected));
    assert_int_equal(p.counts.errors, 5);
    assert_int_equal(p.counts.with_errors, 1);
    dg_pairs_bring_errors(&p, t2_slice_of(""), &out);
    assert_int_equal(out.len_bytes, 0);
    assert_int_equal(p.counts.with_errors, 1);
    t2_buf_release(&text);
    t2_buf_release(&expected);
    t2_buf_release(&out);
    dg_pairs_release(&p);
}

struct taken {
    struct tok_ids source, target;
    size_t n, longest, n_same;
};

static enum t2_status take(void *context, const int32_t *source, size_t n_source,
                           const int32_t *target, size_t n_target, struct t2_err *err)
{
    struct taken *t = context;

    (void) err;
    t->n++;
    t->n_same += n_source == n_target && memcmp(source, target, n_source * sizeof *source) == 0;
    t->longest = n_source > t->longest ? n_source : t->longest;
    tok_ids_append(&t->source, source, n_source);
    tok_ids_append(&t->target, target, n_target);
    return T2_OK;
}

static struct tok_ids numbers(int n, int differs_every)
{
    struct tok_ids ids = {0};

    for (int i = 0; i < n; i++)
        tok_ids_push(&ids, differs_every && i % differs_every == 0 ? 1000 + i : 2 + i);
    return ids;
}

static void cut(struct dg_pairs *p, int n, int differs_every, struct taken *t)
{
    struct tok_ids a = numbers(n, 0), b = numbers(n, differs_every);
    struct t2_err err = T2_ERR_INIT;

    memset(t, 0, sizeof *t);
    assert_int_equal(dg_pairs_cut(p, &a, &b, take, t, &err), T2_OK);
    tok_ids_release(&a);
    tok_ids_release(&b);
    tok_ids_release(&t->source);
    tok_ids_release(&t->target);
}

static void test_cuts(void **state)
{
    struct dg_pairs p = pairs_new();
    struct taken t;

    (void) state;
    cut(&p, 3000, 50, &t);
    assert_true(t.n > 20 && t.longest <= 255);
    assert_int_equal(p.counts.pairs, t.n);
    assert_int_equal(p.counts.identical, t.n_same);
    cut(&p, 3000, 0, &t); /* nothing differs: a share of all stays */
    assert_int_equal(t.n_same, t.n);
    assert_true((double) p.counts.identical <= 0.04 * (double) p.counts.pairs + 2);
    cut(&p, 0, 0, &t);
    assert_int_equal(t.n, 0);
    p.max_equal_to_diff = 1e-9;
    p.counts.thrown_distance = 0;
    cut(&p, 500, 5, &t);
    assert_int_equal(t.n, t.n_same);
    assert_true(p.counts.thrown_distance > 0);
    dg_pairs_release(&p);
}

static void test_too_long(void **state)
{
    struct dg_pairs p = pairs_new();
    struct tok_ids a = numbers(300, 0), b = numbers(300, 1);
    struct t2_err err = T2_ERR_INIT;
    struct taken t = {.n = 0};

    (void) state;
    assert_int_equal(dg_pairs_cut(&p, &a, &b, take, &t, &err), T2_OK);
    assert_int_equal(t.n, 0);
    assert_int_equal(p.counts.too_long, 1);
    a.n = b.n = 255;
    assert_int_equal(dg_pairs_cut(&p, &a, &b, take, &t, &err), T2_OK);
    assert_int_equal(t.n, 1);
    assert_int_equal(p.counts.source_tokens, 255);
    tok_ids_release(&a);
    tok_ids_release(&b);
    tok_ids_release(&t.source);
    tok_ids_release(&t.target);
    dg_pairs_release(&p);
}

T_MAIN(cmocka_unit_test(test_errors), cmocka_unit_test(test_cuts), cmocka_unit_test(test_too_long))
