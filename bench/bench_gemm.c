/*
 * bench/bench_gemm.c - the products of a training step, by every library that is here: GFLOP/s of
 * one core.
 *
 *   bench_gemm --size=base [--tokens=1024]
 *   T2_CPU=avx2 ONEDNN_MAX_CPU_ISA=AVX2 bench_gemm
 *
 * Prints a JSON object a shape and pass: "whole", one call of the library for the whole product;
 * "tiles", its calls for the tiles or parts into which the cpu device cuts the product (gemm.c),
 * one behind the other; which library the device takes on this processor; and "device", what the
 * device itself reaches on one thread, by that library or by its own tiles (gemm_rows.c).  They
 * take turns, and the best of --rounds counts, in processor time: what another program takes is
 * left out.  dev_cpu_gemm_lib() and dev_cpu_gemm_by_rows() choose by what this prints.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"

static const char *size = "base";
static int64_t tokens = 1024, rounds = 5, mflop = 3000;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"size", T2_FLAG_STRING, &size, "NAME", "model: base, small256 or small128", NULL},
    {"tokens", T2_FLAG_INT, &tokens, "N", "rows of a batch", NULL},
    {"rounds", T2_FLAG_INT, &rounds, "N", "of which the best counts", NULL},
    {"mflop", T2_FLAG_INT, &mflop, "N", "work of a round, at least", NULL},
};

static const struct model {
    const char *name;
    int64_t d, ff, vocab;
} models[] = {{"base", 512, 2048, 32768},
              {"small256", 256, 1024, 8192},
              {"small128", 128, 512, 8192}};

/* y (N,out) = x (N,in) w (in,out) and its gradients, or with the table (vocab,d) instead of w. */
static struct dev_gemm product(const char *pass, int64_t n, int64_t in, int64_t out, bool table)
{
    struct dev_gemm a = {.type_a = DEV_FLOAT32, .type_b = DEV_FLOAT32, .type_c = DEV_FLOAT32};

    if (strcmp(pass, "y") == 0) { /* x w */
        a.M = n, a.N = out, a.K = in;
        a.trans_b = table;
    } else if (strcmp(pass, "dx") == 0) { /* dy w^T */
        a.M = n, a.N = in, a.K = out;
        a.trans_b = !table;
    } else { /* x^T dy, or dy^T x of the table */
        a.M = table ? out : in, a.N = table ? in : out, a.K = n;
        a.trans_a = true;
    }
    a.lda = a.trans_a ? a.M : a.K;
    a.ldb = a.trans_b ? a.K : a.N;
    a.ldc = a.N;
    return a;
}

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* As gemm.c does it, on this thread. */
static void multiply(const struct dev_cpu_gemm_lib *lib, const struct dev_gemm *a,
                     const struct dev_cpu_tiles *t)
{
    for (int64_t i = 0; i < t->n_tiles; i++) {
        int64_t row = i / t->across * t->m, col = i % t->across * t->n;
        int64_t m = a->M - row < t->m ? a->M - row : t->m;
        int64_t n = a->N - col < t->n ? a->N - col : t->n;

        lib->gemm(a->trans_a, a->trans_b, m, n, a->K,
                  (const float *) a->A + (a->trans_a ? row : row * a->lda), a->lda,
                  (const float *) a->B + (a->trans_b ? col * a->ldb : col), a->ldb, false,
                  (float *) a->C + row * a->ldc + col, a->ldc);
    }
}

/* As gemm.c where K is cut, without the sum of the parts: M N of 2 M N K / parts operations. */
static void multiply_parts(const struct dev_cpu_gemm_lib *lib, const struct dev_gemm *a,
                           const struct dev_cpu_parts *p)
{
    for (int64_t k = 0; k < a->K; k += p->k)
        lib->gemm(a->trans_a, a->trans_b, a->M, a->N, a->K - k < p->k ? a->K - k : p->k,
                  (const float *) a->A + (a->trans_a ? k * a->lda : k), a->lda,
                  (const float *) a->B + (a->trans_b ? k : k * a->ldb), a->ldb, false,
                  (float *) a->C, a->ldc);
}

static double gflops(const struct dev_cpu_gemm_lib *lib, const struct dev_gemm *a,
                     const struct dev_cpu_tiles *t, const struct dev_cpu_parts *p)
{
    double flop = 2.0 * (double) a->M * (double) a->N * (double) a->K;
    int64_t n = (int64_t) (1e6 * (double) mflop / flop) + 1;
    double began = processor_seconds();

    for (int64_t i = 0; i < n; i++)
        if (p->n > 1)
            multiply_parts(lib, a, p);
        else
            multiply(lib, a, t);
    return 1e-9 * flop * (double) n / (processor_seconds() - began);
}

