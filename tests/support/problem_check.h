/*
 * problem_check.h - the samples of a registered problem, out of files that the test puts into its
 * tmp_dir.
 *
 * Files are written plain, as if someone had unpacked the archive, or into a tar archive (gzip).
 * Sizes and digests of the public files are not compared.
 */
#ifndef T2_TESTS_PROBLEM_CHECK_H
#define T2_TESTS_PROBLEM_CHECK_H

#include "base/gzip.h"
#include "base/tar.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"

static inline const struct dg_fetch_options *pc_fetch(void)
{
    static const struct dg_fetch_options fetch = {.offline = true, .keep_unverified = true};

    return &fetch;
}

static inline struct dg_options pc_options(const char *tmp_dir)
{
    return (struct dg_options){.data_dir = t_tmp_path("data"),
                               .tmp_dir = t_tmp_path(tmp_dir),
                               .random_seed = 429459,
                               .fetch = pc_fetch()};
}

/* Writes <tmp>/<folder>/<name>, making the folders of the name. */
static inline void pc_put(const char *folder, const char *name, const void *data, size_t len_bytes)
{
    char *path = t2_path_join(t_tmp_path(folder), name);
    struct t2_err err = T2_ERR_INIT;
    char *slash = strrchr(path, '/');

    *slash = '\0';
    assert_int_equal(t2_make_dirs(path, &err), T2_OK);
    *slash = '/';
    t_write_file(path, data, len_bytes);
    t2_free(path);
}

static inline void pc_put_text(const char *folder, const char *name, const char *text)
{
    pc_put(folder, name, text, strlen(text));
}

/* Appends data as a gzip file. */
static inline void pc_gzip(struct t2_buf *out, const void *data, size_t len_bytes)
{
    struct t2_deflater *z = t2_deflater_new(T2_DEFLATE_GZIP, 6);
    const uint8_t *in = data;
    bool ended = false;

    while (!ended) {
        size_t n_used, n_made;
        uint8_t *to = t2_buf_reserve(out, 65536);
        t2_deflater_step(z, in, len_bytes, true, to, 65536, &n_used, &n_made, &ended);
        in += n_used;
        len_bytes -= n_used;
        out->len_bytes += n_made;
    }
    t2_deflater_free(z);
}

/* <tmp>/<folder>/<archive>: a .tgz of names and texts, NULL-ended. */
static inline void pc_put_tgz(const char *folder, const char *archive, const char *const *members)
{
    struct t2_buf tar = {0}, gz = {0};

    for (; members[0]; members += 2)
        t2_tar_put(&tar, members[0], members[1], strlen(members[1]));
    t2_tar_end(&tar);
    pc_gzip(&gz, tar.data, tar.len_bytes);
    pc_put(folder, archive, gz.data, gz.len_bytes);
    t2_buf_release(&tar);
    t2_buf_release(&gz);
}

/* "inputs|context|targets" of each sample, a line each; empty parts are left out; numbers as they
 * are. */
static inline void pc_print(const struct dg_sample *s, struct t2_buf *text)
{
    const struct t2_slice parts[] = {s->inputs, s->context, s->targets};

    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && (parts[i].len_bytes || i == 2) && (s->inputs.len_bytes || s->n_numbers[0]))
            t2_buf_push(text, '|');
        t2_buf_append(text, parts[i].data, parts[i].len_bytes);
        for (size_t k = 0; i != 1 && k < s->n_numbers[i / 2]; k++)
            t2_buf_printf(text, "%s%d", k ? " " : "", (int) s->numbers[i / 2][k]);
    }
    t2_buf_push(text, '\n');
}

/* All samples of a split; an error appends "error: <message>". */
static inline void pc_samples(const char *problem, const struct dg_options *options,
                              enum dg_split split, struct t2_buf *text)
{
    const struct dg_problem *p = dg_find(problem);
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    enum t2_status st = T2_OK;

    assert_non_null(p);
    if (p->prepare)
        st = p->prepare(p, options, &err);
    if (st == T2_OK)
        st = p->open(p, options, split, &s, &err);
    if (st == T2_OK)
        s->hash_on = true;
    while (st == T2_OK) {
        struct dg_sample sample = {0};
        st = s->next(s, &sample, &err);
        if (st == T2_OK)
            pc_print(&sample, text);
    }
    if (st != T2_EOF)
        t2_buf_printf(text, "error: %s\n", err.message);
    dg_stream_free(s);
}

static inline void pc_check(const char *problem, const char *tmp_dir, enum dg_split split,
                            const char *expected)
{
    struct dg_options options = pc_options(tmp_dir);
    struct t2_buf text = {0};

    pc_samples(problem, &options, split, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

/* The failure contains the part. */
static inline void pc_check_fails(const char *problem, const char *tmp_dir, enum dg_split split,
                                  const char *part)
{
    struct dg_options options = pc_options(tmp_dir);
    struct t2_buf text = {0};

    pc_samples(problem, &options, split, &text);
    t_assert_contains(t2_buf_cstr(&text), "error: ");
    t_assert_contains(t2_buf_cstr(&text), part);
    t2_buf_release(&text);
}

/* The vocabulary that a problem makes itself. */
static inline void pc_check_vocab(const char *problem, const char *tmp_dir, const char *expected)
{
    const struct dg_problem *p = dg_find(problem);
    struct dg_options options = pc_options(tmp_dir);
    struct t2_err err = T2_ERR_INIT;
    char *text;
    size_t n;

    if (p->vocab.make(p, &options, DG_TARGETS, t_tmp_path("vocab"), &err) != T2_OK)
        fail_msg("%s", err.message);
    text = t_read_file(t_tmp_path("vocab"), &n);
    assert_string_equal(text, expected);
    free(text);
}

/* Generates the problem whole; the number of records of a split. */
static inline uint64_t pc_generate(const char *problem, const char *tmp_dir, enum dg_split split)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("data", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    uint64_t n;

    g.options = pc_options(tmp_dir);
    if (dg_generate(dg_find(problem), &g, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    n = report.manifest->splits[split].n_records;
    dg_report_release(&report);
    t2_pool_free(pool);
    return n;
}

#endif
