/*
 * train/device/cpu/onednn_conv.c - convolutions of images by oneDNN, version 2.
 *
 * A primitive is made at the first use of a shape by a thread and kept by that thread, in a table
 * with open addressing: PLACES places, PROBES tries from the hash on, then the last place tried is
 * taken from its owner.  A shape that cannot be done keeps its place, marked, so that it is not
 * tried in every step.
 *
 * Images are channel-last (nhwc) where the library has code for it; what it wants otherwise
 * (Winograd's blocks, bfloat16) is made on the way by its own copies (`copy` of a tensor).  Weights
 * are ours as (kh,kw,C,N), which oneDNN sees as (N,C,kh,kw) with other strides, and are packed once
 * per kernel call for all pieces.  All work memory comes from the caller, so that the memory plan
 * knows of it.
 */
#include <stddef.h>

#include "train/device/cpu/convolver.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/cpu/onednn.h"

#ifdef T2_HAVE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

#if defined(T2_HAVE_ONEDNN) && DNNL_VERSION_MAJOR == 2
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define FUNCTIONS(X)                                                                               \
    X(engine_create)                                                                               \
    X(stream_create)                                                                               \
    X(stream_destroy)                                                                              \
    X(stream_wait)                                                                                 \
    X(memory_desc_init_by_strides)                                                                 \
    X(memory_desc_init_by_tag)                                                                     \
    X(memory_desc_equal)                                                                           \
    X(memory_desc_get_size)                                                                        \
    X(memory_create)                                                                               \
    X(memory_destroy)                                                                              \
    X(memory_set_data_handle)                                                                      \
    X(dilated_convolution_forward_desc_init)                                                       \
    X(dilated_convolution_backward_data_desc_init)                                                 \
    X(dilated_convolution_backward_weights_desc_init)                                              \
    X(reorder_primitive_desc_create)                                                               \
    X(primitive_attr_create)                                                                       \
    X(primitive_attr_set_scratchpad_mode)                                                          \
    X(primitive_desc_create)                                                                       \
    X(primitive_desc_destroy)                                                                      \
    X(primitive_desc_query)                                                                        \
    X(primitive_desc_query_md)                                                                     \
    X(primitive_create)                                                                            \
    X(primitive_destroy)                                                                           \
    X(primitive_execute)

#define DECLARE(name) static __typeof__(&dnnl_##name) name;
FUNCTIONS(DECLARE)

#define FIND(name) &&dev_cpu_onednn_find("dnnl_" #name, &name, sizeof name)

static dnnl_engine_t engine;
static dnnl_primitive_attr_t attributes; /* work memory is ours, so that the plan knows of it */

enum { X, WEIGHTS, Y, N_TENSORS };

/* A tensor as we have it and as the library wants it. */
struct tensor {
    dnnl_memory_desc_t ours_desc, wanted_desc;
    dnnl_memory_t ours, wanted; /* without data */
    dnnl_primitive_t copy;      /* to what is read, from what is written; NULL: the same */
    int64_t floats;             /* of wanted */
};

/* A convolution of one shape, ready to run. */
struct ready {
    struct dev_cpu_conv shape;
    enum { FREE, MADE, IMPOSSIBLE } state;
    dnnl_primitive_t primitive;
    struct tensor tensors[N_TENSORS];
    dnnl_memory_t scratch; /* without data; NULL: it needs none */
    int64_t scratch_floats;
};

/* Primitives of a thread. */
enum { PLACES = 1024, PROBES = 16 };

struct maker {
    dnnl_stream_t stream;
    struct ready *places[PLACES];
};

static pthread_key_t maker_key;

/* ---- making ---- */

static int output_of(const struct dev_cpu_conv *c)
{
    return c->pass == DEV_CONV2D_FORWARD ? Y : c->pass == DEV_CONV2D_DATA ? X : WEIGHTS;
}

/* x (B,H,W,C), y (B,Ho,Wo,N) and w (kh,kw,C,row_of_w) as they lie in memory. */
static bool describe_ours(struct tensor *t, const struct dev_cpu_conv *c)
{
    dnnl_dims_t x = {c->B, c->C, c->H, c->W}, y = {c->B, c->N, c->Ho, c->Wo};
    dnnl_dims_t w = {c->N, c->C, c->kh, c->kw};
    dnnl_dims_t w_strides = {1, c->row_of_w, c->kw * c->C * c->row_of_w, c->C * c->row_of_w};
    dnnl_data_type_t read = c->stored16 ? dnnl_bf16 : dnnl_f32;

    return OK(memory_desc_init_by_tag(&t[X].ours_desc, 4, x, output_of(c) == X ? dnnl_f32 : read,
                                      dnnl_nhwc)) &&
           OK(memory_desc_init_by_tag(&t[Y].ours_desc, 4, y, output_of(c) == Y ? dnnl_f32 : read,
                                      dnnl_nhwc)) &&
           OK(memory_desc_init_by_strides(&t[WEIGHTS].ours_desc, 4, w, dnnl_f32, w_strides));
}

