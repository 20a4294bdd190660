/*
 * datagen/images/image_plan.c - order and shards of images.
 *
 * The plan's SHA-256 is over, in this order: for each image its path and "size split label boxes"
 * as text, both with their NUL, and its boxes; the labels; the options as text. So another list,
 * seed or flag is another plan, and a run continues only its own shards. The contents of images
 * are not read: a change of one shows in its size or time (newest).
 */
#include "datagen/images/image_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/mt19937.h"
#include "datagen/images/image_file.h"
#include "tfrecord/shards.h"

static const uint64_t shard_bytes = UINT64_C(128) << 20;
enum { MAX_SHARDS = 100000 };

void dg_image_plan_release(struct dg_image_plan *p)
{
    t2_strs_release(&p->names);
    t2_free(p->starts);
    t2_free(p->order);
    memset(p, 0, sizeof *p);
}

/* ---- order ---- */

/*
 * The train split is shuffled as Python's random.seed(n), random.shuffle(list): MT19937
 * (base/mt19937.h), so that imagenet_to_gcs.py's order comes out.
 */
static void order_split(const struct dg_images *l, const struct dg_write_images *w,
                        enum dg_image_split split, uint32_t *order, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].split == split)
            order[at++] = (uint32_t) i;
    T2_ASSERT(at == n);
    if (split == DG_IMAGES_TRAIN && w->shuffle) {
        struct t2_mt mt;
        t2_mt_seed_python(&mt, w->random_seed);
        t2_mt_shuffle_u32(&mt, order, n);
    }
}

/*
 * The first image of shard s of n.  imagenet_to_gcs.py takes chunks of ceil(N / n), so that the
 * last shards may be short or empty; else the shards differ by at most one image.
 */
static size_t start_of(const struct dg_write_images *w, size_t n_images, size_t s, size_t n)
{
    size_t chunk = (n_images + n - 1) / n;

    if (!w->imagenet_to_gcs)
        return (size_t) ((uint64_t) n_images * s / n);
    return s * chunk < n_images ? s * chunk : n_images;
}

static char *shard_name(const struct dg_write_images *w, enum dg_image_split split, size_t s,
                        size_t n)
{
    const char *name = dg_image_split_name(split);

    return t2_asprintf("%s%s%s-%05zu-of-%05zu", w->imagenet_to_gcs ? name : "",
                       w->imagenet_to_gcs ? "/" : "", name, s, n);
}

static void plan_split(const struct dg_images *l, const struct dg_write_images *w,
                       enum dg_image_split split, size_t first, struct dg_image_plan *p)
{
    size_t n = dg_images_count(l, split), n_shards = p->n_shards[split];

    order_split(l, w, split, p->order + first, n);
    for (size_t s = 0; s < n_shards; s++) {
        p->starts[p->names.n] = first + start_of(w, n, s, n_shards);
        t2_strs_take(&p->names, shard_name(w, split, s, n_shards));
    }
}

/* ---- files ---- */

struct sizes {
    struct t2_sha256 *hash;
    uint64_t bytes[DG_N_IMAGE_SPLITS];
};

static void hash_text(struct t2_sha256 *h, const char *s)
{
    t2_sha256_update(h, s, strlen(s) + 1);
}

static enum t2_status look_at(const struct dg_images *l, const struct dg_write_images *w,
                              struct sizes *sizes, int64_t *newest, struct t2_err *err)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct dg_image *p = &l->items[i];
        struct t2_file_info seen;
        char text[128];
        T2_TRY(dg_image_look(p, &seen, err));
        if (seen.kind == T2_FILE_ABSENT && w->refusals.on_error == DG_ON_ERROR_FAIL)
            return t2_fail(err, T2_ENOTFOUND,
                           "'%s': no such file; --on_error=skip leaves out what is not there",
                           p->path);
        if (seen.changed_ns > *newest)
            *newest = seen.changed_ns;
        sizes->bytes[p->split] += seen.bytes;
        snprintf(text, sizeof text, "%" PRIu64 " %d %" PRIu32 " %zu", seen.bytes, (int) p->split,
                 p->label, p->n_boxes);
        hash_text(sizes->hash, p->path);
        hash_text(sizes->hash, text);
        if (p->n_boxes)
            t2_sha256_update(sizes->hash, l->boxes + p->first_box, p->n_boxes * sizeof *l->boxes);
    }
    for (size_t i = 0; i < l->labels.n; i++)
        hash_text(sizes->hash, l->labels.items[i]);
    return T2_OK;
}

