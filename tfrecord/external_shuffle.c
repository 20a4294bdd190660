/*
 * tfrecord/external_shuffle.c - dealing records into buckets, and giving out the ordered buckets.
 *
 * Dealing: memory is cut into chunks, a bucket owns a list of them; when no chunk is free all are
 * written to one temporary file, bucket by bucket, so that writes are long and a bucket is read in
 * a few pieces.  Buckets are small, so that one is ordered in the processor's cache
 * (external_order.c).  A bucket that turns out too large for memory (the estimate of sizes was
 * wrong) is dealt again by the next bits of its keys.
 *
 * The key of record i is a random 64-bit number, a function of (seed, i) alone, and the order of
 * the output is the order of keys: the same for any memory, bucket count and number of threads.
 *
 *   key      | skip_bits: dealt by levels above | bucket_bits | order within the bucket |
 *   chunk    items of a bucket one behind the other: key 8, framed record; an item may go on in the
 *            next chunk, also after a spill
 *   memory   3/4 chunks, 1/4 buckets being ordered
 *
 * With 400 MB and a quarter of that as memory it is 0.77 of the speed of copying the file twice
 * (bench/results/2026-11-21-tfrecord-notes.md); before records stayed framed and keys were found
 * on all threads it was 0.55.
 */
#include "tfrecord/external_shuffle.h"

#include <string.h>
#include <sys/uio.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/signals.h"
#include "tfrecord/external_extents.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_order.h"
#include "tfrecord/record_stream.h"

enum {
    KEY_BITS = TFR_SHUFFLE_KEY_BITS,
    KEY_BYTES = TFR_SHUFFLE_KEY_BYTES,
    MAX_BUCKET_BITS = 11,
    UNKNOWN_BUCKET_BITS = 8, /* when the size is not known */
    MIN_CHUNK = 4 << 10,
    MAX_CHUNK = 256 << 10,
    CHUNKS_PER_BUCKET = 8, /* at least so many, when all memory is used */
    GOOD_BUCKET = 1 << 20, /* larger ones are slower to order */
    GOOD_EXTENT = 64 << 10 /* shorter ones are slower to read from a disk */
};

#define NO_CHUNK UINT32_MAX

struct bucket {
    uint32_t first, last; /* chunks in memory; NO_CHUNK: none */
    uint32_t last_bytes;  /* used in the last one */
    struct tfr_extents spilled;
    uint64_t n_records, n_bytes; /* in all, keys included */
};

struct tfr_shuffle {
    struct tfr_shuffle_options o;
    char *tmp_dir;
    uint32_t rng_key[2];
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
    tfr_shuffle_put *put;
    void *context;
};

/* ---- sizes ---- */

/* Three quarters of the memory hold chunks, so that little goes to the disk and in long pieces; the
 * rest holds buckets that are ordered. */
static uint64_t chunk_memory(const struct tfr_shuffle_options *o)
{
    return o->max_memory / 4 * 3;
}

static uint64_t order_memory(const struct tfr_shuffle_options *o)
{
    return o->max_memory / 4;
}

/*
 * More buckets while one is above an eighth of the memory for ordering; then down to about 1 MiB
 * each, which is ordered in cache, as long as the pieces on disk stay long; fewer when two chunks
 * per bucket do not fit.
 */
static unsigned choose_bits(const struct tfr_shuffle_options *o)
{
    uint64_t memory = chunk_memory(o);
    unsigned bits = 0;

    if (o->expected_bytes == 0)
        bits = UNKNOWN_BUCKET_BITS;
    while (bits < MAX_BUCKET_BITS && o->expected_bytes >> bits > order_memory(o) / 8)
        bits++;
    while (bits < MAX_BUCKET_BITS && o->expected_bytes >> bits > GOOD_BUCKET &&
           (o->expected_bytes <= memory || (uint64_t) GOOD_EXTENT << (bits + 1) <= memory))
        bits++;
    while (bits > 0 && (uint64_t) MIN_CHUNK * 2 << bits > memory)
        bits--;
    return bits;
}

static enum t2_status cut_chunks(struct tfr_shuffle *s, struct t2_err *err)
{
    uint64_t memory = chunk_memory(&s->o);
    uint64_t expected = s->o.expected_bytes;

