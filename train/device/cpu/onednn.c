/*
 * train/device/cpu/onednn.c - matrix products by oneDNN; with onednn_conv.c all that knows it.
 *
 * Opened at run time, like OpenBLAS: a machine without it still runs.  Its OpenMP must stay on the
 * calling thread, as the threads are ours, and reads OMP_NUM_THREADS when it is loaded, so that is
 * set before.
 *
 * float32 goes to dnnl_sgemm.  bfloat16 factors need a primitive, which the library writes as
 * machine code for one shape: each thread keeps those it has made in a table of PLACES by a hash of
 * the shape, where a newcomer takes the place of what stood there.
 */
#include <stddef.h>

#include "train/device/cpu/gemm_lib.h"
#include "train/device/cpu/onednn.h"

#ifdef T2_HAVE_ONEDNN
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/hash.h"

static struct dev_cpu_gemm_lib here;
static void *library; /* NULL: not here */

/* The functions that are used, by their names without dnnl_. */
#define FUNCTIONS(X)                                                                               \
    X(version)                                                                                     \
    X(sgemm)                                                                                       \
    X(get_effective_cpu_isa)

#define DECLARE(name) static __typeof__(&dnnl_##name) name;
FUNCTIONS(DECLARE)

/* dlsym's object pointer becomes a function pointer by way of memcpy, as ISO C has no cast for
 * it. */
bool dev_cpu_onednn_find(const char *name, void *function, size_t bytes)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, bytes);
    return address != NULL;
}

#define FIND(name) &&dev_cpu_onednn_find("dnnl_" #name, &name, sizeof name)

static _Noreturn void no_memory(void)
{
    t2_out_of_memory("oneDNN has none");
}

/* Without memory other code would go on, with other bits. */
bool dev_cpu_onednn_ok(int status)
{
    if (status == dnnl_out_of_memory)
        no_memory();
    return status == dnnl_success;
}

/*
 * In front of a product.  The library packs factors into a block of some hundred KiB that it
 * allocates and frees in every call.  malloc cuts off a few bytes behind an aligned block, and
 * glibc (before 2.38) puts them, when they are free, into the thread's lists of small blocks, seven
 * to a list, where they keep the large block in front from joining what is free: the next call does
 * not fit into it.  A run took up to 20 MiB per thread more than it used, another number every
 * time, which no memory plan can forecast.  So the lists are filled before: by calloc, which takes
 * nothing out of them, and free.
 */
static void fill_small_lists(int64_t M, int64_t N, int64_t K)
{
    enum { STEP = 16, SIZES = 10, KEPT = 7 };
    const int64_t small_work = 1 << 20; /* packs little, and would notice the time */
    void *blocks[SIZES * KEPT];

    if (M * N * K < small_work)
        return;
    for (int i = 0; i < SIZES * KEPT; i++)
        blocks[i] = t2_alloc((size_t) (1 + i / KEPT) * STEP, 1);
    for (int i = 0; i < SIZES * KEPT; i++)
        t2_free(blocks[i]);
}

static void gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                 int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C, int64_t ldc)
{
    dnnl_status_t st;

    fill_small_lists(M, N, K);
    st = sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', M, N, K, 1.0f, A, lda, B, ldb,
               accumulate ? 1.0f : 0.0f, C, ldc);
    if (OK(st)) /* else our arguments are wrong */
        return;
    dev_cpu_gemm_refused(here.name, "float32");
    dev_cpu_plain_gemm()->gemm(trans_a, trans_b, M, N, K, A, lda, B, ldb, accumulate, C, ldc);
}

/* ---- bfloat16: the interface of version 2 ---- */

#if DNNL_VERSION_MAJOR == 2

