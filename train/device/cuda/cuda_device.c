/*
 * train/device/cuda/cuda_device.c - the device "cuda": memory, copies, the queue, events, errors.
 */
#include "train/device/cuda/cuda_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/device/cuda/cublaslt.h"
#include "train/device/cuda/cudnn.h"
#include "train/device/devices.h"

enum { STAGING_BYTES = 1 << 20, LEAST_WORKSPACE = 33 << 20 };

/* What alloc gave. */
struct dev_cuda_block {
    struct dev_cuda_block *next;
    void *p;
    size_t bytes;
};

/* ---- errors ---- */

static void keep(struct dev_cuda *c, const char *call, const char *why, const char *name)
{
    if (c->error.status != T2_OK)
        return;
    t2_fail(&c->error, T2_EDEVICE,
            "device cuda:%d (%s): %s: %s (%s); the last kernel queued was %s at node %d (%s) of "
            "the graph; what was computed since is lost, the last checkpoint is sound%s",
            c->ordinal, c->name, call, why, name, c->kernel ? c->kernel : "none", c->dev.node_index,
            c->dev.node ? c->dev.node : "none",
            c->wait ? ""
                    : "; with T2_CUDA_WAIT=1 in the environment the kernel that fails is named");
}

bool dev_cuda_ok(struct dev *d, cudaError_t rc, const char *call)
{
    if (rc != cudaSuccess && rc != cudaErrorNotReady)
        keep(dev_cuda_of(d), call, cudaGetErrorString(rc), cudaGetErrorName(rc));
    return rc == cudaSuccess;
}

void dev_cuda_fails(struct dev *d, const char *call, const char *why)
{
    keep(dev_cuda_of(d), call, "it failed", why);
}

void dev_cuda_launched(struct dev *d, const char *kernel)
{
    struct dev_cuda *c = dev_cuda_of(d);

    c->kernel = kernel;
    if (dev_cuda_ok(d, cudaGetLastError(), "launch") && c->wait && !c->recording)
        dev_cuda_ok(d, cudaStreamSynchronize(c->stream), "cudaStreamSynchronize");
}

/* Asks whether something has failed, without waiting. */
static enum t2_status cuda_check(struct dev *d, struct t2_err *err)
{
    struct dev_cuda *c = dev_cuda_of(d);

    dev_cuda_ok(d, cudaStreamQuery(c->stream), "cudaStreamQuery");
    if (c->error.status != T2_OK)
        *err = c->error;
    return c->error.status;
}

/* ---- memory ---- */

/* Memory as it is; NULL when short. */
static void *take(struct dev *d, size_t bytes)
{
    struct dev_cuda *c = dev_cuda_of(d);
    struct dev_cuda_block *b = t2_try_alloc(1, sizeof *b);
    void *p = NULL;
    cudaError_t rc;

    if (!b)
        return NULL;
    rc = cudaMalloc(&p, bytes ? bytes : 1);
    if (rc != cudaSuccess) {
        /* being short is an answer, not a failure */
        (void) cudaGetLastError();
        if (rc != cudaErrorMemoryAllocation)
            dev_cuda_ok(d, rc, "cudaMalloc");
        t2_free(b);
        return NULL;
    }
    *b = (struct dev_cuda_block){c->blocks, p, bytes};
    c->blocks = b;
    c->used_bytes += bytes;
    return p;
}

void *dev_cuda_workspace(struct dev *d, size_t bytes)
{
    struct dev_cuda *c = dev_cuda_of(d);

    if (bytes > c->workspace_bytes) {
        bytes = bytes < LEAST_WORKSPACE ? (size_t) LEAST_WORKSPACE : bytes;
        c->workspace = take(d, bytes);
        c->workspace_bytes = c->workspace ? bytes : 0;
        if (!c->workspace)
            dev_cuda_ok(d, cudaErrorMemoryAllocation, "cudaMalloc");
    }
    return c->workspace;
}

