/*
 * augment/jpeg.c - JPEG by libjpeg-turbo: the only file that knows it.
 *
 * What TensorFlow refuses is refused, down to the way it hands bytes to libjpeg (jpeg_handle.cc): a
 * source that cannot give more in the middle of a unit makes libjpeg stop, at the start of one it
 * is an error.  libjpeg's warnings are no reason to refuse.
 *
 *   file --source--> libjpeg's headers --> entropy decoder --> coefficients of units
 *                                          decode_unit (ours) or libjpeg's
 *        --> inverse DCT, upsampling, colours --> rows --> out
 *
 * One decode goes through jpeg_read_header, prepare (colours, ratio, limits),
 * jpeg_start_decompress, use_own_huffman, read_lines.  A unit (MCU) is the smallest group of
 * blocks of 8 x 8 coefficients with all components: with 4:2:0 four of Y, one of Cb, one of Cr,
 * for 16 x 16 pixels.
 *
 * libjpeg reports errors through a callback that must not return, so every call of it lies behind
 * a setjmp (guarded_*); all that must survive the jump is in struct reader, on the heap.
 */
#include "augment/jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>
#include <jpegint.h>

#include "augment/exif.h"
#include "augment/jpeg_huffman.h"
#include "augment/limits.h"
#include "base/alloc.h"
#include "base/signals.h"

enum {
    MAX_FILLS = 4096, /* more than any unit has bytes */
    DENSITY = 300     /* dots per inch in the JFIF header, as TensorFlow's encoder writes */
};
static const JOCTET fake_end[2] = {0xff, JPEG_EOI};

/* ---- errors: libjpeg calls back and must not be returned to ---- */

struct errors {
    struct jpeg_error_mgr manager; /* first: libjpeg's pointer to it is a pointer to us */
    jmp_buf jump;
    int64_t n_warnings;
    int code;
    char message[JMSG_LENGTH_MAX], first_warning[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr c)
{
    struct errors *e = (struct errors *) c->err;

    e->code = c->err->msg_code;
    c->err->format_message(c, e->message);
    longjmp(e->jump, 1);
}

static void on_message(j_common_ptr c, int level)
{
    struct errors *e = (struct errors *) c->err;

    if (level >= 0) /* tracing */
        return;
    if (e->n_warnings++ == 0)
        c->err->format_message(c, e->first_warning);
}

static void on_output(j_common_ptr c)
{
    (void) c;
}

static struct jpeg_error_mgr *errors_init(struct errors *e)
{
    struct jpeg_error_mgr *m = jpeg_std_error(&e->manager);

    m->error_exit = on_error;
    m->emit_message = on_message;
    m->output_message = on_output;
    return m;
}

static enum t2_status refuse(const struct errors *e, struct t2_err *err)
{
    if (e->code == JERR_OUT_OF_MEMORY)
        t2_out_of_memory("JPEG: %s", e->message);
    if (e->code == JERR_FILE_READ) /* its message speaks of the disk */
        return t2_fail(err, T2_EFORMAT, "JPEG: the file is cut short");
    bool valid = e->code == JERR_BAD_PRECISION || e->code == JERR_SOF_UNSUPPORTED ||
                 e->code == JERR_ARITH_NOTIMPL || e->code == JERR_CONVERSION_NOTIMPL;

    return t2_fail(err, valid ? T2_EUNSUPPORTED : T2_EFORMAT, "JPEG: %s", e->message);
}

static enum t2_status cut_short(struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "JPEG: the file is cut short");
}

/* ---- reading: the source ---- */

struct reader {
    struct jpeg_decompress_struct c;
    struct errors errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    const uint8_t *data;
    size_t len_bytes;
    bool recover;
    const JOCTET *filled_at; /* where the last refill was asked for, and how often there */
    int n_fills;
    uint8_t *line;         /* (output_width, output_components): CMYK, or wider than out */
    struct aug_scan *scan; /* in place of libjpeg's Huffman decoder; NULL: that one */
    struct aug_scan *own_scan,
        **kept;              /* owner of `scan`: this reader, or the caller across files */
    uint64_t units_left;     /* of the scan */
    JDIMENSION column;       /* of the next unit */
    bool is_odd;             /* `scan` gave up */
    struct t2_budget blocks; /* of 64 coefficients, counted once per scan */
    bool is_collecting;      /* scans into the coefficients of the image, before the first line */
    enum t2_status stopped;  /* by us, with `stop`, and not by libjpeg */
    struct t2_err stop;
};

