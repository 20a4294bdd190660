/*
 * base/mapping.c - mappings known to a handler of SIGBUS.
 *
 * The handler walks a list that only grows (nodes are used again), so it needs no lock.  It cannot
 * give other bytes instead (zeros, say) and go on: a parser may have counted before what it copies
 * now.
 */
#include "base/mapping.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

struct t2_mapping {
    _Atomic uintptr_t begin; /* 0: free for another mapping */
    _Atomic uintptr_t end;
    char *path;
    atomic_bool taken;
    struct t2_mapping *next; /* never changes once the node is in the list */
};

static struct t2_mapping *_Atomic all;
static void (*_Atomic on_loss)(const char *path);
static struct sigaction before; /* what SIGBUS did before us */
static uintptr_t page_bytes;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void t2_mapping_on_loss(void (*report)(const char *path))
{
    atomic_store(&on_loss, report);
}

static bool holds(const struct t2_mapping *m, uintptr_t at)
{
    uintptr_t begin = atomic_load(&m->begin);

    return begin != 0 && at >= begin && at < atomic_load(&m->end);
}

/*
 * Runs on the thread that touched a page whose file has become shorter (or whose disk failed).
 * Only atomic loads and the user's function, which has to be async-signal-safe; the mapping cannot
 * be freed meanwhile, because the faulting thread is reading it.
 */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    for (struct t2_mapping *m = atomic_load(&all); m; m = m->next) {
        void (*report)(const char *path) = atomic_load(&on_loss);
        if (report && holds(m, (uintptr_t) info->si_addr))
            report(m->path);
    }
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(sig, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(sig);
    else /* the instruction runs again and ends the process as it would have */
        (void) sigaction(SIGBUS, &before, NULL);
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    page_bytes = (uintptr_t) sysconf(_SC_PAGESIZE);
    (void) sigemptyset(&action.sa_mask);
    (void) sigaction(SIGBUS, &action, &before);
}

/* A node that is not in use, else a new one. */
static struct t2_mapping *new_node(void)
{
    struct t2_mapping *m;
    bool expected;

    for (m = atomic_load(&all); m; m = m->next) {
        expected = false;
        if (atomic_compare_exchange_strong(&m->taken, &expected, true))
            return m;
    }
    m = t2_alloc(1, sizeof *m);
    atomic_init(&m->taken, true);
    m->next = atomic_load(&all);
    while (!atomic_compare_exchange_weak(&all, &m->next, m))
        continue;
    return m;
}

enum t2_status t2_mapping_new(int fd, uint64_t size, const char *path, struct t2_mapping **m,
                              struct t2_err *err)
{
    void *p;

    *m = NULL;
    T2_ASSERT(size > 0);
    if (size > SIZE_MAX / 2)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' is too large to be mapped", path);
    (void) pthread_once(&once, install);
    p = mmap(NULL, (size_t) size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return t2_fail_errno(err, errno, "cannot map '%s'", path);
    *m = new_node();
    (*m)->path = t2_strdup(path);
    /* The last page belongs to the mapping as a whole. */
    atomic_store(&(*m)->end,
                 ((uintptr_t) p + (uintptr_t) size + page_bytes - 1) & ~(page_bytes - 1));
    atomic_store(&(*m)->begin, (uintptr_t) p);
    return T2_OK;
}

const uint8_t *t2_mapping_data(const struct t2_mapping *m)
{
    return (const uint8_t *) atomic_load(&m->begin);
}

void t2_mapping_free(struct t2_mapping *m)
{
    uintptr_t begin;

    if (!m)
        return;
    begin = atomic_load(&m->begin);
    atomic_store(&m->begin, 0);
    (void) munmap((void *) begin, atomic_load(&m->end) - begin);
    t2_free(m->path);
    m->path = NULL;
    atomic_store(&m->taken, false);
}