static void *cuda_alloc(struct dev *d, size_t bytes)
{
    void *p = take(d, bytes);

    if (p)
        d->zero(d, p, bytes);
    return p;
}

static void cuda_free(struct dev *d, void *p)
{
    struct dev_cuda *c = dev_cuda_of(d);
    struct dev_cuda_block **at = &c->blocks, *b;

    if (!p)
        return;
    while (*at && (*at)->p != p)
        at = &(*at)->next;
    T2_ASSERT(*at);
    b = *at;
    *at = b->next;
    c->used_bytes -= b->bytes;
    t2_free(b);
    dev_cuda_ok(d, cudaFree(p), "cudaFree"); /* waits for what uses it */
}

/* The limit is what is used and what is free now; other programs share the card. */
static struct dev_memory cuda_memory(const struct dev *d)
{
    const struct dev_cuda *c = (const struct dev_cuda *) d;
    size_t free_bytes = 0, total_bytes = 0;

    if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess)
        free_bytes = 0;
    return (struct dev_memory){c->used_bytes, c->used_bytes + free_bytes};
}

/* The current device is the thread's. */
static void *cuda_alloc_host(struct dev *d, size_t bytes)
{
    void *p = NULL,
         *counted = t2_try_alloc(1, 1); /* the host's memory may be short, for tests too */

    t2_free(counted);
    if (!counted || cudaSetDevice(dev_cuda_of(d)->ordinal) != cudaSuccess ||
        cudaMallocHost(&p, bytes ? bytes : 1) != cudaSuccess)
        return NULL;
    return p;
}

static void cuda_free_host(struct dev *d, void *p)
{
    if (p && cudaSetDevice(dev_cuda_of(d)->ordinal) == cudaSuccess)
        (void) cudaFreeHost(p);
}

/* ---- copies ---- */

static void move(struct dev *d, enum dev_queue queue, void *to, const void *from, size_t bytes,
                 enum cudaMemcpyKind kind, const char *what)
{
    if (bytes)
        dev_cuda_ok(d, cudaMemcpyAsync(to, from, bytes, kind, dev_cuda_of(d)->streams[queue]),
                    what);
}

static void wait_compute(struct dev *d)
{
    struct dev_cuda *c = dev_cuda_of(d);

    dev_cuda_ok(d, cudaStreamSynchronize(c->stream), "cudaStreamSynchronize");
    c->staged = 0;
}

static void cuda_sync(struct dev *d)
{
    for (int q = 0; q < DEV_N_QUEUES; q++)
        dev_cuda_ok(d, cudaStreamSynchronize(dev_cuda_of(d)->streams[q]), "cudaStreamSynchronize");
    dev_cuda_of(d)->staged = 0;
}

static void cuda_upload_on(struct dev *d, enum dev_queue queue, void *to, const void *from,
                           size_t bytes)
{
    move(d, queue, to, from, bytes, cudaMemcpyHostToDevice, "copy to the device");
}

static void cuda_download_on(struct dev *d, enum dev_queue queue, void *to, const void *from,
                             size_t bytes)
{
    move(d, queue, to, from, bytes, cudaMemcpyDeviceToHost, "copy from the device");
}

static void cuda_upload(struct dev *d, void *to, const void *from, size_t bytes)
{
    cuda_upload_on(d, DEV_COMPUTE, to, from, bytes);
}

/* By way of the staging memory; when that is full, or small, the queue is waited for. */
static void cuda_upload_now(struct dev *d, void *to, const void *from, size_t bytes)
{
    struct dev_cuda *c = dev_cuda_of(d);
    char *p;

    if (bytes > STAGING_BYTES) {
        cuda_upload(d, to, from, bytes);
        wait_compute(d);
        return;
    }
    if (c->staged + bytes > STAGING_BYTES)
        wait_compute(d);
    p = c->staging + c->staged;
    c->staged += (bytes + 63) / 64 * 64;
    if (bytes)
        memcpy(p, from, bytes);
    cuda_upload(d, to, p, bytes);
}

