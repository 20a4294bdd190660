/*
 * bench/bench_tokenizer.c - measures the tokenizer: one kind of work on the lines of one file, one
 * JSON line.  "value" is MB/s of text, the median of the repetitions ("cpu_value": for each second
 * of CPU time); "check" says what came out.
 *
 * Work: count words; build a vocabulary (counting included); encode with a cold or a warm word
 * cache (encode_calls: warm, a call for each line), or none; decode.  ids and words print what was
 * found, for comparison with a peer.
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
#include "base/pool.h"
#include "base/progress.h"
#include "tokenizer/encoder.h"
#include "tokenizer/vocab_builder.h"

enum { MAX_REPS = 100, N_PIECES = 256 };

static const char *work = "count", *input = "", *vocab = "", *output = "";
static int64_t reps = 5, size = 32768, max_length = 0;
static double max_mb = 0;

struct piece {
    const uint8_t *from, *to; /* whole lines */
    struct tok_ids ids;
    struct tok_ends ends; /* of its lines in ids */
    struct t2_buf text;
};

static struct t2_mapped file;
static struct piece pieces[N_PIECES];
static struct t2_pool *pool;
static struct tok_encoder *encoder;
static struct tok_counts **counts; /* one per thread, as are the caches */
static struct tok_cache **caches;
static int n_threads;

static void must(enum t2_status st, const struct t2_err *err)
{
    if (st != T2_OK) {
        fprintf(stderr, "bench_tokenizer: error: %s\n", err->message);
        exit(1);
    }
}

static const uint8_t *line_end(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *lf = memchr(at, '\n', (size_t) (end - at));

    return lf ? lf : end;
}

static void cut_file(void)
{
    struct t2_err err = T2_ERR_INIT;
    const uint8_t *at, *end;

    must(t2_map_file(input, &file, &err), &err);
    if (max_mb > 0 && (double) file.len_bytes > max_mb * 1e6)
        file.len_bytes = (size_t) (max_mb * 1e6);
    at = file.data;
    end = file.data + file.len_bytes;
    for (size_t i = 0; i < N_PIECES; i++) {
        const uint8_t *to = file.data + file.len_bytes / N_PIECES * (i + 1);

        pieces[i].from = at;
        if (i + 1 == N_PIECES)
            to = end;
        else if (to < at)
            to = at;
        else
            to = line_end(to, end);
        pieces[i].to = at = to < end && i + 1 < N_PIECES ? to + 1 : to;
    }
}

/* ---- kinds of work ---- */

static void count_piece(void *arg, int64_t piece, int worker)
{
    (void) arg;
    tok_counts_add_lines(counts[worker], pieces[piece].from,
                         (size_t) (pieces[piece].to - pieces[piece].from));
}

static void count_all(void)
{
    for (int i = 0; i < n_threads; i++) {
        tok_counts_free(counts[i]);
        counts[i] = tok_counts_new();
    }
    t2_pool_run(pool, N_PIECES, count_piece, NULL);
    for (int i = 1; i < n_threads; i++)
        tok_counts_merge(counts[0], counts[i]);
}

static void run_count(char *check)
{
    count_all();
    snprintf(check, 65, "%zu words", tok_counts_distinct(counts[0]));
}

static void run_build(char *check)
{
    struct tok_build_options o = {.target_size = size,
                                  .max_subtoken_length = (int) max_length,
                                  .pool = pool};
    struct t2_err err = T2_ERR_INIT;

    count_all();
    tok_free(encoder);
    must(tok_build(counts[0], &o, &encoder, &err), &err);
    tok_sha256(encoder, check);
    if (*output)
        must(tok_save(encoder, output, &err), &err);
}

static void encode_piece(void *arg, int64_t piece, int worker)
{
    struct piece *p = &pieces[piece];
    struct t2_err err = T2_ERR_INIT;

    (void) arg;
    p->ids.n = p->ends.n = 0;
    must(tok_encode_lines(encoder, caches[worker], p->from, (size_t) (p->to - p->from), &p->ids,
                          &p->ends, &err),
         &err);
}

