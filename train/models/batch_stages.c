/*
 * train/models/batch_stages.c - see the header.
 */
#include "train/models/batch_stages.h"

#include "base/str.h"

static size_t rounded(size_t bytes)
{
    return (bytes + DEV_ALIGN_BYTES - 1) / DEV_ALIGN_BYTES * DEV_ALIGN_BYTES;
}

/* ---- what a batch is made of ---- */

struct parts {
    struct mdl_part items[MDL_MAX_PARTS];
    int n;
    size_t bytes;
};

static void add(struct parts *p, const void *host, size_t bytes)
{
    if (!host)
        return;
    T2_ASSERT(p->n < MDL_MAX_PARTS);
    p->items[p->n++] = (struct mdl_part){host, bytes, p->bytes};
    p->bytes += rounded(bytes);
}

static struct parts parts_of(const struct mdl_batch *b)
{
    size_t n = (size_t) b->batch, inputs = n * (size_t) b->inputs_length * sizeof(int32_t);
    size_t targets = n * (size_t) b->targets_length * sizeof(int32_t);
    size_t values = n * (size_t) b->height * (size_t) b->width * (size_t) b->channels;
    struct parts p = {.n = 0};

    add(&p, b->inputs, inputs);
    add(&p, b->inputs_segmentation, inputs);
    add(&p, b->inputs_position, inputs);
    add(&p, b->targets, targets);
    add(&p, b->values, n * (size_t) b->n_values * sizeof *b->values);
    add(&p, b->targets_segmentation, targets);
    add(&p, b->targets_position, targets);
    add(&p, b->types, inputs);
    add(&p, b->sentence_labels, n * sizeof *b->sentence_labels);
    add(&p, b->images, values * sizeof *b->images);
    add(&p, b->image_bytes, values);
    add(&p, b->mirrored, n);
    add(&p, b->byte_values, (size_t) b->channels * 256 * sizeof *b->byte_values);
    add(&p, b->other_labels, n * sizeof *b->other_labels);
    add(&p, b->label_weights, n * sizeof *b->label_weights);
    return p;
}

uint64_t mdl_stages_bytes(const struct dev *dev, const struct mdl_shape *s)
{
    static const char some[1];
    const bool bytes = s->image_bytes, images = s->height > 0;
    const struct mdl_batch b = {
        .batch = s->batch,
        .inputs_length = s->inputs_length,
        .targets_length = s->targets_length,
        .height = s->height,
        .width = s->width,
        .channels = s->channels,
        .inputs = s->inputs_length > 0 ? (const void *) some : NULL,
        .targets = s->n_values > 0 ? NULL : (const void *) some,
        .n_values = s->n_values,
        .values = s->n_values > 0 ? (const void *) some : NULL,
        .inputs_segmentation = s->packed && s->inputs_length > 0 ? (const void *) some : NULL,
        .inputs_position = s->packed && s->inputs_length > 0 ? (const void *) some : NULL,
        .targets_segmentation = s->packed ? (const void *) some : NULL,
        .targets_position = s->packed ? (const void *) some : NULL,
        .types = s->sentences ? (const void *) some : NULL,
        .sentence_labels = s->sentences == MDL_SENTENCES_MASKED ? (const void *) some : NULL,
        .images = images && !bytes ? (const void *) some : NULL,
        .image_bytes = images && bytes ? (const void *) some : NULL,
        .mirrored = images && bytes ? (const void *) some : NULL,
        .byte_values = images && bytes ? (const void *) some : NULL,
        .other_labels = s->mixed ? (const void *) some : NULL,
        .label_weights = s->mixed ? (const void *) some : NULL};

    return dev->host_memory ? 0 : MDL_N_STAGES * (uint64_t) parts_of(&b).bytes;
}

/* ---- the stages ---- */

void mdl_stages_release(struct mdl_stages *s)
{
    mdl_stages_forget(s);
    for (int i = 0; i < MDL_N_STAGES; i++) {
        struct mdl_stage *g = &s->items[i];

        if (!g->there)
            continue;
        s->dev->free(s->dev, g->block);
        s->dev->event_free(s->dev, g->there);
        s->dev->event_free(s->dev, g->used);
        *g = (struct mdl_stage){0};
    }
}

static enum t2_status need_block(struct mdl_stages *s, struct mdl_stage *g, size_t bytes,
                                 struct t2_err *err)
{
    struct dev *dev = s->dev;