static void cuda_download(struct dev *d, void *to, const void *from, size_t bytes)
{
    if (bytes)
        memset(to, 0, bytes); /* what the caller sees if the device has failed */
    cuda_download_on(d, DEV_COMPUTE, to, from, bytes);
    wait_compute(d);
}

static void cuda_copy(struct dev *d, void *to, const void *from, size_t bytes)
{
    move(d, DEV_COMPUTE, to, from, bytes, cudaMemcpyDeviceToDevice, "copy on the device");
}

static void cuda_zero(struct dev *d, void *p, size_t bytes)
{
    if (bytes)
        dev_cuda_ok(d, cudaMemsetAsync(p, 0, bytes, dev_cuda_of(d)->stream), "cudaMemsetAsync");
}

/* ---- events ---- */

struct dev_event {
    cudaEvent_t event;
};

static struct dev_event *cuda_event_new(struct dev *d)
{
    struct dev_event *e = t2_alloc(1, sizeof *e);

    dev_cuda_ok(d, cudaEventCreateWithFlags(&e->event, cudaEventDefault), "cudaEventCreate");
    return e;
}

static void cuda_event_free(struct dev *d, struct dev_event *e)
{
    if (e && e->event)
        dev_cuda_ok(d, cudaEventDestroy(e->event), "cudaEventDestroy");
    t2_free(e);
}

static void cuda_event_record(struct dev *d, enum dev_queue queue, struct dev_event *e)
{
    if (e->event)
        dev_cuda_ok(d, cudaEventRecord(e->event, dev_cuda_of(d)->streams[queue]),
                    "cudaEventRecord");
}

static void cuda_queue_wait(struct dev *d, enum dev_queue queue, const struct dev_event *e)
{
    if (e->event)
        dev_cuda_ok(d, cudaStreamWaitEvent(dev_cuda_of(d)->streams[queue], e->event, 0),
                    "cudaStreamWaitEvent");
}

static void cuda_event_wait(struct dev *d, struct dev_event *e)
{
    if (e->event)
        dev_cuda_ok(d, cudaEventSynchronize(e->event), "cudaEventSynchronize");
}

static double cuda_event_seconds(struct dev *d, const struct dev_event *from,
                                 const struct dev_event *to)
{
    float ms = 0.0f;

    if (from->event && to->event)
        dev_cuda_ok(d, cudaEventElapsedTime(&ms, from->event, to->event), "cudaEventElapsedTime");
    return (double) ms * 1e-3;
}

static void *cuda_native_queue(struct dev *d, enum dev_queue queue)
{
    return dev_cuda_of(d)->streams[queue];
}

/* ---- recordings: CUDA's graphs ---- */

struct dev_recording {
    cudaGraphExec_t graph;
};

static void cuda_record_begin(struct dev *d)
{
    struct dev_cuda *c = dev_cuda_of(d);

    /* relaxed: workspace may be taken while it goes on */
    c->recording = dev_cuda_ok(d, cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeRelaxed),
                               "cudaStreamBeginCapture");
}

static struct dev_recording *cuda_record_end(struct dev *d)
{
    struct dev_cuda *c = dev_cuda_of(d);
    struct dev_recording *r = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;

