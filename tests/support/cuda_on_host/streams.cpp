/*
 * tests/support/cuda_on_host/streams.cpp - the runtime's functions: memory, streams that run late,
 * events, errors.
 *
 * Nothing queued happens before somebody waits or MANY calls stand in line.  Then the heads of the
 * streams run one at a time, the stream drawn by seed, until what was waited for has happened; the
 * rest stays in line.  After a fault every call fails, as after one on a real device.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "tests/support/cuda_on_host/internal.h"
#include "tests/support/cuda_on_host/on_host.h"

struct CUevent_st {
    uint64_t recorded, done; /* number of the last record queued, and of the last that has run */
    uint64_t graph;          /* number of the last graph that its record comes behind */
    double at_ms;
    cuda_on_host::clocks known; /* to what waits for it */
};

namespace cuda_on_host
{

/* What is queued, with its name for messages. */
struct call {
    std::function<void()> work;
    const char *name;
};

struct item {
    call what;
    clocks host;          /* how far the host had waited for streams when it queued this */
    CUevent_st *wait_for; /* not before its record number `record` */
    uint64_t record;
};

} /* namespace cuda_on_host */

struct CUstream_st {
    std::deque<cuda_on_host::item> items;
    int device;                 /* that was the thread's when it was made */
    int number;                 /* of those that are there */
    uint64_t graph;             /* number of the last graph that what is queued next comes behind */
    bool is_busy;               /* a thread of the host is in the middle of a call */
    cuda_on_host::clocks known; /* how far it has waited for others, and its own clock */
    CUgraph_st *captures; /* takes what is queued, between cudaStreamBeginCapture and its end */
};

/* Work in its order. */
struct CUgraph_st {
    std::vector<cuda_on_host::call> work;
};

struct CUgraphExec_st {
    std::vector<cuda_on_host::call> work;
};

