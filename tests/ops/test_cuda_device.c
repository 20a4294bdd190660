/* Tests of train/device/cuda/cuda_device.c: on a GPU, or on the emulated one (make check-cuda);
 * without either they say so. */
#include "train/device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/device/kernels.h"
#ifdef DEV_CUDA_ON_HOST
#include "tests/support/cuda_on_host/on_host.h"
#endif

/* NULL where there is none. */
static struct dev *open_cuda(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = NULL;

    if (dev_open("cuda", 1, &d, &err) != T2_OK) {
        assert_int_equal(err.status, T2_EUNSUPPORTED);
        t_skip_reason("%s", err.message);
        skip();
    }
    return d;
}

static void test_names(void **state)
{
    struct dev *d = open_cuda(), *other = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_string_equal(d->name, "cuda");
    assert_false(d->host_memory);
    assert_int_equal(strncmp(d->describe(d), "cuda:0 ", 7), 0);
    assert_int_equal(dev_set_precision(d, "bfloat16", &err), T2_OK);
    assert_non_null(strstr(d->describe(d), "bfloat16"));
    dev_close(d);
    assert_int_equal(dev_open("cuda:0", 1, &other, &err), T2_OK);
    dev_close(other);
    assert_int_equal(dev_open("cuda:4000", 1, &other, &err), T2_EUSAGE);
    assert_non_null(strstr(err.message, "'cuda:4000'"));
    assert_int_equal(dev_open("cuda:x", 1, &other, &err), T2_EUSAGE);
}

static void test_memory(void **state)
{
    struct dev *d = open_cuda();
    uint64_t used = d->memory(d).used_bytes;
    float *x = d->alloc(d, 1000), host[250];

    (void) state;
    assert_non_null(x);
    assert_int_equal(d->memory(d).used_bytes, used + 1000);
    assert_true(d->memory(d).limit_bytes > used + 1000);
    d->download(d, host, x, sizeof host);
    for (int i = 0; i < 250; i++)
        assert_true(host[i] == 0.0f);
    /* being short is an answer, not a failure */
    assert_null(d->alloc(d, (size_t) 1 << 50));
    assert_int_equal(dev_check(d, &(struct t2_err) T2_ERR_INIT), T2_OK);
    d->free(d, x);
    d->free(d, NULL);
    d->free_host(d, NULL);
    assert_int_equal(d->memory(d).used_bytes, used);
    dev_close(d);
}

/* More than the staging memory holds, in parts and at once; the host's bytes change at once. */
static void test_uploads(void **state)
{
    enum { PARTS = 40, FLOATS = 10000 };
    struct dev *d = open_cuda();
    float *x = d->alloc(d, sizeof(float) * PARTS * FLOATS), *host = calloc(PARTS, FLOATS * 4);

    (void) state;
    assert_non_null(host);
    for (int round = 0; round < 2; round++) {
        size_t n = round ? (size_t) PARTS * FLOATS : FLOATS;

        for (size_t part = 0; part * n < (size_t) PARTS * FLOATS; part++) {
            for (size_t i = 0; i < n; i++)
                host[i] = (float) (part * n + i + (size_t) round);
            d->upload_now(d, x + part * n, host, n * sizeof *host);
            memset(host, 0, n * sizeof *host);
        }
        d->download(d, host, x, sizeof(float) * PARTS * FLOATS);
        for (size_t i = 0; i < (size_t) PARTS * FLOATS; i++)
            assert_true(host[i] == (float) (i + (size_t) round));
    }
    free(host);
    dev_close(d);
}

/* Copies beside the kernels, ordered by events. */
static void test_queues(void **state)
{
    struct dev *d = open_cuda();
    struct dev_event *there = d->event_new(d), *used = d->event_new(d);
    float *in = d->alloc(d, 4), *sum = d->alloc(d, 4), *host = d->alloc_host(d, 40), total;

    (void) state;
    for (int i = 0; i < 10; i++)
        host[i] = (float) i;
    d->queue_wait(d, DEV_COPY_IN, used);   /* never recorded: passed */
    d->event_record(d, DEV_COMPUTE, used); /* behind the zeroing of alloc */
    for (int i = 0; i < 10; i++) {
        d->queue_wait(d, DEV_COPY_IN, used);
        d->upload_on(d, DEV_COPY_IN, in, host + i, 4);
        d->event_record(d, DEV_COPY_IN, there);
        d->queue_wait(d, DEV_COMPUTE, there);
        d->kernels->copy(d, &(struct dev_copy_args){.x = in, .n = 1, .accumulate = true, .y = sum});
        d->event_record(d, DEV_COMPUTE, used);
    }
    d->download(d, &total, sum, 4);
    assert_true(total == 45.0f);
    assert_true(d->event_seconds(d, there, used) < 60.0);
    d->event_free(d, there);
    d->event_free(d, used);
    d->event_free(d, NULL);
    d->free_host(d, host);
    dev_close(d);
}

