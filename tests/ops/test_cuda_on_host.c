/* Tests of the emulated CUDA device (tests/support/cuda_on_host): mistakes that it must find.  In
 * builds that have it (make check-cuda). */
#include "tests/support/t.h"

#ifdef DEV_CUDA_ON_HOST
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cuda_on_host/on_host.h"
#include "tests/support/cuda_on_host/planted.h"
#include "train/device/types.h"

enum { N = PLANTED_THREADS, SEEDS = 8 };

static float *on_device(size_t n)
{
    void *p;

    assert_int_equal(cudaMalloc(&p, n * sizeof(float)), cudaSuccess);
    return p;
}

/* Values 0 .. n-1 in device memory. */
static float *counted(size_t n)
{
    static float host[1024];
    float *p = on_device(n);

    for (size_t i = 0; i < n; i++)
        host[i] = (float) i;
    cudaMemcpyAsync(p, host, n * sizeof *p, cudaMemcpyHostToDevice, NULL);
    cudaDeviceSynchronize();
    return p;
}

static cudaError_t take(float *to, const float *from, size_t n)
{
    cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToHost, NULL);
    return cudaDeviceSynchronize();
}

static void expect_fault(const char *part)
{
    if (!strstr(cuda_on_host_fault(), part))
        fail_msg("fault '%s' does not say '%s'", cuda_on_host_fault(), part);
    assert_int_not_equal(cudaDeviceSynchronize(), cudaSuccess);
    cuda_on_host_reset();
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

/* Without the barrier some thread reads what another has not written: NaN, whatever the order. */
static void test_missing_barrier(void **state)
{
    float *in = counted(N), *out = on_device(N), host[N];

    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int missing = 0; missing < 2; missing++) {
            size_t wrong = 0;

            cuda_on_host_seed(seed);
            planted_reverse(in, out, missing, NULL);
            assert_int_equal(take(host, out, N), cudaSuccess);
            for (size_t i = 0; i < N; i++)
                wrong += !(host[i] == (float) (N - 1 - i));
            assert_int_equal(wrong > 0, missing);
        }
    cudaFree(in);
    cudaFree(out);
}

/* Threads of a block that wait in different places, or for ever. */
static void test_divergent_barrier(void **state)
{
    float *in = counted(N), *out = on_device(N), host;

    (void) state;
    planted_sum(in, out, false, NULL);
    assert_int_equal(take(&host, out, 1), cudaSuccess);
    assert_true(host == (float) (N * (N - 1) / 2));
    /* some end, the others still add: allowed by the barrier, wrong by the sum */
    planted_sum(in, out, true, NULL);
    assert_int_equal(take(&host, out, 1), cudaSuccess);
    planted_warp_max(in, out, false, NULL);
    assert_int_equal(take(&host, out, 1), cudaSuccess);
    assert_true(host == 31.0f);
    planted_warp_max(in, out, true, NULL);
    cudaDeviceSynchronize();
    expect_fault("waits for ever");
    cudaFree(in);
    cudaFree(out);
}

/* Behind the end of device memory is nothing; the message names kernel, block and thread. */
static void test_out_of_range(void **state)
{
    float *in = counted(64), *out = on_device(64), host[64];

    (void) state;
    planted_shift(in, out, 64, 0, NULL);
    assert_int_equal(take(host, out, 64), cudaSuccess);
    assert_true(host[63] == 63.0f);
    planted_shift(in, out, 64, 1, NULL);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    /* nothing goes on after it */
    assert_int_equal(cudaMemsetAsync(out, 0, 4, NULL), cudaErrorIllegalAddress);
    assert_non_null(strstr(cuda_on_host_fault(), "block (0,0,0), thread (63,0,0)"));
    expect_fault("kernel shift: illegal access");
    planted_shift(in, out, 64, -1024, NULL); /* before the beginning */
    cudaDeviceSynchronize();
    expect_fault("illegal access");
    cudaFree(in);
    planted_shift(in, out, 64, 0, NULL); /* freed */
    cudaDeviceSynchronize();
    expect_fault("illegal access");
    cudaFree(out);
}

