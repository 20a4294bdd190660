/*
 * tests/unit/train/input_modes.h - every mode of train/input as one table: each order with each
 * kind of batch, over shards that are written once.
 */
#ifndef T2_TESTS_UNIT_TRAIN_INPUT_MODES_H
#define T2_TESTS_UNIT_TRAIN_INPUT_MODES_H

#include "tests/unit/train/id_shards.h"
#include "tests/unit/train/image_shards.h"
#include "train/input/image_recipe.h"
#include "train/input/input.h"

/* Static: rows of one length, as the official sets have them; pieces: of split_to_length. */
enum modes_records { MODES_IDS, MODES_STATIC_IDS, MODES_PIECES, MODES_PACKED, MODES_IMAGES };

struct modes_mode {
    const char *name;
    enum modes_records records;
    bool training;
    bool targets_only;   /* the model reads no inputs */
    const char *hparams; /* changes to a set of batches of some rows */
};

#define MODES_REFERENCE "sample_order=reference,batch_shuffle_size=5"
#define MODES_MIX "mixup_alpha=0.5,cutmix_alpha=1,mixup_prob=0.8"
static const struct modes_mode modes[] = {
    {"ids shuffled", MODES_IDS, true, false, ""},
    {"ids reference", MODES_IDS, true, false, MODES_REFERENCE},
    {"ids pass", MODES_IDS, false, false, ""},
    {"targets alone shuffled", MODES_IDS, true, true, ""},
    {"targets alone pass", MODES_IDS, false, true, ""},
    {"ids of fixed number", MODES_IDS, true, false, "use_fixed_batch_size=true,batch_size=7"},
    {"ids in static rows shuffled", MODES_STATIC_IDS, true, false, ""},
    {"ids in static rows pass", MODES_STATIC_IDS, false, false, ""},
    {"pieces shuffled", MODES_PIECES, true, false, "split_to_length=4"},
    {"pieces pass", MODES_PIECES, false, false, "split_to_length=4"},
    {"rows shuffled", MODES_IDS, true, false, "pack_dataset=true,use_custom_ops=true"},
    {"rows of a queue shuffled", MODES_IDS, true, false, "pack_dataset=true,use_custom_ops=false"},
    {"rows reference", MODES_IDS, true, false,
     "pack_dataset=true,use_custom_ops=true," MODES_REFERENCE},
    {"rows of a queue reference", MODES_IDS, true, false,
     "pack_dataset=true,use_custom_ops=false," MODES_REFERENCE},
    {"rows pass", MODES_IDS, false, false, "pack_dataset=true,use_custom_ops=true"},
    {"rows of a queue pass", MODES_IDS, false, false, "pack_dataset=true,use_custom_ops=false"},
    {"packed shards shuffled", MODES_PACKED, true, false, ""},
    {"packed shards reference", MODES_PACKED, true, false, MODES_REFERENCE},
    {"packed shards pass", MODES_PACKED, false, false, ""},
    {"packed shards targets alone", MODES_PACKED, true, true, ""},
    {"images shuffled", MODES_IMAGES, true, true, "batch_size=6"},
    {"images reference", MODES_IMAGES, true, true, "batch_size=6," MODES_REFERENCE},
    {"images pass", MODES_IMAGES, false, true, "batch_size=6"},
    {"images that alternate", MODES_IMAGES, true, true,
     "batch_size=6,image_size=24,image_pipeline=record"},
    {"images mixed", MODES_IMAGES, true, true, "batch_size=6," MODES_MIX},
    {"images cut, an odd number", MODES_IMAGES, true, true, "batch_size=5,cutmix_alpha=1"},
    {"images blended reference", MODES_IMAGES, true, true,
     "batch_size=6,mixup_alpha=0.5," MODES_REFERENCE},
};
enum { N_MODES = sizeof modes / sizeof *modes };