/* Leaves libjpeg when it did too much or a signal came. */
static void spend(struct reader *r, uint64_t n_blocks)
{
    r->stopped = t2_budget_spend(&r->blocks, n_blocks, &r->stop);
    if (r->stopped != T2_OK)
        longjmp(r->errors.jump, 1);
}

static void source_init(j_decompress_ptr c)
{
    struct reader *r = (struct reader *) c;

    c->src->next_input_byte = r->data;
    c->src->bytes_in_buffer = r->len_bytes;
}

/*
 * libjpeg asks for more when its source is empty or ends within a unit.  The whole file is in
 * memory, so there is never more.  Without `recover` this is the end of the file cut short
 * (TensorFlow's behaviour); with it, an end marker is made up, behind which libjpeg supplies the
 * rest.
 */
static boolean source_fill(j_decompress_ptr c)
{
    struct reader *r = (struct reader *) c;

    /* libjpeg keeps its place in a unit to itself: what is left here is from the unit's start. When
     * recovering, it reads the unit's bytes again, which in a header would have no end. */
    if (c->src->bytes_in_buffer > 0) {
        r->n_fills = c->src->next_input_byte == r->filled_at ? r->n_fills + 1 : 0;
        r->filled_at = c->src->next_input_byte;
        if (r->n_fills > MAX_FILLS)
            ERREXIT(c, JERR_FILE_READ);
        return r->recover ? TRUE : FALSE;
    }
    if (c->src->next_input_byte == fake_end || !r->recover)
        ERREXIT(c, JERR_FILE_READ);
    WARNMS(c, JWRN_JPEG_EOF);
    c->src->next_input_byte = fake_end;
    c->src->bytes_in_buffer = sizeof fake_end;
    return TRUE;
}

static void source_skip(j_decompress_ptr c, long n)
{
    if (n <= 0)
        return;
    if ((size_t) n > c->src->bytes_in_buffer) {
        c->src->bytes_in_buffer = 0;
        (void) source_fill(c);
    } else {
        c->src->bytes_in_buffer -= (size_t) n;
        c->src->next_input_byte += n;
    }
}

static void source_end(j_decompress_ptr c)
{
    (void) c;
}

/* Called before each row of units.  A progressive file repeats the image once per scan, and a few
 * bytes name a scan, so the blocks of all scans are counted against the size of the file. */
static void on_progress(j_common_ptr common)
{
    struct reader *r = (struct reader *) common;
    const struct jpeg_decompress_struct *c = &r->c;
    uint64_t rows = c->comps_in_scan == 1 ? (uint64_t) c->cur_comp_info[0]->v_samp_factor : 1;

    if (r->is_collecting)
        spend(r, rows * c->MCUs_per_row * (uint64_t) c->blocks_in_MCU);
}

static struct reader *reader_new(const uint8_t *file, size_t len_bytes)
{
    struct reader *r = t2_alloc(1, sizeof *r);

    r->c.err = errors_init(&r->errors);
    r->data = file;
    r->len_bytes = len_bytes;
    return r;
}

/* After setjmp. */
static void reader_init(struct reader *r, bool recover)
{
    jpeg_create_decompress(&r->c);
    r->recover = recover;
    r->source = (struct jpeg_source_mgr){.init_source = source_init,
                                         .fill_input_buffer = source_fill,
                                         .skip_input_data = source_skip,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = source_end};
    r->c.src = &r->source;
    r->progress.progress_monitor = on_progress;
    r->c.progress = &r->progress;
}

static void reader_free(struct reader *r)
{
    jpeg_destroy_decompress(&r->c); /* nothing to do when it was not created: all zero */
    t2_free(r->line);
    t2_free(r->own_scan);
    t2_free(r);
}

/* ---- the header ---- */