    s->chunk_bytes = MAX_CHUNK;
    while (s->chunk_bytes > MIN_CHUNK &&
           memory / s->chunk_bytes < (uint64_t) s->n_buckets * CHUNKS_PER_BUCKET)
        s->chunk_bytes /= 2;
    if (expected > 0 && expected < memory) { /* with keys; each bucket ends in a chunk not full */
        uint64_t enough = expected + expected / 2 + (s->n_buckets + 1) * s->chunk_bytes;
        if (memory > enough)
            memory = enough;
    }
    uint64_t n = memory / s->chunk_bytes;
    s->n_chunks = n < NO_CHUNK ? (uint32_t) n : NO_CHUNK - 1;
    s->chunks = t2_try_alloc(s->n_chunks, s->chunk_bytes);
    s->chunk_next = t2_try_alloc(s->n_chunks, sizeof *s->chunk_next);
    if (!s->chunks || !s->chunk_next)
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
    s->o.tmp_dir = s->tmp_dir;
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
    if (!s)
        return;
    for (size_t i = 0; i < s->n_buckets; i++)
        tfr_extents_release(&s->buckets[i].spilled);
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

/* ---- preparing ---- */

/* A record on its way to its bucket. */
struct card {
    uint64_t key;
    struct t2_slice frame;
};

/* Two records share a block of four words of the generator: block i / 2 of stream (seed, order). */
static void keys_of_pair(const struct tfr_shuffle *s, uint64_t block, uint64_t keys[2])
{
    const uint32_t counter[4] = {(uint32_t) block, 0, (uint32_t) (block >> 32), 0};
    uint32_t words[4];

    t2_philox(counter, s->rng_key, words);
    keys[0] = (uint64_t) words[0] << 32 | words[1];
    keys[1] = (uint64_t) words[2] << 32 | words[3];
}

static size_t bucket_of(const struct tfr_shuffle *s, uint64_t key)
{
    /* Two shifts: neither is by 64 bits. */
    return s->bucket_bits == 0 ? 0 : (size_t) (key << s->skip_bits >> (KEY_BITS - s->bucket_bits));
}

static void *room(struct t2_buf *b, size_t n, size_t size)
{
    t2_buf_clear(b);
    return t2_buf_reserve(b, n * size);
}

/* Cards are sorted by bucket, so that each bucket's chunk is written once per batch. */
void tfr_shuffle_prepare(const struct tfr_shuffle *s, const struct tfr_batch *batch,
                         struct tfr_shuffle_hand *hand)
{
    struct card *cards = room(&hand->cards, batch->n, sizeof *cards);
    struct card *sorted = room(&hand->sorted, batch->n, sizeof *sorted);
    uint32_t *starts = room(&hand->starts, s->n_buckets + 1, sizeof *starts);
    uint64_t keys[2] = {0, 0};

    T2_ASSERT(batch->n < UINT32_MAX);
    memset(starts, 0, (s->n_buckets + 1) * sizeof *starts);
    for (size_t i = 0; i < batch->n; i++) {
        uint64_t number = batch->first + i;
        if (i == 0 || number % 2 == 0)
            keys_of_pair(s, number / 2, keys);
        cards[i] = (struct card){keys[number % 2], tfr_framed(&batch->records[i])};
        starts[bucket_of(s, cards[i].key) + 1]++;
    }
    for (size_t i = 1; i <= s->n_buckets; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < batch->n; i++)
        sorted[starts[bucket_of(s, cards[i].key)]++] = cards[i];
    hand->n = batch->n;
}

void tfr_shuffle_hand_release(struct tfr_shuffle_hand *hand)
{
    t2_buf_release(&hand->cards);
    t2_buf_release(&hand->sorted);
    t2_buf_release(&hand->starts);
}

/* ---- dealing ---- */

static size_t bytes_in_chunk(const struct tfr_shuffle *s, const struct bucket *b, uint32_t chunk)
{
    return chunk == b->last ? b->last_bytes : s->chunk_bytes;
}

/* All chunks, bucket by bucket. */
static enum t2_status spill(struct tfr_shuffle *s, struct t2_err *err)
{
    struct t2_buf pieces = {NULL, 0, 0};
    uint64_t offset;
    size_t n = 0;
    enum t2_status st;

