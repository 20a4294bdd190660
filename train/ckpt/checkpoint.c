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
 */
#include "train/ckpt/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "base/version.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/ckpt/safetensors.h"
#include "train/graph/layouts.h"

/* What threads copy at a time: large enough for memcpy to pass the caches by. */
enum { COPY_BYTES = 4 << 20 };

struct copy {
    void *to;
    const void *from;
    size_t n_bytes; /* up to COPY_BYTES */
};

/* Memory for copies, filled from its beginning; NULL: each is allocated, where one is needed. */
struct room {
    uint8_t *bytes;
    size_t n, used;
    struct copy *copies; /* that are to be made */
    size_t n_copies, copies_capacity;
};

/* Tensors to write, with host copies where the device's memory is not the host's, or in a room. */
struct tensor_list {
    const struct gr_params *params;
    struct room *room;
    struct ckpt_tensor *items;
    void **copies;
    size_t n;
};

static void list_init(struct tensor_list *l, const struct gr_params *params, struct room *room,
                      size_t n)
{
    l->params = params;
    l->room = room;
    l->items = t2_alloc(n, sizeof *l->items);
    l->copies = t2_alloc(n, sizeof *l->copies);
    l->n = 0;
}

static void list_release(struct tensor_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        t2_free(l->copies[i]);
    t2_free(l->copies);
    t2_free(l->items);
}

static void *next_in_room(struct room *room, size_t n_bytes)
{
    void *at = room->bytes + room->used;

    T2_ASSERT(n_bytes <= room->n - room->used);
    room->used += n_bytes;
    return at;
}

static void copy_later(struct room *room, void *to, const void *from, size_t n_bytes)
{
    for (size_t at = 0; at < n_bytes; at += COPY_BYTES) {
        T2_ASSERT(room->n_copies < room->copies_capacity);
        room->copies[room->n_copies++] =
            (struct copy){(char *) to + at, (const char *) from + at,
                          n_bytes - at < COPY_BYTES ? n_bytes - at : COPY_BYTES};
    }
}

static void copy_piece(void *arg, int64_t piece, int worker)
{
    const struct copy *c = &((const struct room *) arg)->copies[piece];

    (void) worker;
    memcpy(c->to, c->from, c->n_bytes);
}

static void copy_now(struct room *room, struct t2_pool *pool)
{
    if (pool)
        t2_pool_run(pool, (int64_t) room->n_copies, copy_piece, room);
    for (size_t i = 0; i < room->n_copies && !pool; i++)
        copy_piece(room, (int64_t) i, 0);
    room->n_copies = 0;
}

static struct ckpt_tensor *list_name(struct tensor_list *l, const char *name, int rank,
                                     const int64_t *dims, int64_t n)
{
    struct ckpt_tensor *t = &l->items[l->n++];

    t->name = name;
    t->type = CKPT_F32;
    t->rank = rank;
    memcpy(t->dims, dims, (size_t) rank * sizeof *dims);
    t->n_bytes = (size_t) n * sizeof(float);
    return t;
}

/* values: laid like a variable, or as they are. */
static enum t2_status list_add(struct tensor_list *l, const char *name, int rank,
                               const int64_t *dims, int64_t n, const float *values,
                               const struct gr_variable *like, struct t2_err *err)
{
    struct ckpt_tensor *t = list_name(l, name, rank, dims, n);

    t->data = values;
    if (l->room && n > 0) {
        void *copy = next_in_room(l->room, t->n_bytes);

        if (l->params->dev->host_memory && !gr_is_laid(l->params, like))
            copy_later(l->room, copy, values, t->n_bytes);
        else
            gr_download(l->params, like, values, 0, copy, n);
        t->data = copy;
    } else if ((!l->params->dev->host_memory || gr_is_laid(l->params, like)) && n > 0) {
        void *copy = t2_try_alloc(t->n_bytes, 1);

        if (!copy)
            return t2_fail(err, T2_ENOMEM, "not enough memory to save '%s'", name);
        gr_download(l->params, like, values, 0, copy, n);
        l->copies[l->n - 1] = copy;
        t->data = copy;
    }
    return T2_OK;
}

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

