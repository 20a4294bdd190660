/*
 * bench/bench_jpeg.c - measures images: one kind of work on JPEG files, one JSON line.  "value" is
 * images a second, the median of the repetitions; "cpu_value" the same per second of CPU time,
 * which a busy machine disturbs less; "sum" is a hash of all floats of the first pass, which is not
 * timed.
 *
 * Work: decode (whole frame, RGB); train (a pipeline's floats, batch by batch, files in memory);
 * records (a TFRecord file, records in an order shuffled anew, their CRCs checked).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/hash.h"
#include "base/progress.h"
#include "tests/support/image_batches.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

enum { MAX_REPS = 100, MAX_IMAGES = 1 << 16, BATCH = 64 };

static const char *work = "train", *list = "", *records = "", *pipeline = "resnet_train_normalized";
static const char *layout = "nchw";
static int64_t reps = 5, passes = 3;
static int threads = 1;

static struct t_file images[MAX_IMAGES];
static size_t n_images;
static struct t2_mapped maps[MAX_IMAGES];
static struct tfr_reader *reader;
static struct t2_slice slices[MAX_IMAGES];
static struct t2_pool *pool;
static struct t_batcher batcher = {.seed = 1};
static float *batch;
static uint64_t n_epochs, sum;
static bool is_timed;

static void must(enum t2_status st, const struct t2_err *err)
{
    if (st != T2_OK) {
        fprintf(stderr, "bench_jpeg: error: %s\n", err->message);
        exit(1);
    }
}

static void make_batch(const struct t_file *files, size_t n)
{
    struct t2_err err = T2_ERR_INIT;

    must(t_batch_make(&batcher, files, n, n_epochs, batch, &err), &err);
    if (!is_timed)
        sum = t2_hash64(batch, n * t_batcher_floats(&batcher) * sizeof *batch, sum);
}

/* A file with a path in each line. */
static void map_images(void)
{
    struct t2_err err = T2_ERR_INIT;
    char line[4096];
    FILE *f = fopen(list, "r");

    if (!f) {
        fprintf(stderr, "bench_jpeg: error: cannot open '%s'\n", list);
        exit(1);
    }
    while (n_images < MAX_IMAGES && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        must(t2_map_file(line, &maps[n_images], &err), &err);
        images[n_images] = (struct t_file){maps[n_images].data, maps[n_images].len_bytes, n_images};
        n_images++;
    }
    fclose(f);
}

/* The bytes of a record's image; called with its CRC unchecked so far. */
static struct t_file image_of(struct tfr_example *ex, size_t i)
{
    struct t2_err err = T2_ERR_INIT;
    const struct tfr_view *v;
    struct t2_slice s;

    if (!tfr_record_ok(slices[i]))
        must(tfr_record_fail(records, i, 0, slices[i], &err), &err);
    must(tfr_example_parse(ex, slices[i], &err), &err);
    v = tfr_example_find(ex, "image/encoded");
    if (!v || v->kind != TFR_BYTES || v->n != 1) {
        fprintf(stderr, "bench_jpeg: error: record %zu has no image/encoded\n", i);
        exit(1);
    }
    tfr_view_bytes(v, &s);
    return (struct t_file){s.data, s.len_bytes, i};
}

static void list_records(void)
{
    struct t2_err err = T2_ERR_INIT;

    must(tfr_reader_new(records, &reader, &err), &err);
    if (!tfr_reader_is_mapped(reader)) {
        fprintf(stderr, "bench_jpeg: error: '%s' is not a plain file\n", records);
        exit(1);
    }
    for (n_images = 0; n_images < MAX_IMAGES; n_images++) {
        enum t2_status st = tfr_reader_next_unchecked(reader, &slices[n_images], &err);
        if (st == T2_EOF)
            return;
        must(st, &err);
    }
}

static size_t run_decode(void)
{
    static struct aug_image im;
    const struct aug_decode how = {.channels = 3};
    struct t2_err err = T2_ERR_INIT;

    for (size_t i = 0; i < n_images; i++)
        must(aug_decode(images[i].data, images[i].len_bytes, &how, &im, NULL, &err), &err);
    return n_images;
}

