/*
 * datagen/problems/problem_lsun.c - bedrooms of LSUN (spec t2t-datagen.md §6.5; T2T's
 * image_lsun.py): an LMDB of WebP files, which become PNG.
 */
#include "augment/codec.h"
#include "augment/png.h"
#include "base/alloc.h"
#include "datagen/images/image_rows.h"
#include "datagen/images/lmdb.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"

/* clang-format off */
#define LSUN_FILE(name_, set)                                                                      \
    {.name = name_, .licence = "none stated; for research (LSUN, Princeton)",                      \
     .urls = (const char *const[]){                                                                \
         "http://lsun.cs.princeton.edu/htbin/download.cgi?tag=latest&category=bedroom&set=" set,   \
         "http://dl.yf.io/lsun/scenes/bedroom_" set "_lmdb.zip", NULL}}
static const struct dg_source_file files[] = {LSUN_FILE("lsun-bedroom-train.zip", "train"),
                                              LSUN_FILE("lsun-bedroom-val.zip", "val")};
static const struct dg_source databases[] = {
    {.file = &files[0], .sign = "bedroom_train_lmdb/data.mdb"},
    {.file = &files[1], .sign = "bedroom_val_lmdb/data.mdb"}};
/* clang-format on */

/* Values come one after the other, as their rows do. */
struct values {
    struct dg_lmdb m;
    struct t2_slice last;
    size_t n_read;
};

static void release_values(void *state)
{
    t2_free(state);
}

static enum t2_status list(struct dg_image_rows *s, struct t2_err *err)
{
    struct values *v = t2_alloc(1, sizeof *v);
    struct t2_slice file, key, value;
    size_t n = 0;
    enum t2_status st;

    s->state = v;
    s->release = release_values;
    T2_TRY(dg_file_set_content(s->files, 0, &file, err));
    T2_TRY(dg_lmdb_open(file, dg_file_set_name(s->files, 0), &v->m, err));
    while ((st = dg_lmdb_next(&v->m, &key, &value, err)) == T2_OK) {
        dg_image_rows_add(s, n++);
        dg_image_rows_push(s, DG_TARGETS, 0);
    }
    if (st != T2_EOF)
        return st;
    return dg_lmdb_open(file, dg_file_set_name(s->files, 0), &v->m, err);
}

static enum t2_status read_value(struct dg_image_rows *s, size_t i, struct t2_slice *image,
                                 struct t2_err *err)
{
    struct values *v = s->state;
    struct t2_slice key;

    T2_ASSERT(i + 1 >= v->n_read);
    while (v->n_read <= i) {
        T2_TRY(dg_lmdb_next(&v->m, &key, &v->last, err));
        v->n_read++;
    }
    *image = v->last;
    return T2_OK;
}

static enum t2_status finish(const struct dg_problem *p, const struct dg_texts *texts,
                             struct dg_record *r, struct t2_err *err)
{
    struct t2_slice file = texts->text[DG_CONTEXT], format = t2_slice_of("png");
    struct aug_image pixels = {.data = NULL};
    enum t2_status st;

    (void) p;
    st = aug_decode(file.data, file.len_bytes, &(struct aug_decode){.dct = AUG_DCT_ACCURATE},
                    &pixels, NULL, err);
    if (st == T2_OK)
        st = aug_png_encode(&pixels, -1, &r->made, err);
    if (st == T2_OK)
        dg_record_image(r, t2_buf_slice(&r->made), &format, pixels.height, pixels.width);
    aug_image_release(&pixels);
    return st;
}

/* clang-format off */
static const struct dg_image_spec spec = {
    .source = {&databases[0], &databases[1]}, .list = list, .read = read_value,
    .pattern = {"bedroom_train_lmdb/data.mdb", "bedroom_val_lmdb/data.mdb"},
    .sources = (const struct dg_source *const[]){&databases[0], &databases[1], NULL}};
static const struct dg_source_file *const sources[] = {&files[0], &files[1], NULL};
static const struct dg_problem bedrooms = {
    .name = "image_lsun_bedrooms", .summary = "photographs of bedrooms", .has_inputs = true,
    .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},
    .targets_vocab = {.kind = DG_VOCAB_CLASSES, .approx_size = 1}, .n_shards = {100, 1},
    .sources = sources, .record.replaces_sides = true, .prepare = dg_image_rows_prepare,
    .open = dg_image_rows_open, .record.finish = finish, .record.more_fields = dg_image_fields,
    .context = &spec};
/* clang-format on */
const struct dg_family dg_family_lsun = {"LSUN", &bedrooms, 1};
