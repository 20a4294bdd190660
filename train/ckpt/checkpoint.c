/*
 * train/ckpt/checkpoint.c - saving: both tensor files, read back, then the state, then old ones go.
 *
 * On disk, for step S (layouts in safetensors.h and checkpoint_state.c):
 *   model-S.safetensors      the variables, float32, under TensorFlow's names
 *   optimizer-S.safetensors  the optimizer's slots; not in averaged checkpoints
 *   state-S.json             step, seed, position in the data, hparams, sizes and SHA-256 of both
 *
 * A checkpoint exists when its state file does; that is written last and removed first, and every
 * file gets its name by a rename (base/out.c), so an interruption at any point leaves whole
 * checkpoints only.  Old ones are removed only after the new one has been read back and compared.
 *
 * Writers put their pieces into the temporary files that the first of them has made, each at its
 * place, and keep a CRC-32C of what they put there.  The first one reads the files: that gives the
 * SHA-256 of each, which no one of several writers could have told, and a CRC-32C which must be
 * that of all pieces, one behind the other.
 */
#include "train/ckpt/checkpoint.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/crc32c_join.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "base/version.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/ckpt/removal.h"
#include "train/ckpt/safetensors.h"

enum { READ_BYTES = 1 << 20 };

/*
 * The strings in the header of both files, so that a tensor file says on its own where it is from.
 */
struct metadata {
    char step[32], updates[32];
    struct t2_buf hparams;
    const char *keys[16], *values[16];
    size_t n;
};

static void add_metadata(struct metadata *m, const char *key, const char *value)
{
    m->keys[m->n] = key;
    m->values[m->n++] = value;
}

static void metadata_init(struct metadata *m, const struct ckpt_record *record,
                          const struct mdl_hparams *hp)
{
    const struct ckpt_state *s = &record->state;
    struct t2_json json;

    memset(m, 0, sizeof *m);
    snprintf(m->step, sizeof m->step, "%" PRId64, s->step);
    snprintf(m->updates, sizeof m->updates, "%" PRId64, record->updates);
    t2_json_init(&json, &m->hparams, 0);
    mdl_hparams_write_json(hp, &json);
    add_metadata(m, "format", "t2t.c");
    add_metadata(m, "version", t2_version());
    add_metadata(m, "step", m->step);
    add_metadata(m, "model", s->model);
    add_metadata(m, "hparams_set", s->hparams_set);
    add_metadata(m, "hparams", t2_buf_cstr(&m->hparams));
    add_metadata(m, "problem", s->problem);
    add_metadata(m, "inputs_vocab_sha256", s->inputs_vocab_sha256);
    add_metadata(m, "targets_vocab_sha256", s->targets_vocab_sha256);
    add_metadata(m, "manifest_sha256", s->manifest_sha256);
    add_metadata(m, "precision", s->precision);
}

static struct ckpt_record begin_record(const struct ckpt_state *state,
                                       const struct opt_optimizer *opt)
{
    struct ckpt_record record = {.state = *state, .has_optimizer = opt != NULL};

    if (opt) {
        record.updates = opt_updates(opt);
        snprintf(record.optimizer_name, sizeof record.optimizer_name, "%s", opt_name(opt));
    }
    return record;
}

/* ---- a draft ---- */

/* One of the two files while it is written. */
struct file {
    const char *kind;
    struct ckpt_pieces pieces;
    struct t2_out *out; /* of the first writer */
    int fd;             /* of every writer; -1: not open */
    char *path;         /* where it is until it is complete */
    uint64_t data_at;
};

struct ckpt_draft {
    const struct gr_params *params;
    const struct opt_optimizer *opt;
    struct opt_share writer;
    uint8_t *room; /* for copies; NULL: values are written as they are then */
    char *output_dir;
    struct ckpt_record record;
    struct mdl_hparams *hp;
    struct file files[CKPT_FILES];
    int n_files;
    struct ckpt_runs runs;
};

uint64_t ckpt_draft_bytes(const struct gr_params *params, const struct opt_optimizer *opt,
                          struct opt_share writer)
{
    struct ckpt_pieces p = {0};
    uint64_t n;

