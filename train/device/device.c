/*
 * train/device/device.c - opening a device by name, and what is the same for all.
 */
#include "train/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "train/device/card_count.h"
#include "train/device/devices.h"

static bool is_reference(const char *name)
{
    return strcmp(name, "reference") == 0 || strcmp(name, "plain") == 0; /* its former name */
}

static bool is_set(const char *variable, const char *device)
{
    const char *set = getenv(variable);

    return set && strcmp(set, device) == 0;
}

/* T2_REFERENCE=far: whatever runs on the reference device runs on far, which must give the same
 * bits; T2_ALL_DEVICES=far: the cpu's, too (make check-far). */
static bool is_far(const char *name)
{
    return strcmp(name, "far") == 0 || (is_reference(name) && is_set("T2_REFERENCE", "far")) ||
           ((is_reference(name) || strcmp(name, "cpu") == 0) && is_set("T2_ALL_DEVICES", "far"));
}

static bool is_cuda(const char *name)
{
    return strcmp(name, "cuda") == 0 || strncmp(name, "cuda:", 5) == 0;
}

/* T2_REFERENCE=cuda: reference and far run on a GPU (make check-cuda, scripts/gpu.sh). */
static bool is_cuda_instead(const char *name)
{
    return (is_reference(name) || strcmp(name, "far") == 0) && is_set("T2_REFERENCE", "cuda");
}

static enum t2_status open_cuda(const char *name, int nth, struct dev **d, struct t2_err *err)
{
#ifdef T2_HAVE_CUDA
    return dev_cuda_new(name, nth, d, err);
#else
    (void) nth;
    (void) d;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "no device '%s' in this build, which was made without nvcc; there are cpu and "
                   "reference",
                   name);
#endif
}

/* A GPU where there is one, else the cpu. */
static enum t2_status open_auto(int nth, int num_threads, struct dev **d, struct t2_err *err)
{
#ifdef T2_HAVE_CUDA
    enum t2_status st = dev_cuda_new("cuda", nth, d, err);

    if (st != T2_EUNSUPPORTED)
        return st;
    *d = dev_cpu_new(num_threads);
    dev_cpu_note(*d, "no CUDA device");
#else
    (void) nth;
    (void) err;
    *d = dev_cpu_new(num_threads);
#endif
    return T2_OK;
}

enum t2_status dev_open(const char *name, int num_threads, struct dev **d, struct t2_err *err)
{
    return dev_open_nth(name, 0, num_threads, d, err);
}

enum t2_status dev_open_nth(const char *name, int nth, int num_threads, struct dev **d,
                            struct t2_err *err)
{
    T2_ASSERT(name && d && err);
    *d = NULL;
    if (strcmp(name, "auto") == 0)
        T2_TRY(open_auto(nth, num_threads, d, err));
    else if (is_cuda(name))
        T2_TRY(open_cuda(name, nth, d, err));
    else if (is_cuda_instead(name))
        T2_TRY(open_cuda("cuda", nth, d, err));
    else if (is_far(name))
        T2_TRY(dev_far_new(d, err));
    else if (strcmp(name, "cpu") == 0)
        *d = dev_cpu_new(num_threads);
    else if (is_reference(name))
        *d = dev_reference_new();
    else
        return t2_fail(
            err, T2_EUSAGE,
            "unknown device '%s'; there are auto, cpu, cuda, cuda:1 and so on, reference", name);
    dev_set_host_threads(*d, is_reference(name) ? 1 : num_threads);
    return T2_OK;
}

int dev_card_count(const char *name)
{
#ifdef T2_HAVE_CUDA
    if (strcmp(name, "cuda") == 0 || strcmp(name, "auto") == 0)
        return dev_cuda_count();
#endif
    (void) name;
    return 0;
}

void dev_set_host_threads(struct dev *d, int n)
{
    t2_pool_free(d->host_pool);
    d->host_pool = NULL;
    d->host_threads = n > 0 ? n : t2_cpu_count(); /* once: it reads files */
}

int dev_host_threads(const struct dev *d)
{
    return d->host_threads > 0 ? d->host_threads : t2_cpu_count();
}

struct t2_pool *dev_host_pool(struct dev *d)
{
    int n = dev_host_threads(d);

    if (d->pool && t2_pool_threads(d->pool) == n)
        return d->pool;
    if (n > 1 && !d->host_pool)
        d->host_pool = t2_pool_new(n);
    return d->host_pool;
}

enum t2_status dev_set_precision(struct dev *d, const char *name, struct t2_err *err)
{
    bool tf32 = strcmp(name, "tf32") == 0;

    if (tf32 || strcmp(name, "float32") == 0)
        d->precision = DEV_FLOAT32;
    else if (strcmp(name, "bfloat16") == 0 || strcmp(name, "bf16") == 0)
        d->precision = DEV_BFLOAT16;
    else if (strcmp(name, "float16") == 0 || strcmp(name, "fp16") == 0)
        d->precision = DEV_FLOAT16;
    else
        return t2_fail(err, T2_EUSAGE,
                       "unknown precision '%s'; there are float32, tf32, bfloat16 and float16",
                       name);
    d->tf32 = tf32;
    return T2_OK;
}

enum t2_status dev_set_decoding_precision(struct dev *d, const char *name, struct t2_err *err)
{
    d->weights = strcmp(name, "int8") == 0       ? DEV_INT8
                 : strcmp(name, "bfloat16") == 0 ? DEV_BFLOAT16
                                                 : DEV_FLOAT32;
    return dev_set_precision(d, d->weights != DEV_FLOAT32 ? "float32" : name, err);
}

const char *dev_precision_name(const struct dev *d)
{
    return d->tf32 ? "tf32" : dev_type_name(d->precision);
}

void dev_bytes_add(const struct dev *d, struct dev_bytes *b, uint64_t device, uint64_t host)
{
    *(d->host_memory ? &b->host : &b->device) += device;
    b->host += host;
}

bool dev_bytes_fit(const struct dev_bytes *needed, const struct dev_bytes *limit)
{
    return needed->device <= limit->device && needed->host <= limit->host;
}

uint64_t dev_memory_left(const struct dev *d)
{
    struct dev_memory m = d->memory(d);

    return m.limit_bytes > m.used_bytes ? m.limit_bytes - m.used_bytes : 0;
}

enum t2_status dev_fail_memory(const struct dev *d, uint64_t bytes, const char *what,
                               const char *advice, struct t2_err *err)
{
    const struct dev_memory m = d->memory(d);
    char human[32], used[32], all[32];

    t2_human_bytes(bytes, human, sizeof human);
    if (d->host_memory)
        return t2_fail(err, T2_ENOMEM, "not enough memory for %s (%s)%s%s", what, human,
                       advice ? "; " : "", advice ? advice : "");
    return t2_fail(err, T2_ENOMEM,
                   "device %s: not enough memory for %s (%s), %s of its %s are taken%s%s", d->name,
                   what, human, t2_human_bytes(m.used_bytes, used, sizeof used),
                   t2_human_bytes(m.limit_bytes, all, sizeof all), advice ? "; " : "",
                   advice ? advice : "");
}

enum t2_status dev_check(struct dev *d, struct t2_err *err)
{
    return d->check(d, err);
}

void dev_close(struct dev *d)
{
    if (!d)
        return;
    t2_pool_free(d->host_pool);
    d->release(d);
}
