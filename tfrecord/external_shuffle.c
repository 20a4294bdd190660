/*
 * tfrecord/external_shuffle.c - dealing records into buckets, ordering the buckets.
 *
 * Dealing: memory is cut into chunks, a bucket owns a list of them; when no chunk is free all are written
 * to one temporary file, bucket by bucket, so that writes are long and a bucket is read in a few
 * pieces.  A bucket that is too large for memory after all (sizes were guessed wrong) is dealt again by
 * the next bits of its keys.
 */
#include "tfrecord/external_shuffle.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/signals.h"
#include "tfrecord/external_file.h"

enum {
    KEY_BITS = 64,
    MAX_BUCKET_BITS = 11,
    UNKNOWN_BUCKET_BITS = 8, /* when the size is not known */
    MIN_CHUNK = 4 << 10,
    MAX_CHUNK = 256 << 10,
    CHUNKS_PER_BUCKET = 8, /* at least so many, when all memory is used */
    GOOD_BUCKET = 16 << 20 /* larger ones are slower to order */
};

#define NO_CHUNK UINT32_MAX

/* Before a record in a bucket. */
struct head {
    uint64_t key;
    uint64_t len_bytes;
};

/* A piece of a bucket in the temporary file. */
struct extent {
    uint64_t offset, len_bytes;
};

struct bucket {
    uint32_t first, last; /* chunks in memory; NO_CHUNK: none */
    uint32_t last_bytes;  /* used in the last one */
    struct extent *extents;
    size_t n_extents;
    uint64_t n_records, n_bytes; /* in all, heads included */
};

struct tfr_shuffle {
    struct tfr_shuffle_options o;
    char *tmp_dir;
    uint32_t rng_key[2];
    uint64_t n; /* records so far */
    unsigned skip_bits, bucket_bits;
    struct bucket *buckets;
    size_t n_buckets;
    uint8_t *chunks;
    uint32_t *chunk_next; /* in its bucket */
    uint32_t n_chunks, n_chunks_used;
    size_t chunk_bytes;
    struct tfr_external_file *file;
    uint64_t spilled_bytes;
    /* draining */
    uint64_t bucket_limit;
    size_t next_bucket;
    enum t2_status (*put)(void *context, struct t2_slice record, struct t2_err *err);
    void *context;
};

/* ---- sizes ---- */

/* Half of the memory holds chunks, the other half buckets that are ordered. */
static unsigned choose_bits(const struct tfr_shuffle_options *o)
{
    uint64_t want = o->max_memory / 16;
    unsigned bits = 0;

    if (o->expected_bytes == 0)
        bits = UNKNOWN_BUCKET_BITS;
    if (want > GOOD_BUCKET)
        want = GOOD_BUCKET;
    while (bits < MAX_BUCKET_BITS && o->expected_bytes >> bits > want)
        bits++;
    while (bits > 0 && (uint64_t) MIN_CHUNK * 2 << bits > o->max_memory / 2)
        bits--;
    return bits;
}

static enum t2_status cut_chunks(struct tfr_shuffle *s, struct t2_err *err)
{
    uint64_t memory = s->o.max_memory / 2;
    uint64_t enough; /* each bucket ends in a chunk that is not full */

    s->chunk_bytes = MAX_CHUNK;
    while (s->chunk_bytes > MIN_CHUNK &&
           memory / s->chunk_bytes < (uint64_t) s->n_buckets * CHUNKS_PER_BUCKET)
        s->chunk_bytes /= 2;
    enough = s->o.expected_bytes + (s->n_buckets + 1) * s->chunk_bytes;
    if (s->o.expected_bytes > 0 && memory > enough)
        memory = enough;
    uint64_t n = memory / s->chunk_bytes;
    s->n_chunks = n < NO_CHUNK ? (uint32_t) n : NO_CHUNK - 1;
    s->chunks = t2_try_alloc(s->n_chunks, s->chunk_bytes);
    s->chunk_next = t2_try_alloc(s->n_chunks, sizeof *s->chunk_next);
    if (s->chunks == NULL || s->chunk_next == NULL)
        return t2_fail(err, T2_ENOMEM, "no memory for %llu bytes (--max_memory)",
                       (unsigned long long) memory);
    return T2_OK;
}