static void test_recordings(void **state)
{
    struct dev *d = open_cuda();
    float *x = d->alloc(d, 8), host[2] = {1.0f, 2.0f};
    struct dev_scale_args twice = {.x = x, .n = 2, .scale = 2.0f, .y = x};
    struct dev_recording *r;

    (void) state;
    d->upload_now(d, x, host, sizeof host);
    d->record_begin(d);
    d->kernels->scale(d, &twice);
    r = d->record_end(d);
    assert_non_null(r);
    for (int i = 0; i < 3; i++)
        d->replay(d, r);
    d->recording_free(d, r);
    d->recording_free(d, NULL);
    d->download(d, host, x, sizeof host);
    assert_true(host[0] == 8.0f && host[1] == 16.0f);
    assert_int_equal(dev_check(d, &(struct t2_err) T2_ERR_INIT), T2_OK);
    dev_close(d);
}

/* Ones with a fraction of 12 bits times ones: TF32 leaves 10, float32 leaves all. */
static void test_tf32(void **state)
{
    enum { N = 32 };
    static const char *const precisions[] = {"float32", "tf32", "float32"};
    struct dev *d = open_cuda();
    float *a = d->alloc(d, N * N * 4), *b = d->alloc(d, N * N * 4), *c = d->alloc(d, N * N * 4);
    float host[N * N];

    (void) state;
    for (int i = 0; i < N * N; i++)
        host[i] = 1.0f + 0x1p-12f;
    d->upload_now(d, a, host, sizeof host);
    for (int i = 0; i < N * N; i++)
        host[i] = 1.0f;
    d->upload_now(d, b, host, sizeof host);
    for (int i = 0; i < 3; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dev_gemm g = {
            .M = N, .N = N, .K = N, .A = a, .B = b, .C = c, .lda = N, .ldb = N, .ldc = N};
        bool rounds = i == 1 && d->tf32_products;

        assert_int_equal(dev_set_precision(d, precisions[i], &err), T2_OK);
        assert_int_equal(strstr(d->describe(d), "tf32") != NULL, i == 1);
        d->kernels->gemm(d, &g);
        d->download(d, host, c, sizeof host);
        for (int j = 0; j < N * N; j++)
            assert_true(host[j] == (float) N * (rounds ? 1.0f : 1.0f + 0x1p-12f));
    }
    dev_close(d);
}

#ifdef DEV_CUDA_ON_HOST

/* The message names the call, the kernel, the device and the node; nothing goes on. */
static void test_failures(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;
    float *x, host = 1.0f;

    (void) state;
    setenv("T2_CUDA_WAIT", "1", 1);
    d = open_cuda();
    unsetenv("T2_CUDA_WAIT");
    x = d->alloc(d, 4);
    d->node = "layer_0/ffn";
    d->node_index = 7;
    /* into the page behind x, which cannot be touched, and no further: others lie there */
    d->kernels->copy(d, &(struct dev_copy_args){.x = x, .n = 512, .y = x});
    d->node = NULL;
    d->kernels->relu(d, &(struct dev_relu_args){.x = x, .n = 1, .y = x});
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    for (int i = 0; i < 5; i++) {
        static const char *const parts[] = {"device cuda:0", "cudaStreamSynchronize",
                                            "kernel queued was copy", "node 7 (layer_0/ffn)",
                                            "cudaErrorIllegalAddress"};

        if (!strstr(err.message, parts[i]))
            fail_msg("'%s' does not say '%s'", err.message, parts[i]);
    }
    d->download(d, &host, x, 4);
    assert_true(host == 0.0f);
    dev_close(d);
    cuda_on_host_reset();
}

