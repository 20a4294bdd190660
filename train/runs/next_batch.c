/*
 * train/runs/next_batch.c - see the header.
 */
#include "train/runs/next_batch.h"

static void *take(void *context, size_t bytes)
{
    struct dev *const *dev = context;

    return (*dev)->alloc_host(*dev, bytes);
}

static void give(void *context, void *memory, size_t bytes)
{
    struct dev *const *dev = context;

    (void) bytes;
    (*dev)->free_host(*dev, memory);
}

struct in_memory tr_batch_memory(struct dev **dev)
{
    return (struct in_memory){.alloc = take, .free = give, .context = dev};
}

enum t2_status tr_next_batch(struct in_input *in, struct mdl *m, struct mdl_batch *batch,
                             uint64_t *samples, struct t2_err *err)
{
    struct mdl_batch *next;

    mdl_wait_read(m); /* the batch that in_next takes back */
    T2_TRY(in_next(in, batch, samples, err));
    T2_TRY(mdl_send(m, batch, err));
    next = in_peek(in);
    return next ? mdl_send(m, next, err) : T2_OK;
}
