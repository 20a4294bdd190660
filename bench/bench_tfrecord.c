/*
 * bench/bench_tfrecord.c - measures record files: one kind of work on one file, one JSON line.
 *
 * bench_tfrecord.py runs it in turn with the peers.  "value" is records a second (crc: GB/s), the
 * median of the repetitions; "check" says what was done, to be compared with the peer's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/hash.h"
#include "tfrecord/example.h"
#include "tfrecord/example_batch.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

enum { MAX_REPS = 100, MAX_FEATURES = 2, BATCH = 512 };

static const char *work = "read", *input = "", *output = "";
static int64_t reps = 5, mb = 100, size = 4096, limit = 0;

struct result {
    uint64_t units; /* records, or bytes for crc */
    uint64_t check; /* of what was seen */
};

static void must(enum t2_status st, const struct t2_err *err)
{
    if (st != T2_OK) {
        fprintf(stderr, "bench_tfrecord: error: %s\n", err->message);
        exit(1);
    }
}

static double now_s(void)
{
    struct timespec t;

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- reading ---- */

/* Calls f for every record, at most `limit` when that is set. */
static void each_record(void (*f)(struct t2_slice rec, void *arg), void *arg, struct result *r)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_reader *reader = NULL;
    struct t2_slice rec;
    enum t2_status st;

    *r = (struct result){0};
    must(tfr_reader_new(input, &reader, &err), &err);
    while ((limit == 0 || r->units < (uint64_t) limit) &&
           (st = tfr_reader_next(reader, &rec, &err)) != T2_EOF) {
        must(st, &err);
        if (f)
            f(rec, arg);
        r->units++;
        r->check += rec.len_bytes;
    }
    tfr_reader_free(reader);
}

static struct result run_read(void)
{
    struct result r;

    each_record(NULL, NULL, &r);
    return r;
}

static struct result run_count(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct result r = {0};

    must(tfr_count(input, &r.units, &err), &err);
    return r;
}

struct values {
    struct tfr_example ex;
    int64_t *ints;
    size_t capacity;
    uint64_t sum;
};

/* All int64 lists copied out; of bytes and floats their number. */
static void parse_record(struct t2_slice rec, void *arg)
{
    struct values *v = arg;
    struct t2_err err = T2_ERR_INIT;

    must(tfr_example_parse(&v->ex, rec, &err), &err);
    for (size_t i = 0; i < v->ex.n; i++) {
        const struct tfr_view *view = &v->ex.views[i];
        if (view->kind != TFR_INT64) {
            v->sum += view->n;
            continue;
        }
        if (view->n > v->capacity) {
            v->capacity = 2 * view->n;
            v->ints = t2_realloc(v->ints, v->capacity, sizeof *v->ints);
        }
        tfr_view_ints(view, v->ints);
        if (view->n > 0)
            v->sum += (uint64_t) v->ints[0] + (uint64_t) v->ints[view->n - 1];
    }
}

static struct result run_parse(void)
{
    struct values v = {0};
    struct result r;

    each_record(parse_record, &v, &r);
    r.check = v.sum;
    tfr_example_release(&v.ex);
    t2_free(v.ints);
    return r;
}

/* Batches of 512 records as ragged columns. */
static void add_record(struct t2_slice rec, void *arg)
{
    struct tfr_batch *b = arg;
    struct t2_err err = T2_ERR_INIT;

    if (b->n_records == BATCH)
        tfr_batch_clear(b);
    must(tfr_batch_add(b, rec, &err), &err);
}

static struct result run_batch(void)
{
    static const char *const names[] = {"inputs", "targets"};
    static const enum tfr_kind kinds[] = {TFR_INT64, TFR_INT64};
    static struct tfr_batch b;
    struct result r;

    if (!b.columns)
        tfr_batch_init(&b, names, kinds, 2);
    tfr_batch_clear(&b);
    each_record(add_record, &b, &r);
    return r;
}

static void hash_record(struct t2_slice rec, void *arg)
{
    t2_sha256_update(arg, rec.data, rec.len_bytes);
}

/* Not measured: number of records and SHA-256 of their payloads one after another. */
static void print_digest(void)
{
    struct t2_sha256 *h = t2_sha256_new();
    struct result r;
    char hex[T2_SHA256_HEX];

    each_record(hash_record, h, &r);
    t2_sha256_peek(h, hex);
    t2_sha256_free(h);
    printf("{\"records\": %llu, \"sha256\": \"%s\"}\n", (unsigned long long) r.units, hex);
}

/* ---- writing ---- */

