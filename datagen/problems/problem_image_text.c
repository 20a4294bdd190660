/*
 * datagen/problems/problem_image_text.c - images with a text each: captions of COCO, lines of print
 * (spec t2t-datagen.md §6.5; T2T's mscoco.py, ocr.py).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/mt19937.h"
#include "datagen/images/image_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/coco_captions.h"
#include "datagen/problems/coco_files.h"
#include "datagen/problems/vocab_specs.h"
#include "tokenizer/unicode.h"

/* ---- COCO: captions of images ---- */

/* random.shuffle was called for the splits before, too. */
static enum t2_status skip_draws(int n_splits, const struct dg_options *options, struct t2_mt *mt,
                                 struct t2_err *err)
{
    uint64_t n;

    for (int split = DG_TRAIN; split < n_splits; split++) {
        T2_TRY(dg_coco_count((enum dg_split) split, options, &n, err));
        t2_mt_skip_shuffle(mt, n);
    }
    return T2_OK;
}

static enum t2_status before_shuffle(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_mt *mt, struct t2_err *err)
{
    (void) p;
    return skip_draws(DG_DEV + 1, options, mt, err);
}

struct coco_list {
    struct dg_image_rows *rows;
    size_t file; /* of the image that captions are given of */
};

static enum t2_status take_caption(void *context, const struct dg_coco_caption *caption,
                                   struct t2_err *err)
{
    struct coco_list *l = context;
    char *name;
    enum t2_status st;

    if (!caption->is_image) {
        dg_image_rows_add(l->rows, l->file);
        dg_image_rows_text(l->rows, DG_TARGETS, caption->text);
        dg_image_rows_push(l->rows, DG_INPUTS, caption->height);
        dg_image_rows_push(l->rows, DG_INPUTS, caption->width);
        return T2_OK;
    }
    name = t2_path_join(dg_coco_sources[l->rows->split].sign, caption->name);
    st = dg_image_rows_find(l->rows, name, &l->file, err);
    t2_free(name);
    return st;
}

static enum t2_status list_coco(struct dg_image_rows *s, struct t2_err *err)
{
    struct coco_list l = {.rows = s};
    struct t2_mt mt;

    t2_mt_seed_python(&mt, s->options->random_seed);
    T2_TRY(skip_draws((int) s->split, s->options, &mt, err));
    return dg_coco_each(s->split, s->options, s->base.hash_on ? &s->base.files : NULL, &mt,
                        take_caption, &l, err);
}

/* Code points as they are, where the encoder of bytes gives them plus 2: the original's way. */
static void use_code_points(struct t2_slice text, struct dg_feature *ids)
{
    uint32_t code_point;
    bool valid;

    ids->n = 0;
    for (size_t at = 0; at < text.len_bytes;) {
        at += tok_utf8_decode(text.data + at, text.len_bytes - at, &code_point, &valid);
        dg_feature_push(ids, code_point);
    }
    dg_feature_push(ids, 1); /* <EOS> */
}

static enum t2_status finish_coco(const struct dg_problem *p, const struct dg_texts *texts,
                                  struct dg_record *r, struct t2_err *err)
{
    const int64_t height = dg_record_find(r, "inputs")->ints[0];
    const int64_t width = dg_record_find(r, "inputs")->ints[1];

    (void) err;
    if (p->targets_vocab.kind == DG_VOCAB_BYTES)
        use_code_points(texts->text[DG_TARGETS], dg_record_find(r, "targets"));
    dg_record_rename(r, "targets", "image/class/label");
    dg_record_remove(r, "inputs");
    dg_record_bytes(r, "image/encoded", texts->text[DG_CONTEXT]);
    dg_record_bytes(r, "image/format", t2_slice_of("jpeg"));
    dg_record_int(r, "image/height", height);
    dg_record_int(r, "image/width", width);
    return T2_OK;
}

/* ---- OCR: lines of print ---- */

static const struct dg_source_file ocr_file = {
    .name = "ocr",
    .gone = "it holds the images 0.png and 1.png, and their texts 0.txt and 1.txt",
    .is_folder = true};
static const struct dg_source ocr = {.file = &ocr_file, .sign = "ocr"};

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum t2_status add_line(struct dg_image_rows *s, const char *dir, int i, struct t2_buf *text,
                               struct t2_err *err)
{
    char *path = t2_asprintf("%s/%d.txt", dir, i);
    size_t first = 0, end;
    enum t2_status st = t2_read_file(path, 1 << 20, text, err);