#define BF16_FUNCTIONS(X)                                                                          \
    X(engine_create)                                                                               \
    X(stream_create)                                                                               \
    X(stream_destroy)                                                                              \
    X(stream_wait)                                                                                 \
    X(memory_desc_init_by_strides)                                                                 \
    X(memory_create)                                                                               \
    X(memory_destroy)                                                                              \
    X(memory_set_data_handle)                                                                      \
    X(matmul_desc_init)                                                                            \
    X(post_ops_create)                                                                             \
    X(post_ops_destroy)                                                                            \
    X(post_ops_append_sum)                                                                         \
    X(memory_desc_get_size)                                                                        \
    X(primitive_attr_create)                                                                       \
    X(primitive_attr_destroy)                                                                      \
    X(primitive_attr_set_scratchpad_mode)                                                          \
    X(primitive_attr_set_post_ops)                                                                 \
    X(primitive_desc_create)                                                                       \
    X(primitive_desc_destroy)                                                                      \
    X(primitive_desc_query_md)                                                                     \
    X(primitive_create)                                                                            \
    X(primitive_destroy)                                                                           \
    X(primitive_execute)

BF16_FUNCTIONS(DECLARE)

static dnnl_engine_t engine;

/* The key of a primitive; compared with memcmp, so it has no padding: seven 64-bit numbers. */
struct shape {
    int64_t M, N, K, lda, ldb, ldc;
    int64_t flags; /* trans_a, trans_b, accumulate */
};

struct ready {
    struct shape shape;
    dnnl_primitive_t primitive; /* NULL: the place is free */
    dnnl_memory_t a, b, c;      /* without data; set before each call */
    dnnl_memory_t scratch;      /* without data; NULL: it needs none */
};

/* Primitives of a thread: a training step asks for the same few shapes again and again. */
enum { PLACES = 512 };

struct maker {
    dnnl_stream_t stream;
    void *scratch; /* one block for all shapes: the library would make one for each call */
    size_t scratch_bytes;
    struct ready places[PLACES];
};

static pthread_key_t maker_key;

static void forget(struct ready *r)
{
    if (r->primitive)
        primitive_destroy(r->primitive);
    if (r->a)
        memory_destroy(r->a);
    if (r->b)
        memory_destroy(r->b);
    if (r->c)
        memory_destroy(r->c);
    if (r->scratch)
        memory_destroy(r->scratch);
    *r = (struct ready){0};
}

static void maker_free(void *p)
{
    struct maker *m = p;

    for (int i = 0; i < PLACES; i++)
        forget(&m->places[i]);
    if (m->stream)
        stream_destroy(m->stream);
    t2_free_aligned(m->scratch);
    t2_free(m);
}

static struct maker *my_maker(void)
{
    struct maker *m = pthread_getspecific(maker_key);

    if (m)
        return m;
    m = t2_alloc(1, sizeof *m);
    if (!OK(stream_create(&m->stream, engine, dnnl_stream_default_flags)) ||
        pthread_setspecific(maker_key, m) != 0) {
        maker_free(m);
        return NULL;
    }
    return m;
}

/* A matrix (rows, cols) as it lies in memory: the strides say whether it is transposed. */
static bool describe(dnnl_memory_desc_t *d, dnnl_data_type_t type, int64_t rows, int64_t cols,
                     bool transposed, int64_t stride)
{
    dnnl_dims_t dims = {rows, cols};
    dnnl_dims_t strides = {transposed ? 1 : stride, transposed ? stride : 1};

    return OK(memory_desc_init_by_strides(d, 2, dims, type, strides));
}

/* With accumulate: C = op(A) op(B) + C. */
static bool add_to_output(dnnl_primitive_attr_t attr)
{
    dnnl_post_ops_t ops = NULL;
    bool fine = OK(post_ops_create(&ops)) && OK(post_ops_append_sum(ops, 1.0f)) &&
                OK(primitive_attr_set_post_ops(attr, ops));

    if (ops)
        post_ops_destroy(ops);
    return fine;
}

/*
 * The primitive works in memory of the thread, which grows to the largest need in steps of 64 KiB.
 */