static void test_shared_memory(void **state)
{
    float *out = on_device(1), host;

    (void) state;
    planted_unset(out, NULL);
    assert_int_equal(take(&host, out, 1), cudaSuccess);
    assert_true(isnan(host));
    planted_shared_end(out, NULL);
    cudaDeviceSynchronize();
    expect_fault("illegal access");
    cudaFree(out);
}

/* (x * 2 + 1) and (x * 3) on two streams: with an event between them always the same. */
static float two_streams(uint64_t seed, bool waits)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    float *x = on_device(1), host = 1.0f;

    cuda_on_host_seed(seed);
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDefault);
    cudaMemcpyAsync(x, &host, sizeof host, cudaMemcpyHostToDevice, first);
    cudaStreamSynchronize(first);
    planted_step(x, 2.0f, 1.0f, first);
    cudaEventRecord(event, first);
    if (waits)
        cudaStreamWaitEvent(second, event, 0);
    planted_step(x, 3.0f, 0.0f, second);
    assert_int_equal(cudaStreamSynchronize(second), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(first), cudaSuccess);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    assert_int_equal(take(&host, x, 1), cudaSuccess);
    cudaFree(x);
    return host;
}

static void test_race_of_streams(void **state)
{
    int n_other = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_true(two_streams(seed, true) == 9.0f);
        n_other += two_streams(seed, false) != 9.0f;
    }
    assert_in_range(n_other, 1, SEEDS - 1);
}

/* What two streams do to the same bytes without an event between them is found in every order, also
 * in the one that happens to give the right numbers: a kernel that reads what a copy still writes,
 * a copy that writes what a kernel still reads, and where the kernel is part of a recorded graph.
 */
static void watched_streams(uint64_t seed, bool copy_first, bool records, bool waits)
{
    cudaStream_t streams[2];
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t ready = NULL;
    float *x = on_device(4), host[4] = {0};

    cuda_on_host_seed(seed);
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDefault);
    if (records) {
        cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed);
        planted_step(x + 1, 2.0f, 1.0f, streams[0]);
        cudaStreamEndCapture(streams[0], &graph);
        cudaGraphInstantiate(&ready, graph, 0);
        cudaGraphDestroy(graph);
    }
    for (int i = 0; i < 2; i++) {
        if (i == 1 && waits)
            cudaStreamWaitEvent(streams[copy_first ? 0 : 1], event, 0);
        if ((i == 0) == copy_first)
            cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, streams[1]);
        else if (records)
            cudaGraphLaunch(ready, streams[0]);
        else
            planted_step(x + 1, 2.0f, 1.0f, streams[0]);
        if (i == 0)
            cudaEventRecord(event, streams[copy_first ? 1 : 0]);
    }
    cudaDeviceSynchronize();
    if (waits)
        assert_string_equal(cuda_on_host_fault(), "");
    else
        expect_fault("and nothing orders the two");
    if (ready)
        cudaGraphExecDestroy(ready);
    cudaEventDestroy(event);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaFree(x);
}

static void test_watch(void **state)
{
    (void) state;
#ifdef __SANITIZE_ADDRESS__
    t_skip("loads and stores of kernels are the address sanitizer's");
#endif
    assert_true(cuda_on_host_watch(true));
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int ways = 0; ways < 8; ways++)
            watched_streams(seed, ways & 1, ways & 2, ways & 4);
    cuda_on_host_watch(false);
}

/* Bytes beside each other are no race, nor is what the host waited for, nor memory that is new. */
static void test_watch_in_order(void **state)
{
    cudaStream_t streams[2];
    float *x = on_device(4), *y;

    (void) state;
    cuda_on_host_watch(true);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        planted_step(x + i, 2.0f, 1.0f, streams[i]);
    }
    cudaStreamSynchronize(streams[0]);
    planted_step(x, 2.0f, 1.0f, streams[1]);
    cudaFree(x);
    y = on_device(4);
    planted_step(y, 2.0f, 1.0f, streams[0]);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    planted_step(y, 2.0f, 1.0f, streams[1]);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_string_equal(cuda_on_host_fault(), "");
    cuda_on_host_watch(false);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaFree(y);
}

