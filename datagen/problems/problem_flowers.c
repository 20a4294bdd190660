/*
 * datagen/problems/problem_flowers.c - TensorFlow's photographs of flowers.  Tensor2Tensor has no
 * such problem; fields and shards are those of its other small ones.
 */
#include <string.h>

#include "datagen/images/image_list.h"
#include "datagen/images/image_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"

enum { DEV_PERCENT = 10 };

static const char *const kinds[] = {"daisy", "dandelion", "roses", "sunflowers", "tulips"};

/* clang-format off */
static const struct dg_source_file file = {
    .name = "flower_photos.tgz", .about_bytes = 228813984, .text_factor = 1,
    .licence = "CC BY 2.0 (LICENSE.txt in it names the photographers)",
    .urls = (const char *const[]){
        "http://download.tensorflow.org/example_images/flower_photos.tgz",
        "https://storage.googleapis.com/download.tensorflow.org/example_images/flower_photos.tgz", NULL}};
/* clang-format on */
static const struct dg_source archive = {.file = &file, .sign = "flower_photos"};

/* The number of flower_photos/<kind>/<name>; -1: it is none of them. */
static int label_of(const char *name)
{
    const char *kind = strchr(name, '/') + 1;
    size_t len = strcspn(kind, "/");

    for (int i = 0; i < (int) DG_COUNT(kinds); i++)
        if (strlen(kinds[i]) == len && strncmp(kinds[i], kind, len) == 0)
            return i;
    return -1;
}

/* A tenth, by the hash of its name, is for dev: an image stays where it is when others come. */
static enum t2_status list(struct dg_image_rows *s, struct t2_err *err)
{
    size_t n = dg_file_set_count(s->files);

    for (size_t i = 0; i < n; i++) {
        const char *name = dg_file_set_name(s->files, i);
        int label = label_of(name);
        if (label < 0)
            return t2_fail(err, T2_EFORMAT, "'%s' is of no kind that is known", name);
        if (dg_is_held_out(strrchr(name, '/') + 1, DEV_PERCENT) != (s->split == DG_DEV))
            continue;
        dg_image_rows_add(s, i);
        dg_image_rows_push(s, DG_TARGETS, label);
    }
    return T2_OK;
}

/* clang-format off */
static const struct dg_image_spec spec = {
    .source = {&archive, &archive}, .pattern = {"flower_photos/*/*.jpg", "flower_photos/*/*.jpg"},
    .list = list, .sources = (const struct dg_source *const[]){&archive, NULL}};
static const struct dg_source_file *const sources[] = {&file, NULL};
static const struct dg_problem flowers = {
    .name = "image_flowers", .summary = "photographs of five kinds of flowers", .has_inputs = true,
    .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .targets_vocab = DG_LABELS(kinds),
    .n_shards = {10, 1}, .sources = sources, .record.replaces_sides = true, .revision = "1",
    .prepare = dg_image_rows_prepare, .open = dg_image_rows_open, .record.finish = dg_finish_image,
    .record.more_fields = dg_image_fields, .context = &spec};
/* clang-format on */
const struct dg_family dg_family_flowers = {"Flowers", &flowers, 1};
