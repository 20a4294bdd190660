/*
 * augment/gif.c - the first image of a GIF file.
 *
 * As TensorFlow's gif_io.cc: the screen's size, black where the first image does not reach,
 * transparent pixels with the colour of their index.
 *
 * Layout (GIF89a specification; numbers little-endian):
 *
 *   "GIF87a" | "GIF89a"                                6 bytes
 *   width 2, height 2, flags 1, background 1, aspect 1
 *                      flags & 0x80: 2^(1 + (flags & 7)) colours follow
 *   [ colours, 3 bytes R G B each ]
 *   { 0x21 label blocks }                              extensions, skipped
 *   0x2c left 2, top 2, width 2, height 2, flags 1
 *                      flags & 0x80: own colours; & 0x40: interlaced
 *   [ colours ]
 *   size of a code in bits, 1 byte; blocks             the LZW codes
 *
 *   blocks = { n, n bytes } 0
 */
#include "augment/gif.h"

#include <string.h>

#include "augment/limits.h"
#include "base/alloc.h"
#include "base/signals.h"

enum { MAX_CODES = 4096, HEADER_BYTES = 13 };

/* A first image may be larger than the screen, and one byte of codes can stand for thousands of its
 * invisible pixels; so many are decoded regardless, and so many more per byte of the file. */
enum { PIXELS_ANYWAY = 1 << 24, PIXELS_A_BYTE = 16 };

struct gif {
    const uint8_t *at, *end;
    int32_t width, height;  /* of the screen */
    const uint8_t *colours; /* (n_colours, 3), in the file */
    uint32_t n_colours;
    int32_t left, top, part_width, part_height; /* of the image on the screen */
    bool interlaced;
};

static enum t2_status cut_short(struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "GIF: the file is cut short");
}

static int32_t u16(const uint8_t *p)
{
    return p[0] | p[1] << 8;
}

static size_t left(const struct gif *g)
{
    return (size_t) (g->end - g->at);
}

/* ---- headers ---- */

static enum t2_status read_colours(struct gif *g, uint8_t flags, struct t2_err *err)
{
    uint32_t n = 2u << (flags & 7);

    if (!(flags & 0x80))
        return T2_OK;
    if (left(g) < 3 * (size_t) n)
        return cut_short(err);
    g->colours = g->at;
    g->n_colours = n;
    g->at += 3 * (size_t) n;
    return T2_OK;
}

static enum t2_status read_screen(struct gif *g, const uint8_t *file, size_t len_bytes,
                                  struct t2_err *err)
{
    *g = (struct gif){.at = file, .end = file + len_bytes};
    if (len_bytes < HEADER_BYTES)
        return cut_short(err);
    if (memcmp(file, "GIF87a", 6) != 0 && memcmp(file, "GIF89a", 6) != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "GIF: neither GIF87a nor GIF89a");
    g->width = u16(file + 6);
    g->height = u16(file + 8);
    if (g->width == 0 || g->height == 0)
        return t2_fail(err, T2_EFORMAT, "GIF: %d x %d pixels", g->width, g->height);
    g->at += HEADER_BYTES;
    return read_colours(g, file[10], err);
}

/* Skips blocks of data up to and including the empty one. */
static enum t2_status skip_blocks(struct gif *g, struct t2_err *err)
{
    while (left(g) > 0) {
        size_t n = *g->at++;
        if (n == 0)
            return T2_OK;
        if (left(g) < n)
            break;
        g->at += n;
    }
    return cut_short(err);
}

/* To the data of the first image. */
static enum t2_status find_image(struct gif *g, struct t2_err *err)
{
    while (left(g) > 0) {
        uint8_t what = *g->at++;
        if (what == 0x3b)
            return t2_fail(err, T2_EFORMAT, "GIF: there is no image in it");
        if (what == 0x21) { /* extension: label, blocks */
            if (left(g) < 1)
                break;
            g->at++;
            T2_TRY(skip_blocks(g, err));
        } else if (what == 0x2c) {
            if (left(g) < 9)
                break;
            const uint8_t *p = g->at;
            g->left = u16(p);
            g->top = u16(p + 2);
            g->part_width = u16(p + 4);
            g->part_height = u16(p + 6);
            g->interlaced = (p[8] & 0x40) != 0;
            g->at += 9;
            T2_TRY(read_colours(g, p[8], err));
            return g->n_colours > 0 ? T2_OK : t2_fail(err, T2_EFORMAT, "GIF: it has no colours");
        } else {
            return t2_fail(err, T2_EFORMAT, "GIF: byte 0x%02x where an image should begin", what);
        }
    }
    return cut_short(err);
}

enum t2_status aug_gif_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                             struct t2_err *err)
{
    struct gif g;

    T2_TRY(read_screen(&g, file, len_bytes, err));
    T2_TRY(find_image(&g, err));
    *info = (struct aug_info){.kind = AUG_GIF,
                              .width = g.width,
                              .height = g.height,
                              .components = 3,
                              .bits = 8,
                              .colour = AUG_PALETTE,
                              .orientation = 1,
                              .progressive = g.interlaced};
    return T2_OK;
}

/* ---- codes ---- */

struct bits {
    struct gif *g;
    uint32_t value, n_bits, block_left;
};

/* The next code of `width` bits, lowest bit first, across the borders of blocks; -1 at the end. */
static int32_t next_code(struct bits *b, uint32_t width)
{
    while (b->n_bits < width) {
        if (b->block_left == 0) {
            if (left(b->g) == 0 || *b->g->at == 0)
                return -1;
            b->block_left = *b->g->at++;
        }
        if (left(b->g) == 0)
            return -1;
        b->value |= (uint32_t) *b->g->at++ << b->n_bits;
        b->n_bits += 8;
        b->block_left--;
    }
    uint32_t code = b->value & ((1u << width) - 1);
    b->value >>= width;
    b->n_bits -= width;
    return (int32_t) code;
}

