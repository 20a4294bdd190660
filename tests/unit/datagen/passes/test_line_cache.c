/*
 * test_line_cache.c - all of a split or nothing.
 */
#include "datagen/passes/line_cache.h"

#include <string.h>

#include "datagen/passes/scan_pass.h"
#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void scan(struct dg_scan *s, uint64_t keep_bytes)
{
    struct t2_pool *pool = t2_pool_new(3);
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;

    memset(s, 0, sizeof *s);
    s->limits.keep_bytes = keep_bytes;
    assert_int_equal(dg_scan_split(dg_find("text2text_tmpdir"), &options, DG_TRAIN, false, pool, s,
                                   &err),
                     T2_OK);
    t2_pool_free(pool);
}

static void test_all_or_nothing(void **state)
{
    struct t2_buf text = {0};
    struct dg_scan s;
    uint64_t bytes;
    size_t n = 0;

    (void) state;
    ds_write_tmpdir(5000);
    scan(&s, 1 << 20);
    assert_true(dg_line_cache_has_all(&s.kept[DG_TRAIN]));
    for (size_t i = 0; i < s.kept[DG_TRAIN].n; i++) {
        const struct dg_line_block *b = &s.kept[DG_TRAIN].items[i];
        t2_buf_append(&text, b->lines[DG_INPUTS].data, b->lines[DG_INPUTS].len_bytes);
        n += b->n;
    }
    assert_int_equal(n, 5000);
    assert_true(t2_starts_with(t2_buf_cstr(&text), "a small test 0\na small test 1\n"));
    t_assert_contains(t2_buf_cstr(&text), "a small test 4998\na small test 4999\n");
    bytes = s.kept[DG_TRAIN].bytes;
    dg_scan_release(&s);
    t2_buf_release(&text);

    scan(&s, bytes);
    assert_true(dg_line_cache_has_all(&s.kept[DG_TRAIN]));
    dg_scan_release(&s);
    scan(&s, bytes - 1);
    assert_false(dg_line_cache_has_all(&s.kept[DG_TRAIN]));
    assert_int_equal(s.kept[DG_TRAIN].bytes, 0);
    dg_scan_release(&s);
}

/* A batch of one sample, as it is after cleaning. */
static struct dg_batch batch_of(const char *inputs)
{
    struct dg_batch b = {0};

    b.items = t2_alloc(1, sizeof *b.items);
    b.n = b.n_kept = b.capacity = 1;
    t2_buf_puts(&b.text[DG_INPUTS], inputs);
    t2_buf_puts(&b.text[DG_TARGETS], "\n");
    return b;
}

static void test_what_is_more_than_lines(void **state)
{
    (void) state;
    for (int what = 0; what < 5; what++) {
        struct dg_batch b = batch_of("a\n");
        struct dg_line_cache k = {0};
        b.has_feeds = what == 1;
        b.items[0].shard = what == 2;
        b.items[0].text[DG_CONTEXT].len_bytes = what == 3;
        if (what == 4)
            t2_buf_puts(&b.values, "8 bytes.");
        dg_line_cache_add(&k, &b, 1 << 20);
        assert_int_equal(dg_line_cache_has_all(&k), what == 0);
        dg_line_cache_release(&k);
        dg_batch_release(&b);
    }
}

/* What came before goes, too; nothing is added later. */
static void test_given_up(void **state)
{
    struct dg_batch b = batch_of("a\n"), odd = batch_of("a\nb\n");
    struct dg_line_cache k = {0};

    (void) state;
    odd.has_feeds = true;
    dg_line_cache_add(&k, &b, 1 << 20);
    dg_line_cache_add(&k, &odd, 1 << 20);
    dg_line_cache_add(&k, &b, 1 << 20);
    assert_int_equal(k.n, 0);
    assert_false(dg_line_cache_has_all(&k));
    dg_line_cache_release(&k);
    dg_batch_release(&b);
    dg_batch_release(&odd);
}

T_MAIN(cmocka_unit_test(test_all_or_nothing), cmocka_unit_test(test_what_is_more_than_lines),
       cmocka_unit_test(test_given_up))