static double device_gflops(struct dev *d, const struct dev_gemm *a)
{
    double flop = 2.0 * (double) a->M * (double) a->N * (double) a->K;
    int64_t n = (int64_t) (1e6 * (double) mflop / flop) + 1;
    double began = processor_seconds();

    for (int64_t i = 0; i < n; i++)
        d->kernels->gemm(d, a);
    return 1e-9 * flop * (double) n / (processor_seconds() - began);
}

static float *made_up(int64_t n, uint64_t seed)
{
    float *x = t2_alloc_aligned((size_t) n * sizeof *x);
    struct t2_rng rng;

    if (!x)
        t2_out_of_memory("the factors of a product");
    t2_rng_init(&rng, seed, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = t2_rng_uniform(&rng) - 0.5f;
    return x;
}

static void measure(struct dev *d, const char *what, const char *pass, struct dev_gemm a)
{
    enum { LIBRARIES = 2 };
    const struct dev_cpu_gemm_lib *libs[LIBRARIES] = {dev_cpu_onednn(), dev_cpu_openblas()};
    const struct dev_cpu_tiles whole = {.m = a.M, .n = a.N, .across = 1, .n_tiles = 1};
    const struct dev_cpu_tiles tiles = dev_cpu_gemm_tiles(&a);
    const struct dev_cpu_parts one = {.n = 1}, parts = dev_cpu_gemm_parts(&a);
    float *A = made_up(a.M * a.K, 1), *B = made_up(a.K * a.N, 2), *C = made_up(a.M * a.N, 3);
    float *scratch = made_up(d->kernels->gemm_scratch_floats(d, &a) + 1, 4);
    double best[LIBRARIES][2] = {{0}}, best_device = 0.0;
    struct t2_buf text = {0};
    struct t2_json json;

    a.A = A;
    a.B = B;
    a.C = C;
    a.scratch = scratch;
    for (int64_t r = 0; r < rounds; r++) {
        for (int i = 0; i < LIBRARIES; i++)
            for (int cut = 0; cut < 2 && libs[i]; cut++) {
                double rate = gflops(libs[i], &a, cut ? &tiles : &whole, cut ? &parts : &one);

                best[i][cut] = rate > best[i][cut] ? rate : best[i][cut];
            }
        best_device = fmax(best_device, device_gflops(d, &a));
    }
    t2_free_aligned(scratch);
    t2_free_aligned(A);
    t2_free_aligned(B);
    t2_free_aligned(C);
    t2_json_init(&json, &text, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "product", what);
    t2_json_kv_string(&json, "pass", pass);
    t2_json_kv_i64(&json, "M", a.M);
    t2_json_kv_i64(&json, "N", a.N);
    t2_json_kv_i64(&json, "K", a.K);
    t2_json_kv_i64(&json, "tile_rows", tiles.m);
    t2_json_kv_i64(&json, "tile_columns", tiles.n);
    t2_json_kv_i64(&json, "parts_of_k", parts.n);
    for (int i = 0; i < LIBRARIES; i++) {
        if (!libs[i])
            continue;
        t2_json_key(&json, libs[i]->name);
        t2_json_object(&json);
        t2_json_kv_double(&json, "whole", best[i][0]);
        t2_json_kv_double(&json, "tiles", best[i][1]);
        t2_json_end_object(&json);
    }
    t2_json_kv_string(&json, "taken", dev_cpu_gemm_lib()->name);
    t2_json_kv_double(&json, "device", best_device);
    t2_json_end_object(&json);
    puts(t2_buf_cstr(&text));
    fflush(stdout);
    t2_buf_release(&text);
}

static enum t2_status run(struct t2_err *err)
{
    static const char *const passes[] = {"y", "dx", "dw"};
    const struct model *m = NULL;
    struct dev *d;

    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        m = strcmp(models[i].name, size) == 0 ? &models[i] : m;
    if (!m)
        return t2_fail(err, T2_EUSAGE, "--size=%s: base, small256 or small128", size);
    T2_TRY(dev_open("cpu", 1, &d, err));
    for (int p = 0; p < 3; p++) {
        measure(d, "attention's (d,d)", passes[p], product(passes[p], tokens, m->d, m->d, false));
        measure(d, "feed-forward's first", passes[p],
                product(passes[p], tokens, m->d, m->ff, false));
        measure(d, "feed-forward's second", passes[p],
                product(passes[p], tokens, m->ff, m->d, false));
        measure(d, "logits", passes[p],
                product(passes[p], tokens < 256 ? tokens : 256, m->d, m->vocab, true));
    }
    dev_close(d);
    return T2_OK;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_gemm",
                                 .usage = "[flags]",
                                 .summary = "Products of a training step, by library.",
                                 .examples = "  bench_gemm --size=small256\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
