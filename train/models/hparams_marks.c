/*
 * train/models/hparams_marks.c - which hparams somebody has read.
 *
 * A mark per name, for the whole process and for ever: copies of hparams share it, and the getters,
 * which threads call, only set a flag.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/models/hparams_store.h"

enum { N_CHAINS = 512 };

struct mdl_read_mark {
    char *name;
    _Atomic bool read;
    struct mdl_read_mark *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mdl_read_mark *chains[N_CHAINS];

static size_t chain_of(const char *name)
{
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (; *name; name++)
        hash = (hash ^ (unsigned char) *name) * 16777619U;
    return hash % N_CHAINS;
}

struct mdl_read_mark *mdl_read_mark_of(const char *name)
{
    size_t chain = chain_of(name);
    struct mdl_read_mark *m;

    pthread_mutex_lock(&lock);
    for (m = chains[chain]; m && strcmp(m->name, name) != 0; m = m->next)
        ;
    if (!m) {
        m = t2_alloc(1, sizeof *m);
        m->name = t2_strdup(name);
        m->next = chains[chain];
        chains[chain] = m;
    }
    pthread_mutex_unlock(&lock);
    return m;
}

void mdl_read_mark_set(struct mdl_read_mark *mark)
{
    atomic_store_explicit(&mark->read, true, memory_order_relaxed);
}

bool mdl_hparams_was_read(const char *name)
{
    return atomic_load_explicit(&mdl_read_mark_of(name)->read, memory_order_relaxed);
}

void mdl_hparams_forget_reads(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < N_CHAINS; i++)
        for (struct mdl_read_mark *m = chains[i]; m; m = m->next)
            atomic_store_explicit(&m->read, false, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}