/* Writes one file and reads it back. */
static enum t2_status write_part(const char *output_dir, const char *kind, int64_t step,
                                 const struct tensor_list *l, const struct metadata *m,
                                 const struct ckpt_source *source, struct ckpt_part *part,
                                 struct t2_err *err)
{
    char *path = ckpt_path(output_dir, kind, step);
    char again[65] = "";
    enum t2_status st =
        ckpt_write_from(path, l->items, l->n, m->keys, m->values, m->n, source, part->sha256, err);

    if (st == T2_OK)
        st = t2_sha256_file(path, again, &part->n_bytes, err);
    if (st == T2_OK && strcmp(again, part->sha256) != 0)
        st = t2_fail(err, T2_EIO, "'%s' does not read back as it was written", path);
    t2_free(path);
    return st;
}

static enum t2_status list_model(struct tensor_list *l, const struct gr_params *params,
                                 struct room *room, struct t2_err *err)
{
    list_init(l, params, room, (size_t) params->n_variables);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        T2_TRY(list_add(l, v->name, v->rank, v->dims, v->n, params->values + v->offset, v, err));
    }
    return T2_OK;
}

/* ---- slots that several ranks share ---- */

static enum t2_status begin_slots(void *context, struct t2_err *err)
{
    return opt_begin_reading(context, err);
}

static enum t2_status read_slot(void *context, size_t i, size_t at, size_t n, void *to,
                                struct t2_err *err)
{
    return opt_read_slot(context, i, (int64_t) (at / sizeof(float)), (int64_t) (n / sizeof(float)),
                         to, err);
}

enum t2_status ckpt_send_slots(const struct opt_optimizer *opt, ckpt_send_fn send, void *context,
                               struct t2_err *err)
{
    const int64_t most = CKPT_PIECE_BYTES / sizeof(float);
    float *buffer = t2_alloc((size_t) most, sizeof *buffer);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < opt_slot_count(opt) && st == T2_OK; i++) {
        struct opt_slot s = opt_slot_at(opt, i);

        for (int64_t at = 0; at < s.n && st == T2_OK; at += most) {
            int64_t n = opt_own_part(opt, i, at, s.n - at < most ? s.n - at : most, buffer);

            if (n > 0)
                st = send(context, buffer, (size_t) n * sizeof *buffer, err);
        }
    }
    t2_free(buffer);
    return st;
}

/* ---- both files ---- */

/* Of slots that are shared the names alone. */
static enum t2_status list_optimizer(struct tensor_list *l, const struct gr_params *params,
                                     const struct opt_optimizer *opt, struct room *room,
                                     struct t2_err *err)
{
    list_init(l, params, room, opt_slot_count(opt));
    for (size_t i = 0; i < opt_slot_count(opt); i++) {
        struct opt_slot s = opt_slot_at(opt, i);

        if (opt_share_of(opt).n > 1)
            (void) list_name(l, s.name, s.rank, s.dims, s.n);
        else
            T2_TRY(list_add(l, s.name, s.rank, s.dims, s.n, s.values, s.like, err));
    }
    return T2_OK;
}

static enum t2_status write_model(const char *output_dir, struct ckpt_record *record,
                                  const struct metadata *m, const struct tensor_list *l,
                                  struct t2_err *err)
{
    return write_part(output_dir, "model", record->state.step, l, m, NULL, &record->model, err);
}

static enum t2_status write_optimizer(const char *output_dir, struct ckpt_record *record,
                                      struct metadata *m, const struct tensor_list *l,
                                      const struct ckpt_source *source, struct t2_err *err)
{
    add_metadata(m, "optimizer", record->optimizer_name);
    add_metadata(m, "optimizer_updates", m->updates);
    return write_part(output_dir, "optimizer", record->state.step, l, m, source, &record->optimizer,
                      err);
}

/* One after the other: copies of both need not be there at once. */
static enum t2_status save_parts(const char *output_dir, struct ckpt_record *record,
                                 struct metadata *m, const struct gr_params *params,
                                 const struct opt_optimizer *opt, struct t2_err *err)
{
    const struct ckpt_source shares = {(void *) (uintptr_t) opt, begin_slots, read_slot};
    struct tensor_list l;
    enum t2_status st = list_model(&l, params, NULL, err);

    if (st == T2_OK)
        st = write_model(output_dir, record, m, &l, err);
    list_release(&l);
    if (st != T2_OK || !opt)
        return st;
    st = list_optimizer(&l, params, opt, NULL, err);
    if (st == T2_OK)
        st = write_optimizer(output_dir, record, m, &l, opt_share_of(opt).n > 1 ? &shares : NULL,
                             err);
    list_release(&l);
    return st;
}

