/*
 * datagen/source/files_hash.c - one hash over many files.
 */
#include "datagen/source/files_hash.h"

void dg_files_hash_start(struct dg_files_hash *h)
{
    h->hash = t2_sha256_new();
}

void dg_files_hash_add(struct dg_files_hash *h, struct t2_slice bytes)
{
    if (!h->hash)
        return;
    t2_sha256_update(h->hash, bytes.data, bytes.len_bytes);
    h->n_bytes += bytes.len_bytes;
}

void dg_files_hash_note(struct dg_files_hash *h, const char *path, const char *role, uint64_t n,
                        struct dg_input_files *files)
{
    char sha256[T2_SHA256_HEX];

    if (!h->hash)
        return;
    t2_sha256_peek(h->hash, sha256);
    dg_input_files_add(files, path, role, h->n_bytes, n, sha256);
    dg_files_hash_release(h);
}

void dg_files_hash_release(struct dg_files_hash *h)
{
    t2_sha256_free(h->hash);
    h->hash = NULL;
}