static enum t2_status new_level(const struct tfr_shuffle_options *o, unsigned skip_bits,
                                struct tfr_shuffle **out, struct t2_err *err)
{
    struct tfr_shuffle *s = t2_alloc(1, sizeof *s);
    enum t2_status st;

    *out = NULL;
    s->o = *o;
    if (s->o.max_memory < TFR_SHUFFLE_MIN_MEMORY)
        s->o.max_memory = TFR_SHUFFLE_MIN_MEMORY;
    s->tmp_dir = t2_strdup(o->tmp_dir);
    s->skip_bits = skip_bits;
    s->bucket_bits = choose_bits(&s->o);
    if (s->bucket_bits > KEY_BITS - skip_bits)
        s->bucket_bits = KEY_BITS - skip_bits;
    s->n_buckets = (size_t) 1 << s->bucket_bits;
    s->buckets = t2_alloc(s->n_buckets, sizeof *s->buckets);
    for (size_t i = 0; i < s->n_buckets; i++)
        s->buckets[i].first = s->buckets[i].last = NO_CHUNK;
    t2_rng_key(o->seed, T2_RNG_ORDER, s->rng_key);
    st = cut_chunks(s, err);
    if (st != T2_OK) {
        tfr_shuffle_free(s);
        return st;
    }
    *out = s;
    return T2_OK;
}

enum t2_status tfr_shuffle_new(const struct tfr_shuffle_options *o, struct tfr_shuffle **s,
                               struct t2_err *err)
{
    return new_level(o, 0, s, err);
}

static void free_chunks(struct tfr_shuffle *s)
{
    t2_free(s->chunks);
    t2_free(s->chunk_next);
    s->chunks = NULL;
    s->chunk_next = NULL;
}

void tfr_shuffle_free(struct tfr_shuffle *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_buckets; i++)
        t2_free(s->buckets[i].extents);
    free_chunks(s);
    tfr_external_file_free(s->file);
    t2_free(s->buckets);
    t2_free(s->tmp_dir);
    t2_free(s);
}

uint64_t tfr_shuffle_spilled_bytes(const struct tfr_shuffle *s)
{
    return s->spilled_bytes;
}

/* ---- dealing ---- */

/* Two records share a block of four words of the generator: block i / 2 of stream (seed, order). */
static uint64_t key_of(const struct tfr_shuffle *s, uint64_t i)
{
    uint64_t block = i / 2;
    const uint32_t counter[4] = {(uint32_t) block, 0, (uint32_t) (block >> 32), 0};
    uint32_t words[4];

    t2_philox(counter, s->rng_key, words);
    return i % 2 == 0 ? (uint64_t) words[0] << 32 | words[1] : (uint64_t) words[2] << 32 | words[3];
}

static size_t bucket_of(const struct tfr_shuffle *s, uint64_t key)
{
    /* Two shifts: neither is by 64 bits. */
    return s->bucket_bits == 0 ? 0 : (size_t) (key << s->skip_bits >> (KEY_BITS - s->bucket_bits));
}

static size_t bytes_in_chunk(const struct tfr_shuffle *s, const struct bucket *b, uint32_t chunk)
{
    return chunk == b->last ? b->last_bytes : s->chunk_bytes;
}

static enum t2_status spill_bucket(struct tfr_shuffle *s, struct bucket *b, struct t2_err *err)
{
    struct extent x = {.offset = tfr_external_file_bytes(s->file)};

    if (b->first == NO_CHUNK)
        return T2_OK;
    for (uint32_t c = b->first; c != NO_CHUNK; c = s->chunk_next[c]) {
        size_t n = bytes_in_chunk(s, b, c);
        T2_TRY(tfr_external_file_append(s->file, s->chunks + c * s->chunk_bytes, n, err));
        x.len_bytes += n;
    }
    b->extents = t2_realloc(b->extents, b->n_extents + 1, sizeof *b->extents);
    b->extents[b->n_extents++] = x;
    b->first = b->last = NO_CHUNK;
    s->spilled_bytes += x.len_bytes;
    return T2_OK;
}