    if (!g->there) {
        g->there = dev->event_new(dev);
        g->used = dev->event_new(dev);
    }
    if (bytes <= g->block_bytes)
        return T2_OK;
    dev->queue_wait(dev, DEV_COMPUTE, g->there);
    dev->free(dev, g->block);
    g->block_bytes = 0;
    g->block = dev->alloc(dev, bytes);
    if (!g->block)
        return dev_fail_memory(dev, bytes, "a batch", NULL, err);
    g->block_bytes = bytes;
    dev->event_record(dev, DEV_COMPUTE, g->used); /* the zeros of new memory are compute's */
    return T2_OK;
}

enum t2_status mdl_stages_reserve(struct mdl_stages *s, uint64_t bytes, struct t2_err *err)
{
    for (int i = 0; i < MDL_N_STAGES && bytes > 0; i++)
        T2_TRY(need_block(s, &s->items[i], (size_t) bytes / MDL_N_STAGES, err));
    return T2_OK;
}

/* Places the batch in the stage whose turn it is. */
static enum t2_status place(struct mdl_stages *s, const struct mdl_batch *b,
                            struct mdl_stage **stage, struct t2_err *err)
{
    const struct parts p = parts_of(b);
    struct mdl_stage *g = &s->items[s->next];

    if (g->ticket != 0) /* no step took it, and its memory may be written when this returns */
        s->dev->event_wait(s->dev, g->there);
    g->ticket = 0;
    T2_TRY(need_block(s, g, p.bytes, err));
    for (int i = 0; i < p.n; i++)
        g->parts[i] = p.items[i];
    g->n_parts = p.n;
    s->next = (s->next + 1) % MDL_N_STAGES;
    *stage = g;
    return T2_OK;
}

static struct mdl_stage *find_sent(struct mdl_stages *s, const struct mdl_batch *b)
{
    for (int i = 0; i < MDL_N_STAGES; i++)
        if (b->sent != 0 && s->items[i].ticket == b->sent)
            return &s->items[i];
    return NULL;
}

enum t2_status mdl_stages_send(struct mdl_stages *s, struct mdl_batch *batch, struct t2_err *err)
{
    struct dev *dev = s->dev;
    struct mdl_stage *g;

    if (dev->host_memory || find_sent(s, batch))
        return T2_OK;
    T2_TRY(place(s, batch, &g, err));
    dev->queue_wait(dev, DEV_COPY_IN, g->used);
    for (int i = 0; i < g->n_parts; i++)
        dev->upload_on(dev, DEV_COPY_IN, g->block + g->parts[i].offset, g->parts[i].host,
                       g->parts[i].bytes);
    dev->event_record(dev, DEV_COPY_IN, g->there);
    g->copying = true;
    batch->sent = g->ticket = ++s->n_sent;
    return T2_OK;
}

enum t2_status mdl_stages_begin(struct mdl_stages *s, const struct mdl_batch *batch,
                                struct t2_err *err)
{
    struct dev *dev = s->dev;
    struct mdl_stage *g = find_sent(s, batch);

    if (dev->host_memory)
        return T2_OK;
    if (g) {
        dev->queue_wait(dev, DEV_COMPUTE, g->there);
    } else if (!batch->image_bytes) {
        return T2_OK;
    } else {
        T2_TRY(place(s, batch, &g, err));
        dev->queue_wait(dev, DEV_COMPUTE, g->there); /* a copy that nobody took */
        for (int i = 0; i < g->n_parts; i++)
            dev->upload_now(dev, g->block + g->parts[i].offset, g->parts[i].host,
                            g->parts[i].bytes);
    }
    g->ticket = 0;
    s->taken = g;
    return T2_OK;
}

void mdl_stages_end(struct mdl_stages *s)
{
    if (s->taken)
        s->dev->event_record(s->dev, DEV_COMPUTE, s->taken->used);
    s->taken = NULL;
}

const void *mdl_stages_find(const struct mdl_stages *s, const void *host)
{
    if (s->dev->host_memory)
        return host;
    for (int i = 0; s->taken && i < s->taken->n_parts; i++)
        if (s->taken->parts[i].host == host)
            return s->taken->block + s->taken->parts[i].offset;
    return NULL;
}

static void wait_for_copies(struct mdl_stages *s, bool all)
{
    for (int i = 0; i < MDL_N_STAGES; i++) {
        struct mdl_stage *g = &s->items[i];

        if (!g->copying || (!all && g->ticket != 0))
            continue;
        s->dev->event_wait(s->dev, g->there);
        g->copying = false;
    }
}

void mdl_stages_wait_read(struct mdl_stages *s)
{
    wait_for_copies(s, false);
}

void mdl_stages_forget(struct mdl_stages *s)
{
    wait_for_copies(s, true);
    for (int i = 0; i < MDL_N_STAGES; i++)
        s->items[i].ticket = 0;
}
