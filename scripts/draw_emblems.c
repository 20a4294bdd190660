/*
 * scripts/draw_emblems.c - small images to learn to make, in class folders, for `make
 * demo-generate`.
 *
 *   draw-emblems DIR N SEED
 *
 * N PNG files DIR/<shape>/NNNNN.png of SIDE x SIDE: one of four shapes in one of eight colours, of
 * three sizes, anywhere where it is whole, on a background of one of six other shades.  No noise: a
 * model that has learned what there is needs few bits.  The same arguments give the same bytes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "augment/png.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/str.h"

enum { SIDE = 12, N_SHAPES = 4, N_COLOURS = 8, N_GROUNDS = 6 };

static const char *const names[N_SHAPES] = {"square", "disc", "frame", "cross"};
static const uint8_t colours[N_COLOURS][3] = {{220, 40, 40},  {40, 170, 60},  {50, 80, 220},
                                              {240, 200, 40}, {200, 60, 200}, {40, 200, 210},
                                              {250, 140, 30}, {245, 245, 245}};
static const uint8_t grounds[N_GROUNDS][3] = {{16, 16, 16}, {40, 24, 60}, {20, 50, 40},
                                              {70, 60, 50}, {30, 40, 80}, {90, 90, 96}};

/* Is (x, y), from the centre of a shape of half width r, inside? */
static bool inside(int shape, double x, double y, double r)
{
    double far = fmax(fabs(x), fabs(y)), near = fmin(fabs(x), fabs(y));

    switch (shape) {
    case 0:
        return far < r;
    case 1:
        return x * x + y * y < r * r;
    case 2:
        return far < r && far > r - 1.2;
    default:
        return far < r && near < 0.9;
    }
}

static void draw(struct t2_rng *rng, int shape, uint8_t *pixels)
{
    int r = 2 + (int) t2_rng_below(rng, 3);
    double x = r + (double) t2_rng_below(rng, (uint64_t) (SIDE - 2 * r + 1));
    double y = r + (double) t2_rng_below(rng, (uint64_t) (SIDE - 2 * r + 1));
    const uint8_t *colour = colours[t2_rng_below(rng, N_COLOURS)];
    const uint8_t *ground = grounds[t2_rng_below(rng, N_GROUNDS)];

    for (int i = 0; i < SIDE * SIDE; i++) {
        bool is_in = inside(shape, i % SIDE + 0.5 - x, i / SIDE + 0.5 - y, r);

        for (int c = 0; c < 3; c++)
            pixels[3 * i + c] = is_in ? colour[c] : ground[c];
    }
}

static enum t2_status write_one(const char *dir, uint64_t seed, uint64_t i, struct t2_err *err)
{
    int shape = (int) (i % N_SHAPES);
    uint8_t pixels[SIDE * SIDE * 3];
    struct aug_image image = aug_image_of(pixels, SIDE, SIDE, 3);
    char *folder = t2_path_join(dir, names[shape]);
    char *path = t2_asprintf("%s/%05" PRIu64 ".png", folder, i);
    struct t2_buf png = {0};
    struct t2_rng rng;
    enum t2_status st;

    t2_rng_init(&rng, seed, T2_RNG_DATA, 0, i);
    draw(&rng, shape, pixels);
    st = t2_make_dirs(folder, err);
    if (st == T2_OK)
        st = aug_png_encode(&image, -1, &png, err);
    if (st == T2_OK)
        st = t2_write_file(path, png.data, png.len_bytes, err);
    t2_buf_release(&png);
    t2_free(path);
    t2_free(folder);
    return st;
}

static enum t2_status draw_all(char **argv, struct t2_err *err)
{
    uint64_t n, seed;

    if (!t2_parse_u64(argv[2], &n) || !t2_parse_u64(argv[3], &seed))
        return t2_fail(err, T2_EUSAGE, "draw-emblems DIR N SEED: N and SEED are numbers");
    for (uint64_t i = 0; i < n; i++)
        T2_TRY(write_one(argv[1], seed, i, err));
    return T2_OK;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init("draw-emblems");
    st = argc == 4 ? draw_all(argv, &err) : t2_fail(&err, T2_EUSAGE, "draw-emblems DIR N SEED");
    return st == T2_OK ? 0 : t2_report(&err);
}