static enum t2_status spill(struct tfr_shuffle *s, struct t2_err *err)
{
    if (s->file == NULL)
        T2_TRY(tfr_external_file_new(s->tmp_dir, &s->file, err));
    T2_TRY(t2_check_interrupt(err));
    for (size_t i = 0; i < s->n_buckets; i++)
        T2_TRY(spill_bucket(s, &s->buckets[i], err));
    s->n_chunks_used = 0;
    return T2_OK;
}

/* Appends a piece of a record to a bucket; in the middle of it the rest may be spilled. */
static enum t2_status deal_bytes(struct tfr_shuffle *s, struct bucket *b, const uint8_t *data,
                                 size_t len_bytes, struct t2_err *err)
{
    while (len_bytes > 0) {
        if (b->last == NO_CHUNK || b->last_bytes == s->chunk_bytes) {
            if (s->n_chunks_used == s->n_chunks)
                T2_TRY(spill(s, err));
            uint32_t c = s->n_chunks_used++;
            s->chunk_next[c] = NO_CHUNK;
            if (b->last == NO_CHUNK)
                b->first = c;
            else
                s->chunk_next[b->last] = c;
            b->last = c;
            b->last_bytes = 0;
        }
        size_t n = s->chunk_bytes - b->last_bytes;
        if (n > len_bytes)
            n = len_bytes;
        memcpy(s->chunks + b->last * s->chunk_bytes + b->last_bytes, data, n);
        b->last_bytes += (uint32_t) n;
        data += n;
        len_bytes -= n;
    }
    return T2_OK;
}

static enum t2_status deal(struct tfr_shuffle *s, uint64_t key, struct t2_slice record,
                           struct t2_err *err)
{
    struct bucket *b = &s->buckets[bucket_of(s, key)];
    const struct head head = {key, record.len_bytes};

    b->n_records++;
    b->n_bytes += sizeof head + record.len_bytes;
    T2_TRY(deal_bytes(s, b, (const uint8_t *) &head, sizeof head, err));
    return deal_bytes(s, b, record.data, record.len_bytes, err);
}

enum t2_status tfr_shuffle_add(struct tfr_shuffle *s, struct t2_slice record, struct t2_err *err)
{
    return deal(s, key_of(s, s->n++), record, err);
}

/* ---- ordering a bucket in memory ---- */

struct place {
    uint64_t key;
    size_t offset; /* of the head in the bucket */
};

/* A bucket on its way through the pipeline. */
struct load {
    struct bucket *bucket;
    bool too_large;
    struct t2_buf bytes;
    struct t2_buf places, sorted; /* of struct place */
    struct t2_buf starts;         /* of size_t */
    size_t n;
};

static void *room(struct t2_buf *b, size_t n, size_t size)
{
    b->len_bytes = 0;
    return t2_buf_reserve(b, n * size);
}

/* Appends what the bucket has in memory or on disk, in the order it was dealt. */
static enum t2_status gather(const struct tfr_shuffle *s, const struct bucket *b, uint8_t *to,
                             struct t2_err *err)
{
    for (size_t i = 0; i < b->n_extents; i++) {
        const struct extent *x = &b->extents[i];
        T2_TRY(tfr_external_file_read(s->file, x->offset, to, (size_t) x->len_bytes, err));
        to += x->len_bytes;
    }
    for (uint32_t c = b->first; c != NO_CHUNK; c = s->chunk_next[c]) {
        size_t n = bytes_in_chunk(s, b, c);
        memcpy(to, s->chunks + c * s->chunk_bytes, n);
        to += n;
    }
    return T2_OK;
}

static void insertion_sort(struct place *p, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct place moved = p[i];
        size_t j = i;
        for (; j > 0 && p[j - 1].key > moved.key; j--)
            p[j] = p[j - 1];
        p[j] = moved;
    }
}

