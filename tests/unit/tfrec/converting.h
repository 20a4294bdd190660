/*
 * tests/unit/tfrec/converting.h - small texts and files sent through the formats of tfrec convert.
 */
#ifndef T2_TESTS_UNIT_TFREC_CONVERTING_H
#define T2_TESTS_UNIT_TFREC_CONVERTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "tests/support/t.h"
#include "tfrec/convert/csv_columns.h"
#include "tfrec/convert/formats.h"

static struct t2_err cv_err;

/* The command line's defaults. */
static inline struct rec_convert cv_defaults(void)
{
    return (struct rec_convert){.from = "",
                                .to = "",
                                .output = "",
                                .json = "short",
                                .columns = "",
                                .types = "",
                                .list_separator = "",
                                .header = true,
                                .quotes = true,
                                .key = "__key__",
                                .labels = "",
                                .split = "",
                                .compress = ""};
}

/* Converts input to output with the flags of c on so many threads; cv_err has the message. */
static inline enum t2_status cv_run(struct rec_convert c, const char *input, const char *output,
                                    int n_threads)
{
    char *item = (char *) (uintptr_t) input;
    struct t2_strs inputs = {&item, 1, 1};
    struct rec_csv_columns csv = {.items = NULL};
    uint64_t n;
    enum t2_status st;

    cv_err = (struct t2_err) T2_ERR_INIT;
    c.inputs = &inputs;
    c.output = output;
    c.csv = &csv;
    c.pool = t2_pool_new(n_threads);
    st = rec_formats_guess(&c, &cv_err);
    if (st == T2_OK)
        st = rec_convert_run(&c, &n, &cv_err);
    t2_pool_free(c.pool);
    rec_csv_columns_release(&csv);
    return st;
}

static inline void cv_must(struct rec_convert c, const char *input, const char *output)
{
    if (cv_run(c, input, output, 2) != T2_OK)
        fail_msg("%s", cv_err.message);
}

/* The file's text, until the next call. */
static inline const char *cv_text(const char *path)
{
    static char *text;
    size_t n;

    free(text);
    text = t_read_file(path, &n);
    return text;
}

static inline const char *cv_put(const char *name, const char *text)
{
    const char *path = t_tmp_path(name);

    t_write_file(path, text, strlen(text));
    return path;
}

/* JSON Lines to a file of that name and back are the same text. */
static inline void cv_there_and_back(struct rec_convert c, const char *name, const char *text)
{
    const char *there = t_tmp_path(name), *back = t_tmp_path("back.jsonl");

    cv_must(c, cv_put("there.jsonl", text), there);
    cv_must(c, there, back);
    assert_string_equal(cv_text(back), text);
}

/*
 * A file cut at 300 places at most, then with bytes changed there: read or refused, with a message
 * that names the file, and never a file that appears for one that is refused.  Returns how many
 * were refused.
 */
static inline size_t cv_damage(struct rec_convert c, const char *path)
{
    size_t n, refused = 0;
    char *whole = t_read_file(path, &n);
    char *end = strrchr(path, '.'), name[32];
    const char *bad, *out = t_tmp_path("damaged.jsonl");

    snprintf(name, sizeof name, "bad%s", end);
    bad = t_tmp_path(name);
    for (size_t i = 0; i < 2 * n; i += n / 300 + 1) {
        (void) unlink(out);
        if (i >= n)
            whole[i - n] ^= 0x41;
        t_write_file(bad, whole, i < n ? i : n);
        if (i >= n)
            whole[i - n] ^= 0x41;
        if (cv_run(c, bad, out, 1) != T2_OK) {
            refused++;
            t_assert_contains(cv_err.message, name);
            assert_false(t2_exists(out));
        }
    }
    free(whole);
    return refused;
}

#endif