/* ---- removing ---- */

static enum t2_status remove_kind(const char *output_dir, const char *kind, int64_t step,
                                  struct t2_err *err)
{
    char *path = ckpt_path(output_dir, kind, step);
    enum t2_status st = t2_remove(path, err);

    t2_free(path);
    return st;
}

static enum t2_status remove_checkpoint(const char *output_dir, int64_t step, struct t2_err *err)
{
    T2_TRY(remove_kind(output_dir, "state", step, err));
    T2_TRY(remove_kind(output_dir, "optimizer", step, err));
    return remove_kind(output_dir, "model", step, err);
}

/* All but the newest `keep` up to `step`. */
static enum t2_status remove_old(const char *output_dir, int64_t step, int keep, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0, n_old = 0;
    enum t2_status st;

    T2_TRY(ckpt_list_own(output_dir, &steps, &n, err));
    while (n_old < n && steps[n_old] <= step)
        n_old++;
    st = T2_OK;
    for (size_t i = 0; i + (size_t) keep < n_old && st == T2_OK; i++) {
        bool stays = false;

        st = ckpt_is_protected(output_dir, steps[i], &stays, err);
        if (st == T2_OK && !stays)
            st = remove_checkpoint(output_dir, steps[i], err);
    }
    t2_free(steps);
    return st;
}

/* A file of a checkpoint, by its name: temporary files go, and model and optimizer files whose step
 * has no state. */
static enum t2_status remove_if_unfinished(const char *output_dir, const char *name, int64_t *n,
                                           struct t2_err *err)
{
    static const char *const kinds[] = {"model", "optimizer", "state"};
    bool is_temporary = t2_ends_with(name, ".incomplete");
    char *final = t2_strndup(name, strlen(name) - (is_temporary ? strlen(".incomplete") : 0));
    enum t2_status st = T2_OK;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && st == T2_OK; k++) {
        int64_t step = ckpt_step_of_name(final, kinds[k]);
        char *path = step >= 0 ? ckpt_path(output_dir, kinds[k], step) : NULL;
        char *state = step >= 0 ? ckpt_path(output_dir, "state", step) : NULL;

        if (path && is_temporary) {
            *n += t2_out_remove_leftover(path);
        } else if (path && !t2_exists(state)) {
            st = t2_remove(path, err);
            *n += 1;
        }
        t2_free(path);
        t2_free(state);
    }
    t2_free(final);
    return st;
}

enum t2_status ckpt_remove_unfinished(const char *output_dir, int64_t *n, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    *n = 0;
    T2_TRY(t2_list_dir(output_dir, &names, err));
    for (size_t i = 0; i < names.n && st == T2_OK; i++)
        st = remove_if_unfinished(output_dir, names.items[i], n, err);
    t2_strs_release(&names);
    return st;
}

/* ---- saving ---- */

static struct ckpt_record begin_record(const struct ckpt_state *state,
                                       const struct opt_optimizer *opt)
{
    struct ckpt_record record = {.state = *state, .has_optimizer = opt != NULL};

    T2_ASSERT(state->step >= 0);
    if (opt) {
        record.updates = opt_updates(opt);
        snprintf(record.optimizer_name, sizeof record.optimizer_name, "%s", opt_name(opt));
    }
    return record;
}

/* An older state of this step does not vouch for the new files. */
static enum t2_status begin_files(const char *output_dir, int64_t step, struct t2_err *err)
{
    T2_TRY(t2_make_dirs(output_dir, err));
    return remove_kind(output_dir, "state", step, err);
}

static enum t2_status end_files(const char *output_dir, const struct ckpt_record *record,
                                const struct mdl_hparams *hp, int keep, struct t2_err *err)
{
    T2_TRY(ckpt_record_write(output_dir, record, hp, err));
    return keep > 0 ? remove_old(output_dir, record->state.step, keep, err) : T2_OK;
}

static enum t2_status name_step(enum t2_status st, int64_t step, struct t2_err *err)
{
    if (st != T2_OK)
        t2_wrap(err, "checkpoint of step %" PRId64, step);
    return st;
}

