/*
 * tests/unit/datagen/problems/test_problem_translate_bpe.c - the legacy problem: nothing is
 * compiled, the vocabulary is the list of its archive with the entries around it.
 */
#include <stdlib.h>

#include "datagen/problem_registry.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tests/unit/datagen/problems/parallel_archives.h"

static void test_bpe(void **state)
{
    static const struct t_member members[] = {{"train.tok.clean.bpe.32000.en", "a@@ b\nb\n", NULL,
                                               NULL},
                                              {"train.tok.clean.bpe.32000.de", "c\n\n", NULL, NULL},
                                              {"newstest2013.tok.bpe.32000.en", "b\n", NULL, NULL},
                                              {"newstest2013.tok.bpe.32000.de", "c\n", NULL, NULL},
                                              {"vocab.bpe.32000", "a@@\nb\nc\n", NULL, NULL}};
    const struct dg_problem *p = dg_find("translate_ende_wmt_bpe32k");
    struct dg_options options = t_archives("bpe");
    char *archive = t2_path_join(options.tmp_dir, "wmt16_en_de.tar.gz"), *file, *path, *bytes;
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    struct dg_stream *s = NULL;
    size_t n;

    (void) state;
    t_write_archive(archive, "ustar", "gzip", NULL, members, 5);
    assert_int_equal(p->prepare(p, &options, &err), T2_OK);
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_true(t2_slice_eq(sample.inputs, t2_slice_of("a@@ b")));
    assert_int_equal(s->next(s, &sample, &err), T2_OK); /* blank lines stay */
    assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
    assert_false(t_has(&options, "translate_ende_wmt_bpe32k-compiled-train.lang1"));
    file = dg_vocab_file_name(p, DG_TARGETS);
    assert_string_equal(file, "vocab.translate_ende_wmt_bpe32k.tokens");
    path = t2_path_join(options.data_dir, file);
    assert_int_equal(p->vocab.make(p, &options, DG_TARGETS, path, &err), T2_OK);
    bytes = t_read_file(path, &n);
    assert_string_equal(bytes, "<pad>\n<EOS>\na@@\nb\nc\n\nUNK\n");
    free(bytes);
    free(path);
    free(file);
    free(archive);
}

T_MAIN(cmocka_unit_test(test_bpe))