static void name_sampling(const struct jpeg_decompress_struct *c, char *to, size_t n)
{
    static const struct {
        int h, v;
        const char *name;
    } known[] = {{1, 1, "4:4:4"}, {2, 1, "4:2:2"}, {2, 2, "4:2:0"},
                 {1, 2, "4:4:0"}, {4, 1, "4:1:1"}, {4, 2, "4:1:0"}};
    const jpeg_component_info *k = c->comp_info;
    bool plain = c->num_components >= 3 && k[1].h_samp_factor == k[2].h_samp_factor &&
                 k[1].v_samp_factor == k[2].v_samp_factor &&
                 k[0].h_samp_factor % k[1].h_samp_factor == 0 &&
                 k[0].v_samp_factor % k[1].v_samp_factor == 0;

    snprintf(to, n, "other");
    for (size_t i = 0; plain && i < sizeof known / sizeof *known; i++)
        if (k[0].h_samp_factor == known[i].h * k[1].h_samp_factor &&
            k[0].v_samp_factor == known[i].v * k[1].v_samp_factor)
            snprintf(to, n, "%s", known[i].name);
}

static enum t2_status fill_info(const struct jpeg_decompress_struct *c, struct aug_info *info,
                                struct t2_err *err)
{
    *info = (struct aug_info){.kind = AUG_JPEG,
                              .width = (int32_t) c->image_width,
                              .height = (int32_t) c->image_height,
                              .components = c->num_components,
                              .bits = c->data_precision,
                              .orientation = 1,
                              .progressive = c->progressive_mode,
                              .arithmetic = c->arith_code,
                              .adobe = c->saw_Adobe_marker,
                              .restarts = c->restart_interval > 0};
    switch (c->jpeg_color_space) {
    case JCS_GRAYSCALE:
        info->colour = AUG_GREY;
        return T2_OK;
    case JCS_RGB:
        info->colour = AUG_RGB;
        return T2_OK;
    case JCS_CMYK:
        info->colour = AUG_CMYK;
        return T2_OK;
    case JCS_YCbCr:
    case JCS_YCCK:
        info->colour = c->jpeg_color_space == JCS_YCCK ? AUG_YCCK : AUG_YCBCR;
        name_sampling(c, info->sampling, sizeof info->sampling);
        return T2_OK;
    default:
        return t2_fail(err, T2_EUNSUPPORTED, "JPEG: %d components of unknown colours",
                       c->num_components);
    }
}

/* setjmp is in functions of their own, so that nothing lives across the jump. */
static __attribute__((noinline)) enum t2_status guarded_probe(struct reader *r,
                                                              struct aug_info *info,
                                                              struct t2_err *err)
{
    if (setjmp(r->errors.jump))
        return refuse(&r->errors, err);
    reader_init(r, false);
    return jpeg_read_header(&r->c, TRUE) == JPEG_HEADER_OK ? fill_info(&r->c, info, err)
                                                           : cut_short(err);
}

enum t2_status aug_jpeg_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                              struct t2_err *err)
{
    struct reader *r = reader_new(file, len_bytes);
    enum t2_status st = guarded_probe(r, info, err);

    if (st == T2_OK)
        info->orientation = aug_exif_orientation(file, len_bytes);
    reader_free(r);
    return st;
}

/* ---- Huffman decoding by us ---- */

/*
 * libjpeg-turbo calls its entropy decoder through a pointer, c->entropy->decode_mcu, whose place
 * its header jpegint.h gives; it is the same in all versions of this ABI.  Three quarters of
 * decoding is Huffman decoding, and ours is 1.15 times as fast on whole images and 1.2 times on
 * windows (bench/results/2026-11-22-jpeg-notes.md); transform, upsampling and colours stay
 * libjpeg's, which has them in SIMD.
 */
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && LIBJPEG_TURBO_VERSION_NUMBER >= 2000000 &&            \
    LIBJPEG_TURBO_VERSION_NUMBER < 4000000 && JPEG_LIB_VERSION == 62
_Static_assert(sizeof(JCOEF) == sizeof(int16_t), "coefficients");
_Static_assert(D_MAX_BLOCKS_IN_MCU <= AUG_SCAN_BLOCKS, "blocks of a unit");
_Static_assert(NUM_HUFF_TBLS <= AUG_SCAN_TABLES, "tables");
_Static_assert(MAX_COMPS_IN_SCAN <= AUG_SCAN_TABLES, "components");

/*
 * Leaves libjpeg; aug_jpeg_decode starts again with libjpeg's own decoder, which then finds the
 * same bytes odd and warns, mends or refuses them exactly as TensorFlow does.
 */
static void give_up(struct reader *r)
{
    r->is_odd = true;
    longjmp(r->errors.jump, 1);
}