    ckpt_pieces_of_variables(&p, params, writer);
    n = ckpt_pieces_own_bytes(&p);
    ckpt_pieces_release(&p);
    if (!opt)
        return n;
    ckpt_pieces_of_slots(&p, params, opt, writer);
    n += ckpt_pieces_own_bytes(&p);
    ckpt_pieces_release(&p);
    return n;
}

enum t2_status ckpt_draft_new(const struct gr_params *params, const struct opt_optimizer *opt,
                              struct opt_share writer, bool aside, struct ckpt_draft **draft,
                              struct t2_err *err)
{
    struct ckpt_draft *d;
    uint8_t *room = NULL;

    T2_ASSERT(!opt || opt_share_of(opt).n == 1 || opt_share_of(opt).n == writer.n);
    *draft = NULL;
    if (aside) {
        room = t2_alloc_aligned((size_t) ckpt_draft_bytes(params, opt, writer) + 1);
        if (!room)
            return t2_fail(err, T2_ENOMEM, "no memory for the copy of a checkpoint");
    }
    d = t2_alloc(1, sizeof *d);
    *d = (struct ckpt_draft){.params = params, .opt = opt, .writer = writer, .room = room};
    d->n_files = opt ? CKPT_FILES : 1;
    d->files[0].kind = "model";
    d->files[1].kind = "optimizer";
    d->files[0].fd = d->files[1].fd = -1;
    *draft = d;
    return T2_OK;
}

bool ckpt_draft_copies(const struct ckpt_draft *d)
{
    return d->room != NULL;
}

void ckpt_draft_warm(struct ckpt_draft *d)
{
    if (d->room)
        memset(d->room, 0, (size_t) ckpt_draft_bytes(d->params, d->opt, d->writer));
}

static void close_file(struct file *f)
{
    if (f->fd >= 0)
        (void) t2_io_close(f->fd);
    f->fd = -1;
}

void ckpt_draft_drop(struct ckpt_draft *d)
{
    for (int i = 0; i < CKPT_FILES; i++) {
        struct file *f = &d->files[i];

        close_file(f);
        t2_out_abort(f->out);
        ckpt_pieces_release(&f->pieces);
        t2_free(f->path);
        f->out = NULL;
        f->path = NULL;
    }
    mdl_hparams_free(d->hp);
    d->hp = NULL;
    t2_free(d->output_dir);
    d->output_dir = NULL;
    d->runs.n = 0;
}

void ckpt_draft_free(struct ckpt_draft *d)
{
    if (!d)
        return;
    ckpt_draft_drop(d);
    t2_free_aligned(d->room);
    t2_free(d->runs.items);
    t2_free(d);
}

static enum t2_status name_step(enum t2_status st, int64_t step, struct t2_err *err)
{
    if (st != T2_OK)
        t2_wrap(err, "checkpoint of step %" PRId64, step);
    return st;
}

/* Who writes what of the values as they are now. */
static void list_pieces(struct ckpt_draft *d, int64_t step)
{
    ckpt_draft_drop(d);
    d->record.state.step = step;
    ckpt_pieces_of_variables(&d->files[0].pieces, d->params, d->writer);
    if (d->opt)
        ckpt_pieces_of_slots(&d->files[1].pieces, d->params, d->opt, d->writer);
}

static enum t2_status create_file(struct ckpt_draft *d, struct file *f, const struct metadata *m,
                                  struct t2_err *err)
{
    char *path = ckpt_path(d->output_dir, f->kind, d->record.state.step);
    struct t2_buf header = {0};
    enum t2_status st = t2_out_new(path, &f->out, err);
    size_t n_written = 0;
    int errnum;

