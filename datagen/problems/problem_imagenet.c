/*
 * datagen/problems/problem_imagenet.c - ImageNet (spec t2t-datagen.md §6.4; T2T's imagenet.py).
 *
 * T2T only points to the scripts of Inception for the full images: their folders are read here, and
 * the records have their fields, with labels from 0 as T2T's models need them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/images/image_file.h"
#include "datagen/images/image_list.h"
#include "datagen/images/image_record.h"
#include "datagen/images/image_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"

enum { N_CLASSES = 1000 };
#define TERMS "ImageNet terms of access: research and education, not for sale"

/* ---- the full images: folders ---- */

/* clang-format off */
#define FOLDER_WHY                                                                                 \
    "ImageNet is for those who register at image-net.org; it holds train/<synset>/*.JPEG and "     \
    "validation/<synset>/*.JPEG (or validation/*.JPEG and synset_labels.txt, the synset of each in " \
    "the order of their names), or the archives ILSVRC2012_img_train.tar and "                    \
    "ILSVRC2012_img_val.tar as they are downloaded, and synset_labels.txt"
static const struct dg_source_file folder_file = {
    .name = "imagenet", .gone = FOLDER_WHY, .licence = TERMS, .is_folder = true};
/* clang-format on */
static const struct dg_source folder = {.file = &folder_file, .sign = "imagenet"};

struct folders {
    struct dg_images list;
    struct t2_buf file;
    size_t *items; /* of the split: index into the list, for each path of the rows */
};

static void release_folders(void *state)
{
    struct folders *f = state;

    dg_images_release(&f->list);
    t2_buf_release(&f->file);
    t2_free(f->items);
    t2_free(f);
}

static enum t2_status read_image(struct dg_image_rows *s, size_t i, struct t2_slice *image,
                                 struct t2_err *err)
{
    struct folders *f = s->state;
    enum t2_status st = dg_image_load(&f->list.items[f->items[i]], &f->file, err);

    *image = t2_buf_slice(&f->file);
    return st;
}

static enum t2_status list_folders(struct dg_image_rows *s, struct t2_err *err)
{
    static const enum dg_image_split splits[] = {DG_IMAGES_TRAIN, DG_IMAGES_VALIDATION};
    struct folders *f = t2_alloc(1, sizeof *f);
    struct dg_images *l = &f->list;
    char *dir = NULL;
    enum t2_status st;

    s->state = f;
    s->release = release_folders;
    T2_TRY(dg_source_path(&folder, s->options, &dir, err));
    st = dg_images_read_folders(dir, DG_FOLDERS_AUTO, 0, l, err);
    if (st == T2_OK && l->labels.n > N_CLASSES)
        st = t2_fail(err, T2_EFORMAT, "'%s': %zu classes, more than %d", dir, l->labels.n,
                     N_CLASSES);
    f->items = t2_alloc(l->n + 1, sizeof *f->items);
    for (size_t i = 0; i < l->n && st == T2_OK; i++) {
        const struct dg_image *p = &l->items[i];
        if (p->split != splits[s->split])
            continue;
        f->items[s->paths.n] = i;
        t2_strs_push(&s->paths, p->path);
        dg_image_rows_add(s, s->paths.n - 1);
        dg_image_rows_text(s, DG_INPUTS, t2_slice_of(t2_path_base(p->path)));
        dg_image_rows_text(s, DG_TARGETS, t2_slice_of(l->labels.items[p->label]));
        dg_image_rows_push(s, DG_TARGETS, p->label);
    }
    t2_free(dir);
    return st;
}

/* CMYK and PNG files become JPEG, as the scripts of Inception do it. */
static const struct dg_image_policy policy = {.admit = {.reencode = AUG_REENCODE_ODD}};

static enum t2_status finish_full(const struct dg_problem *p, const struct dg_texts *texts,
                                  struct dg_record *r, struct t2_err *err)
{
    struct t2_slice file = texts->text[DG_CONTEXT], format = t2_slice_of("JPEG");
    struct aug_image pixels = {.data = NULL};
    struct aug_admission a;
    enum t2_status st;

    (void) p;
    st = dg_image_admit("", file, &policy, &pixels, &a, err);
    if (st != T2_OK)
        ; /* memory, or Ctrl-C */
    else if (a.verdict == AUG_REENCODE)
        st = aug_reencode(file.data, file.len_bytes, &policy.admit, &pixels, &r->made, err);
    else if (a.verdict != AUG_KEEP)
        st = t2_fail(err, T2_EFORMAT, "%s", a.why);
    aug_image_release(&pixels);
    if (st != T2_OK)
        return st;
    dg_record_image(r, a.verdict == AUG_REENCODE ? t2_buf_slice(&r->made) : file, &format,
                    a.info.height, a.info.width);
    dg_record_bytes(r, "image/class/synset", texts->text[DG_TARGETS]);
    dg_record_bytes(r, "image/filename", texts->text[DG_INPUTS]);
    dg_record_bytes(r, "image/colorspace", t2_slice_of("RGB"));
    dg_record_int(r, "image/channels", 3);
    return T2_OK;
}