/*
 * Stands in for libjpeg's decode_mcu: one unit of coefficients into blocks[], each (64) int16 in
 * natural order and zeroed by libjpeg.  Behind the last unit the source is set to the marker, as
 * libjpeg's decoder leaves it.
 */
static boolean decode_unit(j_decompress_ptr c, JBLOCKROW *blocks)
{
    struct reader *r = (struct reader *) c;
    /* libjpeg does not look at units beside the window, and gives no blocks above it */
    bool wanted =
        blocks && r->column >= c->master->first_iMCU_col && r->column <= c->master->last_iMCU_col;
    int16_t *to[AUG_SCAN_BLOCKS];

    r->column = r->column + 1 < c->MCUs_per_row ? r->column + 1 : 0;
    for (size_t i = 0; wanted && i < r->scan->n_blocks; i++)
        to[i] = blocks[i][0];
    if (r->units_left == 0 || !aug_scan_unit(r->scan, wanted ? to : NULL))
        give_up(r);
    if (--r->units_left > 0)
        return TRUE;
    if (!aug_scan_is_at_marker(r->scan))
        give_up(r);
    c->src->next_input_byte = r->scan->at;
    c->src->bytes_in_buffer = (size_t) (r->scan->end - r->scan->at);
    return TRUE;
}

/*
 * Tables by the numbers in the scan header.  Blocks of one component follow each other, and Cb and
 * Cr mostly share their tables, so a table is made only at its first use.
 */
static bool make_tables(struct aug_scan *s, const struct jpeg_decompress_struct *c)
{
    for (int i = 0; i < c->blocks_in_MCU; i++) {
        int component = c->MCU_membership[i];
        const jpeg_component_info *k = c->cur_comp_info[component];
        const JHUFF_TBL *dc = c->dc_huff_tbl_ptrs[k->dc_tbl_no];
        const JHUFF_TBL *ac = c->ac_huff_tbl_ptrs[k->ac_tbl_no];
        bool is_new = i == 0 || c->MCU_membership[i - 1] != component;
        s->blocks[i].dc = (uint8_t) k->dc_tbl_no;
        s->blocks[i].ac = (uint8_t) k->ac_tbl_no;
        s->blocks[i].component = (uint8_t) component;
        for (int before = 0; before < i && is_new; before++) /* shared by Cb and Cr */
            is_new = s->blocks[before].dc != k->dc_tbl_no || s->blocks[before].ac != k->ac_tbl_no;
        if (!dc || !ac ||
            (is_new && (!aug_scan_table_make(&s->dc[k->dc_tbl_no], false, dc->bits, dc->huffval) ||
                        !aug_scan_table_make(&s->ac[k->ac_tbl_no], true, ac->bits, ac->huffval))))
            return false;
    }
    s->n_blocks = (size_t) c->blocks_in_MCU;
    return true;
}

/* Whether a marker follows within the bytes.  In a file without one libjpeg stops some bytes before
 * the end, and our decoder would read them; such files are left to libjpeg. */
static bool ends_with_marker(const uint8_t *data, size_t len_bytes)
{
    for (size_t i = len_bytes; i >= 2; i--)
        if (data[i - 2] == 0xff && data[i - 1] != 0 && data[i - 1] != 0xff)
            return true;
    return false;
}

/* After jpeg_start_decompress.  Files of several scans, with restarts or arithmetic coding are
 * libjpeg's. */
static void use_own_huffman(struct reader *r)
{
    struct jpeg_decompress_struct *c = &r->c;

    if (c->progressive_mode || c->arith_code || c->restart_interval > 0 ||
        jpeg_has_multiple_scans(c) || c->comps_in_scan != c->num_components || c->Ss != 0 ||
        c->Se != DCTSIZE2 - 1 || c->Ah != 0 || c->Al != 0 || c->unread_marker != 0 ||
        !ends_with_marker(c->src->next_input_byte, c->src->bytes_in_buffer))
        return;
    if (!*r->kept)
        *r->kept = t2_alloc(1, sizeof **r->kept);
    r->scan = *r->kept;
    aug_scan_begin(r->scan, c->src->next_input_byte,
                   c->src->next_input_byte + c->src->bytes_in_buffer);
    r->units_left = (uint64_t) c->MCUs_per_row * c->MCU_rows_in_scan;
    if (make_tables(r->scan, c))
        c->entropy->decode_mcu = decode_unit;
}
#else
static void use_own_huffman(struct reader *r)
{
    (void) r;
}
#endif