/* The request to the library: images as `layout`, weights in any layout it likes. */
static bool describe_asked(dnnl_memory_desc_t *asked, const struct dev_cpu_conv *c,
                           dnnl_format_tag_t layout)
{
    dnnl_dims_t dims[N_TENSORS] = {[X] = {c->B, c->C, c->H, c->W},
                                   [WEIGHTS] = {c->N, c->C, c->kh, c->kw},
                                   [Y] = {c->B, c->N, c->Ho, c->Wo}};
    bool fine = true;

    for (int i = 0; i < N_TENSORS; i++)
        fine =
            fine && OK(memory_desc_init_by_tag(&asked[i], 4, dims[i],
                                               c->bf16 && i != output_of(c) ? dnnl_bf16 : dnnl_f32,
                                               i == WEIGHTS ? dnnl_format_tag_any : layout));
    return fine;
}

/* Zeros behind the last row or column; what a stride does not reach may be left. */
static int64_t behind(int64_t n, int64_t outputs, int64_t size, int64_t stride, int64_t dilation,
                      int64_t before)
{
    int64_t zeros = (outputs - 1) * stride + (size - 1) * dilation + 1 - n - before;

    return zeros > 0 ? zeros : 0;
}

/* Backward primitives take a forward one as a hint, which need not be the one that ran. */
static bool describe_primitive(dnnl_primitive_desc_t *made, const struct dev_cpu_conv *c,
                               dnnl_format_tag_t layout)
{
    dnnl_dims_t strides = {c->stride, c->stride}, dilates = {c->dilation - 1, c->dilation - 1};
    dnnl_dims_t first = {c->top, c->left};
    dnnl_dims_t last = {behind(c->H, c->Ho, c->kh, c->stride, c->dilation, c->top),
                        behind(c->W, c->Wo, c->kw, c->stride, c->dilation, c->left)};
    dnnl_alg_kind_t how = c->winograd ? dnnl_convolution_winograd : dnnl_convolution_direct;
    dnnl_memory_desc_t asked[N_TENSORS], forward_asked[N_TENSORS];
    struct dev_cpu_conv forward = *c;
    dnnl_convolution_desc_t op;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t st;

    forward.pass = DEV_CONV2D_FORWARD;
    if (!describe_asked(asked, c, layout) || !describe_asked(forward_asked, &forward, layout) ||
        !OK(dilated_convolution_forward_desc_init(
            &op, dnnl_forward_training,
            c->pass == DEV_CONV2D_FORWARD ? how : dnnl_convolution_direct, &forward_asked[X],
            &forward_asked[WEIGHTS], NULL, &forward_asked[Y], strides, dilates, first, last)))
        return false;
    if (c->pass == DEV_CONV2D_FORWARD)
        return OK(primitive_desc_create(made, &op, attributes, engine, NULL));
    if (!OK(primitive_desc_create(&hint, &op, NULL, engine, NULL)))
        return false;
    if (c->pass == DEV_CONV2D_DATA)
        st = dilated_convolution_backward_data_desc_init(&op, how, &asked[X], &asked[WEIGHTS],
                                                         &asked[Y], strides, dilates, first, last);
    else
        st = dilated_convolution_backward_weights_desc_init(&op, how, &asked[X], &asked[WEIGHTS],
                                                            NULL, &asked[Y], strides, dilates,
                                                            first, last);
    if (OK(st))
        st = primitive_desc_create(made, &op, attributes, engine, hint);
    primitive_desc_destroy(hint);
    return OK(st);
}

/* False for the implementation "ref", loops that are there only to be right. */
static bool is_fast(const_dnnl_primitive_desc_t made)
{
    const char *name = NULL;

    return OK(primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)) && name &&
           strncmp(name, "ref", 3) != 0;
}

/*
 * Channel-last first, as it needs no copies; then any layout.  Winograd exists only in the latter.
 */
static bool describe_best(dnnl_primitive_desc_t *made, const struct dev_cpu_conv *c)
{
    static const dnnl_format_tag_t layouts[] = {dnnl_nhwc, dnnl_format_tag_any};

    for (int i = c->winograd ? 1 : 0; i < 2; i++) {
        *made = NULL;
        if (describe_primitive(made, c, layouts[i]) && is_fast(*made))
            return true;
        if (*made)
            primitive_desc_destroy(*made);
    }
    return false;
}

/* The handle of a tensor as the primitive wants it, and the copy between ours and that where they
 * differ: into it for an input, out of it for an output.  floats: in whole cache lines. */
