/*
 * tests/support/cuda_on_host/watch.cpp - who reads and writes device memory, and what orders them.
 *
 * Kernels and the libraries' stand-ins of a program that watches (mk/cuda.mk says which do) are
 * compiled with the calls that gcc's thread sanitizer puts before each load and store; these are
 * defined here, so every access of a kernel is seen, and copies say theirs.  Each piece of work in a stream is a tick of that stream's clock.  A stream
 * knows of each other how far it has waited for it (vector clocks): by events, and by the host,
 * which waits for a stream before it queues something.  For each four bytes of device memory there
 * is who wrote them last and who has read them since; an access that nothing orders behind the
 * last one of another stream is a fault, in whatever order the two have happened to run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <vector>

#include "tests/support/cuda_on_host/internal.h"
#include "tests/support/cuda_on_host/on_host.h"

namespace cuda_on_host
{

enum { READERS = 3, WORD = 4 };

struct access {
    uint32_t tick;
    uint16_t stream, what; /* what: number of a name */
};

/* Of four bytes; all 0: nobody yet. */
struct shadow {
    access write, reads[READERS];
};

struct watched {
    char *end;
    shadow *words;
    size_t n_words;
    touched *touches; /* (n_words); nullptr: they are not counted */
};

/* Not destroyed: devices may be closed at exit. */
static std::map<char *, watched> &blocks = *new std::map<char *, watched>; /* by their beginning */
static std::vector<const char *> &names = *new std::vector<const char *>;
static std::map<const char *, uint16_t> &numbers = *new std::map<const char *, uint16_t>;

static bool wanted()
{
    const char *text = getenv("T2_CUDA_WATCH");

    if (!counting_traffic() && !(text && strcmp(text, "1") == 0))
        return false;
    if (!kernels_are_watched) {
        fprintf(stderr, "cuda_on_host: T2_CUDA_WATCH, T2_CUDA_TRAFFIC: kernels of this program are "
                        "compiled without calls at loads and stores (mk/cuda.mk)\n");
        exit(2);
    }
    return true;
}

bool watching = wanted();
/* Of the host's thread that does the work; tick 0: none. */
static thread_local access now;
static thread_local clocks *running;

/* ---- blocks ---- */

void watch_block(char *p, size_t bytes)
{
    size_t n_words = (bytes + WORD) / WORD;
    void *words = mmap(nullptr, n_words * sizeof(shadow), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (words != MAP_FAILED)
        blocks[p] = watched{p + bytes, (shadow *) words, n_words, traffic_words(n_words)};
}

void forget_block(char *p)
{
    auto found = blocks.find(p);

    if (found == blocks.end())
        return;
    munmap(found->second.words, found->second.n_words * sizeof(shadow));
    traffic_forget(found->second.touches, found->second.n_words);
    blocks.erase(found);
}

/* ---- work ---- */

static uint16_t number_of(const char *name)
{
    auto found = numbers.find(name);

    if (found != numbers.end())
        return found->second;
    names.push_back(name);
    return numbers[name] = (uint16_t) (names.size() - 1);
}

void begin_work(clocks *of_stream, int stream, const char *name)
{
    running = of_stream;
    now.tick = ++of_stream->at[stream];
    now.stream = (uint16_t) stream;
    now.what = number_of(name);
    traffic_launch(name);
}

void end_work()
{
    now.tick = 0;
}

/* Does the work that runs come behind `other`? */
static bool is_behind(const access &other)
{
    return other.tick == 0 || other.stream == now.stream || running->at[other.stream] >= other.tick;
}

static void found_race(const access &other, const char *verb, const char *did, size_t at,
                       const watched &block, const char *begin)
{
    report_race("%s in stream %d %s what %s in stream %d %s, byte %zu of %zu, and nothing orders "
                "the two",
                names[now.what], now.stream, verb, names[other.what], other.stream, did, at,
                (size_t) (block.end - begin));
}

static void put_read(shadow *w)
{
    access *free_one = nullptr;

    for (access &r : w->reads) {
        if (r.tick && r.stream == now.stream) {
            r = now;
            return;
        }
        if (!free_one && is_behind(r)) /* who comes behind both will come behind this one */
            free_one = &r;
    }
    *(free_one ? free_one : &w->reads[0]) = now;
}

static void visit(shadow *w, bool writes, size_t at, const watched &block, const char *begin)
{
    if (!is_behind(w->write))
        found_race(w->write, writes ? "writes" : "reads", "writes", at, block, begin);
    if (!writes) {
        put_read(w);
        return;
    }
    for (access &r : w->reads) {
        if (!is_behind(r))
            found_race(r, "writes", "reads", at, block, begin);
        r.tick = 0;
    }
    w->write = now;
}

void watch_access(const void *p, size_t bytes, bool writes)
{
    char *from = (char *) const_cast<void *>(p);

    if (!watching || now.tick == 0 || bytes == 0)
        return;
    auto found = blocks.upper_bound(from);

    if (found == blocks.begin())
        return;
    --found;
    char *begin = found->first;
    const watched &block = found->second;

    if (from >= block.end) /* the host's, or a thread's own */
        return;
    if (from + bytes > block.end)
        bytes = (size_t) (block.end - from);
    for (size_t at = (size_t) (from - begin) / WORD; at * WORD < (size_t) (from - begin) + bytes;
         at++) {
        visit(&block.words[at], writes, at * WORD, block, begin);
        if (block.touches)
            traffic_access(block.touches, at, writes);
    }
}

} /* namespace cuda_on_host */

bool cuda_on_host_watch(bool on)
{
    cuda_on_host::watching = on && cuda_on_host::kernels_are_watched;
    return cuda_on_host::watching == on;
}

/* ---- what the compiler calls ---- */

#define WATCH(name, bytes, writes)                                                                 \
    void __tsan_##name(void *p);                                                                   \
    void __tsan_##name(void *p)                                                                    \
    {                                                                                              \
        if (cuda_on_host::watching)                                                                \
            cuda_on_host::watch_access(p, bytes, writes);                                          \
    }
#define WATCH_BOTH(size)                                                                           \
    WATCH(read##size, size, false)                                                                 \
    WATCH(write##size, size, true)                                                                 \
    WATCH(volatile_read##size, size, false)                                                        \
    WATCH(volatile_write##size, size, true)
#define WATCH_UNALIGNED(size)                                                                      \
    WATCH(unaligned_read##size, size, false)                                                       \
    WATCH(unaligned_write##size, size, true)

extern "C" {

WATCH_BOTH(1)
WATCH_BOTH(2)
WATCH_BOTH(4)
WATCH_BOTH(8)
WATCH_BOTH(16)
WATCH_UNALIGNED(2)
WATCH_UNALIGNED(4)
WATCH_UNALIGNED(8)
WATCH_UNALIGNED(16)

void __tsan_read_range(void *p, long bytes);
void __tsan_read_range(void *p, long bytes)
{
    cuda_on_host::watch_access(p, (size_t) bytes, false);
}

void __tsan_write_range(void *p, long bytes);
void __tsan_write_range(void *p, long bytes)
{
    cuda_on_host::watch_access(p, (size_t) bytes, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void) caller;
}

void __tsan_func_exit(void *caller);
void __tsan_func_exit(void *caller)
{
    (void) caller;
}

void __tsan_vptr_update(void *p, void *value);
void __tsan_vptr_update(void *p, void *value)
{
    (void) p, (void) value;
}

} /* extern "C" */