    if (!c->recording)
        return NULL;
    c->recording = false;
    if (dev_cuda_ok(d, cudaStreamEndCapture(c->stream, &graph), "cudaStreamEndCapture") &&
        dev_cuda_ok(d, cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate")) {
        r = t2_alloc(1, sizeof *r);
        r->graph = ready;
    }
    if (graph)
        (void) cudaGraphDestroy(graph);
    return r;
}

static void cuda_replay(struct dev *d, const struct dev_recording *r)
{
    struct dev_cuda *c = dev_cuda_of(d);

    dev_cuda_ok(d, cudaGraphLaunch(r->graph, c->stream), "cudaGraphLaunch");
    dev_cuda_launched(d, "of a recorded pass");
}

/* What is queued of it still happens: the driver keeps it so long. */
static void cuda_recording_free(struct dev *d, struct dev_recording *r)
{
    if (r)
        dev_cuda_ok(d, cudaGraphExecDestroy(r->graph), "cudaGraphExecDestroy");
    t2_free(r);
}

/* ---- life ---- */

static void cuda_release(struct dev *d)
{
    struct dev_cuda *c = dev_cuda_of(d);

    if (c->stream)
        (void) cudaStreamSynchronize(c->stream);
    dev_cuda_blaslt_close(c->blaslt);
    dev_cuda_dnn_close(c->dnn);
    for (int q = 0; q < DEV_N_QUEUES; q++)
        if (c->streams[q])
            (void) cudaStreamDestroy(c->streams[q]);
    while (c->blocks) {
        struct dev_cuda_block *b = c->blocks;

        c->blocks = b->next;
        (void) cudaFree(b->p);
        t2_free(b);
    }
    if (c->staging)
        (void) cudaFreeHost(c->staging);
    t2_free(c);
}

static const char *cuda_describe(const struct dev *d)
{
    const struct dev_cuda *c = (const struct dev_cuda *) d;

    return d->tf32                        ? c->tf32_description
           : d->precision == DEV_FLOAT32  ? c->description
           : d->precision == DEV_BFLOAT16 ? c->bf16_description
                                          : c->f16_description;
}

/* cuda: the nth one; cuda:1: the second. */
static enum t2_status ordinal_of(const char *name, int nth, int count, int *ordinal,
                                 struct t2_err *err)
{
    uint64_t n = (uint64_t) (nth % count);

    if (name[4] == ':' && !t2_parse_u64(name + 5, &n))
        return t2_fail(err, T2_EUSAGE,
                       "unknown device '%s'; CUDA devices are cuda, cuda:1 and so on", name);
    if (n >= (uint64_t) count)
        return t2_fail(err, T2_EUSAGE, "there is no device '%s': this machine has %d CUDA device%s",
                       name, count, count == 1 ? "" : "s");
    *ordinal = (int) n;
    return T2_OK;
}

static cudaError_t streams_new(struct dev_cuda *c)
{
    cudaError_t rc = cudaSuccess;

    for (int q = 0; q < DEV_N_QUEUES && rc == cudaSuccess; q++)
        rc = cudaStreamCreateWithFlags(&c->streams[q], cudaStreamNonBlocking);
    return rc;
}

/* The runtime has one word for no driver and for an old one. */
static enum t2_status no_device(cudaError_t rc, struct t2_err *err)
{
    int driver = 0, runtime = 0;