/* Keys are uniform: dealt by their next bits into about a quarter as many heaps as there are records, they
 * are nearly in order. */
static const struct place *order(struct load *l, const struct place *places, unsigned skip_bits)
{
    unsigned bits = 1;

    while (bits < 30 && l->n >> (bits + 2) > 0)
        bits++;
    size_t n_starts = ((size_t) 1 << bits) + 1;
    size_t *starts = room(&l->starts, n_starts, sizeof *starts);
    struct place *sorted = room(&l->sorted, l->n, sizeof *sorted);

    memset(starts, 0, n_starts * sizeof *starts);
    if (skip_bits > KEY_BITS - 1)
        skip_bits = KEY_BITS - 1;
    for (size_t i = 0; i < l->n; i++)
        starts[(places[i].key << skip_bits >> (KEY_BITS - bits)) + 1]++;
    for (size_t i = 1; i < n_starts; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < l->n; i++)
        sorted[starts[places[i].key << skip_bits >> (KEY_BITS - bits)]++] = places[i];
    insertion_sort(sorted, l->n); /* nothing moves further than its heap is long */
    return sorted;
}

static enum t2_status order_bucket(const struct tfr_shuffle *s, struct load *l, struct t2_err *err)
{
    const struct bucket *b = l->bucket;
    uint8_t *bytes = room(&l->bytes, (size_t) b->n_bytes, 1);
    struct place *places = room(&l->places, (size_t) b->n_records, sizeof *places);
    size_t offset = 0;

    T2_TRY(gather(s, b, bytes, err));
    l->n = (size_t) b->n_records;
    for (size_t i = 0; i < l->n; i++) {
        struct head head;
        memcpy(&head, bytes + offset, sizeof head);
        places[i] = (struct place){head.key, offset};
        offset += sizeof head + (size_t) head.len_bytes;
    }
    T2_ASSERT(offset == b->n_bytes);
    (void) order(l, places, s->skip_bits + s->bucket_bits);
    return T2_OK;
}

static enum t2_status put_ordered(struct tfr_shuffle *s, const struct load *l, struct t2_err *err)
{
    enum { AHEAD = 8 };
    const struct place *sorted = (const struct place *) (const void *) l->sorted.data;
    const uint8_t *bytes = l->bytes.data;

    for (size_t i = 0; i < l->n; i++) {
        struct head head;
        if (i + AHEAD < l->n)
            __builtin_prefetch(bytes + sorted[i + AHEAD].offset);
        memcpy(&head, bytes + sorted[i].offset, sizeof head);
        T2_TRY(s->put(s->context,
                      (struct t2_slice){bytes + sorted[i].offset + sizeof head,
                                        (size_t) head.len_bytes},
                      err));
    }
    return T2_OK;
}

/* ---- a bucket that is too large ---- */

/* Its bytes, one record after another. */
struct rereader {
    const struct tfr_shuffle *s;
    const struct bucket *b;
    size_t extent;
    uint64_t at; /* in the extent */
};

static enum t2_status reread(struct rereader *r, uint8_t *to, size_t n_bytes, struct t2_err *err)
{
    while (n_bytes > 0) {
        const struct extent *x = &r->b->extents[r->extent];
        uint64_t left = x->len_bytes - r->at;
        size_t n = n_bytes < left ? n_bytes : (size_t) left;
        T2_TRY(tfr_external_file_read(r->s->file, x->offset + r->at, to, n, err));
        to += n;
        n_bytes -= n;
        r->at += n;
        if (r->at == x->len_bytes) {
            r->extent++;
            r->at = 0;
        }
    }
    return T2_OK;
}