static bool make_tensor(struct tensor *t, const_dnnl_primitive_desc_t made, dnnl_query_t query,
                        bool output)
{
    const dnnl_memory_desc_t *wanted = primitive_desc_query_md(made, query, 0);
    dnnl_primitive_desc_t copy = NULL;
    bool fine;

    if (!wanted)
        return false;
    t->wanted_desc = *wanted;
    t->floats = (int64_t) (memory_desc_get_size(wanted) + 63) / 64 * 16;
    fine = OK(memory_create(&t->ours, &t->ours_desc, engine, DNNL_MEMORY_NONE)) &&
           OK(memory_create(&t->wanted, wanted, engine, DNNL_MEMORY_NONE));
    if (!fine || memory_desc_equal(&t->ours_desc, wanted))
        return fine;
    fine = OK(reorder_primitive_desc_create(&copy, output ? wanted : &t->ours_desc, engine,
                                            output ? &t->ours_desc : wanted, engine, NULL)) &&
           OK(primitive_create(&t->copy, copy));
    if (copy)
        primitive_desc_destroy(copy);
    return fine;
}

static bool make_scratch(struct ready *r, const_dnnl_primitive_desc_t made)
{
    const dnnl_memory_desc_t *desc = primitive_desc_query_md(made, dnnl_query_scratchpad_md, 0);
    size_t bytes = desc ? memory_desc_get_size(desc) : 0;

    r->scratch_floats = (int64_t) (bytes + 63) / 64 * 16;
    return bytes == 0 || OK(memory_create(&r->scratch, desc, engine, DNNL_MEMORY_NONE));
}

static bool make(struct ready *r)
{
    static const dnnl_query_t queries[][N_TENSORS] = {
        [DEV_CONV2D_FORWARD] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
        [DEV_CONV2D_DATA] = {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md},
        [DEV_CONV2D_WEIGHTS] = {dnnl_query_src_md, dnnl_query_diff_weights_md,
                                dnnl_query_diff_dst_md}};
    dnnl_primitive_desc_t made = NULL;
    bool fine;

    if (!describe_ours(r->tensors, &r->shape) || !describe_best(&made, &r->shape))
        return false;
    fine = OK(primitive_create(&r->primitive, made)) && make_scratch(r, made);
    for (int i = 0; i < N_TENSORS; i++)
        fine = fine && make_tensor(&r->tensors[i], made, queries[r->shape.pass][i],
                                   i == output_of(&r->shape));
    primitive_desc_destroy(made);
    return fine;
}

/* ---- what a thread keeps ---- */

static void forget(struct ready *r)
{
    for (int i = 0; i < N_TENSORS; i++) {
        struct tensor *t = &r->tensors[i];

        if (t->ours)
            memory_destroy(t->ours);
        if (t->wanted)
            memory_destroy(t->wanted);
        if (t->copy)
            primitive_destroy(t->copy);
    }
    if (r->scratch)
        memory_destroy(r->scratch);
    if (r->primitive)
        primitive_destroy(r->primitive);
    t2_free(r);
}

static void maker_free(void *p)
{
    struct maker *m = p;

    for (int i = 0; i < PLACES; i++)
        if (m->places[i])
            forget(m->places[i]);
    if (m->stream)
        stream_destroy(m->stream);
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

/* NULL: it cannot be done, or there is no memory. */
static struct ready *ready_for(struct maker *m, const struct dev_cpu_conv *c)
{
    uint64_t first = t2_hash64(c, sizeof *c, 0);
    struct ready **place = NULL;

    for (uint64_t i = 0; i < PROBES && (!place || *place); i++) {
        place = &m->places[(first + i) % PLACES];
        if (*place && memcmp(&(*place)->shape, c, sizeof *c) == 0)
            return (*place)->state == MADE ? *place : NULL;
    }
    if (*place)
        forget(*place);
    *place = t2_alloc(1, sizeof **place);
    (*place)->shape = *c;
    (*place)->state = make(*place) ? MADE : IMPOSSIBLE;
    return (*place)->state == MADE ? *place : NULL;
}

static struct ready *mine(struct maker **m, const struct dev_cpu_conv *c)
{
    *m = my_maker();
    return *m ? ready_for(*m, c) : NULL;
}

/* ---- running ---- */

static bool can(const struct dev_cpu_conv *c, int64_t *pack_floats, int64_t *work_floats)
{
    struct maker *m;
    struct ready *r = mine(&m, c);

    if (!r)
        return false;
    *pack_floats = r->tensors[WEIGHTS].floats;
    *work_floats = r->scratch_floats;
    for (int i = 0; i < N_TENSORS; i++)
        if (r->tensors[i].copy && i != WEIGHTS)
            *work_floats += r->tensors[i].floats;
    return true;
}

static bool copy(const struct maker *m, const struct tensor *t, bool output)
{
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, output ? t->wanted : t->ours},
                                   {DNNL_ARG_TO, output ? t->ours : t->wanted}};

    return OK(primitive_execute(t->copy, m->stream, 2, arguments)) && OK(stream_wait(m->stream));
}