static size_t run_train(void)
{
    for (size_t i = 0; i < n_images; i += BATCH) {
        size_t n = n_images - i < BATCH ? n_images - i : BATCH;
        make_batch(images + i, n);
    }
    n_epochs++;
    return n_images;
}

static size_t run_records(void)
{
    struct tfr_example ex = {NULL, 0, 0, NULL, 0};
    struct t2_perm order;

    list_records();
    t2_perm_init(&order, n_images, 1, T2_RNG_ORDER, n_epochs);
    for (size_t i = 0; i < n_images; i += BATCH) {
        size_t n = n_images - i < BATCH ? n_images - i : BATCH;
        for (size_t k = 0; k < n; k++)
            images[k] = image_of(&ex, (size_t) t2_perm_at(&order, i + k));
        make_batch(images, n);
    }
    n_epochs++;
    tfr_example_release(&ex);
    tfr_reader_free(reader);
    return n_images;
}

static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double) (u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double) (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static void measure(size_t (*run)(void))
{
    double rates[MAX_REPS], cpu_rates[MAX_REPS];
    int n = (int) (reps < MAX_REPS ? reps : MAX_REPS);

    (void) run(); /* warms caches and buffers */
    is_timed = true;
    for (int i = 0; i < n; i++) {
        double from = t2_now_s(), cpu = cpu_seconds();
        size_t done = 0;
        for (int64_t k = 0; k < passes; k++)
            done += run();
        rates[i] = (double) done / (t2_now_s() - from);
        cpu_rates[i] = (double) done / (cpu_seconds() - cpu);
    }
    qsort(rates, (size_t) n, sizeof *rates, by_size);
    qsort(cpu_rates, (size_t) n, sizeof *cpu_rates, by_size);
    printf(
        "{\"work\": \"%s\", \"value\": %.6g, \"cpu_value\": %.6g, \"pictures\": %zu, \"threads\": "
        "%d, \"sum\": \"%016" PRIx64 "\"}\n",
        work, rates[n / 2], cpu_rates[n / 2], n_images, threads, sum);
}

int main(int argc, char **argv)
{
    const struct t2_flag flags[] = {
        {"work", T2_FLAG_STRING, &work, "NAME", "decode, train, records.", NULL},
        {"list", T2_FLAG_STRING, &list, "FILE", "Paths of images, one a line.", NULL},
        {"records", T2_FLAG_STRING, &records, "FILE", "TFRecord file with image/encoded.", NULL},
        {"pipeline", T2_FLAG_STRING, &pipeline, "NAME", "Of train and records.", NULL},
        {"layout", T2_FLAG_STRING, &layout, "NAME", "nchw or nhwc.", NULL},
        {"passes", T2_FLAG_INT, &passes, NULL, "Over the images in a repetition.", NULL},
        {"reps", T2_FLAG_INT, &reps, NULL, "Repetitions; the median counts.", NULL},
    };
    const struct t2_tool tool = {
        .name = "bench_jpeg",
        .usage = "--work=NAME --list=FILE",
        .summary = "Measures decoding and augmenting of images.",
        .examples = "  bench_jpeg --work=train --list=paths.txt\n"
                    "  bench_jpeg --work=records --records=x.tfrecord",
        .flags = flags,
        .n_flags = sizeof flags / sizeof *flags,
    };
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;

    must(t2_flags_parse(&tool, argc, argv, &rest, &err), &err);
    t2_strs_release(&rest);
    threads = t2_flags_num_threads() > 0 ? t2_flags_num_threads() : 1;
    pool = t2_pool_new(threads);
    batcher.pipeline = aug_pipeline_find(pipeline);
    batcher.layout = strcmp(layout, "nhwc") == 0 ? AUG_NHWC : AUG_NCHW;
    if (!batcher.pipeline || (*list == '\0') == (*records == '\0')) {
        fprintf(stderr,
                "bench_jpeg: error: no such pipeline, or not one of --list and --records\n");
        return 2;
    }
    batcher.pool = pool;
    t_batcher_begin(&batcher);
    batch = t2_alloc(BATCH * t_batcher_floats(&batcher), sizeof *batch);
    if (*list)
        map_images();
    measure(*records ? run_records : strcmp(work, "decode") == 0 ? run_decode : run_train);
    return 0;
}