    if (st == T2_OK) {
        f->path = t2_strdup(t2_out_temporary(f->out));
        errnum = t2_io_open(f->path, O_WRONLY | O_NOFOLLOW, 0, &f->fd);
        ckpt_header(&header, f->pieces.tensors, f->pieces.n, m->keys, m->values, m->n);
        f->data_at = header.len_bytes;
        if (errnum == 0)
            errnum = t2_io_pwrite(f->fd, header.data, header.len_bytes, 0, &n_written);
        if (errnum) {
            (void) t2_fail_errno(err, errnum, "cannot write '%s' (at byte %zu)", path, n_written);
            st = err->status = T2_EIO;
        }
        t2_buf_release(&header);
    }
    t2_free(path);
    return st;
}

static enum t2_status create_files(struct ckpt_draft *d, struct t2_err *err)
{
    struct metadata m;
    enum t2_status st = T2_OK;

    T2_TRY(ckpt_begin_files(d->output_dir, d->record.state.step, err));
    metadata_init(&m, &d->record, d->hp);
    for (int i = 0; i < d->n_files && st == T2_OK; i++) {
        if (i == 1) {
            add_metadata(&m, "optimizer", d->record.optimizer_name);
            add_metadata(&m, "optimizer_updates", m.updates);
        }
        st = create_file(d, &d->files[i], &m, err);
    }
    t2_buf_release(&m.hparams);
    return st;
}

enum t2_status ckpt_draft_create(struct ckpt_draft *d, const char *output_dir,
                                 const struct ckpt_state *state, const struct mdl_hparams *hp,
                                 struct t2_err *err)
{
    enum t2_status st;

    T2_ASSERT(state->step >= 0 && d->writer.index == 0);
    d->params->dev->sync(d->params->dev);
    list_pieces(d, state->step);
    d->record = begin_record(state, d->opt);
    d->output_dir = t2_strdup(output_dir);
    d->hp = mdl_hparams_copy(hp);
    st = create_files(d, err);
    if (st != T2_OK)
        ckpt_draft_drop(d);
    return name_step(st, state->step, err);
}

void ckpt_draft_places(const struct ckpt_draft *d, struct ckpt_place *places)
{
    struct stat s;

    memset(places, 0, CKPT_FILES * sizeof *places);
    for (int i = 0; i < d->n_files; i++) {
        const struct file *f = &d->files[i];
        bool known = fstat(f->fd, &s) == 0 && strlen(f->path) < sizeof places[i].path;

        if (known) {
            memcpy(places[i].path, f->path, strlen(f->path));
            places[i].inode = (uint64_t) s.st_ino;
        }
        places[i].data_at = f->data_at;
    }
}

bool ckpt_draft_open(struct ckpt_draft *d, int64_t step, const struct ckpt_place *places)
{
    bool found = true;

    d->params->dev->sync(d->params->dev);
    list_pieces(d, step);
    for (int i = 0; i < d->n_files; i++) {
        struct file *f = &d->files[i];
        struct stat s;

        f->path = t2_strdup(places[i].path);
        f->data_at = places[i].data_at;
        found = found && f->path[0] != '\0' &&
                t2_io_open(f->path, O_WRONLY | O_NOFOLLOW, 0, &f->fd) == 0 &&
                fstat(f->fd, &s) == 0 && (uint64_t) s.st_ino == places[i].inode;
    }
    return found;
}

void ckpt_draft_copy(struct ckpt_draft *d)
{
    uint8_t *at = d->room;

    for (int i = 0; i < d->n_files && at; i++)
        at = ckpt_pieces_copy(&d->files[i].pieces, dev_host_pool(d->params->dev), at);
}

static struct ckpt_target target_of(const struct ckpt_draft *d, int i)
{
    const struct file *f = &d->files[i];

    return (struct ckpt_target){f->fd, f->path, f->data_at, i};
}

enum t2_status ckpt_draft_write(struct ckpt_draft *d, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    for (int i = 0; i < d->n_files && st == T2_OK; i++) {
        struct ckpt_target to = target_of(d, i);
        int errnum;

        st = ckpt_pieces_write(&d->files[i].pieces, &to, &d->runs, err);
        errnum = st == T2_OK && d->writer.index > 0 ? t2_io_sync(to.fd) : 0;
        if (errnum) {
            (void) t2_fail_errno(err, errnum, "cannot write '%s' to disk", to.path);
            st = err->status = T2_EIO;
        }
        if (d->writer.index > 0)
            close_file(&d->files[i]);
    }
    return name_step(st, d->record.state.step, err);
}

