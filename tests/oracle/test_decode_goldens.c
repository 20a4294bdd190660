/*
 * test_decode_goldens.c - T2_DATA/goldens/images/decode.tsv: verdict, size and hash of the pixels
 * of every image, as TensorFlow 1.15 and 2.21 decode it, and turned upright as Pillow does it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/codec.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"

struct variant {
    const char *name;
    struct aug_decode how;
};

static const struct variant variants[] = {
    {"jpeg.c0", {.channels = 0}},
    {"jpeg.c1", {.channels = 1}},
    {"jpeg.c3", {.channels = 3}},
    {"jpeg.c3.accurate", {.channels = 3, .dct = AUG_DCT_ACCURATE}},
    {"jpeg.c3.nofancy", {.channels = 3, .plain_upsampling = true}},
    {"jpeg.c3.accurate.nofancy",
     {.channels = 3, .dct = AUG_DCT_ACCURATE, .plain_upsampling = true}},
    {"jpeg.c3.recover", {.channels = 3, .recover = true}},
    {"jpeg.c3.recover.half", {.channels = 3, .recover = true, .acceptable_fraction = 0.5}},
    {"jpeg.c3.ratio2", {.channels = 3, .ratio = 2}},
    {"jpeg.c3.ratio4", {.channels = 3, .ratio = 4}},
    {"jpeg.c3.ratio8", {.channels = 3, .ratio = 8}},
    {"image.c0", {.channels = 0}},
    {"image.c3", {.channels = 3}},
    {"png.c0", {.channels = 0}},
    {"png.c3", {.channels = 3}},
    {"rgb.exif_transpose", {.channels = 3, .dct = AUG_DCT_ACCURATE, .apply_exif = true}},
};

static const struct variant *find_variant(const char *name)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].name, name) == 0)
            return &variants[i];
    return NULL;
}

enum { FILE_NAME, VERDICT, SHAPE, SHA256, MEAN, VARIANTS, N_COLUMNS };

struct row {
    struct t2_strs columns;
    struct t2_buf *file;
    enum aug_kind kind;
    struct aug_info info; /* kind unknown when there is none */
    unsigned done_well;   /* bits of variants: both versions of TensorFlow are in a row */
    char name[256];       /* of what is in file */
};

static int n_checked, n_wrong;

static void wrong(const struct row *r, const char *variant, const char *ours)
{
    print_error("%s %s: %s %s; ours: %s\n", r->columns.items[FILE_NAME], variant,
                r->columns.items[VERDICT], r->columns.items[SHAPE], ours);
    n_wrong++;
}

/* Where we are better or other on purpose. */
static bool is_ours(const struct row *r, const char *library, const char *variant)
{
    const char *file = r->columns.items[FILE_NAME];

    /* decode_jpeg does not read BMP and animated GIF; we go by content */
    if ((r->kind == AUG_BMP || r->kind == AUG_GIF) && strncmp(variant, "image", 5) != 0)
        return true;
    /* decode_image of TF 1 gives all frames */
    if (r->kind == AUG_GIF && strcmp(library, "tf1.15.5") == 0)
        return true;
    /* damaged: other pixels in the libjpeg-turbo of TF 1.15 */
    if (strcmp(library, "tf1.15.5") == 0 && strstr(file, "subtract-with-overflow.jpg"))
        return true;
    /* Pillow, for the turning only: of JPEG whose colours it converts as libjpeg does */
    if (strncmp(library, "pil", 3) == 0)
        return r->info.orientation == 1 || r->info.colour == AUG_CMYK || r->info.colour == AUG_YCCK;
    return false;
}

/* Damaged, with coefficients beyond the format's range: libjpeg-turbo's forms for x86-64, for NEON
 * and in plain C overflow in different ways, and the recordings are of x86-64. */
static bool is_overflow_elsewhere(const struct row *r)
{
#ifdef __x86_64__
    (void) r;
#else
    static const char *const files[] = {"/dc-predictor-overflow.jpg", "/subtract-with-overflow.jpg",
                                        "/hopper_bad_exif.jpg", "/bad_huffman.jpg",
                                        "/corrupt34_2.jpg"};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strstr(r->columns.items[FILE_NAME], files[i]))
            return true;
#endif
    return false;
}