/* The same with a call for each line. */
static void encode_piece_by_calls(void *arg, int64_t piece, int worker)
{
    struct piece *p = &pieces[piece];
    struct t2_err err = T2_ERR_INIT;

    (void) arg;
    p->ids.n = p->ends.n = 0;
    for (const uint8_t *at = p->from; at < p->to; at++) {
        const uint8_t *to = line_end(at, p->to);

        must(tok_encode(encoder, caches[worker], at, (size_t) (to - at), &p->ids, &err), &err);
        tok_ends_push(&p->ends, p->ids.n);
        at = to;
    }
}

static void check_ids(char *check)
{
    uint64_t h = 0;
    size_t n = 0;

    for (size_t i = 0; i < N_PIECES; i++) {
        h = t2_hash64(pieces[i].ids.items, pieces[i].ids.n * sizeof(int32_t), h);
        h = t2_hash64(pieces[i].ends.items, pieces[i].ends.n * sizeof(size_t), h);
        n += pieces[i].ids.n;
    }
    snprintf(check, 65, "%zu ids, %016" PRIx64, n, h);
}

static void drop_caches(void)
{
    for (int i = 0; i < n_threads; i++) {
        tok_cache_free(caches[i]);
        caches[i] = NULL;
    }
}

static void run_encode_plain(char *check)
{
    (void) check;
    drop_caches();
    t2_pool_run(pool, N_PIECES, encode_piece, NULL);
}

static void run_encode_cold(char *check)
{
    (void) check;
    drop_caches();
    for (int i = 0; i < n_threads; i++)
        caches[i] = tok_cache_new(encoder, 0);
    t2_pool_run(pool, N_PIECES, encode_piece, NULL);
}

static void need_caches(void)
{
    for (int i = 0; i < n_threads; i++)
        if (!caches[i])
            caches[i] = tok_cache_new(encoder, 0);
}

static void run_encode_warm(char *check)
{
    (void) check;
    need_caches();
    t2_pool_run(pool, N_PIECES, encode_piece, NULL);
}

static void run_encode_calls(char *check)
{
    (void) check;
    need_caches();
    t2_pool_run(pool, N_PIECES, encode_piece_by_calls, NULL);
}

static void decode_piece(void *arg, int64_t piece, int worker)
{
    struct piece *p = &pieces[piece];
    size_t from = 0;

    (void) arg;
    (void) worker;
    t2_buf_clear(&p->text);
    for (size_t i = 0; i < p->ends.n; i++) {
        tok_decode(encoder, p->ids.items + from, p->ends.items[i] - from, &p->text);
        t2_buf_push(&p->text, '\n');
        from = p->ends.items[i];
    }
}

static void run_decode(char *check)
{
    size_t n = 0;

    if (pieces[0].ids.n == 0)
        run_encode_warm(check);
    t2_pool_run(pool, N_PIECES, decode_piece, NULL);
    for (size_t i = 0; i < N_PIECES; i++)
        n += pieces[i].text.len_bytes;
    snprintf(check, 65, "%zu bytes", n);
}

