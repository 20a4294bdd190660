/*
 * train/graph/profile.c - where the time of graphs goes: seconds per operator.
 *
 * An event is recorded behind each node and none is waited for until the pass is over, so a device
 * with a queue runs as it does without a profile.  A node's time is the distance to the event in
 * front.
 */
#include "train/graph/profile.h"

#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"

/* An event, and the operator that ended there. */
struct mark {
    struct dev_event *event;
    const char *op;
    bool backward;
};

struct gr_marks {
    struct dev *dev;
    struct mark *items;
    int n, n_events;
    double began_s;
    size_t first_traced;
};

void gr_profile_release(struct gr_profile *p)
{
    struct gr_marks *m = p->marks;

    for (int i = 0; m && i < m->n_events; i++)
        m->dev->event_free(m->dev, m->items[i].event);
    if (m)
        t2_free(m->items);
    t2_free(m);
    *p = (struct gr_profile){0};
}

static void mark(struct gr_marks *m, const char *op, bool backward)
{
    if (m->n == m->n_events) {
        m->n_events = m->n_events ? 2 * m->n_events : 256;
        m->items = t2_realloc(m->items, (size_t) m->n_events, sizeof *m->items);
        for (int i = m->n; i < m->n_events; i++)
            m->items[i].event = m->dev->event_new(m->dev);
    }
    m->items[m->n].op = op;
    m->items[m->n].backward = backward;
    m->dev->event_record(m->dev, DEV_COMPUTE, m->items[m->n++].event);
}

void gr_profile_begin(struct gr_profile *p, struct dev *dev)
{
    if (!p->marks)
        p->marks = t2_alloc(1, sizeof *p->marks);
    T2_ASSERT(!p->marks->dev || p->marks->dev == dev);
    p->marks->dev = dev;
    p->marks->n = 0;
    p->marks->began_s = t2_now_s();
    p->marks->first_traced = p->trace ? p->trace->n : 0;
    mark(p->marks, NULL, false);
}

void gr_profile_mark(struct gr_profile *p, const char *op, bool backward)
{
    mark(p->marks, op, backward);
}

static void account(struct gr_profile *p, const char *op, bool backward, double seconds)
{
    int i = 0;

    while (i < p->n && strcmp(p->op[i], op) != 0)
        i++;
    if (i == p->n && p->n < GR_MAX_PROFILE)
        p->op[p->n++] = op;
    if (i < p->n)
        *(backward ? &p->backward_s[i] : &p->forward_s[i]) += seconds;
}

void gr_profile_end(struct gr_profile *p)
{
    struct gr_marks *m = p->marks;
    struct dev *dev = m->dev;
    double begin_s = m->began_s;

    dev->event_wait(dev, m->items[m->n - 1].event);
    for (int i = 1; i < m->n; i++) {
        double seconds = dev->event_seconds(dev, m->items[i - 1].event, m->items[i].event);
        struct gr_traced *traced =
            p->trace ? &p->trace->items[m->first_traced + (size_t) i - 1] : NULL;

        account(p, m->items[i].op, m->items[i].backward, seconds);
        if (traced) {
            traced->begin_s = begin_s;
            traced->seconds = seconds;
        }
        begin_s += seconds;
    }
}
