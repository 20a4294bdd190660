/*
 * test_problem_file.c - a YAML file becomes a registered problem.
 */
#include "datagen/problem_files/problem_file.h"

#include "datagen/source/column_table.h"
#include "tests/unit/datagen/small_set.h"

static void put(const char *name, const char *text)
{
    t_write_file(t_tmp_path(name), text, strlen(text));
}

static void test_register(void **state)
{
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path("nowhere")};
    const struct dg_problem *p;
    struct dg_stream *stream = NULL;
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    (void) state;
    put("pairs.tsv", "a\tb\n");
    put("my_file.yaml", "train: pairs.tsv\ndev: pairs.tsv\nsummary: of a test\nlicence: none\n"
                        "targets_prefix: '> '\nvocab_size: 77\ntrain_shards: 3\n");
    st = dg_problem_file_register(t_tmp_path("my_file.yaml"), &err);
    assert_int_equal(st, T2_OK);
    p = dg_find("my_file");
    assert_non_null(p);
    assert_string_equal(p->summary, "of a test");
    assert_string_equal(p->licence, "none");
    assert_string_equal(p->text.prefix[DG_TARGETS], "> ");
    assert_int_equal(p->targets_vocab.approx_size, 77);
    assert_int_equal(p->n_shards[DG_TRAIN], 3);
    assert_int_equal(p->n_shards[DG_DEV], 1);
    assert_int_equal(p->n_shards[DG_TEST], 0);
    assert_null(p->prepare); /* nothing to download */
    assert_int_equal(p->open(p, &options, DG_TRAIN, &stream, &err), T2_OK);
    assert_int_equal(stream->next(stream, &sample, &err), T2_OK);
    assert_string_equal(sample.inputs_origin.path, t_tmp_path("pairs.tsv"));
    dg_stream_free(stream);
    assert_int_equal(dg_problem_file_register(t_tmp_path("my_file.yaml"), &err), T2_EUSAGE);
}

/* Files of tmp_dir are preferred; sources are copied there, archives not unpacked but for their
 * members. */
static void test_sources(void **state)
{
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path("tmp")};
    const struct dg_problem *p;
    struct t2_buf yaml = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    (void) state;
    put("far.tsv", "c\td\n");
    t2_buf_printf(&yaml, "sources: [{url: '%s'}]\ntrain: far.tsv\nvocab_type: character\n",
                  t_tmp_path("far.tsv"));
    put("with_source.yaml", t2_buf_cstr(&yaml));
    t2_buf_release(&yaml);
    st = dg_problem_file_register(t_tmp_path("with_source.yaml"), &err);
    assert_int_equal(st, T2_OK);
    p = dg_find("with_source");
    assert_non_null(p->sources);
    assert_int_equal(p->prepare(p, &options, &err), T2_OK);
}

/* A bucket is no folder beside the file, whatever key names it. */
static void test_remote(void **state)
{
    static const char *const texts[] = {
        "train: hdfs://b/x.tsv\ndev: pairs.tsv\n",
        "train: pairs.tsv\ndev: [pairs.tsv, 'ftp://b/x.tsv']\n",
        "train: pairs.tsv\ndev: pairs.tsv\ntest: a=pairs.tsv;b=hdfs://b/x.tsv\n",
        "train: pairs.tsv\ndev: pairs.tsv\nvocab: hdfs://b/v\n",
        "train: pairs.tsv\ndev: pairs.tsv\nsource_vocab: hdfs://b/v\ntarget_vocab: v\n",
        "train: pairs.tsv\ndev: pairs.tsv\nsources: [{url: ['http://h/x', 'gs://b/x']}]\n",
    };

    (void) state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct t2_err err = T2_ERR_INIT;
        enum t2_status st;

        put("remote.yaml", texts[i]);
        st = dg_problem_file_register(t_tmp_path("remote.yaml"), &err);
        assert_int_equal(st, T2_EUNSUPPORTED);
        t_assert_contains(err.message, "remote.yaml'");
        t_assert_contains(err.message, "://b/");
        t_assert_contains(err.message, i == 5 ? "only a local path will do" : "only gs://, s3://");
    }
}

T_MAIN(cmocka_unit_test(test_remote), cmocka_unit_test(test_register),
       cmocka_unit_test(test_sources))