static enum t2_status deal_again(const struct tfr_shuffle *s, const struct bucket *b,
                                 struct tfr_shuffle *finer, struct t2_err *err)
{
    struct rereader r = {.s = s, .b = b};
    struct t2_buf record = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    for (uint64_t i = 0; st == T2_OK && i < b->n_records; i++) {
        struct head head = {0, 0};
        st = reread(&r, (uint8_t *) &head, sizeof head, err);
        uint8_t *to = room(&record, (size_t) head.len_bytes, 1);
        if (st == T2_OK)
            st = reread(&r, to, (size_t) head.len_bytes, err);
        if (st == T2_OK)
            st = deal(finer, head.key, (struct t2_slice){to, (size_t) head.len_bytes}, err);
        if (st == T2_OK && i % 4096 == 0)
            st = t2_check_interrupt(err);
    }
    t2_buf_release(&record);
    return st;
}

static enum t2_status drain_level(struct tfr_shuffle *s, struct t2_pool *pool, struct t2_err *err);

static enum t2_status put_too_large(struct tfr_shuffle *s, const struct bucket *b,
                                    struct t2_err *err)
{
    struct tfr_shuffle_options o = s->o;
    struct tfr_shuffle *finer = NULL;
    struct t2_pool *alone;
    enum t2_status st;

    o.expected_bytes = b->n_bytes;
    o.max_memory = s->o.max_memory / 2; /* the chunks of this level are free again */
    T2_TRY(new_level(&o, s->skip_bits + s->bucket_bits, &finer, err));
    finer->put = s->put;
    finer->context = s->context;
    st = deal_again(s, b, finer, err);
    if (st == T2_OK) {
        alone = t2_pool_new(1); /* the pool of this level is at work */
        st = drain_level(finer, alone, err);
        t2_pool_free(alone);
    }
    tfr_shuffle_free(finer);
    return st;
}

/* ---- all buckets ---- */

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct tfr_shuffle *s = context;
    struct load *l = item;

    T2_TRY(t2_check_interrupt(err));
    while (s->next_bucket < s->n_buckets && s->buckets[s->next_bucket].n_records == 0)
        s->next_bucket++;
    if (s->next_bucket == s->n_buckets)
        return T2_EOF;
    l->bucket = &s->buckets[s->next_bucket++];
    /* One record (or many with one key) cannot be dealt any finer. */
    l->too_large =
        l->bucket->n_bytes + l->bucket->n_records * 2 * sizeof(struct place) > s->bucket_limit &&
        l->bucket->n_records > 1 && s->file != NULL && s->skip_bits + s->bucket_bits < KEY_BITS;
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct load *l = item;

    (void) worker;
    return l->too_large ? T2_OK : order_bucket(context, l, err);
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct tfr_shuffle *s = context;
    struct load *l = item;
    enum t2_status st = l->too_large ? put_too_large(s, l->bucket, err) : put_ordered(s, l, err);

    for (size_t i = 0; i < l->bucket->n_extents; i++)
        tfr_external_file_forget(s->file, l->bucket->extents[i].offset,
                                 l->bucket->extents[i].len_bytes);
    return st;
}

static void release(void *context, void *item)
{
    struct load *l = item;

    (void) context;
    t2_buf_release(&l->bytes);
    t2_buf_release(&l->places);
    t2_buf_release(&l->sorted);
    t2_buf_release(&l->starts);
}

static enum t2_status drain_level(struct tfr_shuffle *s, struct t2_pool *pool, struct t2_err *err)
{
    const int n_slots = t2_pool_threads(pool) + 1;
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct load),
                                         .n_slots = n_slots,
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = s};

    if (s->file != NULL) { /* what is in memory goes too: its chunks are needed for other things */
        T2_TRY(spill(s, err));
        free_chunks(s);
    }
    s->bucket_limit = s->o.max_memory / 2 / (uint64_t) n_slots;
    return t2_pool_pipeline(pool, &pipeline, err);
}

enum t2_status tfr_shuffle_drain(struct tfr_shuffle *s, struct t2_pool *pool,
                                 enum t2_status (*put)(void *context, struct t2_slice record,
                                                       struct t2_err *err),
                                 void *context, struct t2_err *err)
{
    s->put = put;
    s->context = context;
    return drain_level(s, pool, err);
}
