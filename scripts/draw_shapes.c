/*
 * scripts/draw_shapes.c - images of shapes in class folders, for `make demo-images`.
 *
 *   draw-shapes DIR N SEED FLAT
 *
 * N JPEG files: DIR/<shape>/<shape>-NNNNN.jpg, or with FLAT 1 DIR/NNNNN-<shape>.jpg.  An image has
 * one shape of its class, anywhere, of any size, colour and angle, on a background of another
 * colour that changes from corner to corner, with smaller dots and noise.  The same arguments give
 * the same bytes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "augment/jpeg.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/str.h"

enum { SIDE = 64, OVER = 3, N_DOTS = 4, NOISE = 14 };

static const double turn = 6.283185307179586;

/* ---- shapes, around 0, of radius 1: is (x, y) inside? ---- */

static bool circle(double x, double y)
{
    return x * x + y * y < 0.8;
}

static bool ring(double x, double y)
{
    return x * x + y * y < 0.9 && x * x + y * y > 0.35;
}

static bool square(double x, double y)
{
    return fabs(x) < 0.75 && fabs(y) < 0.75;
}

static bool bar(double x, double y)
{
    return fabs(x) < 0.95 && fabs(y) < 0.3;
}

static bool cross(double x, double y)
{
    return bar(x, y) || bar(y, x);
}

/* Inside all n half planes; their edges lie at distance d. */
static bool polygon(int n, double d, double x, double y)
{
    for (int i = 0; i < n; i++)
        if (x * cos(turn * i / n) + y * sin(turn * i / n) > d)
            return false;
    return true;
}

static bool triangle(double x, double y)
{
    return polygon(3, 0.5, x, y);
}

/* Two triangles. */
static bool star(double x, double y)
{
    return triangle(x, y) || triangle(-x, -y);
}

static bool crescent(double x, double y)
{
    return circle(x, y) && (x - 0.45) * (x - 0.45) + y * y > 0.55;
}

static const struct {
    const char *name;
    bool (*inside)(double x, double y);
} shapes[] = {{"bar", bar},   {"circle", circle}, {"crescent", crescent}, {"cross", cross},
              {"ring", ring}, {"square", square}, {"star", star},         {"triangle", triangle}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- an image ---- */

struct colour {
    double part[3];
};

struct scene {
    bool (*inside)(double x, double y);
    double x, y, radius, angle;
    struct colour shape, from, to; /* from, to: of the background */
    double dots[N_DOTS][3];        /* x, y, radius */
};

static double between(struct t2_rng *r, double low, double high)
{
    return low + (high - low) * t2_rng_uniform_double(r);
}

static struct colour any_colour(struct t2_rng *r)
{
    return (struct colour){{between(r, 0, 255), between(r, 0, 255), between(r, 0, 255)}};
}

static double distance(const struct colour *a, const struct colour *b)
{
    double sum = 0;

    for (int c = 0; c < 3; c++)
        sum += fabs(a->part[c] - b->part[c]);
    return sum;
}

static void draw_scene(struct t2_rng *r, int shape, struct scene *s)
{
    s->inside = shapes[shape].inside;
    s->radius = between(r, 9, 22);
    s->x = between(r, s->radius, SIDE - s->radius);
    s->y = between(r, s->radius, SIDE - s->radius);
    s->angle = between(r, 0, turn);
    s->from = any_colour(r);
    s->to = any_colour(r);
    do
        s->shape = any_colour(r);
    while (distance(&s->shape, &s->from) < 180 || distance(&s->shape, &s->to) < 180);
    for (int i = 0; i < N_DOTS; i++) {
        s->dots[i][0] = between(r, 0, SIDE);
        s->dots[i][1] = between(r, 0, SIDE);
        s->dots[i][2] = between(r, 0.8, 2);
    }
}

static bool on_shape(const struct scene *s, double x, double y)
{
    double dx = (x - s->x) / s->radius, dy = (y - s->y) / s->radius;

    return s->inside(dx * cos(s->angle) + dy * sin(s->angle),
                     dy * cos(s->angle) - dx * sin(s->angle));
}

static bool on_dot(const struct scene *s, double x, double y)
{
    for (int i = 0; i < N_DOTS; i++)
        if (hypot(x - s->dots[i][0], y - s->dots[i][1]) < s->dots[i][2])
            return true;
    return false;
}

/* The mean over OVER x OVER points of the pixel. */
static struct colour pixel_of(const struct scene *s, int column, int row)
{
    double part = (column + row) / (2.0 * SIDE);
    struct colour sum = {{0, 0, 0}};

    for (int i = 0; i < OVER * OVER; i++) {
        double x = column + (i % OVER + 0.5) / OVER, y = row + (i / OVER + 0.5) / OVER;
        bool inside = on_shape(s, x, y) != on_dot(s, x, y);

        for (int c = 0; c < 3; c++)
            sum.part[c] +=
                inside ? s->shape.part[c] : s->from.part[c] * (1 - part) + s->to.part[c] * part;
    }
    for (int c = 0; c < 3; c++)
        sum.part[c] /= OVER * OVER;
    return sum;
}

static void paint(const struct scene *s, struct t2_rng *r, uint8_t *pixels)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        struct colour colour = pixel_of(s, i % SIDE, i / SIDE);

        for (int c = 0; c < 3; c++) {
            double v = colour.part[c] + NOISE * t2_rng_normal(r);
            pixels[3 * i + c] = (uint8_t) fmin(255, fmax(0, v));
        }
    }
}

