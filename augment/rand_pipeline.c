/*
 * augment/rand_pipeline.c - a pipeline with other numbers for its RandAugment.
 */
#include "augment/rand_pipeline.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_STEPS = 16 };

/* One that was asked for; the pipeline points into its own struct. */
struct made {
    const struct aug_pipeline *of;
    struct aug_pipeline pipeline;
    struct aug_augment_rule rule;
    struct aug_step rest[MAX_STEPS];
    struct made *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all;

static const struct aug_step *rand_step(const struct aug_pipeline *p)
{
    for (const struct aug_step *s = p->rest; s->kind != AUG_END; s++)
        if (s->kind == AUG_AUGMENT && s->augment->policy == AUG_RANDAUGMENT)
            return s;
    return NULL;
}

bool aug_has_randaugment(const struct aug_pipeline *p)
{
    return rand_step(p) != NULL;
}

static struct made *make(const struct aug_pipeline *p, const struct aug_augment_rule *rule)
{
    struct made *m = t2_alloc(1, sizeof *m);
    size_t n = 0;

    m->of = p;
    m->pipeline = *p;
    m->rule = *rule;
    do {
        T2_ASSERT(n < MAX_STEPS);
        m->rest[n] = p->rest[n];
        if (&p->rest[n] == rand_step(p))
            m->rest[n].augment = &m->rule;
    } while (p->rest[n++].kind != AUG_END);
    m->pipeline.rest = m->rest;
    return m;
}

const struct aug_pipeline *aug_pipeline_with_numbers(const struct aug_pipeline *p,
                                                     const struct aug_rand_numbers *numbers)
{
    const struct aug_step *step = rand_step(p);
    struct aug_augment_rule rule;
    struct made *m;

    T2_ASSERT(step && numbers->n_layers >= 0 && numbers->n_layers <= AUG_MAX_AUGMENTS);
    rule = *step->augment;
    if (numbers->n_layers > 0)
        rule.n_layers = numbers->n_layers;
    if (numbers->magnitude >= 0)
        rule.magnitude = numbers->magnitude;
    pthread_mutex_lock(&lock);
    for (m = all; m; m = m->next)
        if (m->of == p && m->rule.n_layers == rule.n_layers && m->rule.magnitude == rule.magnitude)
            break;
    if (!m) {
        m = make(p, &rule);
        m->next = all;
        all = m;
    }
    pthread_mutex_unlock(&lock);
    return &m->pipeline;
}
