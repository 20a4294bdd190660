/*
 * datagen/problems/problem_allen_brain.c - parts of sections of mouse brains (spec t2t-datagen.md
 * §6.5; T2T's allen_brain.py): 100 images, cut into tiles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/codec.h"
#include "augment/jpeg.h"
#include "base/alloc.h"
#include "base/file.h"
#include "datagen/feature_list.h"
#include "datagen/images/image_arrays.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/files_hash.h"
#include "datagen/source/row_stream.h"

/* The last row and column of a tile are missing: the original's end is one too small. */
enum { GRID = 64, SIDE = GRID - 1, BRIGHT = 230, N_IMAGES = 100, N_TRAIN = 95, JPEG_QUALITY = 75 };

/* ---- files: <place in the list>.jpg ---- */

/* clang-format off */
static const int32_t ids[N_IMAGES] = {
    74887117, 71894997, 69443979, 79853548, 101371232, 77857182, 70446772, 68994990, 69141561, 70942310,
    70942316, 68298378, 69690156, 74364867, 77874134, 75925043, 73854431, 69206601, 71771457, 101311379,
    74777533, 70960269, 71604493, 102216720, 74776437, 75488723, 79815814, 77857132, 77857138, 74952778,
    69068486, 648167, 75703410, 74486118, 77857098, 637407, 67849516, 69785503, 71547630, 69068504,
    69184074, 74853078, 74890694, 74890698, 75488687, 71138602, 71652378, 68079764, 70619061, 68280153,
    73527042, 69764608, 68399025, 244297, 69902658, 68234159, 71495521, 74488395, 73923026, 68280155,
    75488747, 69589140, 71342189, 75119214, 79455452, 71774294, 74364957, 68031779, 71389422, 67937572,
    69912671, 73854471, 75008183, 101371376, 75703290, 69533924, 79853544, 77343882, 74887133, 332587,
    69758622, 69618413, 77929999, 244293, 334792, 75825136, 75008103, 70196678, 71883965, 74486130,
    74693566, 76107119, 76043858, 70252433, 68928364, 74806345, 67848661, 75900326, 71773690, 75008171};
/* clang-format on */

struct section {
    char name[16], url[80];
    const char *urls[2];
    struct dg_source_file file;
};

static void section_init(struct section *s, int i)
{
    snprintf(s->name, sizeof s->name, "%d.jpg", i);
    snprintf(s->url, sizeof s->url,
             "http://api.brain-map.org/api/v2/section_image_download/%" PRId32, ids[i]);
    s->urls[0] = s->url;
    s->urls[1] = NULL;
    s->file = (struct dg_source_file){.name = s->name, .urls = s->urls};
}