    if (!s->file)
        T2_TRY(tfr_external_file_new(s->tmp_dir, &s->file, err));
    T2_TRY(t2_check_interrupt(err));
    offset = tfr_external_file_bytes(s->file);
    struct iovec *iov = room(&pieces, s->n_chunks_used + 1, sizeof *iov);
    for (size_t i = 0; i < s->n_buckets; i++) {
        struct bucket *b = &s->buckets[i];
        uint64_t begin = offset;
        if (b->first == NO_CHUNK)
            continue;
        for (uint32_t c = b->first; c != NO_CHUNK; c = s->chunk_next[c]) {
            iov[n] = (struct iovec){s->chunks + c * s->chunk_bytes, bytes_in_chunk(s, b, c)};
            offset += iov[n++].iov_len;
        }
        tfr_extents_add(&b->spilled, begin, offset - begin);
        b->first = b->last = NO_CHUNK;
        s->spilled_bytes += offset - begin;
    }
    st = tfr_external_file_appendv(s->file, iov, n, err);
    t2_buf_release(&pieces);
    s->n_chunks_used = 0;
    return st;
}

static enum t2_status add_chunk(struct tfr_shuffle *s, struct bucket *b, struct t2_err *err)
{
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
    return T2_OK;
}

/* Appends a piece of a record to a bucket; in the middle of it the rest may be spilled. */
static enum t2_status deal_bytes(struct tfr_shuffle *s, struct bucket *b, const uint8_t *data,
                                 size_t len_bytes, struct t2_err *err)
{
    while (len_bytes > 0) {
        if (b->last == NO_CHUNK || b->last_bytes == s->chunk_bytes)
            T2_TRY(add_chunk(s, b, err));
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

static inline enum t2_status deal(struct tfr_shuffle *s, uint64_t key, struct t2_slice frame,
                                  struct t2_err *err)
{
    struct bucket *b = &s->buckets[bucket_of(s, key)];
    size_t item_bytes = KEY_BYTES + frame.len_bytes;

    b->n_records++;
    b->n_bytes += item_bytes;
    if (b->last != NO_CHUNK && item_bytes <= s->chunk_bytes - b->last_bytes) {
        uint8_t *to = s->chunks + b->last * s->chunk_bytes + b->last_bytes;
        memcpy(to, &key, KEY_BYTES);
        memcpy(to + KEY_BYTES, frame.data, frame.len_bytes);
        b->last_bytes += (uint32_t) item_bytes;
        return T2_OK;
    }
    T2_TRY(deal_bytes(s, b, (const uint8_t *) &key, KEY_BYTES, err));
    return deal_bytes(s, b, frame.data, frame.len_bytes, err);
}

enum t2_status tfr_shuffle_add(struct tfr_shuffle *s, const struct tfr_shuffle_hand *hand,
                               struct t2_err *err)
{
    enum { AHEAD = 8 };
    const struct card *cards = (const struct card *) (const void *) hand->sorted.data;

    for (size_t i = 0; i < hand->n; i++) {
        if (i + AHEAD < hand->n)
            __builtin_prefetch(cards[i + AHEAD].frame.data);
        T2_TRY(deal(s, cards[i].key, cards[i].frame, err));
    }
    return T2_OK;
}

/* ---- a bucket that is too large ---- */

static enum t2_status deal_again(const struct tfr_shuffle *s, const struct bucket *b,
                                 struct tfr_shuffle *finer, struct t2_err *err)
{
    struct tfr_item_reader r = {.file = s->file, .extents = &b->spilled};
    enum t2_status st = T2_OK;

    for (uint64_t i = 0; st == T2_OK && i < b->n_records; i++) {
        struct t2_slice frame = {NULL, 0};
        uint64_t key = 0;
        st = tfr_item_reader_next(&r, &key, &frame, err);
        if (st == T2_OK)
            st = deal(finer, key, frame, err);
        if (st == T2_OK && i % 4096 == 0)
            st = t2_check_interrupt(err);
    }
    tfr_item_reader_release(&r);
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
    tfr_extents_forget(&b->spilled, s->file);
    if (st == T2_OK) {
        alone = t2_pool_new(1); /* the pool of this level is at work */
        st = drain_level(finer, alone, err);
        t2_pool_free(alone);
    }
    tfr_shuffle_free(finer);
    return st;
}

/* ---- all buckets ---- */

/* A bucket on its way through the pipeline. */
struct load {
    const struct bucket *bucket;
    bool too_large;
    struct tfr_order order;
    struct t2_slice frames;
};

static bool is_too_large(const struct tfr_shuffle *s, const struct bucket *b)
{
    /* One record (or many with one key) cannot be dealt any finer. */
    return tfr_order_memory(b->n_records, b->n_bytes) > s->bucket_limit && b->n_records > 1 &&
           s->file && s->skip_bits + s->bucket_bits < KEY_BITS;
}

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
    l->too_large = is_too_large(s, l->bucket);
    return T2_OK;
}

/* The items of a bucket, those on disk and then those in memory, in the order they were dealt. */
static enum t2_status gather(const struct tfr_shuffle *s, const struct bucket *b,
                             struct t2_buf *items, struct t2_err *err)
{
    uint8_t *to = room(items, (size_t) b->n_bytes, 1);

    T2_TRY(tfr_extents_read(&b->spilled, s->file, to, err));
    to += tfr_extents_bytes(&b->spilled);
    for (uint32_t c = b->first; c != NO_CHUNK; c = s->chunk_next[c]) {
        size_t n = bytes_in_chunk(s, b, c);
        memcpy(to, s->chunks + c * s->chunk_bytes, n);
        to += n;
    }
    items->len_bytes = (size_t) b->n_bytes;
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct tfr_shuffle *s = context;
    struct load *l = item;

    (void) worker;
    if (l->too_large)
        return T2_OK;
    T2_TRY(gather(s, l->bucket, &l->order.items, err));
    tfr_extents_forget(&l->bucket->spilled, s->file);
    l->frames =
        tfr_order_items(&l->order, (size_t) l->bucket->n_records, s->skip_bits + s->bucket_bits);
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct tfr_shuffle *s = context;
    struct load *l = item;

    return l->too_large ? put_too_large(s, l->bucket, err)
                        : s->put(s->context, l->frames, l->bucket->n_records, err);
}

static void release(void *context, void *item)
{
    struct load *l = item;

    (void) context;
    tfr_order_release(&l->order);
}

/* As many buckets at a time as fit into their memory, one more than threads at most. */
static int choose_slots(const struct tfr_shuffle *s, int n_threads)
{
    uint64_t largest = 1;
    uint64_t n;

    for (size_t i = 0; i < s->n_buckets; i++) {
        uint64_t bytes = tfr_order_memory(s->buckets[i].n_records, s->buckets[i].n_bytes);
        if (bytes > largest)
            largest = bytes;
    }
    n = order_memory(&s->o) / largest;
    if (n < 2)
        n = 2;
    return n > (uint64_t) n_threads ? n_threads + 1 : (int) n;
}

static enum t2_status drain_level(struct tfr_shuffle *s, struct t2_pool *pool, struct t2_err *err)
{
    const int n_slots = choose_slots(s, t2_pool_threads(pool));
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct load),
                                         .n_slots = n_slots,
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = s};
    bool any_too_large = false;

    s->bucket_limit = order_memory(&s->o) / (uint64_t) n_slots;
    for (size_t i = 0; i < s->n_buckets; i++)
        any_too_large = any_too_large || is_too_large(s, &s->buckets[i]);
    if (any_too_large) { /* the memory of the chunks is needed to deal again */
        T2_TRY(spill(s, err));
        free_chunks(s);
    }
    return t2_pool_pipeline(pool, &pipeline, err);
}

enum t2_status tfr_shuffle_drain(struct tfr_shuffle *s, struct t2_pool *pool, tfr_shuffle_put *put,
                                 void *context, struct t2_err *err)
{
    s->put = put;
    s->context = context;
    return drain_level(s, pool, err);
}