/* Rows of 3 to 5 ids with segments and positions. */
static inline void modes_write_packed(const char *dir, const char *split, size_t n)
{
    static const char *const names[] = {"inputs",
                                        "targets",
                                        "inputs_segmentation",
                                        "inputs_position",
                                        "targets_segmentation",
                                        "targets_position"};
    static const int32_t seg[] = {1, 1, 2, 2, 3}, pos[] = {0, 1, 0, 1, 0};
    char *path = tfr_shard_path(dir, "packed", split, 0, 1);
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (size_t i = 0; i < n; i++) {
        const int32_t id = 2 + (int32_t) (i % 50), ids[] = {id, 1, id + 3, id + 4, 1};
        const int32_t *const lists[] = {ids, ids, seg, pos, seg, pos};
        struct t2_buf text = {0};
        size_t k = 3 + i % 3;

        tfr_example_build_ids(&text, 6, names, lists, (size_t[]){k, k, k, k, k, k});
        t_writer_add(w, text.data, text.len_bytes);
        t2_buf_release(&text);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    t2_free(path);
}

/* 12 ids on each side, others in each record. */
static inline void modes_write_pieces(const char *dir, const char *split, int n)
{
    char *path = tfr_shard_path(dir, "pieces", split, 0, 1);
    struct ids_record *r = t2_alloc(1, sizeof *r);
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    r->n_inputs = r->n_targets = 12;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 12; k++) {
            r->inputs[k] = 1 + (i * 12 + k) % (IDS_VOCAB - 1);
            r->targets[k] = 1 + (i + k) % (IDS_VOCAB - 1);
        }
        ids_add(w, r);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    t2_free(path);
    t2_free(r);
}

/* The shards of all modes; *dir is of the running test. */
static inline const char *modes_write(void)
{
    const char *dir = t_tmp_path("modes");

    ids_write(dir, "train", 300, 4, 30);
    ids_write(dir, "dev", 101, 1, 30);
    modes_write_pieces(dir, "train", 40);
    modes_write_pieces(dir, "dev", 9);
    modes_write_packed(dir, "train", 60);
    modes_write_packed(dir, "dev", 23);
    images_write(dir, "images", "train", 23, 2, 24, 24, 3, 0);
    images_write(dir, "images", "dev", 13, 1, 30, 40, 3, 0);
    return dir;
}

/* A mode with what its options point to.  Zero-initialise; modes_release. */
struct modes_setup {
    struct mdl_hparams *hp;
    struct in_image_recipe recipe;
    struct in_options options;
};

static inline void modes_set_up(const struct modes_mode *m, const char *dir, struct modes_setup *s)
{
    static const char *const stems[] = {"ids", "ids", "pieces", "packed", "images"};
    bool images = m->records == MODES_IMAGES;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &s->hp, &err), T2_OK);
    if (mdl_hparams_override(s->hp, "batch_size=100,max_length=25,image_size=20", &err) != T2_OK ||
        mdl_hparams_override(s->hp, m->hparams, &err) != T2_OK)
        fail_msg("%s: %s", m->name, err.message);
    if (m->records == MODES_STATIC_IDS)
        mdl_hp_set_bool(s->hp, "static_batch", true);
    if (images && in_image_recipe_of("problem", s->hp, &s->recipe, &err) != T2_OK)
        fail_msg("%s: %s", m->name, err.message);
    s->options = (struct in_options){.data_dir = dir,
                                     .dataset = stems[m->records],
                                     .split = m->training ? "train" : "dev",
                                     .inputs_feature = m->targets_only ? NULL : "inputs",
                                     .targets_feature = "targets",
                                     .inputs_vocab = IDS_VOCAB,
                                     .targets_vocab = images ? IMAGE_CLASSES : IDS_VOCAB,
                                     .images = images ? &s->recipe : NULL,
                                     .training = m->training,
                                     .seed = 17,
                                     .num_threads = 2};
}

static inline void modes_release(struct modes_setup *s)
{
    mdl_hparams_free(s->hp);
    *s = (struct modes_setup){0};
}

static inline struct in_input *modes_open(const struct modes_mode *m, const struct modes_setup *s)
{
    struct t2_err err = T2_ERR_INIT;
    struct in_input *in = NULL;

    if (in_new(&s->options, s->hp, &in, &err) != T2_OK)
        fail_msg("%s: %s", m->name, err.message);
    return in;
}

#endif