/* clang-format off */
static const struct dg_image_spec full = {
    .source = {&folder, &folder}, .list = list_folders, .read = read_image, .policy = &policy,
    .sources = (const struct dg_source *const[]){&folder, NULL}};
static const struct dg_source_file *const full_files[] = {&folder_file, NULL};
static const char *const full_fields[] = {
    "image/class/label int64", "image/encoded bytes", "image/format bytes", "image/height int64",
    "image/width int64", "image/class/synset bytes", "image/filename bytes",
    "image/colorspace bytes", "image/channels int64", NULL};

/* ---- the small images of PixelRNN ---- */

#define SMALL_WHY \
    "it is what the PixelRNN paper was trained on; an unpacked folder of PNG files does, too"
#define SMALL_FILE(name_)                                                                          \
    {.name = name_, .licence = TERMS, .gone = SMALL_WHY,                                           \
     .urls = (const char *const[]){"http://image-net.org/small/" name_, NULL}}
static const struct dg_source_file small_files[] = {
    SMALL_FILE("train_32x32.tar"), SMALL_FILE("valid_32x32.tar"),
    SMALL_FILE("train_64x64.tar"), SMALL_FILE("valid_64x64.tar")};
static const struct dg_source small[] = {
    {.file = &small_files[0], .sign = "train_32x32"}, {.file = &small_files[1], .sign = "valid_32x32"},
    {.file = &small_files[2], .sign = "train_64x64"}, {.file = &small_files[3], .sign = "valid_64x64"}};
#define SMALL_SPEC(first, pixels)                                                                  \
    {.source = {&small[first], &small[(first) + 1]}, .side = pixels,                               \
     .pattern = {"train_" #pixels "x" #pixels "/*", "valid_" #pixels "x" #pixels "/*"},            \
     .sources = (const struct dg_source *const[]){&small[first], &small[(first) + 1], NULL}}
static const struct dg_image_spec small32 = SMALL_SPEC(0, 32), small64 = SMALL_SPEC(2, 64);
static const struct dg_source_file *const files32[] = {&small_files[0], &small_files[1], NULL};
static const struct dg_source_file *const files64[] = {&small_files[2], &small_files[3], NULL};

/* ---- the problems ---- */

#define IMAGES(name_, stem_, summary_, ...)                                                      \
    {.name = name_, .dataset_filename = stem_, .summary = summary_, .has_inputs = true,            \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},                               \
     .targets_vocab = {.kind = DG_VOCAB_CLASSES, .approx_size = N_CLASSES},                        \
     .record.replaces_sides = true, .open = dg_image_rows_open, __VA_ARGS__}
#define FULL(name, summary)                                                                        \
    IMAGES(name, "image_imagenet", summary, .n_shards = {1024, 128}, .sources = full_files,      \
             .prepare = dg_image_rows_prepare, .record.finish = finish_full, .record.more_fields = full_fields,         \
             .context = &full)
/* Written under their final names, so that the original's shuffle passes over them. */
#define SMALL(name, stem, summary, spec, files)                                                    \
    IMAGES(name, stem, summary, .n_shards = {1024, 10}, .sources = files,                        \
             .prepare = dg_image_rows_prepare, .record.finish = dg_finish_image,                      \
             .record.more_fields = dg_image_fields, .sharding.already_shuffled = true, .context = &(spec))

static const struct dg_problem problems[] = {
    FULL("image_imagenet", "photographs of 1000 classes"),
    FULL("image_imagenet224", "ImageNet, to be read as 224 x 224"),
    FULL("image_imagenet224_no_normalization", "ImageNet, to be read as 224 x 224 from 0 to 255"),
    FULL("image_imagenet256", "ImageNet, to be read as 256 x 256"),
    FULL("image_imagenet32", "ImageNet, to be read as 32 x 32"),
    FULL("image_imagenet64", "ImageNet, to be read as 64 x 64"),
    FULL("img2img_imagenet", "ImageNet, 8 x 8 to 32 x 32"),
    SMALL("image_imagenet32_gen", NULL, "ImageNet made 32 x 32, without labels", small32, files32),
    SMALL("image_imagenet64_gen", NULL, "ImageNet made 64 x 64, without labels", small64, files64),
    SMALL("image_imagenet64_gen_flat", "image_imagenet64_gen", "the same, as rows of pixels", small64,
          files64),
    SMALL("image_imagenet_multi_resolution_gen", "image_imagenet64_gen", "the same, in several sizes",
          small64, files64),
    {.name = "image_imagenet32_small", .summary = "ImageNet made 32 x 32", .has_inputs = true,
     .targets_vocab = {.kind = DG_VOCAB_CLASSES, .approx_size = N_CLASSES}, .n_shards = {1024, 10},
     .refusal = "no program of Tensor2Tensor makes it; put your shards 'image_imagenet32_small-train-"
                "NNNNN-of-01024' and '-dev-NNNNN-of-00010' into --data_dir (jpeg-to-tfrecord --image_dir "
                "makes records of the fields), or use image_imagenet32_gen"},
};
/* clang-format on */
const struct dg_family dg_family_imagenet = {"ImageNet", problems, DG_COUNT(problems)};