namespace cuda_on_host
{

enum { MANY = 512 };
static const size_t DEFAULT_BYTES = (size_t) 16 << 30, DEFAULT_SHARED = 48 << 10,
                    MOST_SHARED = 227 << 10;

static std::recursive_mutex mutex;
static CUstream_st default_stream;
static std::vector<CUstream_st *> streams(1, &default_stream);
static std::map<void *, guarded> allocated;
static std::map<const void *, size_t> shared_limits;
static size_t total_bytes = DEFAULT_BYTES, used_bytes;
static uint64_t n_queued, n_launches, n_alone, n_run, n_records, n_graphs, n_waits, n_stalls;
static clocks host; /* how far the host has waited for streams */
static int n_devices = -1, driver_version = 13000;
static thread_local int chosen;
static cudaError_t sticky, last;

/* Held by the thread so many times. */
static thread_local int n_held;

struct locked {
    locked(std::recursive_mutex &m)
    {
        m.lock();
        n_held++;
    }
    ~locked()
    {
        n_held--;
        mutex.unlock();
    }
};

void let_others_run()
{
    int n = n_held;

    for (int i = 0; i < n; i++)
        mutex.unlock();
    usleep(200);
    for (int i = 0; i < n; i++)
        mutex.lock();
}

static cudaError_t answer(cudaError_t e)
{
    if (sticky != cudaSuccess)
        e = sticky;
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last = e;
    return e;
}

/* T2_CUDA_LOST_AT=N: the device falls off the bus while kernel number N runs. */
static uint64_t lost_at()
{
    static const char *const text = getenv("T2_CUDA_LOST_AT");

    return text ? strtoull(text, nullptr, 10) : 0;
}

/* Also what tests of device far ask for, where this one stands for it. */
static size_t memory_bytes()
{
    const char *text = getenv("T2_FAR_MEMORY");

    return text ? (size_t) strtoull(text, nullptr, 10) : total_bytes;
}

static CUstream_st *stream_of(cudaStream_t s)
{
    return s ? s : &default_stream;
}

static double now_ms()
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static void run_item(CUstream_st *stream, const item &taken)
{
    stream->known.join(taken.host);
    if (taken.wait_for)
        stream->known.join(taken.wait_for->known);
    if (!taken.what.work)
        return;
    stream->is_busy = true;
    begin_work(&stream->known, stream->number, taken.what.name);
    taken.what.work();
    end_work();
    stream->is_busy = false;
}

/* A thread does the work of its own device: another's may wait for what this one has yet to send.
 */
static bool may_run(const CUstream_st *s)
{
    return s->device == chosen && !s->is_busy && !s->items.empty();
}

/* One head of a stream; false when no stream can go on.  An order of the streams that was drawn
 * stays for some calls, so that one runs far ahead of another at times. */
static bool run_one()
{
    static permutation order(1);
    static uint64_t stays;

    if (stays-- == 0 || order.n != streams.size()) {
        order = permutation(streams.size());
        stays = draw() % ((uint64_t) 1 << draw() % 9);
    }
    for (uint64_t i = 0; i < order.size; i++) {
        int64_t s = order.at(i);

        if (s < 0 || !may_run(streams[(size_t) s]))
            continue;
        item &head = streams[(size_t) s]->items.front();

        if (head.wait_for && head.wait_for->done < head.record)
            continue;
        item taken = std::move(head);

        streams[(size_t) s]->items.pop_front();
        n_queued--;
        run_item(streams[(size_t) s], taken);
        return true;
    }
    return false;
}

static bool is_idle(const CUstream_st *s)
{
    return s->items.empty() && !s->is_busy;
}

static bool some_are_busy()
{
    for (const CUstream_st *s : streams)
        if (s->is_busy)
            return true;
    return false;
}

template <class F> static void run_until(F reached)
{
    while (!reached())
        if (!run_one()) {
            if (some_are_busy()) {
                let_others_run();
                continue;
            }
            fprintf(stderr, "cuda_on_host: streams wait for each other\n");
            abort();
        }
}

/* All of the device of this thread; those of others may wait for what it has yet to do. */
static void run_all()
{
    run_until([] {
        for (const CUstream_st *s : streams)
            if (s->device == chosen && !is_idle(s))
                return false;
        return true;
    });
}

/* A wait for the graph that was launched last leaves the device without work. */
static void count_wait(uint64_t graph)
{
    n_waits++;
    n_stalls += graph > 0 && graph == n_graphs;
}

/* What the host queues from now on comes behind all of the stream. */
static void host_waited(const CUstream_st *s)
{
    count_wait(s->graph);
    host.join(s->known);
}

static void queue_work(cudaStream_t stream, const char *name, std::function<void()> work)
{
    locked lock(mutex);

    if (stream_of(stream)->captures) {
        stream_of(stream)->captures->work.push_back(call{std::move(work), name});
        return;
    }
    stream_of(stream)->items.push_back(item{call{std::move(work), name}, host, nullptr, 0});
    if (++n_queued > MANY)
        run_all();
}

void queue_kernel(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                  cudaStream_t stream, std::function<void()> thread)
{
    locked lock(mutex);
    auto limit = shared_limits.find(kernel);
    uint64_t threads = (uint64_t) block.x * block.y * block.z;

    if (threads == 0 || threads > 1024 || grid.x == 0 || grid.x > 0x7fffffffu || grid.y == 0 ||
        grid.z == 0 || grid.y > 65535 || grid.z > 65535 ||
        shared_bytes > (limit == shared_limits.end() ? DEFAULT_SHARED : limit->second)) {
        answer(cudaErrorInvalidConfiguration);
        return;
    }
    n_launches++;
    n_alone += !stream_of(stream)->captures;
    queue_work(stream, name, [=] {
        if (++n_run == lost_at() && sticky == cudaSuccess)
            sticky = cudaErrorUnknown;
        if (sticky == cudaSuccess && !run_grid({name, grid, block, shared_bytes, thread}))
            sticky = strstr(cuda_on_host_fault(), "illegal") ? cudaErrorIllegalAddress
                                                             : cudaErrorLaunchFailure;
    });
}

int current_device()
{
    return chosen;
}

void queue_waiting(cudaStream_t stream, const char *name, std::function<void()> work)
{
    queue_work(stream, name, [=] {
        if (sticky == cudaSuccess)
            work();
    });
}

void run_through(cudaStream_t stream)
{
    locked lock(mutex);

    run_until([=] { return is_idle(stream_of(stream)); });
}

void report_race(const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    set_fault("%s", text);
    if (sticky == cudaSuccess)
        sticky = cudaErrorLaunchFailure;
}

void queue_call(cudaStream_t stream, std::function<void()> work)
{
    queue_kernel("of a library", nullptr, dim3(1), dim3(1), 0, stream, std::move(work));
}

} /* namespace cuda_on_host */

