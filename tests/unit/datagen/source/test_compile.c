/*
 * tests/unit/datagen/source/test_compile.c - sources of all kinds become two text files, or none.
 */
#include "datagen/source/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "tests/support/t.h"
#include "tests/unit/base/gzip_bytes.h"

/* Paths are const in a part. */
static void drop(const char *path)
{
    t2_free((void *) (uintptr_t) path);
}

static char *put(const char *name, const char *text)
{
    const char *path = t_tmp_path(name);

    t_write_file(path, text, strlen(text));
    return t2_strdup(path);
}

/* lang1, then '#', then lang2; "!message" of a failure. */
static enum dg_invalid invalid = DG_INVALID_FAIL;

static const char *compiled(const struct dg_compile_part *parts, size_t n, int n_threads,
                            struct dg_compile_report *report, struct t2_buf *out)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct t2_err err = T2_ERR_INIT;
    char *lang1 = t2_strdup(t_tmp_path("out.lang1")), *lang2 = t2_strdup(t_tmp_path("out.lang2"));
    struct t2_buf one = {0};
    enum t2_status st;

    t2_log_set_level(T2_LOG_ERROR);
    (void) remove(lang1);
    (void) remove(lang2);
    t2_buf_clear(out);
    memset(report, 0, sizeof *report);
    st = dg_compile(parts, n, lang1, lang2, NULL, invalid, 0, pool, report, &err);
    assert_int_equal(t2_exists(lang1), st == T2_OK);
    assert_int_equal(t2_exists(lang2), st == T2_OK);
    if (st == T2_OK) {
        assert_int_equal(t2_read_file(lang1, 0, &one, &err), T2_OK);
        t2_buf_append(out, one.data, one.len_bytes);
        t2_buf_push(out, '#');
        assert_int_equal(t2_read_file(lang2, 0, &one, &err), T2_OK);
        t2_buf_append(out, one.data, one.len_bytes);
    } else {
        t2_buf_printf(out, "!%s", err.message);
    }
    t2_buf_release(&one);
    t2_pool_free(pool);
    t2_free(lang1);
    t2_free(lang2);
    return t2_buf_cstr(out);
}

static void test_kinds(void **state)
{
    static const char units[] = "<?xml?>\n <seg>A &amp; B</seg>\n <seg>C</seg>\n  <seg></seg>\n"
                                " <seg>D</seg>\n <seg>alone</seg>\n";
    struct t2_buf packed = {0}, out = {0};
    struct dg_compile_report r;
    struct dg_compile_part parts[4] = {
        {.kind = DG_PARALLEL_PAIR,
         .lang1 = put("p.1", "one\r\n\n a \rb\ntwo\xe2\x80\xa8three\nfour\n"),
         .lang2 = put("p.2", " eins\t\nleer\nx\nzwei\nvier\nzu viel")},
        {.kind = DG_PARALLEL_SGM,
         .lang1 = put("s.1.sgm", "<srcset>\n<seg id=\"1\">s1</seg>\n</doc>\n"),
         .lang2 = put("s.2.sgm", "<refset>\n<seg>t1</seg>\n</refset>\n")},
        {.kind = DG_PARALLEL_TSV,
         .lang1 = put("t.tsv", "i\tcs\ten\nno tab\nj\t\ten\nk\tc\te\tmore\n"),
         .column1 = 2,
         .column2 = 1},
        {.kind = DG_PARALLEL_TMX, .lang1 = NULL},
    };

    (void) state;
    gzip_member(&packed, units, sizeof units - 1);
    t_write_file(t_tmp_path("u.tmx.gz"), packed.data, packed.len_bytes);
    parts[3].lang1 = t2_strdup(t_tmp_path("u.tmx.gz"));
    assert_string_equal(compiled(parts, 4, 1, &r, &out),
                        "one\na b\ntwo\xe2\x80\xa8three\nfour\ns1\nen\ne\nA & B\n#"
                        "eins\nx\nzwei\nvier\nt1\ncs\nc\nC\n");
    assert_int_equal(r.n_written, 8);
    assert_int_equal(r.n_read, 5 + 3 + 4 + 2);
    assert_int_equal(r.drops.total, 1 + 2 + 2 + 1);
    assert_string_equal(r.drops.items[1].reason, "too few columns");
    assert_int_equal(r.drops.items[1].examples[0].line, 2);
    dg_drops_release(&r.drops);
    assert_string_equal(compiled(parts, 0, 1, &r, &out), "#");
    for (size_t i = 0; i < 4; i++) {
        drop(parts[i].lang1);
        drop(parts[i].lang2);
    }
    t2_buf_release(&packed);
    t2_buf_release(&out);
}