    if (rc == cudaSuccess)
        return t2_fail(err, T2_EUNSUPPORTED, "no CUDA device: none is there");
    if (rc != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess ||
        cudaRuntimeGetVersion(&runtime) != cudaSuccess)
        return t2_fail(err, T2_EUNSUPPORTED, "no CUDA device: %s", cudaGetErrorString(rc));
    if (driver == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "no CUDA device: this machine has no NVIDIA driver (--device=cpu)");
    return t2_fail(err, T2_EUNSUPPORTED,
                   "no CUDA device: the NVIDIA driver knows CUDA %d.%d, this program needs %d.%d: "
                   "install a newer driver",
                   driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static enum t2_status open_card(struct dev_cuda *c, const char *name, int nth, struct t2_err *err)
{
    struct cudaDeviceProp prop;
    int count = 0, runtime = 0;
    cudaError_t rc = cudaGetDeviceCount(&count);

    if (rc != cudaSuccess || count == 0)
        return no_device(rc, err);
    T2_TRY(ordinal_of(name, nth, count, &c->ordinal, err));
    if ((rc = cudaSetDevice(c->ordinal)) != cudaSuccess ||
        (rc = cudaGetDeviceProperties(&prop, c->ordinal)) != cudaSuccess ||
        (rc = streams_new(c)) != cudaSuccess ||
        (rc = cudaMallocHost((void **) &c->staging, STAGING_BYTES)) != cudaSuccess)
        return t2_fail(err, T2_EDEVICE, "device cuda:%d cannot be opened: %s (%s)", c->ordinal,
                       cudaGetErrorString(rc), cudaGetErrorName(rc));
    c->stream = c->streams[DEV_COMPUTE];
    c->n_processors = prop.multiProcessorCount;
    snprintf(c->name, sizeof c->name, "%.70s", prop.name);
    (void) cudaRuntimeGetVersion(&runtime);
    c->blaslt = dev_cuda_blaslt_open();
    c->dnn = dev_cuda_dnn_open();
    /* at once, so that plans see what it leaves; where it does not fit, the first kernel says so */
    c->workspace = take(&c->dev, LEAST_WORKSPACE);
    c->workspace_bytes = c->workspace ? (size_t) LEAST_WORKSPACE : 0;
    snprintf(c->description, sizeof c->description,
             "cuda:%d %s, %.0f GiB, compute capability %d.%d, CUDA %d.%d, %s, %s", c->ordinal,
             c->name, (double) prop.totalGlobalMem / (1 << 30), prop.major, prop.minor,
             runtime / 1000, runtime % 1000 / 10, dev_cuda_blaslt_name(c->blaslt),
             dev_cuda_dnn_name(c->dnn));
    c->dev.tf32_products = prop.major >= 8 && c->blaslt;
    snprintf(c->tf32_description, sizeof c->tf32_description, "%s, tf32", c->description);
    snprintf(c->bf16_description, sizeof c->bf16_description, "%s, bfloat16", c->description);
    snprintf(c->f16_description, sizeof c->f16_description, "%s, float16", c->description);
    return T2_OK;
}

int dev_cuda_count(void)
{
    int count = 0;

    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

enum t2_status dev_cuda_new(const char *name, int nth, struct dev **d, struct t2_err *err)
{
    struct dev_cuda *c = t2_alloc(1, sizeof *c);
    const char *wait = getenv("T2_CUDA_WAIT");
    enum t2_status st;

    c->dev = (struct dev){.name = "cuda",
                          .kernels = &dev_cuda_kernels,
                          .rounds_ahead = true,
                          .alloc = cuda_alloc,
                          .free = cuda_free,
                          .memory = cuda_memory,
                          .alloc_host = cuda_alloc_host,
                          .free_host = cuda_free_host,
                          .upload = cuda_upload,
                          .upload_now = cuda_upload_now,
                          .download = cuda_download,
                          .copy = cuda_copy,
                          .zero = cuda_zero,
                          .upload_on = cuda_upload_on,
                          .download_on = cuda_download_on,
                          .sync = cuda_sync,
                          .event_new = cuda_event_new,
                          .event_free = cuda_event_free,
                          .event_record = cuda_event_record,
                          .event_wait = cuda_event_wait,
                          .queue_wait = cuda_queue_wait,
                          .event_seconds = cuda_event_seconds,
                          .native_queue = cuda_native_queue,
                          .sum_on = dev_cuda_sum_on,
                          .recordings_left = DEV_MOST_RECORDINGS,
                          .record_begin = cuda_record_begin,
                          .record_end = cuda_record_end,
                          .replay = cuda_replay,
                          .recording_free = cuda_recording_free,
                          .check = cuda_check,
                          .release = cuda_release,
                          .describe = cuda_describe};
    c->wait = wait && strcmp(wait, "1") == 0;
    st = open_card(c, name, nth, err);
    if (st != T2_OK) {
        cuda_release(&c->dev);
        return st;
    }
    *d = &c->dev;
    return T2_OK;
}

const struct dev_kernels dev_cuda_kernels = {
#define KERNEL(name, args) .name = dev_cuda_##name,
#define SCRATCH(name, parameters) .name##_scratch_floats = dev_cuda_##name##_scratch,
#include "train/device/kernels.def"
};