/* The int64 features of the input's records as int32 ids, in memory. */
struct row {
    size_t n;
    char *names[MAX_FEATURES];
    int32_t *ids[MAX_FEATURES];
    size_t n_ids[MAX_FEATURES];
};

static struct row *rows;
static size_t n_rows;

static int by_name(const void *a, const void *b)
{
    return t2_slice_cmp(((const struct tfr_view *) a)->name, ((const struct tfr_view *) b)->name);
}

/* One copy of each name, as a program has them. */
static char *shared_name(struct t2_slice name)
{
    static struct t2_strs names;
    char *copy = t2_strndup((const char *) name.data, name.len_bytes);

    for (size_t i = 0; i < names.n; i++) {
        if (strcmp(names.items[i], copy) == 0) {
            t2_free(copy);
            return names.items[i];
        }
    }
    t2_strs_take(&names, copy);
    return copy;
}

static void load_row(struct t2_slice rec, void *arg)
{
    struct tfr_example *ex = arg;
    struct t2_err err = T2_ERR_INIT;
    struct row *row;

    must(tfr_example_parse(ex, rec, &err), &err);
    qsort(ex->views, ex->n, sizeof *ex->views, by_name);
    if ((n_rows & (n_rows - 1)) == 0)
        rows = t2_realloc(rows, n_rows == 0 ? 1 : 2 * n_rows, sizeof *rows);
    row = &rows[n_rows++];
    row->n = 0;
    for (size_t i = 0; i < ex->n && row->n < MAX_FEATURES; i++) {
        const struct tfr_view *v = &ex->views[i];
        if (v->kind != TFR_INT64)
            continue;
        row->names[row->n] = shared_name(v->name);
        row->ids[row->n] = t2_alloc(v->n + 1, sizeof(int32_t));
        row->n_ids[row->n] = v->n;
        if (!tfr_view_ids(v, row->ids[row->n++])) {
            fprintf(stderr, "bench_tfrecord: error: '%s' has numbers beyond 32 bits\n", input);
            exit(1);
        }
    }
}

static void load_rows(void)
{
    struct tfr_example ex = {0};
    struct result r;

    each_record(load_row, &ex, &r);
    tfr_example_release(&ex);
}

static void build(struct t2_buf *b, const struct row *row)
{
    tfr_example_build_ids(b, row->n, (const char *const *) row->names,
                          (const int32_t *const *) row->ids, row->n_ids);
}

/* To a file that is complete under its name at the end, fsync included. */
static struct result run_write(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct result r = {.units = n_rows};
    struct t2_out *out = NULL;
    struct t2_buf b = {0};

    must(t2_out_new(output, &out, &err), &err);
    for (size_t i = 0; i < n_rows; i++) {
        t2_buf_clear(&b);
        size_t begin = tfr_frame_begin(&b);

        build(&b, &rows[i]);
        tfr_frame_end(&b, begin);
        t2_out_write(out, b.data, b.len_bytes);
    }
    r.check = t2_out_bytes(out);
    must(t2_out_commit(out, &err), &err);
    t2_buf_release(&b);
    return r;
}

/* Into memory, a mebibyte at a time. */
static struct result run_frame(void)
{
    struct result r = {.units = n_rows};
    struct t2_buf out = {0};

    for (size_t i = 0; i < n_rows; i++) {
        size_t begin = tfr_frame_begin(&out);
        build(&out, &rows[i]);
        tfr_frame_end(&out, begin);
        if (out.len_bytes > 1 << 20) {
            r.check += out.len_bytes;
            t2_buf_clear(&out);
        }
    }
    r.check += out.len_bytes;
    t2_buf_release(&out);
    return r;
}

/* ---- checksums ---- */

static struct result run_crc(void)
{
    static uint8_t *data;
    struct result r = {0};
    size_t n = (size_t) size;

    if (!data) {
        data = t2_alloc(n, 1);
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t) (i * 131);
    }
    while (r.units < (uint64_t) mb << 20) {
        r.check += t2_crc32c(0, data, n); /* one does not wait for the other */
        r.units += n;
    }
    return r;
}

/* ---- inputs ---- */

