#include "vocab/corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/t.h"

/* Lines as "NUMBER:LINE|", in order; what is not in one piece is told by the block's numbers. */
struct seen {
    struct t2_buf text;
    uint64_t n_blocks;
};

static enum t2_status measure_block(void *context, const struct voc_block *b, void *result,
                                    int worker, struct t2_err *err)
{
    (void) context;
    (void) worker;
    (void) err;
    *(size_t *) result = b->n;
    return T2_OK;
}

static enum t2_status note_block(void *context, const struct voc_block *b, void *result,
                                 struct t2_err *err)
{
    struct seen *s = context;

    (void) err;
    assert_int_equal(*(size_t *) result, b->n);
    assert_true(b->index == s->n_blocks++);
    for (size_t i = 0; i < b->n; i++) {
        t2_buf_printf(&s->text, "%" PRIu64 ":", b->first + i);
        t2_buf_append(&s->text, b->lines[i].data, b->lines[i].len_bytes);
        t2_buf_push(&s->text, '|');
    }
    return T2_OK;
}

static enum t2_status run(struct voc_corpus *c, const char *const *paths, size_t n_paths,
                          int n_threads, struct seen *seen, struct t2_err *err)
{
    const struct voc_work work = {.result_bytes = sizeof(size_t),
                                  .work = measure_block,
                                  .consume = note_block,
                                  .context = seen};
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st;

    for (size_t i = 0; i < n_paths; i++)
        t2_strs_push(&args, paths[i]);
    st = voc_corpus_open(c, &args, err);
    if (st == T2_OK)
        st = voc_corpus_run(c, &work, pool, err);
    t2_strs_release(&args);
    t2_pool_free(pool);
    return st;
}

/* What the lines of one text are; err's message when it has none. */
static void check(struct voc_corpus c, const char *text, size_t len_bytes, const char *want)
{
    const char *path = t_tmp_path("in");

    t_write_file(path, text, len_bytes);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        struct seen seen = {{NULL, 0, 0}, 0};
        struct t2_err err = T2_ERR_INIT;

        if (run(&c, &path, 1, n_threads, &seen, &err) == T2_OK)
            assert_string_equal(t2_buf_cstr(&seen.text), want);
        else
            t_assert_contains(err.message, want);
        voc_corpus_release(&c);
        t2_buf_release(&seen.text);
    }
}

#define CHECK(c, text, want) check(c, text, sizeof(text) - 1, want)

static struct voc_corpus plain(void)
{
    return (struct voc_corpus){.field = "", .feature = ""};
}

static void test_lines(void **state)
{
    struct voc_corpus as_is = plain(), strict = plain();

    (void) state;
    as_is.as_in_files = true;
    strict.as_in_files = strict.is_strict = true;
    CHECK(plain(), "", "");
    CHECK(plain(), "\n", "0:|");
    CHECK(plain(), "a", "0:a|");
    CHECK(plain(), "a\n\nb\n", "0:a|1:|2:b|");
    CHECK(plain(), " a b\t\r\n\rc\rd \n", "0:a b|1:cd|");
    CHECK(plain(), "\302\240a\342\200\250\n", "0:a|"); /* blanks of Unicode, too */
    CHECK(plain(), "ok\nb\377\n", "': line 2 is not UTF-8");
    CHECK(plain(), "\355\240\200\n", "0:\355\240\200|"); /* lone surrogates are text */
    CHECK(as_is, " a\r\n\377\n", "0: a\r|1:\377|");
    CHECK(strict, " a\r\n", "0: a\r|");
    CHECK(strict, " a\r\n\377\n", "': line 2 is not UTF-8");
}

static void test_columns(void **state)
{
    struct voc_corpus c = plain();

    (void) state;
    c.column = 2;
    CHECK(c, "a\tb\tc\n\t\t\nx\t y \n", "0:b|1:|2:y|");
    CHECK(c, "a\tb\nc\n", "': line 2 has fewer columns than --column asks for");
    c.column = 1;
    CHECK(c, "a\tb\nc\n\n", "0:a|1:c|2:|");
    c.column = 3;
    CHECK(c, "\t\tz", "0:z|");
}

static void test_fields(void **state)
{
    struct voc_corpus c = plain();

    (void) state;
    c.field = "t";
    CHECK(c, "{\"t\":\" a\\n b \",\"u\":1}\n{\"t\":\"\\u00fc\\ud83d\\ude00\"}",
          "0:a\n b|1:\303\274\360\237\230\200|");
    CHECK(c, "{\"t\":\"a\\rb\"}\n", "0:ab|");
    CHECK(c, "{\"t\":\"a\"}\n{\"u\":\"b\"}\n",
          "': line 2 has no string of the name that --field gives");
    CHECK(c, "{\"t\":[\"a\"]}\n", "': line 1 has no string");
    CHECK(c, "[]\n", "': line 1 has no string");
    CHECK(c, "{\"t\":\"a\"}\n\n", "': line 2");
    CHECK(c, "{\"t\":\"a\"\n", "': line 1");
}

/* Cuts of blocks show nowhere: lines around 1 MiB, a line of 3 MiB, numbers over several blocks and
 * files. */
