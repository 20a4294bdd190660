/*
 * augment/png.c - PNG by libpng: the only file that knows it.
 *
 * libpng calls back for bytes, memory, warnings and errors; the last must not return, so each use
 * of it lies behind a setjmp in a function of its own, with all state in struct reader.
 */
#include "augment/png.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "augment/exif.h"
#include "augment/limits.h"
#include "base/alloc.h"
#include "base/signals.h"

enum { DEFLATE_MAX_RATIO = 1032, MAX_MEM_LEVEL = 9 };

enum { MAX_CHUNK_BYTES = 8 << 20, CHUNK_NAME_BYTES = 5 };

/* Chunks that change no pixel: libpng would make room for as many bytes as they claim to have.
 * Those about colour stay, because they take part in the conversion to grey. */
static const png_byte skipped[] =
    "bKGD\0eXIf\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sCAL\0sPLT\0tEXt\0tIME\0zTXt";

struct reader {
    png_structp png;
    png_infop info;
    const uint8_t *data;
    size_t left;
    bool begun; /* rows are being read: with `recover` a failure from here on is none */
    int64_t n_warnings;
    char message[160], first_warning[160];
};

/* libpng's error callback; png_longjmp returns to the setjmp of the function in progress. */
static void on_error(png_structp png, png_const_charp message)
{
    struct reader *r = png_get_error_ptr(png);

    snprintf(r->message, sizeof r->message, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    struct reader *r = png_get_error_ptr(png);

    if (r->n_warnings++ == 0)
        snprintf(r->first_warning, sizeof r->first_warning, "%s", message);
}

/* Allocation failure ends the program: otherwise a good image would be refused as damaged. */
static png_voidp library_malloc(png_structp png, png_alloc_size_t n)
{
    (void) png;
    return t2_library_malloc(n);
}

static void library_free(png_structp png, png_voidp p)
{
    (void) png;
    t2_free(p);
}

static void on_read(png_structp png, png_bytep to, size_t n)
{
    struct reader *r = png_get_io_ptr(png);

    if (n > r->left) {
        r->n_warnings += r->begun; /* with `recover` this is the only trace of it */
        png_error(png, "the file is cut short");
    }
    memcpy(to, r->data, n);
    r->data += n;
    r->left -= n;
}

static enum t2_status reader_new(const uint8_t *file, size_t len_bytes, struct reader **out,
                                 struct t2_err *err)
{
    struct reader *r = t2_alloc(1, sizeof *r);

    r->data = file;
    r->left = len_bytes;
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, on_error, on_warning, NULL,
                                      library_malloc, library_free);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    *out = r;
    if (!r->info)
        return t2_fail(err, T2_EUNSUPPORTED, "PNG: libpng is not the one this was built with");
    png_set_read_fn(r->png, r, on_read);
    png_set_chunk_malloc_max(r->png, MAX_CHUNK_BYTES);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, skipped,
                                (int) (sizeof skipped / CHUNK_NAME_BYTES));
    return T2_OK;
}

static void reader_free(struct reader *r)
{
    png_destroy_read_struct(&r->png, &r->info, NULL);
    t2_free(r);
}

static enum t2_status refuse(const struct reader *r, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "PNG: %s", r->message);
}

/* ---- the header ---- */

static void fill_info(struct reader *r, struct aug_info *info)
{
    int type = png_get_color_type(r->png, r->info);
    bool transparent = png_get_valid(r->png, r->info, PNG_INFO_tRNS) != 0;

    *info = (struct aug_info){.kind = AUG_PNG,
                              .width = (int32_t) png_get_image_width(r->png, r->info),
                              .height = (int32_t) png_get_image_height(r->png, r->info),
                              .components = type == PNG_COLOR_TYPE_PALETTE
                                                ? (transparent ? 4 : 3)
                                                : png_get_channels(r->png, r->info),
                              .bits = png_get_bit_depth(r->png, r->info),
                              .orientation = 1,
                              .progressive =
                                  png_get_interlace_type(r->png, r->info) != PNG_INTERLACE_NONE};
    info->colour = type == PNG_COLOR_TYPE_PALETTE      ? AUG_PALETTE
                   : type == PNG_COLOR_TYPE_GRAY       ? AUG_GREY
                   : type == PNG_COLOR_TYPE_GRAY_ALPHA ? AUG_GREY_ALPHA
                   : type == PNG_COLOR_TYPE_RGB        ? AUG_RGB
                                                       : AUG_RGBA;
}

