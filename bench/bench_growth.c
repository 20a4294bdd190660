/*
 * bench/bench_growth.c - does work grow with its input, or with the square of it?
 *
 * One JSON object a line: the value is processor time for four times the input, divided by that for
 * the input: 4 where work is linear, 16 where it is quadratic.  base64 also says how many times the
 * processor time of copying its bytes it takes.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/str.h"
#include "tfrec/convert/formats.h"
#include "tfrec/convert/webdataset.h"
#include "tfrecord/example.h"

enum { REPEATS = 5, FACTOR = 4 };

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* The least of some runs: what disturbs only adds. */
static double least_s(void (*run)(const void *), const void *input)
{
    double least = 1e9;

    for (int i = 0; i < REPEATS; i++) {
        double from = cpu_s(), s;

        run(input);
        s = cpu_s() - from;
        least = s < least ? s : least;
    }
    return least;
}

/* ---- base64 ---- */

static void decode(const void *input)
{
    struct t2_buf out = {0};

    if (!t2_base64_decode(t2_buf_slice(input), &out))
        printf("not decoded\n");
    t2_buf_release(&out);
}

static void copy(const void *input)
{
    struct t2_slice s = t2_buf_slice(input);
    struct t2_buf out = {0};

    t2_buf_append(&out, s.data, s.len_bytes);
    t2_buf_release(&out);
}

static void base64(void)
{
    struct t2_buf bytes = {0}, one = {0}, more = {0};
    double first;

    t2_buf_reserve(&bytes, 4 << 20);
    for (size_t i = 0; i < 4 << 20; i++)
        t2_buf_push(&bytes, (uint8_t) (i * 31 + i / 251));
    t2_base64_encode(t2_buf_slice(&bytes), &one);
    for (int i = 0; i < FACTOR; i++)
        t2_base64_encode((struct t2_slice){bytes.data, bytes.len_bytes / 3 * 3}, &more);
    first = least_s(decode, &one);
    printf("{\"work\": \"base64 decode\", \"value\": %.3g, \"unit\": \"x for 4 x the input\", "
           "\"copies\": %.3g, \"mb_per_s\": %.4g}\n",
           least_s(decode, &more) / first, first / least_s(copy, &one),
           (double) one.len_bytes / 1e6 / first);
    t2_buf_release(&bytes);
    t2_buf_release(&one);
    t2_buf_release(&more);
}

/* ---- a record of many features as a sample of webdataset ---- */

static const struct rec_convert to_webdataset = {.output = "/dev/null", .key = ""};

static void make_sample(const void *input)
{
    struct rec_scratch scratch = {0};
    struct rec_writer *w = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};

    if (rec_webdataset_create(&to_webdataset, &w, &err) != T2_OK ||
        w->format(w, &scratch, 0, t2_buf_slice(input), &out, &err) != T2_OK)
        printf("%s\n", err.message);
    if (w)
        w->free(w);
    rec_scratch_release(&scratch);
    t2_buf_release(&out);
}

static void record_of(size_t n, struct t2_buf *record)
{
    struct tfr_feature *features = t2_alloc(n, sizeof *features);
    struct t2_slice value = t2_slice_of("v");

    for (size_t i = 0; i < n; i++)
        features[i] = (struct tfr_feature){.name = t2_asprintf("feature%zu", i),
                                           .kind = TFR_BYTES,
                                           .n = 1,
                                           .bytes = &value};
    tfr_example_build(record, features, n);
    for (size_t i = 0; i < n; i++)
        t2_free((void *) (uintptr_t) features[i].name);
    t2_free(features);
}

static void webdataset(void)
{
    struct t2_buf one = {0}, more = {0};

    record_of(4000, &one);
    record_of(FACTOR * 4000, &more);
    printf("{\"work\": \"webdataset sample of 4000 features\", \"value\": %.3g, \"unit\": \"x for "
           "4 x the input\"}\n",
           least_s(make_sample, &more) / least_s(make_sample, &one));
    t2_buf_release(&one);
    t2_buf_release(&more);
}

int main(void)
{
    base64();
    webdataset();
    return 0;
}
