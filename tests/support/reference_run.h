/*
 * reference_run.h - a problem is generated and compared with what the original wrote:
 * T2_DATA/reference-runs.
 *
 * Shards are compared by SHA256SUMS.sorted (the original draws the order of map keys at random),
 * vocabularies and other files byte for byte, whether the run keeps them plain or compressed.
 */
#ifndef T2_TESTS_REFERENCE_RUN_H
#define T2_TESTS_REFERENCE_RUN_H

#include "base/text.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"

static inline const char *rr_data_path(const char *name)
{
    const char *path = t_data_path(name);

    if (!path)
        t_skip("no %s in T2_DATA", name);
    return path;
}

static inline void rr_read_all(const char *path, struct t2_buf *all)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_in *in = NULL;
    uint8_t part[4096];
    size_t n = 1;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (n > 0) {
        assert_int_equal(t2_in_read(in, part, sizeof part, &n, &err), T2_OK);
        t2_buf_append(all, part, n);
    }
    t2_in_free(in);
}

/* The run keeps the file as written or compressed. */
static inline void rr_check_file(const char *run, const char *dir, const char *file)
{
    char *plain = t2_asprintf("reference-runs/%s/%s", run, file);
    char *gz = t2_asprintf("%s.gz", plain), *ours = t2_path_join(dir, file);
    struct t2_buf expected = {0}, found = {0};

    rr_read_all(t_data_path(plain) ? t_data_path(plain) : rr_data_path(gz), &expected);
    rr_read_all(ours, &found);
    if (!t2_slice_eq(t2_buf_slice(&expected), t2_buf_slice(&found)))
        fail_msg("%s differs from that of the run %s", file, run);
    t2_buf_release(&expected);
    t2_buf_release(&found);
    t2_free(plain);
    t2_free(gz);
    t2_free(ours);
}

/* The run's line of every shard, and no shard of this problem in the run that was not made. */
static inline void rr_check_shards(const char *run, const struct dg_manifest *m)
{
    char *sums = t2_asprintf("reference-runs/%s/SHA256SUMS.sorted", run);
    char *stem = t2_asprintf("  %s-", m->dataset_filename);
    struct t2_buf expected = {0};
    size_t n = 0, n_ours = 0;

    rr_read_all(rr_data_path(sums), &expected);
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < m->splits[split].n_shards; i++, n_ours++) {
            const struct tfr_manifest_shard *s = &m->splits[split].shards[i];
            char *line = t2_asprintf("%s  %s\n", s->sha256, s->file);
            if (!strstr(t2_buf_cstr(&expected), line))
                fail_msg("shard %s differs from that of the run %s", s->file, run);
            t2_free(line);
        }
    }
    for (const char *at = t2_buf_cstr(&expected); (at = strstr(at, stem)) != NULL; at++)
        n++;
    assert_int_equal(n, n_ours);
    t2_buf_release(&expected);
    t2_free(stem);
    t2_free(sums);
}

/* Generates a problem and compares its shards, and its vocabularies if they are files of the
 * run. */
static inline void rr_check(const char *run, const char *problem, const struct dg_generate *g)
{
    char *sums = t2_asprintf("reference-runs/%s/SHA256SUMS.sorted", run);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    const struct dg_problem *p = dg_find(problem);

    (void) rr_data_path(sums);
    t2_free(sums);
    assert_non_null(p);
    if (dg_generate(p, g, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (report.manifest->targets_vocab.file)
        rr_check_file(run, g->options.data_dir, report.manifest->targets_vocab.file);
    if (report.manifest->has_inputs && report.manifest->inputs_vocab.file)
        rr_check_file(run, g->options.data_dir, report.manifest->inputs_vocab.file);
    rr_check_shards(run, report.manifest);
    dg_report_release(&report);
}

#endif
