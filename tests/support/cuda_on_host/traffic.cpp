/*
 * tests/support/cuda_on_host/traffic.cpp - how many bytes of device memory each kernel moves,
 * beside the least that it could.
 *
 * T2_CUDA_TRAFFIC=FILE: when the process ends, a JSON line a kernel, sums over its launches.
 *   moved_read, moved_written   four bytes count once a block: a block's second look at them finds
 *                               them in the cache, as far as that is large enough
 *   least_read, least_written   once a launch
 * What a block (a launch) has written and then reads is not counted as read.  A copy, a library's
 * function is one block.  Which accesses there are, watch.cpp says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <map>
#include <string>

#include "tests/support/cuda_on_host/internal.h"

namespace cuda_on_host
{

/* Of four bytes: the last block and launch that read and wrote them, by number; 0: none. */
struct touched {
    uint32_t read_block, written_block, read_launch, written_launch;
};

struct sums {
    uint64_t launches, moved[2], least[2]; /* bytes read, bytes written */
};

static std::map<std::string, sums> &kernels = *new std::map<std::string, sums>;
static uint32_t this_launch, this_block;
static sums *now;

static const char *path()
{
    return getenv("T2_CUDA_TRAFFIC");
}

bool counting_traffic()
{
    static const bool does = path() != nullptr;

    return does;
}

touched *traffic_words(size_t words)
{
    void *p = counting_traffic() ? mmap(nullptr, words * sizeof(touched), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                 : MAP_FAILED;

    return p == MAP_FAILED ? nullptr : (touched *) p;
}

void traffic_forget(touched *t, size_t words)
{
    if (t)
        munmap(t, words * sizeof *t);
}

void traffic_launch(const char *name)
{
    if (!counting_traffic())
        return;
    now = &kernels[name];
    now->launches++;
    this_launch++;
    this_block++;
}

void traffic_block()
{
    this_block++;
}

void traffic_access(touched *words, size_t at, bool writes)
{
    enum { BYTES = 4 };
    touched *t = words + at;
    uint32_t &by_block = writes ? t->written_block : t->read_block;
    uint32_t &by_launch = writes ? t->written_launch : t->read_launch;

    if (by_block != this_block && (writes || t->written_block != this_block))
        now->moved[writes] += BYTES;
    if (by_launch != this_launch && (writes || t->written_launch != this_launch))
        now->least[writes] += BYTES;
    by_block = this_block;
    by_launch = this_launch;
}

static struct traffic_file {
    ~traffic_file()
    {
        FILE *f = path() ? fopen(path(), "w") : nullptr;

        if (!f)
            return;
        for (const auto &k : kernels)
            fprintf(f,
                    "{\"kernel\": \"%s\", \"launches\": %llu, \"moved_read\": %llu, "
                    "\"moved_written\": %llu, \"least_read\": %llu, \"least_written\": %llu}\n",
                    k.first.c_str(), (unsigned long long) k.second.launches,
                    (unsigned long long) k.second.moved[0], (unsigned long long) k.second.moved[1],
                    (unsigned long long) k.second.least[0], (unsigned long long) k.second.least[1]);
        fclose(f);
    }
} at_the_end;

} /* namespace cuda_on_host */