struct pixels {
    struct gif *g;
    struct aug_image *out;
    int32_t x, row, pass; /* row of the image being filled */
    uint64_t n_left;
};

/*
 * Interlaced rows come in four passes: every 8th from 0, every 8th from 4, every 4th from 2, every
 * 2nd from 1.
 */
static void next_row(struct pixels *p)
{
    static const int32_t first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};

    p->x = 0;
    if (!p->g->interlaced) {
        p->row++;
        return;
    }
    p->row += step[p->pass];
    while (p->row >= p->g->part_height && p->pass < 3)
        p->row = first[++p->pass];
}

static void put_pixel(struct pixels *p, uint8_t index)
{
    struct gif *g = p->g;
    int32_t x = g->left + p->x, y = g->top + p->row;

    if (x < g->width && y < g->height && index < g->n_colours)
        memcpy(aug_row(p->out, y) + 3 * (size_t) x, g->colours + 3 * (size_t) index, 3);
    p->n_left--;
    if (++p->x == g->part_width)
        next_row(p);
}

/*
 * A string of a code >= clear is the string of its prefix and one more byte, so a table of (code,
 * byte) pairs holds all strings; they come out backwards, hence the stack.
 */
struct table {
    uint16_t prefix[MAX_CODES];
    uint8_t suffix[MAX_CODES], stack[MAX_CODES];
};

/* The string of a code; returns its first byte. */
static uint8_t put_string(const struct table *t, uint8_t *stack, int32_t code, int32_t clear,
                          struct pixels *p)
{
    size_t n = 0;
    uint8_t first;

    while (code >= clear) {
        stack[n++] = t->suffix[code];
        code = t->prefix[code];
    }
    first = (uint8_t) code;
    if (p->n_left > 0)
        put_pixel(p, first);
    while (n > 0 && p->n_left > 0)
        put_pixel(p, stack[--n]);
    return first;
}

/*
 * LZW (Welch 1984) with GIF's two special codes: `clear` empties the table, `clear` + 1 ends the
 * data.  A code is at most `next`; equal to it, it is the string of the previous code followed by
 * that string's own first byte, which is known only now: suffix[next] is set before it is used and
 * corrected after.  Codes grow a bit when the table reaches a power of two, up to 12.
 */
static enum t2_status decode_codes(struct gif *g, struct table *t, struct pixels *p,
                                   struct t2_err *err)
{
    struct bits bits = {.g = g};
    uint32_t min_width = left(g) > 0 ? *g->at++ : 0, width = min_width + 1;
    int32_t clear = 1 << (min_width & 15), next = clear + 2, previous = -1;
    uint8_t first = 0;

    if (min_width < 1 || min_width > 8)
        return t2_fail(err, T2_EFORMAT, "GIF: codes of %u bits", min_width);
    while (p->n_left > 0) {
        int32_t code = next_code(&bits, width);
        T2_TRY(t2_check_interrupt(err));
        if (code < 0 || code == clear + 1)
            return cut_short(err);
        if (code == clear) {
            width = min_width + 1;
            next = clear + 2;
            previous = -1;
            continue;
        }
        if (code > next || (code == next && (previous < 0 || next == MAX_CODES)) ||
            (previous < 0 && code > clear))
            return t2_fail(err, T2_EFORMAT, "GIF: a code that was not defined");
        if (previous >= 0 && next < MAX_CODES) {
            t->prefix[next] = (uint16_t) previous;
            t->suffix[next] = first; /* right when the code is this one */
            first = put_string(t, t->stack, code, clear, p);
            t->suffix[next++] = first;
        } else {
            first = put_string(t, t->stack, code, clear, p);
        }
        previous = code;
        if (next == 1 << width && width < 12)
            width++;
    }
    return T2_OK;
}

/* Checks sizes, memory and the number of pixels to decode before anything is allocated. */
static enum t2_status check_size(const struct gif *g, size_t len_bytes, uint64_t n_pixels,
                                 const struct aug_decode *how, struct t2_err *err)
{
    struct t2_budget pixels;
    uint64_t screen = (uint64_t) g->width * (uint64_t) g->height;

    T2_TRY(aug_check_size(AUG_GIF, g->width, g->height, 3, how, err));
    T2_TRY(aug_check_memory(AUG_GIF, g->width, g->height, 3, 1, how, err));
    t2_budget_init(&pixels, "GIF", "pixels", screen + PIXELS_ANYWAY, PIXELS_A_BYTE, len_bytes);
    return t2_budget_spend(&pixels, n_pixels, err);
}

enum t2_status aug_gif_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                              struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    uint64_t n_pixels;
    struct gif g;

    if (notes)
        *notes = (struct aug_notes){0};
    T2_TRY(read_screen(&g, file, len_bytes, err));
    T2_TRY(find_image(&g, err));
    n_pixels = (uint64_t) g.part_width * (uint64_t) g.part_height;
    T2_TRY(check_size(&g, len_bytes, n_pixels, how, err));
    T2_TRY(aug_image_resize(out, g.height, g.width, 3, err));
    memset(out->data, 0, out->stride_bytes * (size_t) out->height);
    struct pixels p = {.g = &g, .out = out, .n_left = n_pixels};
    struct table *t = t2_alloc(1, sizeof *t);
    enum t2_status st = decode_codes(&g, t, &p, err);
    t2_free(t);
    return st;
}