static int by_name(const void *a, const void *b)
{
    const struct section *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* All of them, sorted by name as a sorted glob; owned by the caller. */
static struct section *sections_new(void)
{
    struct section *all = t2_alloc(N_IMAGES, sizeof *all);

    for (int i = 0; i < N_IMAGES; i++)
        section_init(&all[i], i);
    qsort(all, N_IMAGES, sizeof *all, by_name);
    for (int i = 0; i < N_IMAGES; i++) { /* they moved */
        all[i].urls[0] = all[i].url;
        all[i].file.urls = all[i].urls;
        all[i].file.name = all[i].name;
    }
    return all;
}

static enum t2_status prepare(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err)
{
    struct section *all = sections_new();
    const struct dg_source_file *files[N_IMAGES];
    struct dg_fetch_result results[N_IMAGES];
    enum t2_status st;

    (void) p;
    for (int i = 0; i < N_IMAGES; i++)
        files[i] = &all[i].file;
    memset(results, 0, sizeof results);
    st = dg_fetch(files, N_IMAGES, options->tmp_dir, options->fetch, results, err);
    dg_fetch_release(results, N_IMAGES);
    t2_free(all);
    return st;
}

/* ---- tiles ---- */

struct tile_stream {
    struct dg_stream base;
    const struct dg_options *options;
    struct section *sections;
    int at, end; /* the image that comes next */
    struct t2_strs paths;
    struct aug_image image;
    int32_t n_tiles, tile, columns; /* of the image; tile: the next */
    uint8_t pixels[SIDE * SIDE * 3];
    struct dg_files_hash hash;
};

static enum t2_status load(struct tile_stream *s, struct t2_err *err)
{
    const struct aug_decode how = {.dct = AUG_DCT_ACCURATE,
                                   .max_components = UINT64_C(1) << 32, /* a section is one image */
                                   .max_memory = s->options->max_memory / 2};
    const struct dg_source source = {.file = &s->sections[s->at].file, .is_plain = true};
    struct t2_buf file = {NULL, 0, 0};
    char *path = NULL;
    enum t2_status st;

    T2_TRY(dg_source_path(&source, s->options, &path, err));
    t2_strs_take(&s->paths, path);
    st = t2_read_file(path, UINT64_C(1) << 32, &file, err);
    if (st == T2_OK)
        dg_files_hash_add(&s->hash, t2_buf_slice(&file));
    if (st == T2_OK && aug_decode(file.data, file.len_bytes, &how, &s->image, NULL, err) != T2_OK)
        st = t2_wrap(err, "'%s'", path);
    t2_buf_release(&file);
    s->at++;
    s->tile = 0;
    s->columns = s->image.width / GRID;
    s->n_tiles = s->columns * (s->image.height / GRID);
    return st;
}

/* The next tile; is it bright enough to be kept? */
static bool cut(struct tile_stream *s, size_t *n)
{
    int32_t y = s->tile / s->columns * GRID, x = s->tile % s->columns * GRID;
    size_t row_bytes = (size_t) SIDE * (size_t) s->image.channels;
    bool is_bright = false;

    s->tile++;
    *n = 0;
    for (int32_t i = 0; i < SIDE; i++, *n += row_bytes)
        memcpy(s->pixels + *n, aug_row(&s->image, y + i) + (size_t) x * (size_t) s->image.channels,
               row_bytes);
    for (size_t i = 0; i < *n && !is_bright; i++)
        is_bright = s->pixels[i] >= BRIGHT;
    return is_bright;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct tile_stream *s = (struct tile_stream *) base;
    size_t n = 0;

    if (s->base.hash_on && !s->hash.hash && s->paths.n == 0)
        dg_files_hash_start(&s->hash);
    do {
        while (s->tile == s->n_tiles) {
            if (s->at == s->end) {
                dg_files_hash_note(&s->hash, s->options->tmp_dir, "sections", s->paths.n,
                                   &s->base.files);
                return T2_EOF;
            }
            T2_TRY(load(s, err));
        }
    } while (!cut(s, &n));
    sample->context = (struct t2_slice){s->pixels, n};
    sample->inputs_origin =
        (struct dg_origin){s->paths.items[s->paths.n - 1], (uint64_t) s->tile, 0};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct tile_stream *s = (const struct tile_stream *) base;
    const struct dg_source source = {.file = &s->sections[s->at].file, .is_plain = true};

    return dg_source_describe(&source, NULL, "sections, the first of them", s->options, sizes, err);
}

static void release(struct dg_stream *base)
{
    struct tile_stream *s = (struct tile_stream *) base;

    t2_free(s->sections);
    t2_strs_release(&s->paths);
    aug_image_release(&s->image);
    dg_files_hash_release(&s->hash);
    t2_free(s);
}

static enum t2_status open_tiles(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct tile_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true;
    s->options = options;
    s->sections = sections_new();
    s->at = split == DG_TRAIN ? 0 : N_TRAIN;
    s->end = split == DG_TRAIN ? N_TRAIN : N_IMAGES;
    *stream = &s->base;
    return T2_OK;
}

/* A JPEG as Pillow saves it; height and width are those of the grid, as in the original. */
static enum t2_status finish(const struct dg_problem *p, const struct dg_texts *texts,
                             struct dg_record *r, struct t2_err *err)
{
    const struct aug_jpeg_settings how = {.quality = JPEG_QUALITY, .no_density = true};
    struct t2_slice pixels = texts->text[DG_CONTEXT], format = t2_slice_of("jpeg");
    struct aug_image tile = {.data = NULL};
    enum t2_status st;

    (void) p;
    st = aug_image_resize(&tile, SIDE, SIDE, (int32_t) (pixels.len_bytes / (SIDE * SIDE)), err);
    if (st == T2_OK) {
        memcpy(tile.data, pixels.data, pixels.len_bytes);
        st = aug_jpeg_encode(&tile, &how, &r->made, err);
    }
    aug_image_release(&tile);
    if (st == T2_OK)
        dg_record_image(r, t2_buf_slice(&r->made), &format, GRID, GRID);
    return st;
}

/* ---- the problems ---- */

/* clang-format off */
static const char *const fields[] = {"image/encoded bytes", "image/format bytes",
                                     "image/height int64", "image/width int64", NULL};
/* Written under their final names, so that the original's shuffle passes over them. */
#define BRAIN(suffix, summary_)                                                                    \
    {.name = "img2img_allen_brain" suffix, .dataset_filename = "img2img_allen_brain",              \
     .summary = summary_, .has_inputs = true,                                                      \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},                               \
     .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256, .raw_ids = true},             \
     .n_shards = {100, 10}, .licence = "Allen Institute terms of use (non-commercial, with citation)", \
     .record.replaces_sides = true, .sharding.already_shuffled = true, .prepare = prepare, .open = open_tiles, \
     .record.finish = finish, .record.more_fields = fields}

static const struct dg_problem problems[] = {
    BRAIN("", "sections of mouse brains, 64 x 64"),
    BRAIN("_dim48to64", "sections of mouse brains, 48 x 48 to 64 x 64"),
    BRAIN("_dim8to32", "sections of mouse brains, 8 x 8 to 32 x 32"),
    BRAIN("_dim16to16_paint1", "sections of mouse brains, 16 x 16 with a hole"),
};
/* clang-format on */
const struct dg_family dg_family_allen_brain = {"Allen Brain Atlas", problems, DG_COUNT(problems)};