static void print_ids(void)
{
    char check[65];

    run_encode_warm(check);
    for (size_t i = 0; i < N_PIECES; i++) {
        const struct piece *p = &pieces[i];

        for (size_t line = 0, k = 0; line < p->ends.n; line++) {
            for (; k < p->ends.items[line]; k++)
                printf("%" PRId32 " ", p->ids.items[k]);
            printf("\n");
        }
    }
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Of all threads: on a busy machine this says more than the clock. */
static double cpu_s(void)
{
    struct timespec t;

    (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void measure(void (*run)(char *check))
{
    size_t n = reps < 1 ? 1 : reps > MAX_REPS ? MAX_REPS : (size_t) reps;
    double rates[MAX_REPS], cpu_rates[MAX_REPS];
    struct rusage usage;
    char check[65] = "";

    run(check); /* warm-up */
    for (size_t i = 0; i < n; i++) {
        double start = t2_now_s(), cpu_start = cpu_s();

        run(check);
        rates[i] = (double) file.len_bytes / 1e6 / (t2_now_s() - start);
        cpu_rates[i] = (double) file.len_bytes / 1e6 / (cpu_s() - cpu_start);
    }
    qsort(rates, n, sizeof rates[0], compare);
    qsort(cpu_rates, n, sizeof cpu_rates[0], compare);
    if (strncmp(work, "encode", 6) == 0)
        check_ids(check);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"work\": \"%s\", \"value\": %.6g, \"cpu_value\": %.6g, \"check\": \"%s\", "
           "\"peak_mib\": %ld}\n",
           work, rates[n / 2], cpu_rates[n / 2], check, usage.ru_maxrss / 1024);
}

static void set_up(void)
{
    struct t2_err err = T2_ERR_INIT;

    n_threads = t2_flags_num_threads() > 0 ? t2_flags_num_threads() : 1;
    pool = t2_pool_new(n_threads);
    counts = t2_alloc((size_t) n_threads, sizeof *counts);
    caches = t2_alloc((size_t) n_threads, sizeof *caches);
    if (*vocab)
        must(tok_load(vocab, &encoder, &err), &err);
    cut_file();
}

int main(int argc, char **argv)
{
    const struct t2_flag flags[] = {
        {"work", T2_FLAG_STRING, &work, "NAME",
         "count, build, encode_cold, encode_warm, encode_calls, encode_plain, decode, ids.", NULL},
        {"input", T2_FLAG_STRING, &input, "FILE", "Text, one line after another.", NULL},
        {"vocab", T2_FLAG_STRING, &vocab, "FILE", "Vocabulary to encode with.", NULL},
        {"output", T2_FLAG_STRING, &output, "FILE", "Where build writes its vocabulary.", NULL},
        {"size", T2_FLAG_INT, &size, NULL, "Target size of build.", NULL},
        {"max_length", T2_FLAG_INT, &max_length, NULL, "Subtoken length of build; 0 = any.", NULL},
        {"max_mb", T2_FLAG_DOUBLE, &max_mb, NULL, "Only the first so many MB; 0 = all.", NULL},
        {"reps", T2_FLAG_INT, &reps, NULL, "Repetitions; the median counts.", NULL},
    };
    const struct t2_tool tool = {
        .name = "bench_tokenizer",
        .usage = "--work=NAME --input=FILE",
        .summary = "Measures the tokenizer.",
        .examples = "  bench_tokenizer --work=build --input=x.txt --size=8192\n"
                    "  bench_tokenizer --work=encode_cold --input=x.txt --vocab=x.subwords",
        .flags = flags,
        .n_flags = sizeof flags / sizeof *flags,
    };
    static const struct {
        const char *name;
        void (*run)(char *check);
        bool encodes;
    } works[] = {{"count", run_count, false},
                 {"build", run_build, false},
                 {"encode_cold", run_encode_cold, true},
                 {"encode_warm", run_encode_warm, true},
                 {"encode_calls", run_encode_calls, true},
                 {"encode_plain", run_encode_plain, true},
                 {"decode", run_decode, true}};
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;

    must(t2_flags_parse(&tool, argc, argv, &rest, &err), &err);
    t2_strs_release(&rest);
    set_up();
    if (strcmp(work, "ids") == 0 && encoder)
        return print_ids(), 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(works[i].name, work) == 0 && (encoder || !works[i].encodes))
            return measure(works[i].run), 0;
    fprintf(stderr, "bench_tokenizer: error: unknown work '%s', or it needs --vocab\n", work);
    return 2;
}