enum t2_status ckpt_save(const char *output_dir, const struct ckpt_state *state,
                         const struct mdl_hparams *hp, const struct gr_params *params,
                         const struct opt_optimizer *opt, int keep, struct t2_err *err)
{
    struct ckpt_record record = begin_record(state, opt);
    struct metadata m;
    enum t2_status st;

    T2_ASSERT(keep >= 0);
    params->dev->sync(params->dev);
    metadata_init(&m, &record, hp);
    st = begin_files(output_dir, state->step, err);
    if (st == T2_OK)
        st = save_parts(output_dir, &record, &m, params, opt, err);
    if (st == T2_OK)
        st = end_files(output_dir, &record, hp, keep, err);
    t2_buf_release(&m.hparams);
    return name_step(st, state->step, err);
}

struct ckpt_snapshot {
    struct ckpt_record record;
    struct mdl_hparams *hp;
    struct tensor_list model, optimizer;
    struct room room;
};

/* Everything but the room, which the next one fills. */
static void forget(struct ckpt_snapshot *s)
{
    mdl_hparams_free(s->hp);
    list_release(&s->model);
    list_release(&s->optimizer);
    s->hp = NULL;
    s->model = s->optimizer = (struct tensor_list){0};
    s->room.used = 0;
}

uint64_t ckpt_snapshot_bytes(const struct gr_params *params, const struct opt_optimizer *opt)
{
    uint64_t n = 0;

    for (int i = 0; i < params->n_variables; i++)
        n += (uint64_t) params->variables[i].n;
    for (size_t i = 0; i < opt_slot_count(opt); i++)
        n += (uint64_t) opt_slot_at(opt, i).n;
    return n * sizeof(float);
}

enum t2_status ckpt_snapshot_new(const struct gr_params *params, const struct opt_optimizer *opt,
                                 struct ckpt_snapshot **snapshot, struct t2_err *err)
{
    struct ckpt_snapshot *s = t2_alloc(1, sizeof *s);
    size_t n_tensors = (size_t) params->n_variables + opt_slot_count(opt);

    s->room.n = (size_t) ckpt_snapshot_bytes(params, opt);
    s->room.bytes = t2_alloc_aligned(s->room.n);
    s->room.copies_capacity = n_tensors + s->room.n / COPY_BYTES;
    s->room.copies = t2_alloc(s->room.copies_capacity, sizeof *s->room.copies);
    *snapshot = s;
    if (s->room.bytes)
        return T2_OK;
    t2_free(s->room.copies);
    t2_free(s);
    *snapshot = NULL;
    return t2_fail(err, T2_ENOMEM, "no memory for the copy of a checkpoint");
}

void ckpt_snapshot_free(struct ckpt_snapshot *s)
{
    if (!s)
        return;
    forget(s);
    t2_free_aligned(s->room.bytes);
    t2_free(s->room.copies);
    t2_free(s);
}

void ckpt_snapshot_warm(struct ckpt_snapshot *s)
{
    memset(s->room.bytes, 0, s->room.n);
}

enum t2_status ckpt_snapshot_take(struct ckpt_snapshot *s, const struct ckpt_state *state,
                                  const struct mdl_hparams *hp, const struct gr_params *params,
                                  const struct opt_optimizer *opt, struct t2_err *err)
{
    forget(s);
    s->record = begin_record(state, opt);
    s->hp = mdl_hparams_copy(hp);
    params->dev->sync(params->dev);
    T2_TRY(list_model(&s->model, params, &s->room, err));
    T2_TRY(list_optimizer(&s->optimizer, params, opt, &s->room, err));
    copy_now(&s->room, dev_host_pool(params->dev));
    return T2_OK;
}

enum t2_status ckpt_snapshot_write(struct ckpt_snapshot *s, const char *output_dir, int keep,
                                   struct t2_err *err)
{
    struct metadata m;
    enum t2_status st;

    metadata_init(&m, &s->record, s->hp);
    st = begin_files(output_dir, s->record.state.step, err);
    if (st == T2_OK)
        st = write_model(output_dir, &s->record, &m, &s->model, err);
    if (st == T2_OK)
        st = write_optimizer(output_dir, &s->record, &m, &s->optimizer, NULL, err);
    if (st == T2_OK)
        st = end_files(output_dir, &s->record, s->hp, keep, err);
    t2_buf_release(&m.hparams);
    return name_step(st, s->record.state.step, err);
}