/* A file of about mb MB: the input's records again and again, or made ones. */
static void make(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_out *out = NULL;
    struct t2_buf b = {0}, file = {0};
    uint64_t x = 1;

    must(t2_out_new(output, &out, &err), &err);
    if (strcmp(work, "make") == 0 && input[0] != '\0')
        must(t2_read_file(input, 0, &file, &err), &err);
    while (t2_out_bytes(out) < (uint64_t) mb * 1000000) {
        if (file.len_bytes == 0) {
            int32_t ids[2][40];
            uint8_t *image = t2_alloc(112000, 1);
            for (size_t i = 0; i < 80; i++)
                ids[i / 40][i % 40] = (int32_t) (t2_hash64(&i, sizeof i, x) % 32000);
            for (size_t i = 0; i < 112000; i += 8, x++)
                memcpy(image + i, &(uint64_t){t2_hash64(&x, sizeof x, 0)}, 8);
            size_t n_ids[2] = {20 + x % 20, 20 + x % 19};
            struct tfr_feature f[2] = {{.name = "image/encoded",
                                        .kind = TFR_BYTES,
                                        .n = 1,
                                        .bytes = &(struct t2_slice){image, 112000}},
                                       {.name = "image/class/label",
                                        .kind = TFR_INT64,
                                        .n = 1,
                                        .ints = &(int64_t){(int64_t) (x % 1000)}}};
            t2_buf_clear(&b);
            if (strcmp(work, "make_images") == 0)
                tfr_example_build(&b, f, 2);
            else
                tfr_example_build_ids(&b, 2, (const char *const[]){"inputs", "targets"},
                                      (const int32_t *const[]){ids[0], ids[1]}, n_ids);
            struct t2_buf frame = {0};
            tfr_frame(&frame, b.data, b.len_bytes);
            t2_out_write(out, frame.data, frame.len_bytes);
            t2_buf_release(&frame);
            t2_free(image);
        } else {
            t2_out_write(out, file.data, file.len_bytes);
        }
    }
    must(t2_out_commit(out, &err), &err);
    t2_buf_release(&b);
    t2_buf_release(&file);
}

/* ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static void measure(struct result (*run)(void), double scale)
{
    double rates[MAX_REPS];
    struct result r = run(); /* warm-up */
    size_t n = reps < 1 ? 1 : reps > MAX_REPS ? MAX_REPS : (size_t) reps;

    for (size_t i = 0; i < n; i++) {
        double start = now_s();
        r = run();
        rates[i] = (double) r.units * scale / (now_s() - start);
    }
    qsort(rates, n, sizeof rates[0], compare);
    printf("{\"work\": \"%s\", \"value\": %.6g, \"check\": \"%llu units, %llu\"}\n", work,
           rates[n / 2], (unsigned long long) r.units, (unsigned long long) r.check);
}

int main(int argc, char **argv)
{
    const struct t2_flag flags[] = {
        {"work", T2_FLAG_STRING, &work, "NAME",
         "read, count, parse, batch, write, frame, crc, digest, make, make_images.", NULL},
        {"input", T2_FLAG_STRING, &input, "FILE", "Record file.", NULL},
        {"output", T2_FLAG_STRING, &output, "FILE", "What write and make write.", NULL},
        {"reps", T2_FLAG_INT, &reps, NULL, "Repetitions; the median counts.", NULL},
        {"mb", T2_FLAG_INT, &mb, NULL, "Size of what make writes and crc sums.", NULL},
        {"size", T2_FLAG_INT, &size, NULL, "Bytes of a block for crc.", NULL},
        {"limit", T2_FLAG_INT, &limit, NULL, "Records at most; 0 = all.", NULL},
    };
    const struct t2_tool tool = {
        .name = "bench_tfrecord",
        .usage = "--work=NAME --input=FILE",
        .summary = "Measures work on record files.",
        .examples = "  bench_tfrecord --work=read --input=x.tfrecord\n  bench_tfrecord --work=crc "
                    "--size=4096",
        .flags = flags,
        .n_flags = sizeof flags / sizeof *flags,
    };
    static const struct {
        const char *name;
        struct result (*run)(void);
        double scale;
    } works[] = {{"read", run_read, 1},   {"count", run_count, 1}, {"parse", run_parse, 1},
                 {"batch", run_batch, 1}, {"write", run_write, 1}, {"frame", run_frame, 1},
                 {"crc", run_crc, 1e-9}};
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;

    must(t2_flags_parse(&tool, argc, argv, &rest, &err), &err);
    t2_strs_release(&rest);
    if (strcmp(work, "digest") == 0)
        return print_digest(), 0;
    if (strncmp(work, "make", 4) == 0)
        return make(), 0;
    if (strcmp(work, "write") == 0 || strcmp(work, "frame") == 0)
        load_rows();
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        if (strcmp(works[i].name, work) == 0)
            return measure(works[i].run, works[i].scale), 0;
    }
    fprintf(stderr, "bench_tfrecord: error: unknown work '%s'\n", work);
    return 2;
}