/* The library's handles are not const; what it reads it does not change. */
static void *handle(const void *p)
{
    union {
        const void *given;
        void *unqualified;
    } u = {p};

    return u.unqualified;
}

/* Between weights as they are and packed ones. */
static bool repack(const struct dev_cpu_conv *c, float *weights, float *packed, bool unpack)
{
    struct maker *m;
    struct ready *r = mine(&m, c);
    struct tensor *t = r ? &r->tensors[WEIGHTS] : NULL;

    if (!r)
        return false;
    if (!t->copy) {
        memcpy(unpack ? weights : packed, unpack ? packed : weights,
               (size_t) (c->kh * c->kw * c->C * c->N) * sizeof *weights);
        return true;
    }
    return OK(memory_set_data_handle(t->ours, weights)) &&
           OK(memory_set_data_handle(t->wanted, packed)) && copy(m, t, unpack);
}

static bool pack(const struct dev_cpu_conv *c, const float *w, float *packed)
{
    return repack(c, handle(w), packed, false);
}

static bool unpack(const struct dev_cpu_conv *c, const float *packed, float *dw)
{
    return repack(c, dw, handle(packed), true);
}

/* Points the tensor to its data; where it is copied, ours to the data and the wanted one to a place
 * in `work`, which moves on. */
static bool place(struct tensor *t, void *data, float **work)
{
    if (!t->copy)
        return OK(memory_set_data_handle(t->wanted, data));
    *work += t->floats;
    return OK(memory_set_data_handle(t->ours, data)) &&
           OK(memory_set_data_handle(t->wanted, *work - t->floats));
}

/* One call: inputs copied to the wanted layout, the primitive, the output copied back.  `work` is
 * scratch memory of the primitive, then the copies, as can() counted them.  Weights come and go
 * packed. */
static bool run(const struct dev_cpu_conv *c, const void *from, const void *other, float *out,
                float *work)
{
    static const int argument[][N_TENSORS] = {
        [DEV_CONV2D_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
        [DEV_CONV2D_DATA] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
        [DEV_CONV2D_WEIGHTS] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST}};
    bool weights = c->pass == DEV_CONV2D_WEIGHTS;
    int first = c->pass == DEV_CONV2D_FORWARD ? X : Y, last = output_of(c);
    dnnl_exec_arg_t arguments[N_TENSORS + 1];
    struct maker *m;
    struct ready *r = mine(&m, c);
    struct tensor *t = r ? r->tensors : NULL;
    bool fine;

    if (!r)
        return false;
    arguments[N_TENSORS] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, r->scratch};
    fine = !r->scratch || OK(memory_set_data_handle(r->scratch, work));
    work += r->scratch_floats;
    fine = fine && place(&t[first], handle(from), &work);
    if (weights)
        fine = fine && place(&t[X], handle(other), &work) &&
               OK(memory_set_data_handle(t[WEIGHTS].wanted, out));
    else
        fine = fine && OK(memory_set_data_handle(t[WEIGHTS].wanted, handle(other))) &&
               place(&t[last], out, &work);
    if (t[first].copy)
        fine = fine && copy(m, &t[first], false);
    if (weights && t[X].copy)
        fine = fine && copy(m, &t[X], false);
    for (int i = 0; i < N_TENSORS; i++)
        arguments[i] = (dnnl_exec_arg_t){argument[c->pass][i], t[i].wanted};
    fine = fine &&
           OK(primitive_execute(r->primitive, m->stream, r->scratch ? N_TENSORS + 1 : N_TENSORS,
                                arguments)) &&
           OK(stream_wait(m->stream));
    if (!weights && t[last].copy)
        fine = fine && copy(m, &t[last], true);
    return fine;
}

/* ---- loading ---- */

static const struct dev_cpu_convolver here = {
    .can = can, .pack = pack, .unpack = unpack, .run = run, .code_bytes = 3 << 20};
static bool loaded;

static void load(void)
{
    loaded = dev_cpu_onednn() != NULL FUNCTIONS(FIND) && OK(engine_create(&engine, dnnl_cpu, 0)) &&
             OK(primitive_attr_create(&attributes)) &&
             OK(primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user)) &&
             pthread_key_create(&maker_key, maker_free) == 0;
}

const struct dev_cpu_convolver *dev_cpu_convolver(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded ? &here : NULL;
}

#else

const struct dev_cpu_convolver *dev_cpu_convolver(void)
{
    return NULL;
}

#endif