/* Products of fragments are products of matrices; what a warp reads must have been written. */
static void test_fragments(void **state)
{
    enum { SIDE = 16 };
    uint16_t x[SIDE * SIDE];
    float out[SIDE * SIDE], *sums = on_device(SIDE * SIDE);
    float *halves = on_device(SIDE * SIDE / 2);

    (void) state;
    for (int i = 0; i < SIDE * SIDE; i++) /* -8 .. 8, exact as bfloat16 */
        x[i] = dev_bfloat16((float) (i * 7 % 17 - 8));
    cudaMemcpyAsync(halves, x, sizeof x, cudaMemcpyHostToDevice, NULL);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int missing = 0; missing < 2; missing++) {
            int wrong = 0;

            cuda_on_host_seed(seed);
            planted_product((const uint16_t *) halves, sums, missing, NULL);
            assert_int_equal(take(out, sums, SIDE * SIDE), cudaSuccess);
            for (int i = 0; i < SIDE * SIDE; i++) {
                float want = 0.0f;

                for (int k = 0; k < SIDE; k++)
                    want += dev_from_bfloat16(x[i / SIDE * SIDE + k]) *
                            dev_from_bfloat16(x[i % SIDE * SIDE + k]);
                wrong += !(out[i] == want);
            }
            assert_int_equal(wrong > 0, missing);
        }
    planted_product((const uint16_t *) halves, sums, 2, NULL);
    cudaDeviceSynchronize();
    expect_fault("between two pieces of 16 bytes");
    cudaFree(halves);
    cudaFree(sums);
}

/* The host's bytes are read when the stream gets there. */
static void test_copies_are_late(void **state)
{
    float *x = on_device(1), host = 1.0f, back;

    (void) state;
    cudaMemcpyAsync(x, &host, sizeof host, cudaMemcpyHostToDevice, NULL);
    host = 2.0f;
    assert_int_equal(take(&back, x, 1), cudaSuccess);
    assert_true(back == 2.0f);
    cudaFree(x);
}

/* What is recorded happens when it is launched, each time. */
static void test_graphs(void **state)
{
    float *x = on_device(1), back;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    (void) state;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(x, 0, sizeof *x, stream);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    planted_step(x, 2.0f, 1.0f, stream);
    assert_int_equal(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    cudaGraphDestroy(graph);
    (void) cudaGetLastError();
    for (int i = 0; i < 3; i++)
        assert_int_equal(cudaGraphLaunch(ready, stream), cudaSuccess);
    cudaGraphExecDestroy(ready);
    cudaStreamDestroy(stream);
    assert_int_equal(take(&back, x, 1), cudaSuccess);
    assert_true(back == 7.0f);
    cudaFree(x);
}

static void test_launches_are_checked(void **state)
{
    float *out = on_device(1);

    (void) state;
    (void) cudaGetLastError();
    planted_large_block(out, NULL);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaGetLastError(), cudaSuccess); /* not one that stays */
    cudaFree(out);
}

T_MAIN(cmocka_unit_test(test_missing_barrier), cmocka_unit_test(test_divergent_barrier),
       cmocka_unit_test(test_out_of_range), cmocka_unit_test(test_shared_memory),
       cmocka_unit_test(test_race_of_streams), cmocka_unit_test(test_watch),
       cmocka_unit_test(test_watch_in_order), cmocka_unit_test(test_fragments),
       cmocka_unit_test(test_copies_are_late), cmocka_unit_test(test_graphs),
       cmocka_unit_test(test_launches_are_checked))

#else

static void test_emulated_device(void **state)
{
    (void) state;
    t_skip("this build has no emulated CUDA device; make check-cuda");
}

T_MAIN(cmocka_unit_test(test_emulated_device))

#endif