static bool need_scratch(struct maker *m, struct ready *r, const_dnnl_primitive_desc_t made)
{
    enum { STEP = 64 << 10 };
    const dnnl_memory_desc_t *desc = primitive_desc_query_md(made, dnnl_query_scratchpad_md, 0);
    size_t bytes = desc ? memory_desc_get_size(desc) : 0;

    if (bytes > m->scratch_bytes) {
        bytes = (bytes + STEP - 1) / STEP * STEP;
        t2_free_aligned(m->scratch);
        m->scratch = t2_alloc_aligned(bytes);
        m->scratch_bytes = m->scratch ? bytes : 0;
    }
    return bytes <= m->scratch_bytes &&
           (bytes == 0 ||
            memory_create(&r->scratch, desc, engine, DNNL_MEMORY_NONE) == dnnl_success);
}

/* A primitive for one shape, with handles for its three matrices; false: not possible, or no
 * memory. */
static bool make(struct maker *m, struct ready *r, const struct shape *s)
{
    dnnl_memory_desc_t a, b, c;
    dnnl_matmul_desc_t op;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t made = NULL;
    bool fine = describe(&a, dnnl_bf16, s->M, s->K, s->flags & 1, s->lda) &&
                describe(&b, dnnl_bf16, s->K, s->N, s->flags & 2, s->ldb) &&
                describe(&c, dnnl_f32, s->M, s->N, false, s->ldc) &&
                OK(matmul_desc_init(&op, &a, &b, NULL, &c)) && OK(primitive_attr_create(&attr)) &&
                OK(primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user)) &&
                (!(s->flags & 4) || add_to_output(attr)) &&
                OK(primitive_desc_create(&made, &op, attr, engine, NULL)) &&
                OK(primitive_create(&r->primitive, made)) && need_scratch(m, r, made) &&
                OK(memory_create(&r->a, &a, engine, DNNL_MEMORY_NONE)) &&
                OK(memory_create(&r->b, &b, engine, DNNL_MEMORY_NONE)) &&
                OK(memory_create(&r->c, &c, engine, DNNL_MEMORY_NONE));

    if (attr)
        primitive_attr_destroy(attr);
    if (made)
        primitive_desc_destroy(made);
    r->shape = *s;
    if (!fine)
        forget(r);
    return fine;
}

static struct ready *ready_for(struct maker *m, const struct shape *s)
{
    struct ready *r = &m->places[t2_hash64(s, sizeof *s, 0) % PLACES];

    if (r->primitive && memcmp(&r->shape, s, sizeof *s) == 0)
        return r;
    forget(r);
    return make(m, r, s) ? r : NULL;
}

/* The library's handles are not const, but it only reads A and B; the union takes const away
 * without a cast. */
static bool run(struct maker *m, struct ready *r, const uint16_t *A, const uint16_t *B, float *C)
{
    union {
        const uint16_t *given;
        void *unqualified; /* only read */
    } a = {A}, b = {B};
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, r->a},
                                   {DNNL_ARG_WEIGHTS, r->b},
                                   {DNNL_ARG_DST, r->c},
                                   {DNNL_ARG_SCRATCHPAD, r->scratch}};

    return OK(memory_set_data_handle(r->a, a.unqualified)) &&
           OK(memory_set_data_handle(r->b, b.unqualified)) && OK(memory_set_data_handle(r->c, C)) &&
           (!r->scratch || OK(memory_set_data_handle(r->scratch, m->scratch))) &&
           OK(primitive_execute(r->primitive, m->stream, r->scratch ? 4 : 3, arguments)) &&
           OK(stream_wait(m->stream));
}

/* A sum in plain C, should the library have no memory. */
static float plain_dot(const struct shape *s, const uint16_t *A, const uint16_t *B, int64_t i,
                       int64_t j)
{
    float sum = 0.0f;

    for (int64_t k = 0; k < s->K; k++) {
        uint32_t bits[2] = {A[s->flags & 1 ? k * s->lda + i : i * s->lda + k],
                            B[s->flags & 2 ? j * s->ldb + k : k * s->ldb + j]};
        float x[2];

        bits[0] <<= 16;
        bits[1] <<= 16;
        memcpy(x, bits, sizeof x);
        sum += x[0] * x[1];
    }
    return sum;
}