/* setjmp is in functions of their own, so that nothing lives across the jump. */
static __attribute__((noinline)) enum t2_status guarded_probe(struct reader *r,
                                                              struct aug_info *info,
                                                              struct t2_err *err)
{
    if (setjmp(png_jmpbuf(r->png)))
        return refuse(r, err);
    png_read_info(r->png, r->info);
    fill_info(r, info);
    return T2_OK;
}

enum t2_status aug_png_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                             struct t2_err *err)
{
    struct reader *r = NULL;
    enum t2_status st = reader_new(file, len_bytes, &r, err);

    if (st == T2_OK)
        st = guarded_probe(r, info, err);
    reader_free(r);
    if (st == T2_OK)
        info->orientation = aug_exif_orientation(file, len_bytes);
    return st;
}

/* ---- decoding ---- */

/* The transformations of tensorflow/core/lib/png/png_io.cc for `channels` of 8 bits. */
static void set_transformations(struct reader *r, const struct aug_info *info, int32_t channels)
{
    png_structp png = r->png;
    bool has_alpha = info->colour == AUG_GREY_ALPHA || info->colour == AUG_RGBA;
    bool has_trns = png_get_valid(png, r->info, PNG_INFO_tRNS) != 0;
    bool is_grey = info->colour == AUG_GREY || info->colour == AUG_GREY_ALPHA;

    if (channels % 2 == 0) {
        if (!has_alpha && has_trns)
            png_set_tRNS_to_alpha(png);
        else if (!has_alpha)
            png_set_add_alpha(png, (1u << info->bits) - 1, PNG_FILLER_AFTER);
    } else if (has_alpha || has_trns) {
        png_set_strip_alpha(png);
    }
    if (info->bits > 8)
        png_set_strip_16(png);
    png_set_packing(png);
    if (info->colour == AUG_PALETTE)
        png_set_palette_to_rgb(png);
    if (is_grey && info->bits < 8)
        png_set_expand_gray_1_2_4_to_8(png);
    if (channels < 3 && !is_grey)
        png_set_rgb_to_gray(png, 1, 0.299, 0.587);
    else if (channels >= 3 && is_grey)
        png_set_gray_to_rgb(png);
}

/* Before anything is allocated: the limits, and that deflate, which packs 1032 bytes into one at
 * the most, can have made the image out of so few bytes. */
static enum t2_status check_size(const struct aug_info *info, int32_t channels, size_t len_bytes,
                                 size_t row_bytes, const struct aug_decode *how, struct t2_err *err)
{
    T2_TRY(aug_check_size(AUG_PNG, info->width, info->height, info->components, how, err));
    T2_TRY(aug_check_memory(AUG_PNG, info->width, info->height, channels, 1, how, err));
    if (!how->recover && (uint64_t) info->height * row_bytes / DEFLATE_MAX_RATIO > len_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "PNG: %d x %d pixels cannot be in %zu bytes: the file is cut short",
                       info->width, info->height, len_bytes);
    return T2_OK;
}

/* Up to the first row. */
static enum t2_status begin(struct reader *r, size_t len_bytes, const struct aug_decode *how,
                            struct aug_image *out, struct t2_err *err)
{
    struct aug_info info;
    int32_t channels;

