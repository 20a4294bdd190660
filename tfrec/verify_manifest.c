/*
 * tfrec/verify_manifest.c - files against the manifest that named them.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "tfrec/verify.h"
#include "tfrecord/manifest.h"

struct hashed {
    char sha256[T2_SHA256_HEX]; /* "" : not wanted, or failed */
};

struct job {
    const struct tfr_inputs *in;
    struct hashed *hashes;
    struct t2_progress progress;
    _Atomic uint64_t done_bytes;
};

static void hash_file(void *arg, int64_t piece, int worker)
{
    struct job *job = arg;
    const struct tfr_input_file *f = &job->in->files[piece];
    struct t2_err quiet = T2_ERR_INIT; /* a file that cannot be read was reported before */
    uint64_t bytes;

    if (!f->manifest || t2_interrupted())
        return;
    if (t2_sha256_file(f->path, job->hashes[piece].sha256, &bytes, &quiet) != T2_OK)
        job->hashes[piece].sha256[0] = '\0';
    uint64_t done = atomic_fetch_add(&job->done_bytes, f->bytes) + f->bytes;
    if (worker == 0)
        t2_progress_update(&job->progress, done);
}

static const struct tfr_manifest_shard *shard_of(const struct tfr_manifest *m, const char *path)
{
    const struct tfr_manifest_shard *found = NULL;
    char *dir = t2_path_dir(m->path);

    for (size_t s = 0; s < m->n_splits && !found; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards && !found; i++) {
            char *name = t2_path_join(dir, m->splits[s].shards[i].file);
            if (strcmp(name, path) == 0)
                found = &m->splits[s].shards[i];
            t2_free(name);
        }
    }
    t2_free(dir);
    return found;
}

static void compare(const struct tfr_input_file *in, const struct tfr_manifest_shard *shard,
                    const char *sha256, size_t file, struct rec_verified *v)
{
    struct rec_verified_file *f = &v->files[file];
    uint64_t before = v->found.counts[REC_DAMAGE];

    if (f->n_damages == 0 && f->n_read != shard->n_records)
        (void) rec_find(&v->found, REC_DAMAGE, file, REC_NO_RECORD, UINT64_MAX, "records",
                        "%" PRIu64 " records; the manifest '%s' says %" PRIu64, f->n_read,
                        in->manifest, shard->n_records);
    if (in->bytes != shard->bytes)
        (void) rec_find(&v->found, REC_DAMAGE, file, REC_NO_RECORD, UINT64_MAX, "bytes",
                        "%" PRIu64 " bytes; the manifest '%s' says %" PRIu64, in->bytes,
                        in->manifest, shard->bytes);
    if (sha256[0] && shard->sha256[0] && strcmp(sha256, shard->sha256) != 0)
        (void) rec_find(&v->found, REC_DAMAGE, file, REC_NO_RECORD, UINT64_MAX, "SHA-256",
                        "%s; the manifest '%s' says %s", sha256, in->manifest, shard->sha256);
    f->n_damages += v->found.counts[REC_DAMAGE] - before;
}

static enum t2_status compare_all(const struct tfr_inputs *in, const struct hashed *hashes,
                                  struct rec_verified *v, struct t2_err *err)
{
    struct tfr_manifest *m = NULL; /* files of one manifest follow each other */
    enum t2_status st = T2_OK;

    for (size_t i = 0; st == T2_OK && i < in->n; i++) {
        if (!in->files[i].manifest)
            continue;
        if (!m || strcmp(m->path, in->files[i].manifest) != 0) {
            tfr_manifest_free(m);
            m = NULL;
            st = tfr_manifest_load(in->files[i].manifest, &m, err);
        }
        const struct tfr_manifest_shard *shard =
            st == T2_OK ? shard_of(m, in->files[i].path) : NULL;
        if (shard)
            compare(&in->files[i], shard, hashes[i].sha256, i, v);
    }
    tfr_manifest_free(m);
    return st;
}

enum t2_status rec_verify_manifests(const struct tfr_inputs *in, bool hash, struct t2_pool *pool,
                                    struct rec_verified *v, struct t2_err *err)
{
    struct job job = {.in = in};
    enum t2_status st = T2_OK;

    job.hashes = t2_alloc(in->n, sizeof *job.hashes);
    if (hash) {
        t2_progress_start(&job.progress, "hashing", "bytes", in->bytes);
        t2_pool_run(pool, (int64_t) in->n, hash_file, &job);
        t2_progress_end(&job.progress);
        st = t2_check_interrupt(err);
    }
    if (st == T2_OK)
        st = compare_all(in, job.hashes, v, err);
    t2_free(job.hashes);
    return st;
}
