/*
 * train/models/hparams_reads.c - which hparams somebody has read: what is set and never read has no
 * meaning, and is named.
 *
 * A mark per name, for the whole process and for ever: copies of hparams share it, and the getters,
 * which threads call, only set a flag.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/log.h"
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

/* ---- what is set and has no meaning
 * --------------------------------------------------------------- */

static bool same_value(const struct mdl_value *a, const struct mdl_value *b)
{
    if (a->type != b->type || a->is_null != b->is_null || a->n != b->n)
        return false;
    switch (a->type) {
    case MDL_HP_INT:
        return a->i == b->i;
    case MDL_HP_FLOAT:
        return a->f == b->f;
    case MDL_HP_BOOL:
        return a->b == b->b;
    case MDL_HP_STRING:
        return a->is_null || strcmp(a->s, b->s) == 0;
    case MDL_HP_NONE:
    case MDL_HP_MAP:
        return true;
    case MDL_HP_INT_LIST:
        return a->n == 0 || memcmp(a->ints, b->ints, a->n * sizeof *a->ints) == 0;
    case MDL_HP_FLOAT_LIST:
        return a->n == 0 || memcmp(a->floats, b->floats, a->n * sizeof *a->floats) == 0;
    }
    return false;
}

/* Read in the first step, or by the decoder. */
static bool is_read_later(const char *name)
{
    static const char *const later[] = {"sampling_keep_top_k", "sampling_method", "sampling_temp",
                                        "symbol_dropout"};

    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i], name) == 0)
            return true;
    return false;
}

static bool is_normal(const struct mdl_hparams *normal, const struct mdl_entry *e)
{
    const struct mdl_value *v = mdl_hparams_find(normal, e->name);

    if (!v)
        v = mdl_hparams_extra(e->name);
    return v && same_value(&e->value, v);
}

enum t2_status mdl_hparams_unread(const struct mdl_hparams *hp, const struct mdl_hparams *normal,
                                  struct t2_strs *names, struct t2_err *err)
{
    struct mdl_hparams *set = NULL;

    if (!normal)
        T2_TRY(mdl_hparams_new(hp->set, &set, err));
    for (size_t i = 0; i < hp->n; i++) {
        const struct mdl_entry *e = &hp->entries[i];

        if (!is_normal(normal ? normal : set, e) && !is_read_later(e->name) &&
            !mdl_hparams_was_read(e->name))
            t2_strs_push(names, e->name);
    }
    mdl_hparams_free(set);
    return T2_OK;
}

enum t2_status mdl_hparams_name_unread(const struct mdl_hparams *hp,
                                       const struct mdl_hparams *normal, struct t2_err *err)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};
    enum t2_status st = mdl_hparams_unread(hp, normal, &names, err);

    for (size_t i = 0; i < names.n; i++)
        t2_buf_printf(&text, "%s%s", i > 0 ? ", " : "", names.items[i]);
    if (names.n > 0)
        t2_warn(
            "hparams that are set, but have no meaning here (nothing of this run reads them): %s",
            t2_buf_cstr(&text));
    t2_buf_release(&text);
    t2_strs_release(&names);
    return st;
}