static void test_blocks(void **state)
{
    const char *paths[2] = {t_tmp_path("long"), t_tmp_path("short")};
    struct seen one = {{NULL, 0, 0}, 0}, three = {{NULL, 0, 0}, 0};
    struct t2_buf text = {NULL, 0, 0}, want = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < 60; i++) {
        size_t len = i == 20 ? 3 << 20 : (size_t) (t_hash64((uint64_t) i) % 100000);

        t2_buf_printf(&want, "%d:", i);
        for (size_t k = 0; k < len; k++) {
            t2_buf_push(&text, (uint8_t) ('a' + i % 26));
            t2_buf_push(&want, (uint8_t) ('a' + i % 26));
        }
        t2_buf_push(&text, '\n');
        t2_buf_push(&want, '|');
    }
    t_write_file(paths[0], text.data, text.len_bytes);
    t_write_file(paths[1], "x\ny", 3);
    t2_buf_puts(&want, "0:x|1:y|");
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        struct seen *s = n_threads == 1 ? &one : &three;
        struct voc_corpus c = plain();

        assert_int_equal(run(&c, paths, 2, n_threads, s, &err), T2_OK);
        assert_true(c.bytes == text.len_bytes + 3);
        assert_int_equal(s->text.len_bytes, want.len_bytes);
        assert_memory_equal(s->text.data, want.data, want.len_bytes);
        voc_corpus_release(&c);
    }
    assert_true(one.n_blocks == three.n_blocks && one.n_blocks > 4);
    t2_buf_release(&one.text);
    t2_buf_release(&three.text);
    t2_buf_release(&text);
    t2_buf_release(&want);
}

static void test_budget(void **state)
{
    struct voc_corpus c = plain();

    (void) state;
    c.file_budget = 4; /* of 24 bytes: 3 lines are skipped between two that are taken */
    CHECK(c, "a1\na2\na3\na4\na5\na6\na7\na8\n", "0:a4|1:a8|");
    c.dialect = TOK_DIALECT_OFFICIAL;
    CHECK(c, "a1\na2\na3\na4\na5\na6\na7\na8\n", "0:a4|1:a8|");
    CHECK(c, "a1\na2\na3\na\377\na5\na6\na7\na8\n", "': line 4 is not UTF-8");
    CHECK(c, "a1\na\377\na3\na4\na5\na6\na7\na8\n", "0:a4|1:a8|");
    c.file_budget = 100;
    CHECK(c, "a1\na2\na3", "0:a1|1:a2|2:a3|");
}

static void test_usage(void **state)
{
    struct voc_corpus c = plain();
    struct t2_err err = T2_ERR_INIT;
    struct seen seen = {{NULL, 0, 0}, 0};
    const char *path = t_tmp_path("absent"), *stdin_path = "-";

    (void) state;
    assert_int_equal(run(&c, &path, 0, 1, &seen, &err), T2_EUSAGE);
    assert_int_equal(run(&c, &path, 1, 1, &seen, &err), T2_ENOTFOUND);
    voc_corpus_release(&c);
    c.column = -1;
    assert_int_equal(run(&c, &path, 1, 1, &seen, &err), T2_EUSAGE);
    c.column = 1;
    c.feature = "f";
    assert_int_equal(run(&c, &path, 1, 1, &seen, &err), T2_EUSAGE);
    t_assert_contains(err.message, "only one of them");
    c = plain();
    c.file_budget = 5;
    assert_int_equal(run(&c, &stdin_path, 1, 1, &seen, &err), T2_EUSAGE);
    t_assert_contains(err.message, "give a file, not -");
    voc_corpus_release(&c);
}

static enum t2_status fail_at(void *context, const struct voc_block *b, void *result, int worker,
                              struct t2_err *err)
{
    (void) result;
    (void) worker;
    return b->index < *(uint64_t *) context ? T2_OK
                                            : t2_fail(err, T2_EFORMAT, "block %" PRIu64, b->index);
}

/* The first failure in the order of the input is the one that is told. */
static void test_failures(void **state)
{
    const char *path = t_tmp_path("many");
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    for (int i = 0; i < 600000; i++)
        t2_buf_puts(&text, "a line\n");
    t_write_file(path, text.data, text.len_bytes);
    t2_buf_release(&text);
    for (uint64_t at = 0; at < 3; at++) {
        const struct voc_work work = {.work = fail_at, .context = &at};
        struct t2_pool *pool = t2_pool_new(3);
        struct t2_strs args = {NULL, 0, 0};
        struct voc_corpus c = plain();
        struct t2_err err = T2_ERR_INIT;
        char want[32];

        t2_strs_push(&args, path);
        assert_int_equal(voc_corpus_open(&c, &args, &err), T2_OK);
        assert_int_equal(voc_corpus_run(&c, &work, pool, &err), T2_EFORMAT);
        snprintf(want, sizeof want, "block %" PRIu64, at);
        assert_string_equal(err.message, want);
        voc_corpus_release(&c);
        t2_pool_free(pool);
    }
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_columns), cmocka_unit_test(test_fields),
       cmocka_unit_test(test_blocks), cmocka_unit_test(test_budget), cmocka_unit_test(test_usage),
       cmocka_unit_test(test_failures))