    png_read_info(r->png, r->info);
    fill_info(r, &info);
    channels = how->channels > 0 ? how->channels : info.components;
    if (channels > 4)
        return t2_fail(err, T2_EUNSUPPORTED, "a PNG cannot be decoded to %d channels", channels);
    T2_TRY(check_size(&info, channels, len_bytes, png_get_rowbytes(r->png, r->info), how, err));
    set_transformations(r, &info, channels);
    (void) png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) != (size_t) info.width * (size_t) channels)
        return t2_fail(err, T2_EFORMAT, "PNG: a transformation to %d channels that does not exist",
                       channels);
    T2_TRY(aug_image_resize(out, info.height, info.width, channels, err));
    if (how->recover) /* else all rows are read, or nothing is returned */
        memset(out->data, 0, out->stride_bytes * (size_t) out->height);
    return T2_OK;
}

static enum t2_status read_rows(struct reader *r, const struct aug_image *out, struct t2_err *err)
{
    int n_passes = png_get_interlace_type(r->png, r->info) == PNG_INTERLACE_NONE
                       ? 1
                       : PNG_INTERLACE_ADAM7_PASSES;

    for (int pass = 0; pass < n_passes; pass++)
        for (int32_t y = 0; y < out->height; y++) {
            T2_TRY(t2_check_interrupt(err));
            png_read_row(r->png, aug_row(out, y), NULL);
        }
    png_read_end(r->png, r->info);
    return T2_OK;
}

static __attribute__((noinline)) enum t2_status guarded_decode(struct reader *r,
                                                               const struct aug_decode *how,
                                                               struct aug_image *out,
                                                               struct t2_err *err)
{
    if (setjmp(png_jmpbuf(r->png)))
        return r->begun && how->recover ? T2_OK : refuse(r, err);
    T2_TRY(begin(r, r->left, how, out, err));
    r->begun = true;
    return read_rows(r, out, err);
}

enum t2_status aug_png_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                              struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    struct reader *r = NULL;
    enum t2_status st = reader_new(file, len_bytes, &r, err);

    if (st == T2_OK)
        st = guarded_decode(r, how, out, err);
    if (notes) {
        *notes = (struct aug_notes){.n_warnings = r->n_warnings};
        snprintf(notes->first, sizeof notes->first, "%s", r->first_warning);
    }
    reader_free(r);
    return st;
}

/* ---- encoding ---- */

static void on_write(png_structp png, png_bytep data, size_t n)
{
    t2_buf_append(png_get_io_ptr(png), data, n);
}

static void on_flush(png_structp png)
{
    (void) png;
}

static __attribute__((noinline)) enum t2_status guarded_encode(struct reader *r,
                                                               const struct aug_image *im,
                                                               int level, struct t2_buf *out,
                                                               struct t2_err *err)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};

    if (setjmp(png_jmpbuf(r->png)))
        return refuse(r, err);
    png_set_write_fn(r->png, out, on_write, on_flush);
    png_set_compression_level(r->png, level);
    png_set_compression_mem_level(r->png, MAX_MEM_LEVEL); /* as TensorFlow */
    png_set_IHDR(r->png, r->info, (png_uint_32) im->width, (png_uint_32) im->height, 8,
                 types[im->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(r->png, r->info);
    for (int32_t y = 0; y < im->height; y++)
        png_write_row(r->png, aug_row(im, y));
    png_write_end(r->png, NULL);
    return T2_OK;
}

enum t2_status aug_png_encode(const struct aug_image *im, int level, struct t2_buf *out,
                              struct t2_err *err)
{
    struct reader r = {.png = NULL};
    size_t before = out->len_bytes;
    enum t2_status st;

    if (im->channels < 1 || im->channels > 4)
        return t2_fail(err, T2_EUNSUPPORTED, "a PNG cannot be made of %d channels", im->channels);
    r.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, NULL,
                                      library_malloc, library_free);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    st = r.info ? guarded_encode(&r, im, level, out, err)
                : t2_fail(err, T2_EUNSUPPORTED, "PNG: libpng is not the one this was built with");
    if (st != T2_OK)
        out->len_bytes = before;
    png_destroy_write_struct(&r.png, &r.info);
    return st;
}