static void hash_options(const struct dg_write_images *w, const struct dg_image_plan *p,
                         struct t2_sha256 *h)
{
    char text[256];

    snprintf(text, sizeof text, "1 %zu %zu %zu %d %d %" PRIu64 " %d %d %d %d", p->n_shards[0],
             p->n_shards[1], p->n_shards[2], w->imagenet_to_gcs, w->shuffle,
             w->shuffle ? w->random_seed : 0, (int) w->policy.admit.reencode,
             w->policy.admit.apply_exif, w->policy.decode_all,
             w->refusals.on_error == DG_ON_ERROR_FAIL);
    hash_text(h, text);
}

static enum t2_status choose_shards(const struct dg_images *l, const struct dg_write_images *w,
                                    const struct sizes *sizes, struct dg_image_plan *p,
                                    struct t2_err *err)
{
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        const char *name = dg_image_split_name((enum dg_image_split) split);
        size_t n = dg_images_count(l, (enum dg_image_split) split);
        uint64_t wanted = sizes->bytes[split] / shard_bytes + 1;
        if (w->n_shards[split] < 0 || w->n_shards[split] > MAX_SHARDS)
            return t2_fail(err, T2_EUSAGE, "--%s_shards=%d: must be 1 to %d", name,
                           w->n_shards[split], MAX_SHARDS);
        if (w->n_shards[split] > 0)
            wanted = (uint64_t) w->n_shards[split];
        if (w->n_shards[split] > 0 && n == 0 && !w->imagenet_to_gcs)
            return t2_fail(err, T2_EUSAGE, "--%s_shards: there are no images for it", name);
        if (n == 0 && !(w->imagenet_to_gcs && split != DG_IMAGES_TEST))
            wanted = 0;
        p->n_shards[split] = (size_t) (wanted < MAX_SHARDS ? wanted : MAX_SHARDS);
    }
    return T2_OK;
}

enum t2_status dg_image_plan_make(const struct dg_images *l, const struct dg_write_images *w,
                                  struct dg_image_plan *p, struct t2_err *err)
{
    struct sizes sizes = {.hash = t2_sha256_new()};
    enum t2_status st = T2_OK;
    size_t first = 0, n_all = 0;

    if (l->n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "no images to convert");
    if (st == T2_OK && l->n > UINT32_MAX)
        st = t2_fail(err, T2_EUNSUPPORTED, "%zu images are too many for one run", l->n);
    if (st == T2_OK)
        st = look_at(l, w, &sizes, &p->newest, err);
    if (st == T2_OK)
        st = choose_shards(l, w, &sizes, p, err);
    if (st == T2_OK) {
        hash_options(w, p, sizes.hash);
        t2_sha256_peek(sizes.hash, p->sha256);
        for (int split = 0; split < DG_N_IMAGE_SPLITS; split++)
            n_all += p->n_shards[split];
        p->starts = t2_alloc(n_all + 1, sizeof *p->starts);
        p->order = t2_alloc(l->n, sizeof *p->order);
        for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
            plan_split(l, w, (enum dg_image_split) split, first, p);
            first += dg_images_count(l, (enum dg_image_split) split);
        }
        p->starts[n_all] = first;
    }
    t2_sha256_free(sizes.hash);
    return st;
}