static void test_clean(void **state)
{
    struct dg_compile_part part = {
        .kind = DG_PARALLEL_PAIR,
        .lang1 = put("c.1", "Good one.\nbad\nFirst one. Second one.\n"),
        .lang2 = put("c.2", "Gut.\nschlecht\nErster. Zweiter.\n"),
        .clean = true,
    };
    struct dg_compile_report r;
    struct t2_buf out = {0};

    (void) state;
    assert_string_equal(compiled(&part, 1, 1, &r, &out),
                        "Good one.\nFirst one.\nSecond one.\n#Gut.\nErster.\nZweiter.\n");
    assert_int_equal(r.n_read, 3);
    assert_int_equal(r.n_written, 3);
    assert_string_equal(r.drops.items[0].reason, "does not begin like a sentence");
    dg_drops_release(&r.drops);
    t2_buf_release(&out);
    drop(part.lang1);
    drop(part.lang2);
}

/* The bytes do not depend on the number of threads; a batch ends where a file does. */
static void test_threads(void **state)
{
    struct t2_buf text = {0}, one = {0}, four = {0};
    struct dg_compile_part parts[2];
    struct dg_compile_report r;

    (void) state;
    for (int i = 0; i < 5000; i++)
        t2_buf_printf(&text, "%s%d\n", i % 7 ? "line " : " \r", i);
    parts[0] = (struct dg_compile_part){.kind = DG_PARALLEL_PAIR,
                                        .lang1 = put("m.1", t2_buf_cstr(&text)),
                                        .lang2 = put("m.2", t2_buf_cstr(&text))};
    parts[1] = parts[0];
    (void) compiled(parts, 2, 1, &r, &one);
    assert_int_equal(r.n_written, 10000);
    (void) compiled(parts, 2, 4, &r, &four);
    assert_true(t2_slice_eq(t2_buf_slice(&one), t2_buf_slice(&four)));
    drop(parts[0].lang1);
    drop(parts[0].lang2);
    t2_buf_release(&text);
    t2_buf_release(&one);
    t2_buf_release(&four);
}

static void test_bad_bytes(void **state)
{
    struct dg_compile_part part = {.kind = DG_PARALLEL_PAIR,
                                   .lang1 = put("b.1", "one\ntw\xffo\n"),
                                   .lang2 = put("b.2", "eins\nzwei\n")};
    struct dg_compile_report r;
    struct t2_buf out = {0};

    (void) state;
    t_assert_contains(compiled(&part, 1, 1, &r, &out), "b.1': line 2: byte 0xFF at offset 6");
    invalid = DG_INVALID_DROP;
    assert_string_equal(compiled(&part, 1, 1, &r, &out), "one\n#eins\n");
    assert_string_equal(r.drops.items[0].reason, "not valid UTF-8");
    dg_drops_release(&r.drops);
    invalid = DG_INVALID_REPLACE;
    assert_string_equal(compiled(&part, 1, 1, &r, &out), "one\ntw\xef\xbf\xbdo\n#eins\nzwei\n");
    assert_int_equal(r.n_replaced, 1);
    drop(part.lang2);
    part.lang2 = "absent.2";
    t_assert_contains(compiled(&part, 1, 1, &r, &out), "absent.2");
    drop(part.lang1);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_clean), cmocka_unit_test(test_threads),
       cmocka_unit_test(test_bad_bytes))
