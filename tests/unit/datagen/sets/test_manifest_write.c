/*
 * test_manifest_write.c - what is written is read back; the same facts give the same bytes.
 */
#include "datagen/sets/manifest_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static const char sha[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct dg_manifest *made_up(void)
{
    struct dg_manifest *m = t2_alloc(1, sizeof *m);
    struct tfr_manifest_split *train = &m->splits[DG_TRAIN];

    m->problem = t2_strdup("x");
    m->dataset_filename = t2_strdup("x_data");
    m->command = t2_strdup("t2t-datagen --name='x y'");
    m->version = t2_strdup("0.1");
    m->random_seed = 429459;
    m->has_inputs = true;
    m->inputs_vocab.kind = DG_VOCAB_TOKENS;
    m->inputs_vocab.oov_token = t2_strdup("<un\"k>");
    m->targets_vocab.kind = DG_VOCAB_MODEL;
    m->targets_vocab.model = t2_strdup("SentencePiece BPE");
    m->targets_vocab.id_offset = 2;
    m->inputs_vocab.file = t2_strdup("v");
    m->targets_vocab.file = t2_strdup("v");
    memcpy(m->inputs_vocab.sha256, sha, 65);
    memcpy(m->targets_vocab.sha256, sha, 65);
    m->inputs_vocab.size = m->targets_vocab.size = 270;
    train->n_shards = 1;
    train->n_records = 5;
    train->shards = t2_alloc(1, sizeof *train->shards);
    train->shards[0].file = t2_strdup("x_data-train-00000-of-00001");
    train->shards[0].n_records = 5;
    train->shards[0].bytes = 77;
    memcpy(train->shards[0].sha256, sha, 65);
    m->features = t2_alloc(1, sizeof *m->features);
    m->n_features = 1;
    m->features[0].name = t2_strdup("inputs");
    m->features[0].kind = t2_strdup("int64");
    m->features[0].max_value = 269;
    m->n_dropped = 2;
    return m;
}

static void test_round_trip(void **state)
{
    const char *path = t_tmp_path("x.manifest.json");
    struct dg_manifest *m = made_up(), *back = NULL;
    struct dg_made_from made_from = {0}, origin = {0};
    struct dg_scan scan = {0};
    struct dg_text_file text_file = {.split = DG_DEV, .side = DG_TARGETS};
    struct dg_manifest_notes notes = {&made_from, &scan, &origin, &text_file,
                                      1,          false, NULL,    false};
    struct t2_err err = T2_ERR_INIT;
    char *first, *second;
    size_t n;

    (void) state;
    text_file.file = t2_strdup("x.dev.de");
    memcpy(text_file.sha256, sha, 65);
    dg_made_from_add(&made_from, "seed", "1");
    dg_made_from_add(&origin, "targets", "built");
    dg_input_files_add(&scan.files[DG_TRAIN], "a \"b\".en", "inputs", 3, 1, sha);
    dg_drops_add(&scan.drops[DG_TRAIN], "blank", "a", 1, NULL);
    dg_drops_add(&scan.drops[DG_DEV], "blank", "a", 2, NULL);
    dg_manifest_hash_data(m);
    assert_int_equal(dg_manifest_write(path, m, &notes, &err), T2_OK);
    first = t_read_file(path, &n);
    assert_int_equal(dg_manifest_write(path, m, &notes, &err), T2_OK);
    second = t_read_file(path, &n);
    assert_string_equal(first, second);
    t_assert_contains(first, "\"path\": \"a \\\"b\\\".en\"");
    t_assert_contains(first, "\"file\": \"x.dev.de\"");
    t_assert_contains(first, "\"seed\": \"1\"");
    assert_int_equal(dg_manifest_load(path, &back, &err), T2_OK);
    assert_string_equal(back->command, m->command);
    assert_string_equal(back->data_sha256, m->data_sha256);
    assert_int_equal(back->splits[DG_TRAIN].shards[0].bytes, 77);
    assert_int_equal(back->n_dropped, 2);
    assert_int_equal(back->inputs_vocab.kind, DG_VOCAB_TOKENS);
    assert_string_equal(back->inputs_vocab.oov_token, "<un\"k>");
    assert_null(back->inputs_vocab.model);
    assert_int_equal(back->targets_vocab.kind, DG_VOCAB_MODEL);
    assert_string_equal(back->targets_vocab.model, "SentencePiece BPE");
    assert_int_equal(back->targets_vocab.id_offset, 2);
    assert_null(back->targets_vocab.oov_token);
    free(first);
    free(second);
    t2_free(text_file.file);
    dg_made_from_release(&made_from);
    dg_made_from_release(&origin);
    dg_scan_release(&scan);
    dg_manifest_free(m);
    dg_manifest_free(back);
}

/* The hash of the data follows shards and vocabularies, and nothing else. */
static void test_data_hash(void **state)
{
    struct dg_manifest *m = made_up();
    char before[65];

    (void) state;
    dg_manifest_hash_data(m);
    memcpy(before, m->data_sha256, 65);
    m->random_seed = 1;
    m->command[0] = 'T';
    dg_manifest_hash_data(m);
    assert_string_equal(m->data_sha256, before);
    m->splits[DG_TRAIN].shards[0].sha256[0] = 'f';
    dg_manifest_hash_data(m);
    assert_string_not_equal(m->data_sha256, before);
    m->splits[DG_TRAIN].shards[0].sha256[0] = '0';
    m->targets_vocab.sha256[0] = 'f';
    dg_manifest_hash_data(m);
    assert_string_not_equal(m->data_sha256, before);
    dg_manifest_free(m);
}

T_MAIN(cmocka_unit_test(test_round_trip), cmocka_unit_test(test_data_hash))