    for (end = text->len_bytes; end > 0 && is_blank(text->data[end - 1]);)
        end--;
    while (first < end && is_blank(text->data[first]))
        first++;
    if (st == T2_OK && first == end)
        st = t2_fail(err, T2_EFORMAT, "'%s' is empty", path);
    t2_strs_take(&s->paths, t2_asprintf("%s/%d.png", dir, i));
    dg_image_rows_add(s, s->paths.n - 1);
    for (size_t k = first; k < end && st == T2_OK; k++)
        dg_image_rows_push(s, DG_TARGETS, text->data[k]);
    t2_free(path);
    return st;
}

static enum t2_status list_ocr(struct dg_image_rows *s, struct t2_err *err)
{
    enum { N_LINES = 2 };
    struct t2_buf text = {NULL, 0, 0};
    char *dir = NULL;
    enum t2_status st;

    T2_TRY(dg_source_path(&ocr, s->options, &dir, err));
    st = T2_OK;
    for (int i = 0; i < N_LINES && st == T2_OK; i++)
        st = add_line(s, dir, i, &text, err);
    t2_buf_release(&text);
    t2_free(dir);
    return st;
}

/* ---- the problems ---- */

/* clang-format off */
static const struct dg_image_spec coco = {
    .source = {&dg_coco_sources[0], &dg_coco_sources[1]}, .list = list_coco,
    .pattern = {"train2014/*", "val2014/*"},
    .sources = (const struct dg_source *const[]){&dg_coco_sources[0], &dg_coco_sources[1], &dg_coco_captions_source, NULL}};
static const struct dg_image_spec lines = {
    .source = {&ocr, &ocr}, .list = list_ocr, .sources = (const struct dg_source *const[]){&ocr, NULL}};
static const struct dg_source_file *const coco_files[] = {
    &dg_coco_images[0], &dg_coco_images[1], &dg_coco_captions, NULL};
static const struct dg_source_file *const ocr_files[] = {&ocr_file, NULL};

#define TEXTS(name_, stem, summary_, spec, files, finish_, ...)                                    \
    {.name = name_, .dataset_filename = stem, .summary = summary_, .has_inputs = true,             \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .sources = files,             \
     .sides_become_fields = true, .prepare = dg_image_rows_prepare, .open = dg_image_rows_open, \
     .finish = finish_, .more_fields = dg_image_fields, .context = &(spec), __VA_ARGS__}
#define COCO(name, stem, summary, space, ...)                                                       \
    TEXTS(name, stem, summary, coco, coco_files, finish_coco, .n_shards = {100, 10},               \
          .before_shuffle = before_shuffle, .target_space_id = space,                              \
          .targets_vocab = __VA_ARGS__)
#define TOKENS32K DG_OF("translate_ende_wmt32k", 32768)

static const struct dg_problem problems[] = {
    COCO("image_ms_coco_characters", NULL, "captions of COCO's images, as characters",
         DG_SPACE_EN_CHARACTERS, DG_BYTES),
    COCO("image_ms_coco_tokens32k", NULL, "captions of COCO's images",
         DG_SPACE_EN_TOKENS, TOKENS32K),
    COCO("image_text_ms_coco", "image_ms_coco_tokens32k", "COCO's images, 32 x 32, from captions",
         DG_SPACE_EN_TOKENS, TOKENS32K),
    COCO("image_text_ms_coco_multi_resolution", "image_ms_coco_tokens32k",
         "COCO's images, in several sizes, from captions", DG_SPACE_EN_TOKENS, TOKENS32K),
    TEXTS("ocr_test", NULL, "two lines of print, to try reading them", lines, ocr_files, dg_finish_image,
          .n_shards = {1, 1}, .target_space_id = DG_SPACE_EN_CHARACTERS,
          .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256, .raw_ids = true}),
};
/* clang-format on */
static const struct dg_problem *const listed[] = {DG_ONE(problems, 0), DG_ONE(problems, 1),
                                                  DG_ONE(problems, 2), DG_ONE(problems, 3),
                                                  DG_ONE(problems, 4)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_image_text = {"Images with texts", listed, DG_COUNT(listed)};