static void test_no_device(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = NULL;

    (void) state;
    cuda_on_host_devices(0);
    assert_int_equal(dev_open("cuda", 1, &d, &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "no CUDA device"));
    /* auto takes what there is, and says so */
    assert_int_equal(dev_open("auto", 1, &d, &err), T2_OK);
    assert_string_equal(d->name, "cpu");
    assert_non_null(strstr(d->describe(d), "(no CUDA device)"));
    dev_close(d);
    cuda_on_host_driver(0);
    assert_int_equal(dev_open("cuda", 1, &d, &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "no CUDA device: this machine has no NVIDIA driver"));
    cuda_on_host_driver(12020);
    assert_int_equal(dev_open("cuda:1", 1, &d, &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "knows CUDA 12.2, this program needs 13.0"));
    cuda_on_host_driver(13000);
    cuda_on_host_devices(2);
    assert_int_equal(dev_open("auto", 1, &d, &err), T2_OK);
    assert_string_equal(d->name, "cuda");
    dev_close(d);
    assert_int_equal(dev_open("cuda:1", 1, &d, &err), T2_OK);
    assert_int_equal(strncmp(d->describe(d), "cuda:1 ", 7), 0);
    dev_close(d);
    for (int nth = 0; nth < 4; nth++) { /* a rank's own */
        assert_int_equal(dev_open_nth(nth < 3 ? "cuda" : "auto", nth, 1, &d, &err), T2_OK);
        assert_int_equal(strncmp(d->describe(d), nth % 2 ? "cuda:1 " : "cuda:0 ", 7), 0);
        dev_close(d);
    }
    cuda_on_host_devices(-1);
}

/* Which convolutions are the library's: not those with more zeros behind than before. */
static void test_convolutions(void **state)
{
    static const struct {
        int64_t H, Ho, stride;
        bool taken;
    } cases[] = {{6, 6, 1, true}, {6, 3, 2, false}, {7, 4, 2, true}};

    (void) state;
    for (int with = 1; with >= 0; with--) {
        struct dev *d;

        setenv("T2_CUDNN", with ? "yes" : "no", 1);
        d = open_cuda();
        unsetenv("T2_CUDNN");
        assert_non_null(strstr(d->describe(d), with ? "cuDNN 9.10.2" : "no cuDNN"));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct dev_conv2d a = {.B = 1,
                                   .H = cases[i].H,
                                   .W = cases[i].H,
                                   .C = 2,
                                   .kh = 3,
                                   .kw = 3,
                                   .Ho = cases[i].Ho,
                                   .Wo = cases[i].Ho,
                                   .N = 4,
                                   .stride = cases[i].stride,
                                   .dilation = 1,
                                   .top = cases[i].H == 6 && cases[i].stride == 2 ? 0 : 1};
            uint64_t before = cuda_on_host_convolutions();
            float *x = d->alloc(d, 7 * 7 * 2 * 4), *w = d->alloc(d, 9 * 8 * 4);
            float *y = d->alloc(d, 7 * 7 * 4 * 4);

            a.left = a.top;
            a.x = x;
            a.w = w;
            a.scratch = d->alloc(
                d, 4 + (size_t) d->kernels->conv2d_scratch_floats(d, &a, DEV_CONV2D_FORWARD) * 4);
            d->kernels->conv2d(d, &(struct dev_conv2d_args){.of = a, .y = y});
            assert_int_equal(cuda_on_host_convolutions() - before, with && cases[i].taken);
            d->free(d, a.scratch);
            d->free(d, x);
            d->free(d, w);
            d->free(d, y);
        }
        dev_close(d);
    }
}

static void test_short_memory(void **state)
{
    struct dev *d = open_cuda();

    (void) state;
    cuda_on_host_memory(1 << 20);
    assert_null(d->alloc(d, 2 << 20));
    assert_int_equal(dev_check(d, &(struct t2_err) T2_ERR_INIT), T2_OK);
    assert_int_equal(d->memory(d).limit_bytes, d->memory(d).used_bytes);
    cuda_on_host_memory(0);
    dev_close(d);
}

/* Kernels of this program have no calls at loads and stores (mk/cuda.mk): it does not look as if it
 * watched. */
static void test_no_watch(void **state)
{
    (void) state;
    assert_false(cuda_on_host_watch(true));
    assert_true(cuda_on_host_watch(false));
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_memory), cmocka_unit_test(test_uploads),
       cmocka_unit_test(test_queues), cmocka_unit_test(test_recordings),
       cmocka_unit_test(test_tf32), cmocka_unit_test(test_failures),
       cmocka_unit_test(test_no_device), cmocka_unit_test(test_convolutions),
       cmocka_unit_test(test_short_memory), cmocka_unit_test(test_no_watch))

#else

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_memory), cmocka_unit_test(test_uploads),
       cmocka_unit_test(test_queues), cmocka_unit_test(test_recordings),
       cmocka_unit_test(test_tf32))

#endif