static void check_header(const struct row *r, const char *variant)
{
    char ours[64] = "refused";

    /* extract_jpeg_shape reads nothing else; and it starts to decode, where this one is damaged */
    if (r->kind != AUG_JPEG || strstr(r->columns.items[FILE_NAME], "oss-fuzz-36829.jpeg"))
        return;
    n_checked++;
    if (r->info.kind == AUG_JPEG)
        snprintf(ours, sizeof ours, "%d,%d,%d", r->info.height, r->info.width, r->info.components);
    if (strcmp(r->columns.items[VERDICT], "ok") == 0 ? strcmp(ours, r->columns.items[SHAPE]) != 0
                                                     : strcmp(ours, "refused") != 0)
        wrong(r, variant, ours);
}

static void check(struct row *r, const char *library, const char *name)
{
    const struct variant *v = find_variant(name);
    struct aug_image im = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;
    char shape[64], sha[T2_SHA256_HEX];
    enum t2_status st;

    if (strcmp(name, "header") == 0)
        check_header(r, name);
    if (!v || is_ours(r, library, name))
        return;
    n_checked++;
    if (r->done_well & (1u << (v - variants)))
        return;
    st = aug_decode(r->file->data, r->file->len_bytes, &v->how, &im, NULL, &err);
    r->done_well |= 1u << (v - variants);
    if (st != T2_OK) {
        if (strcmp(r->columns.items[VERDICT], "refused") != 0)
            wrong(r, name, err.message);
    } else {
        snprintf(shape, sizeof shape, "%dx%dx%d", im.height, im.width, im.channels);
        t2_sha256_of(im.data, im.stride_bytes * (size_t) im.height, sha);
        if (strcmp(shape, r->columns.items[SHAPE]) != 0 ||
            (strcmp(sha, r->columns.items[SHA256]) != 0 && !is_overflow_elsewhere(r)))
            wrong(r, name, strcmp(shape, r->columns.items[SHAPE]) != 0 ? shape : sha);
    }
    aug_image_release(&im);
}

static void check_row(struct row *r)
{
    struct t2_strs list = {NULL, 0, 0};

    t2_strs_split(&list, r->columns.items[VARIANTS], ',');
    for (size_t i = 0; i < list.n; i++) {
        char *colon = strchr(list.items[i], ':');
        assert_non_null(colon);
        *colon = 0;
        if (strncmp(list.items[i], "tf", 2) == 0 || strcmp(colon + 1, "rgb.exif_transpose") == 0)
            check(r, list.items[i], colon + 1);
    }
    t2_strs_release(&list);
}

static void read_image(struct row *r)
{
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_data_path(r->columns.items[FILE_NAME]);

    if (strcmp(r->name, r->columns.items[FILE_NAME]) == 0)
        return; /* as in the row before */
    snprintf(r->name, sizeof r->name, "%s", r->columns.items[FILE_NAME]);
    assert_non_null(path);
    assert_int_equal(t2_read_file(path, 0, r->file, &err), T2_OK);
    r->kind = aug_sniff(r->file->data, r->file->len_bytes);
    r->info = (struct aug_info){.orientation = 1};
    if (aug_probe(r->file->data, r->file->len_bytes, &r->info, &err) != T2_OK)
        r->info = (struct aug_info){.orientation = 1};
}

static void test_table(void **state)
{
    const char *path = t_data_path("goldens/images/decode.tsv");
    struct t2_strs lines = {NULL, 0, 0};
    struct t2_buf file = {NULL, 0, 0};
    char *table;
    size_t n;

    (void) state;
    if (!path)
        t_skip("no goldens/images/decode.tsv in T2_DATA");
    table = t_read_file(path, &n);
    t2_strs_split(&lines, table, '\n');
    struct row r = {.file = &file};
    for (size_t i = 1; i < lines.n; i++) {
        r.done_well = 0;
        t2_strs_split(&r.columns, lines.items[i], '\t');
        if (r.columns.n >= N_COLUMNS) {
            read_image(&r);
            check_row(&r);
        }
        t2_strs_release(&r.columns);
    }
    print_message("%d verdicts and hashes checked, %d wrong\n", n_checked, n_wrong);
    assert_true(n_checked > 0);
    assert_int_equal(n_wrong, 0);
    t2_strs_release(&lines);
    t2_buf_release(&file);
    free(table);
}

T_MAIN(cmocka_unit_test(test_table))