/* ---- decoding ---- */

/* Several scans are collected as coefficients of two bytes, of the whole image whatever the
 * ratio. */
static enum t2_status check_size(const struct jpeg_decompress_struct *c,
                                 const struct aug_decode *how, struct t2_err *err)
{
    bool whole = c->inputctl->has_multiple_scans;
    int32_t width = (int32_t) (whole ? c->image_width : c->output_width);
    int32_t height = (int32_t) (whole ? c->image_height : c->output_height);

    T2_TRY(aug_check_size(AUG_JPEG, width, height, c->num_components, how, err));
    return aug_check_memory(AUG_JPEG, width, height, c->num_components, whole ? 3 : 1, how, err);
}

/* Sets libjpeg up; *channels becomes what is delivered. */
static enum t2_status prepare(struct reader *r, const struct aug_decode *how, int32_t *channels,
                              struct t2_err *err)
{
    struct jpeg_decompress_struct *c = &r->c;
    int n = how->channels > 0 ? how->channels : c->num_components < 3 ? c->num_components : 3;
    int ratio = how->ratio > 0 ? how->ratio : 1;

    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
        return t2_fail(err, T2_EUSAGE, "a JPEG can be decoded at 1, 1/2, 1/4, 1/8, not at 1/%d",
                       ratio);
    if (n != 1 && n != 3)
        return t2_fail(err, T2_EUNSUPPORTED, "a JPEG cannot be decoded to %d channels", n);
    *channels = n;
    c->out_color_space = n == 1 ? JCS_GRAYSCALE
                         : c->jpeg_color_space == JCS_CMYK || c->jpeg_color_space == JCS_YCCK
                             ? JCS_CMYK
                             : JCS_RGB;
    c->do_fancy_upsampling = how->plain_upsampling ? FALSE : TRUE;
    c->dct_method = how->dct == AUG_DCT_ACCURATE ? JDCT_ISLOW : JDCT_IFAST;
    c->scale_num = 1;
    c->scale_denom = (unsigned) ratio;
    jpeg_calc_output_dimensions(c);
    return check_size(c, how, err);
}

/* Bounds the work of the scans by the size of the file, and refuses a size in the header that the
 * file is too short for. */
static enum t2_status prepare_work(struct reader *r, struct t2_err *err)
{
    const struct jpeg_decompress_struct *c = &r->c;
    uint64_t n_blocks = 0;

    for (int i = 0; i < c->num_components; i++)
        n_blocks += (uint64_t) c->comp_info[i].width_in_blocks * c->comp_info[i].height_in_blocks;
    if (aug_jpeg_work(&r->blocks, n_blocks, c->arith_code, r->len_bytes) || r->recover)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "JPEG: %u x %u pixels cannot be in %zu bytes: the file is cut short",
                   c->image_width, c->image_height, r->len_bytes);
}

/* (n, 4) to (n, 3) bytes.  TensorFlow's arithmetic: with an Adobe marker values are stored
 * inverted. */
static void cmyk_to_rgb(const uint8_t *cmyk, int32_t n, bool inverted, uint8_t *rgb)
{
    for (int32_t i = 0; i < n; i++, cmyk += 4, rgb += 3) {
        int k = inverted ? cmyk[3] : 255 - cmyk[3];
        for (int j = 0; j < 3; j++)
            rgb[j] = (uint8_t) (k * (inverted ? cmyk[j] : 255 - cmyk[j]) / 255);
    }
}

/* Reads the next line of the window into `to`; false when the data ended. */
static bool read_line(struct reader *r, uint8_t *to, int32_t width, int32_t channels)
{
    struct jpeg_decompress_struct *c = &r->c;
    size_t n = (size_t) c->output_components;
    JSAMPROW row = r->line ? r->line : to;

    if (jpeg_read_scanlines(c, &row, 1) == 0)
        return false;
    if (!r->line)
        return true;
    row += ((size_t) c->output_width - (size_t) width) * n; /* begins at a unit's boundary */
    if (c->out_color_space == JCS_CMYK)
        cmyk_to_rgb(row, width, c->saw_Adobe_marker, to);
    else
        memcpy(to, row, (size_t) width * (size_t) channels);
    return true;
}