/* ---- where the first writer alone sees its files ---- */

void ckpt_draft_keep_alone(struct ckpt_draft *d)
{
    struct opt_share all = {0, 1};

    ckpt_pieces_release(&d->files[0].pieces);
    ckpt_pieces_of_variables(&d->files[0].pieces, d->params, all);
    if (!d->opt || opt_share_of(d->opt).n > 1)
        return;
    ckpt_pieces_release(&d->files[1].pieces);
    ckpt_pieces_of_slots(&d->files[1].pieces, d->params, d->opt, all);
}

enum t2_status ckpt_draft_receive(struct ckpt_draft *d, ckpt_receive_fn receive, void *context,
                                  struct t2_err *err)
{
    const int64_t most = CKPT_PIECE_BYTES / sizeof(float);
    const struct ckpt_target to = target_of(d, 1);
    struct t2_err failure = T2_ERR_INIT;
    float *buffer = t2_alloc((size_t) most, sizeof *buffer);
    enum t2_status st = T2_OK, written = T2_OK;
    uint64_t tensor_at = 0;

    for (size_t i = 0; i < d->files[1].pieces.n && st == T2_OK; i++) {
        for (int k = 1; k < d->writer.n && st == T2_OK; k++) {
            int64_t at, end;

            opt_part_of_slot(d->opt, i, k, &at, &end);
            for (; at < end && st == T2_OK; at += most) {
                size_t n_bytes = (size_t) (end - at < most ? end - at : most) * sizeof *buffer;

                st = receive(context, k, buffer, n_bytes, err);
                if (st == T2_OK && written == T2_OK) /* a full disk does not end the sending */
                    written = ckpt_target_put(&to, tensor_at + (uint64_t) at * sizeof *buffer,
                                              buffer, n_bytes, &d->runs, &failure);
            }
        }
        tensor_at += d->files[1].pieces.tensors[i].n_bytes;
    }
    t2_free(buffer);
    if (st == T2_OK && written != T2_OK) {
        *err = failure;
        st = written;
    }
    return name_step(st, d->record.state.step, err);
}

enum t2_status ckpt_draft_send(const struct ckpt_draft *d, ckpt_send_fn send, void *context,
                               struct t2_err *err)
{
    const int64_t most = CKPT_PIECE_BYTES / sizeof(float);
    const struct ckpt_pieces *p = &d->files[1].pieces;
    float *buffer = t2_alloc((size_t) most, sizeof *buffer);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < p->n && st == T2_OK; i++) {
        int64_t at = p->own[i].first, end = at + p->own[i].n;

        for (; at < end && st == T2_OK; at += most) {
            int64_t n = end - at < most ? end - at : most;

            st = send(context, ckpt_pieces_at(p, i, at, n, buffer), (size_t) n * sizeof *buffer,
                      err);
        }
    }
    t2_free(buffer);
    return st;
}

/* ---- complete ---- */

const struct ckpt_runs *ckpt_draft_runs(const struct ckpt_draft *d)
{
    return &d->runs;
}