/* ---- files ---- */

/* Not t2_write_file, which brings each file to the disk: these are drawn again when they are lost.
 */
static enum t2_status write_file(const char *path, const struct t2_buf *b, struct t2_err *err)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(b->data, 1, b->len_bytes, f) == b->len_bytes;

    if (f && fclose(f) != 0)
        good = false;
    return good ? T2_OK : t2_fail(err, T2_EIO, "'%s' cannot be written", path);
}

static enum t2_status draw(const char *dir, uint64_t i, uint64_t seed, bool flat,
                           struct t2_err *err)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    const struct aug_jpeg_settings how = {.quality = 90};
    struct aug_image image = aug_image_of(pixels, SIDE, SIDE, 3);
    struct t2_buf file = {0};
    struct scene scene;
    struct t2_rng r;
    enum t2_status st;
    const char *name;
    char *path;
    int shape;

    t2_rng_init(&r, seed, T2_RNG_DATA, 0, i);
    shape = (int) (i % N_SHAPES);
    name = shapes[shape].name;
    draw_scene(&r, shape, &scene);
    paint(&scene, &r, pixels);
    path = flat ? t2_asprintf("%s/%05" PRIu64 "-%s.jpg", dir, i, name)
                : t2_asprintf("%s/%s/%s-%05" PRIu64 ".jpg", dir, name, name, i);
    st = aug_jpeg_encode(&image, &how, &file, err);
    if (st == T2_OK)
        st = write_file(path, &file, err);
    t2_free(path);
    t2_buf_release(&file);
    return st;
}

static enum t2_status draw_all(char **argv, struct t2_err *err)
{
    uint64_t n, seed;
    bool flat;

    if (!t2_parse_u64(argv[2], &n) || !t2_parse_u64(argv[3], &seed))
        return t2_fail(err, T2_EUSAGE, "draw-shapes DIR N SEED FLAT: N and SEED are numbers");
    flat = strcmp(argv[4], "1") == 0;
    T2_TRY(t2_make_dirs(argv[1], err));
    for (int i = 0; i < N_SHAPES && !flat; i++) {
        char *folder = t2_path_join(argv[1], shapes[i].name);
        enum t2_status st = t2_make_dirs(folder, err);

        t2_free(folder);
        T2_TRY(st);
    }
    for (uint64_t i = 0; i < n; i++)
        T2_TRY(draw(argv[1], i, seed, flat, err));
    return T2_OK;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init("draw-shapes");
    st = argc == 5 ? draw_all(argv, &err) : t2_fail(&err, T2_EUSAGE, "draw-shapes DIR N SEED FLAT");
    return st == T2_OK ? 0 : t2_report(&err);
}