/* The data ended before row `n_read` of the window: as many rows as asked for must be there. */
static enum t2_status fill_missing(struct reader *r, const struct aug_decode *how, int32_t n_read,
                                   struct aug_image *out, struct aug_notes *notes,
                                   struct t2_err *err)
{
    double wanted = how->acceptable_fraction > 0 ? how->acceptable_fraction : 1;

    notes->rows_missing = out->height - n_read;
    if (!how->recover && (float) n_read / (float) out->height < (float) wanted)
        return t2_fail(err, T2_EFORMAT, "JPEG: the file is cut short: %d of %d rows are there",
                       n_read, out->height);
    for (int32_t y = n_read; y < out->height; y++)
        if (how->recover && y > 0)
            memcpy(aug_row(out, y), aug_row(out, y - 1), out->stride_bytes);
        else
            memset(aug_row(out, y), 0, out->stride_bytes);
    if (how->recover) /* libjpeg must not ask for the rest */
        r->c.output_scanline = r->c.output_height;
    return T2_OK;
}

/* Between jpeg_start_decompress and the end. */
static enum t2_status read_lines(struct reader *r, const struct aug_decode *how, int32_t channels,
                                 struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    struct jpeg_decompress_struct *c = &r->c;
    int32_t width = (int32_t) c->output_width, height = (int32_t) c->output_height, y = 0;
    const struct aug_window *w = how->window;

    if (w) {
        if (w->x < 0 || w->y < 0 || w->width < 1 || w->height < 1 || w->width > width - w->x ||
            w->height > height - w->y)
            return t2_fail(err, T2_EUSAGE,
                           "window %d x %d at (%d, %d) is not inside an image of %d x %d", w->width,
                           w->height, w->x, w->y, width, height);
        JDIMENSION x = (JDIMENSION) w->x, n = (JDIMENSION) w->width;
        width = w->width;
        height = w->height;
        jpeg_crop_scanline(c, &x, &n);
        if (how->left_too && c->out_color_space != JCS_CMYK)
            width = (int32_t) c->output_width; /* its end is the window's */
        if (w->y > 0 && jpeg_skip_scanlines(c, (JDIMENSION) w->y) != (JDIMENSION) w->y)
            return cut_short(err);
    }
    T2_TRY(aug_image_resize(out, height, width, channels, err));
    if (c->out_color_space == JCS_CMYK || (int32_t) c->output_width != width) {
        r->line = t2_try_alloc(c->output_width, (size_t) c->output_components);
        if (!r->line)
            return t2_fail(err, T2_ENOMEM, "no memory for a line of %u pixels", c->output_width);
    }
    for (; y < height; y++) {
        T2_TRY(t2_check_interrupt(err));
        if (!read_line(r, aug_row(out, y), width, channels))
            break;
    }
    if (y < height) {
        T2_TRY(fill_missing(r, how, y, out, notes, err));
        if (!how->recover)
            return T2_OK; /* TensorFlow gives up here without looking at the end */
    }
    if (w && how->stop_after_window)
        return T2_OK;
    if (c->output_scanline < c->output_height)
        (void) jpeg_skip_scanlines(c, c->output_height - c->output_scanline);
    (void) jpeg_finish_decompress(c); /* an error when lines are missing */
    return T2_OK;
}

static enum t2_status decode(struct reader *r, const struct aug_decode *how, struct aug_image *out,
                             struct aug_notes *notes, struct t2_err *err)
{
    int32_t channels = 0;

    if (jpeg_read_header(&r->c, TRUE) != JPEG_HEADER_OK)
        return cut_short(err);
    T2_TRY(prepare(r, how, &channels, err));
    T2_TRY(prepare_work(r, err));
    r->is_collecting = jpeg_has_multiple_scans(&r->c);
    if (!jpeg_start_decompress(&r->c)) /* several scans, one is cut */
        return cut_short(err);
    r->is_collecting = false;
    r->kept = how->kept ? how->kept : &r->own_scan;
    if (!how->plain_huffman)
        use_own_huffman(r);
    return read_lines(r, how, channels, out, notes, err);
}