using namespace cuda_on_host;

/* ---- devices ---- */

void cuda_on_host_driver(int version)
{
    driver_version = version;
}

void cuda_on_host_devices(int n)
{
    n_devices = n;
}

void cuda_on_host_memory(size_t bytes)
{
    total_bytes = bytes ? bytes : DEFAULT_BYTES;
}

uint64_t cuda_on_host_launches(void)
{
    return n_launches;
}

uint64_t cuda_on_host_graphs(void)
{
    return n_graphs;
}

uint64_t cuda_on_host_waits(void)
{
    return n_waits;
}

struct cuda_on_host_counts cuda_on_host_counted(void)
{
    return {n_graphs, n_alone, n_waits, n_stalls};
}

/* T2_CUDA_COUNTS=FILE: there they are when the process ends. */
static struct counts_file {
    ~counts_file()
    {
        const char *path = getenv("T2_CUDA_COUNTS");
        FILE *f = path ? fopen(path, "w") : nullptr;

        if (!f)
            return;
        fprintf(f, "graphs=%llu kernels=%llu waits=%llu stalls=%llu\n",
                (unsigned long long) n_graphs, (unsigned long long) n_alone,
                (unsigned long long) n_waits, (unsigned long long) n_stalls);
        fclose(f);
    }
} at_the_end;

void cuda_on_host_reset(void)
{
    locked lock(mutex);

    run_all();
    sticky = last = cudaSuccess;
    clear_fault();
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const char *text = getenv("T2_CUDA_DEVICES");

    if (driver_version < 13000) {
        *count = 0;
        return answer(cudaErrorInsufficientDriver);
    }
    *count = n_devices >= 0 ? n_devices : text ? atoi(text) : 1;
    return answer(*count ? cudaSuccess : cudaErrorNoDevice);
}