static int compare_runs(const void *a, const void *b)
{
    const struct ckpt_run *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The CRC of a file's data from those of all runs, which are in order and leave nothing out. */
static uint32_t join_runs(const struct ckpt_run *runs, size_t n, int file, uint64_t all)
{
    uint64_t at = 0;
    uint32_t crc = 0;

    for (size_t i = 0; i < n; i++) {
        if (runs[i].file != file)
            continue;
        T2_ASSERT(runs[i].at == at);
        crc = t2_crc32c_join(crc, runs[i].crc, runs[i].n_bytes);
        at += runs[i].n_bytes;
    }
    T2_ASSERT(at == all);
    return crc;
}

/* Reads a file that all have written; data_crc is what they have put behind its header. */
static enum t2_status read_back(const struct file *f, uint32_t data_crc, struct ckpt_part *part,
                                struct t2_err *err)
{
    uint64_t at = 0, end = f->data_at + ckpt_pieces_file_bytes(&f->pieces);
    struct t2_sha256 *h = NULL;
    uint8_t *buffer = NULL;
    uint32_t header_crc = 0, crc = 0;
    size_t n = 1;
    int fd, errnum = 0;

    T2_TRY(t2_open_input(f->path, false, &fd, NULL, err));
    h = t2_sha256_new();
    buffer = t2_alloc(READ_BYTES, 1);
    while (errnum == 0 && n > 0) {
        /* the header ends a read, so that the CRC begins behind it */
        size_t most = at < f->data_at && f->data_at - at < READ_BYTES ? (size_t) (f->data_at - at)
                                                                      : READ_BYTES;

        errnum = t2_io_pread(fd, buffer, most, at, &n);
        t2_sha256_update(h, buffer, n);
        if (at >= f->data_at)
            crc = t2_crc32c(crc, buffer, n);
        else
            header_crc = t2_crc32c(header_crc, buffer, n);
        at += n;
    }
    t2_sha256_peek(h, part->sha256);
    part->n_bytes = at;
    part->has_crc = true;
    part->crc32c = t2_crc32c_join(header_crc, crc, at > f->data_at ? at - f->data_at : 0);
    t2_sha256_free(h);
    t2_free(buffer);
    (void) t2_io_close(fd);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", f->path);
    if (at != end || crc != data_crc)
        return t2_fail(err, T2_EIO, "'%s' does not read back as it was written", f->path);
    return T2_OK;
}

static enum t2_status commit_files(struct ckpt_draft *d, const struct ckpt_run *runs, size_t n,
                                   int keep, struct t2_err *err)
{
    struct ckpt_part *const parts[] = {&d->record.model, &d->record.optimizer};

    for (int i = 0; i < d->n_files; i++) {
        struct file *f = &d->files[i];
        uint64_t n_bytes = ckpt_pieces_file_bytes(&f->pieces);

        close_file(f);
        T2_TRY(t2_out_finish(f->out, err));
        T2_TRY(read_back(f, join_runs(runs, n, i, n_bytes), parts[i], err));
    }
    for (int i = 0; i < d->n_files; i++) {
        struct t2_out *out = d->files[i].out;

        d->files[i].out = NULL;
        T2_TRY(t2_out_commit(out, err));
    }
    T2_TRY(ckpt_record_write(d->output_dir, &d->record, d->hp, err));
    return keep > 0 ? ckpt_remove_old(d->output_dir, d->record.state.step, keep, err) : T2_OK;
}

enum t2_status ckpt_draft_commit(struct ckpt_draft *d, const struct ckpt_runs *all, int keep,
                                 struct t2_err *err)
{
    struct ckpt_run *runs = t2_alloc(all->n, sizeof *runs);
    int64_t step = d->record.state.step;
    enum t2_status st;

    T2_ASSERT(keep >= 0);
    if (all->n > 0)
        memcpy(runs, all->items, all->n * sizeof *runs);
    qsort(runs, all->n, sizeof *runs, compare_runs);
    st = commit_files(d, runs, all->n, keep, err);
    t2_free(runs);
    ckpt_draft_drop(d);
    return name_step(st, step, err);
}

enum t2_status ckpt_save(const char *output_dir, const struct ckpt_state *state,
                         const struct mdl_hparams *hp, const struct gr_params *params,
                         const struct opt_optimizer *opt, int keep, struct t2_err *err)
{
    struct ckpt_draft *d;
    enum t2_status st;

    T2_TRY(ckpt_draft_new(params, opt, (struct opt_share){0, 1}, false, &d, err));
    st = ckpt_draft_create(d, output_dir, state, hp, err);
    if (st == T2_OK)
        st = ckpt_draft_write(d, err);
    if (st == T2_OK)
        st = ckpt_draft_commit(d, &d->runs, keep, err);
    ckpt_draft_free(d);
    return st;
}