static __attribute__((noinline)) enum t2_status guarded_decode(struct reader *r,
                                                               const struct aug_decode *how,
                                                               struct aug_image *out,
                                                               struct aug_notes *notes,
                                                               struct t2_err *err)
{
    if (setjmp(r->errors.jump)) {
        if (r->stopped == T2_OK)
            return refuse(&r->errors, err);
        *err = r->stop;
        return r->stopped;
    }
    reader_init(r, how->recover);
    return decode(r, how, out, notes, err);
}

enum t2_status aug_jpeg_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                               struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    struct reader *r = reader_new(file, len_bytes);
    struct aug_notes found = {0};
    struct t2_err first = T2_ERR_INIT;
    enum t2_status st = guarded_decode(r, how, out, &found, &first);

    if (r->is_odd) { /* libjpeg decides what that means */
        struct aug_decode plain = *how;
        plain.plain_huffman = true;
        reader_free(r);
        r = reader_new(file, len_bytes);
        found = (struct aug_notes){0};
        st = guarded_decode(r, &plain, out, &found, err);
    } else if (st != T2_OK) {
        *err = first;
    }
    found.n_warnings = r->errors.n_warnings;
    snprintf(found.first, sizeof found.first, "%.*s", (int) sizeof found.first - 1,
             r->errors.first_warning);
    if (notes)
        *notes = found;
    reader_free(r);
    return st;
}

/* ---- encoding ---- */

struct writer {
    struct jpeg_compress_struct c;
    struct errors errors;
    struct jpeg_destination_mgr destination;
    struct t2_buf *out;
};

enum { CHUNK_BYTES = 64 << 10 };

static void more_room(j_compress_ptr c)
{
    struct writer *w = (struct writer *) c;

    c->dest->next_output_byte = t2_buf_reserve(w->out, CHUNK_BYTES);
    c->dest->free_in_buffer = CHUNK_BYTES;
}

static boolean destination_full(j_compress_ptr c)
{
    ((struct writer *) c)->out->len_bytes += CHUNK_BYTES;
    more_room(c);
    return TRUE;
}

static void destination_end(j_compress_ptr c)
{
    ((struct writer *) c)->out->len_bytes += CHUNK_BYTES - c->dest->free_in_buffer;
}

static __attribute__((noinline)) enum t2_status encode(struct writer *w, const struct aug_image *im,
                                                       const struct aug_jpeg_settings *how,
                                                       struct t2_err *err)
{
    struct jpeg_compress_struct *c = &w->c;

    if (setjmp(w->errors.jump))
        return refuse(&w->errors, err);
    jpeg_create_compress(c);
    w->destination = (struct jpeg_destination_mgr){.init_destination = more_room,
                                                   .empty_output_buffer = destination_full,
                                                   .term_destination = destination_end};
    c->dest = &w->destination;
    c->image_width = (JDIMENSION) im->width;
    c->image_height = (JDIMENSION) im->height;
    c->input_components = im->channels;
    c->in_color_space = im->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(c);
    c->optimize_coding = how->optimise_size ? TRUE : FALSE;
    if (!how->no_density) {
        c->density_unit = 1; /* dots per inch */
        c->X_density = c->Y_density = DENSITY;
    }
    jpeg_set_quality(c, how->quality, TRUE);
    if (how->progressive)
        jpeg_simple_progression(c);
    for (int i = 0; how->full_chroma && i < c->num_components; i++)
        c->comp_info[i].h_samp_factor = c->comp_info[i].v_samp_factor = 1;
    jpeg_start_compress(c, TRUE);
    while (c->next_scanline < c->image_height) {
        JSAMPROW row = aug_row(im, (int32_t) c->next_scanline);
        (void) jpeg_write_scanlines(c, &row, 1);
    }
    jpeg_finish_compress(c);
    return T2_OK;
}

enum t2_status aug_jpeg_encode(const struct aug_image *im, const struct aug_jpeg_settings *how,
                               struct t2_buf *out, struct t2_err *err)
{
    size_t before = out->len_bytes;
    enum t2_status st;
    struct writer *w;

    if (im->channels != 1 && im->channels != 3)
        return t2_fail(err, T2_EUNSUPPORTED, "a JPEG cannot be made of %d channels", im->channels);
    w = t2_alloc(1, sizeof *w);
    w->out = out;
    w->c.err = errors_init(&w->errors);
    st = encode(w, im, how, err);
    if (st != T2_OK)
        out->len_bytes = before;
    jpeg_destroy_compress(&w->c);
    t2_free(w);
    return st;
}