/* T2_FAR_SEED: of tests of device far, where this one stands for it. */
cudaError_t cudaSetDevice(int device)
{
    const char *seed = getenv("T2_FAR_SEED");
    int count;

    if (seed)
        cuda_on_host_seed(strtoull(seed, nullptr, 10));
    (void) cudaGetDeviceCount(&count);
    chosen = device;
    return answer(device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    (void) device;
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "CUDA on the host");
    prop->totalGlobalMem = total_bytes;
    prop->sharedMemPerBlockOptin = MOST_SHARED;
    prop->major = 8;
    prop->multiProcessorCount = 4;
    return answer(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = driver_version;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *free_bytes = memory_bytes() > used_bytes ? memory_bytes() - used_bytes : 0;
    *total = memory_bytes();
    return answer(cudaSuccess);
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    locked lock(mutex);
    guarded g;

    *p = nullptr;
    if (used_bytes + bytes > memory_bytes() || !guarded_take(&g, bytes, 64))
        return answer(cudaErrorMemoryAllocation);
    used_bytes += bytes;
    allocated[g.p] = g;
    watch_block(g.p, bytes);
    *p = g.p;
    return answer(cudaSuccess);
}

cudaError_t cudaFree(void *p)
{
    locked lock(mutex);
    auto found = allocated.find(p);

    run_all();
    if (!p)
        return answer(cudaSuccess);
    for (const CUstream_st *stream : streams)
        if (stream->device == chosen)
            host.join(stream->known);
    forget_block((char *) p);
    if (found == allocated.end())
        return answer(cudaErrorInvalidValue);
    if (sticky == cudaSuccess && !guarded_sound(&found->second)) {
        set_fault("wrote beyond %zu bytes of device memory", found->second.bytes);
        sticky = cudaErrorIllegalAddress;
    }
    used_bytes -= found->second.bytes;
    guarded_give(&found->second);
    allocated.erase(found);
    return answer(cudaSuccess);
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
    *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    return answer(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *p)
{
    free(p);
    return answer(cudaSuccess);
}

/* The bytes are read when the stream gets there, also those of pageable memory. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void) kind;
    queue_work(stream, "a copy", [=] {
        watch_access(from, bytes, false);
        watch_access(to, bytes, true);
        if (sticky == cudaSuccess && bytes)
            memmove(to, from, bytes);
    });
    return answer(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
    queue_work(stream, "a fill", [=] {
        watch_access(p, bytes, true);
        if (sticky == cudaSuccess && bytes)
            memset(p, value, bytes);
    });
    return answer(cudaSuccess);
}

/* ---- streams ---- */

/* May have been that of a stream that is gone, for which the host has waited. */
static int free_number()
{
    int n = 0;

    for (size_t i = 0; i < streams.size();)
        if (streams[i]->number == n) {
            n++;
            i = 0;
        } else {
            i++;
        }
    if (n >= MOST_STREAMS) {
        fprintf(stderr, "cuda_on_host: more than %d streams\n", MOST_STREAMS);
        abort();
    }
    return n;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    locked lock(mutex);

    (void) flags;
    *stream = new CUstream_st();
    (*stream)->device = chosen;
    (*stream)->number = free_number();
    (*stream)->known = host; /* its clock goes on where that of the number has stopped */
    streams.push_back(*stream);
    return answer(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    locked lock(mutex);

    run_until([=] { return is_idle(stream); });
    host.join(stream->known);
    for (size_t i = 0; i < streams.size(); i++)
        if (streams[i] == stream)
            streams.erase(streams.begin() + (long) i--);
    delete stream;
    return answer(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    locked lock(mutex);
    CUstream_st *s = stream_of(stream);

    if (s->captures)
        return answer(cudaErrorStreamCaptureUnsupported);
    run_until([=] { return is_idle(s); });
    host_waited(s);
    return answer(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    locked lock(mutex);

    if (stream_of(stream)->captures)
        return answer(cudaErrorStreamCaptureUnsupported);
    if (!is_idle(stream_of(stream)))
        return answer(cudaErrorNotReady);
    host.join(stream_of(stream)->known);
    return answer(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    locked lock(mutex);

    run_all();
    for (const CUstream_st *stream : streams)
        if (stream->device == chosen)
            host_waited(stream);
    return answer(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    locked lock(mutex);

    (void) flags;
    stream_of(stream)->items.push_back(item{call{nullptr, "a wait"}, host, event, event->recorded});
    if (event->graph > stream_of(stream)->graph)
        stream_of(stream)->graph = event->graph;
    n_queued++;
    return answer(cudaSuccess);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void) flags;
    *event = new CUevent_st();
    return answer(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    locked lock(mutex);

    run_until([=] { return event->done >= event->recorded; });
    delete event;
    return answer(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    locked lock(mutex);
    uint64_t record = ++n_records;

    event->recorded = record;
    event->graph = stream_of(stream)->graph;
    queue_work(stream, "an event", [=] {
        event->done = record;
        event->known = stream_of(stream)->known;
        event->at_ms = now_ms();
    });
    return answer(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    locked lock(mutex);
    uint64_t record = event->recorded;

    run_until([=] { return event->done >= record; });
    count_wait(event->graph);
    host.join(event->known);
    return answer(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    if (!from->done || !to->done)
        return answer(cudaErrorInvalidResourceHandle);
    *ms = (float) (to->at_ms - from->at_ms);
    return answer(cudaSuccess);
}

/* ---- graphs ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    locked lock(mutex);

    (void) mode;
    if (!stream || stream->captures)
        return answer(cudaErrorStreamCaptureUnsupported);
    stream->captures = new CUgraph_st();
    return answer(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    locked lock(mutex);

    *graph = stream->captures;
    stream->captures = nullptr;
    return answer(*graph ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return answer(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph,
                                 unsigned long long flags)
{
    (void) flags;
    *ready = new CUgraphExec_st{graph->work};
    return answer(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
    delete ready;
    return answer(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
    locked lock(mutex);

    stream_of(stream)->graph = ++n_graphs;
    for (const call &c : ready->work)
        queue_work(stream, c.name, c.work);
    return answer(cudaSuccess);
}

/* ---- the rest ---- */

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    locked lock(mutex);

    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t) value > MOST_SHARED)
        return answer(cudaErrorInvalidValue);
    shared_limits[function] = (size_t) value;
    return answer(cudaSuccess);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last;

    last = sticky;
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error)
            return e.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error)
            return e.text;
    return "unrecognized error code";
}