static void gemm_bf16(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K,
                      const uint16_t *A, int64_t lda, const uint16_t *B, int64_t ldb,
                      bool accumulate, float *C, int64_t ldc)
{
    struct shape s = {M, N, K, lda, ldb, ldc, trans_a | trans_b << 1 | accumulate << 2};
    struct maker *m = my_maker();
    struct ready *r = m ? ready_for(m, &s) : NULL;

    fill_small_lists(M, N, K);
    if (r && run(m, r, A, B, C))
        return;
    dev_cpu_gemm_refused(here.name, "bfloat16");
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++)
            C[i * ldc + j] = plain_dot(&s, A, B, i, j) + (accumulate ? C[i * ldc + j] : 0.0f);
}

static bool isa_has(dnnl_cpu_isa_t isa)
{
    return (get_effective_cpu_isa() & isa) == isa;
}

static void load_bf16(void)
{
    const bool amx = isa_has(dnnl_cpu_isa_avx512_core_amx),
               vdpbf16ps = isa_has(dnnl_cpu_isa_avx512_core_bf16);

    here.bf16 = vdpbf16ps
                    ? "bfloat16 multiplied as floats (AVX512-BF16 of Intel: not faster)"
                    : "bfloat16 multiplied as floats (no instructions for it here: not faster)";
    if (!(true BF16_FUNCTIONS(FIND)) || !OK(engine_create(&engine, dnnl_cpu, 0)) ||
        pthread_key_create(&maker_key, maker_free) != 0)
        return;
    here.gemm_bf16 = gemm_bf16;
    here.fast_bf16 = amx || (vdpbf16ps && dev_cpu_bf16_dots_pay());
    if (here.fast_bf16)
        here.bf16 = amx ? "bfloat16 products (AMX)" : "bfloat16 products (AVX512-BF16)";
}

#else

static void load_bf16(void)
{
    /* version 3 has another interface, which no machine of ours has */
    here.bf16 =
        "bfloat16 multiplied as floats (not faster: only oneDNN 2 is asked for such products)";
}

#endif

/* ---- loading ---- */

/* oneDNN is C++ and lets std::bad_alloc end the program with a signal; std::set_new_handler is
 * asked first.  Its name is that of the Itanium C++ ABI, which all compilers but Microsoft's use.
 */
static void set_new_handler(void)
{
    void *(*set)(void (*handler)(void));
    void *runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *address = runtime ? dlsym(runtime, "_ZSt15set_new_handlerPFvvE") : NULL;

    memcpy(&set, &address, sizeof set);
    if (address)
        (void) set(no_memory);
}

static void load(void)
{
    char file[32];

#ifdef __x86_64__
    if (t2_cpu_variant() != T2_CPU_AVX512)
        setenv("DNNL_MAX_CPU_ISA", t2_cpu_variant() == T2_CPU_AVX2 ? "AVX2" : "SSE41", 0);
#endif
    setenv("OMP_NUM_THREADS", "1", 1);
    snprintf(file, sizeof file, "libdnnl.so.%d", DNNL_VERSION_MAJOR);
    set_new_handler();
    library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library || !(true FUNCTIONS(FIND)))
        return;
    snprintf(here.name, sizeof here.name, "oneDNN %d.%d.%d", version()->major, version()->minor,
             version()->patch);
    here.gemm = gemm;
    here.code_bytes = 4 << 20;
    load_bf16();
}

const struct dev_cpu_gemm_lib *dev_cpu_onednn(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return here.gemm ? &here : NULL;
}

#else

const struct dev_cpu_gemm_lib *dev_cpu_onednn(void)
{
    return NULL;
}

#endif
