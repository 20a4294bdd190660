/*
 * test_compile_hostile.c - the texts of T2_DATA/goldens/hostile through the compile step: the lines
 * that TensorFlow 1.15.5 saw (observed.json), those of SGML as Tensor2Tensor 1.15.7 cut them; what
 * expected.json refuses is refused.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "datagen/source/compile.h"
#include "tests/support/t.h"

static struct t2_pool *pool;

/* The file as both sides of a pair; text is the first side. */
static enum t2_status compile(const char *path, bool is_sgm, struct t2_buf *text,
                              struct t2_err *err)
{
    struct dg_compile_part part = {.kind = is_sgm ? DG_PARALLEL_SGM : DG_PARALLEL_PAIR,
                                   .lang1 = path,
                                   .lang2 = path};
    const char *lang1 = t_tmp_path("lang1"), *lang2 = t_tmp_path("lang2");
    struct dg_compile_report report = {0};
    enum t2_status st =
        dg_compile(&part, 1, lang1, lang2, NULL, DG_INVALID_FAIL, 0, pool, &report, err);

    dg_drops_release(&report.drops);
    if (st == T2_OK)
        st = t2_read_file(lang1, 0, text, err);
    return st;
}

/* The strings of an array that are not empty, each with LF. */
static void join(const struct t2_json_value *lines, struct t2_buf *text)
{
    t2_buf_clear(text);
    for (size_t i = 0; i < t2_json_size(lines); i++) {
        const char *s = t2_json_as_string(t2_json_item(lines, i), "");
        if (*s)
            t2_buf_printf(text, "%s\n", s);
    }
}

static size_t check(const char *name, const struct t2_json_value *expected,
                    const struct t2_json_value *seen)
{
    char *file = t2_asprintf("goldens/hostile/%s", name);
    const char *path = t_data_path(file);
    bool is_sgm = t2_ends_with(name, ".sgm");
    bool is_pair = t2_json_get(expected, "pair") != NULL;
    bool refuse = strcmp(t2_json_as_string(t2_json_get(expected, "verdict"), ""), "refuse") == 0;
    const struct t2_json_value *lines =
        t2_json_get(seen, is_sgm ? "t2t_preprocess_sgm" : "tf_gfile_stripped");
    struct t2_buf got = {0}, wanted = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    assert_non_null(path);
    st = compile(path, is_sgm, &got, &err);
    if (refuse && !is_pair) {
        assert_int_equal(st, T2_EFORMAT);
        t_assert_contains(err.message, name + strlen("text/"));
    } else {
        if (st != T2_OK)
            fail_msg("%s is refused: %s", name, err.message);
        join(lines, &wanted);
        assert_string_equal(t2_buf_cstr(&got), t2_buf_cstr(&wanted));
    }
    t2_buf_release(&got);
    t2_buf_release(&wanted);
    t2_free(file);
    return t2_json_size(lines) > 0;
}

/* Our reader of JSON takes no \\u0000, which only nul.txt has: it stands as blanks here. */
static struct t2_json_doc *load_observed(void)
{
    const char *path = t_data_path("goldens/hostile/observed.json");
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    char *nul;

    if (t2_read_file(path, 0, &text, &err) != T2_OK)
        fail_msg("%s", err.message);
    while ((nul = strstr((char *) text.data, "\\u0000")))
        memset(nul, ' ', strlen("\\u0000"));
    if (t2_json_parse((char *) text.data, text.len_bytes, path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_buf_release(&text);
    return doc;
}

static void test_all(void **state)
{
    const char *path = t_data_path("goldens/hostile/expected.json");
    struct t2_json_doc *expected = NULL, *observed = NULL;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *root, *tools, *v;
    size_t n = 0, n_files = 0;

    (void) state;
    if (!path)
        t_skip("no goldens/hostile in T2_DATA");
    t2_log_set_level(T2_LOG_ERROR);
    pool = t2_pool_new(1);
    assert_int_equal(t2_json_load(path, &expected, &err), T2_OK);
    observed = load_observed();
    root = t2_json_root(expected);
    tools = t2_json_get(t2_json_root(observed), "tools");
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *name = t2_json_member(root, i, &v);
        n_files += t2_starts_with(name, "text/");
        /* what was seen of long-line.txt is noted only in part */
        if (t2_starts_with(name, "text/") && !strstr(name, "nul.txt") && !strstr(name, "long-line"))
            n += check(name, v, t2_json_get(tools, name));
    }
    assert_int_equal(n_files, t_data_files("goldens/hostile/text", NULL));
    assert_true(2 * n > n_files); /* most were compared with lines that were seen */
    t2_json_free(expected);
    t2_json_free(observed);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_all))
