/*
 * bench/bench_resize.c - resizing as OpenCV does it: how fast; with --serve, results for
 * check_resize_opencv.py.
 *
 * --serve answers for one method with the values of every pair of sizes (a, b) up to --largest, in
 * ascending order: an image of a x b becomes one of b x a (width x height), so that each pair is
 * there as columns and as rows; --line: a x 1 becomes b x 1, then 1 x a becomes 1 x b.  Values of
 * the source are a hash of a, b and their place, the same in check_resize_opencv.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/resize.h"
#include "base/alloc.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/progress.h"

static const char *method = "linear";
static int64_t largest = 199;
static bool serve, line, use_floats;
static struct aug_resizer *resizer;
static struct aug_resize how = {.convention = AUG_OPENCV};

static uint8_t value_at(uint32_t a, uint32_t b, uint32_t i)
{
    uint32_t x = (i * 2654435761u) ^ (a * 40503u + b * 9973u);

    x ^= x >> 15;
    x *= 2246822519u;
    return (uint8_t) (x >> 24);
}

static int32_t channels_of(int32_t a, int32_t b)
{
    return (a + b) % 5 == 0 ? 3 : 1;
}

/* Resizes and, with `out`, writes the values. */
static enum t2_status answer(int32_t a, int32_t b, const int32_t from[2], const int32_t to[2],
                             FILE *out, struct t2_err *err)
{
    static struct aug_image in, bytes;
    static struct aug_floats in_floats, floats;
    int32_t c = channels_of(a, b);
    size_t n = (size_t) to[0] * (size_t) to[1] * (size_t) c, n_written = n;

    T2_TRY(aug_image_resize(&in, from[1], from[0], c, err));
    for (uint32_t i = 0; i < (uint32_t) (from[0] * from[1] * c); i++)
        in.data[i] = value_at((uint32_t) a, (uint32_t) b, i);
    if (use_floats) {
        T2_TRY(aug_to_floats(&in, 1, &in_floats, err));
        T2_TRY(aug_resize_floats(resizer, &how, &in_floats, to[1], to[0], &floats, err));
    } else {
        T2_TRY(aug_resize_bytes(resizer, &how, &in, to[1], to[0], &bytes, err));
    }
    if (out && use_floats)
        n_written = fwrite(floats.data, sizeof *floats.data, n, out);
    else if (out)
        n_written = fwrite(bytes.data, 1, n, out);
    return n_written == n ? T2_OK : t2_fail(err, T2_EIO, "cannot write the answers");
}

static enum t2_status all_pairs(FILE *out, struct t2_err *err)
{
    for (int32_t a = 1; a <= largest; a++)
        for (int32_t b = 1; b <= largest; b++) {
            if (!line) {
                T2_TRY(answer(a, b, (const int32_t[2]){a, b}, (const int32_t[2]){b, a}, out, err));
                continue;
            }
            T2_TRY(answer(a, b, (const int32_t[2]){a, 1}, (const int32_t[2]){b, 1}, out, err));
            T2_TRY(answer(a, b, (const int32_t[2]){1, a}, (const int32_t[2]){1, b}, out, err));
        }
    return T2_OK;
}

/* In the order of enum aug_method. */
static bool find_method(const char *name)
{
    static const char *const names[] = {"nearest", "bilinear",      "bicubic",     "area",
                                        "lanczos", "lanczos5",      "gaussian",    "mitchellcubic",
                                        "hamming", "nearest_exact", "linear_exact"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            how.method = (enum aug_method) i;
            return true;
        }
    }
    return false;
}

static enum t2_status run(struct t2_err *err)
{
    const char *name = strcmp(method, "linear") == 0  ? "bilinear"
                       : strcmp(method, "cubic") == 0 ? "bicubic"
                                                      : method;

    if (!find_method(name))
        return t2_fail(err, T2_EUSAGE, "no method of resizing '%s'", method);
    resizer = aug_resizer_new();
    double start = t2_now_s();
    T2_TRY(all_pairs(serve ? stdout : NULL, err));
    if (!serve)
        printf("{\"work\": \"resize %s\", \"value\": %.6g, \"unit\": \"images/s\"}\n", method,
               (double) (largest * largest) / (t2_now_s() - start));
    aug_resizer_free(resizer);
    return T2_OK;
}

int main(int argc, char **argv)
{
    const struct t2_flag flags[] = {
        {"method", T2_FLAG_STRING, &method, "NAME", "nearest, linear, cubic, area, ...", NULL},
        {"largest", T2_FLAG_INT, &largest, NULL, "Largest size.", NULL},
        {"line", T2_FLAG_BOOL, &line, NULL, "Single rows, then single columns.", NULL},
        {"floats", T2_FLAG_BOOL, &use_floats, NULL, "Floats to floats.", NULL},
        {"serve", T2_FLAG_BOOL, &serve, NULL, "Writes the values instead of a rate.", NULL},
    };
    const struct t2_tool tool = {
        .name = "bench_resize",
        .usage = "[--method=NAME]",
        .summary = "Measures resizing as OpenCV does it, over all pairs of sizes.",
        .examples = "  bench_resize --method=area",
        .flags = flags,
        .n_flags = sizeof flags / sizeof *flags,
    };
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init(tool.name);
    st = t2_flags_parse(&tool, argc, argv, &rest, &err);
    if (st == T2_OK)
        st = run(&err);
    t2_strs_release(&rest);
    return st == T2_OK ? 0 : t2_report(&err);
}
