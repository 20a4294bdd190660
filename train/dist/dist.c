/*
 * train/dist/dist.c - collectives, made of transfers between pairs.
 *
 * What goes to all goes to each directly: messages are small here, or pieces that every rank needs
 * another one of.  What is large and summed is in tree_sum.c.
 */
#include "train/dist/dist.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "train/dist/comm.h"

/* ---- life ---- */

/* Which host each rank is on. */
static enum t2_status gather_hosts(struct dist *d, const char *host, struct t2_err *err)
{
    char mine[DIST_HOST_BYTES] = "";

    snprintf(mine, sizeof mine, "%s", host);
    d->hosts = t2_alloc((size_t) d->comm.size, sizeof *d->hosts);
    T2_TRY(dist_all_gather(d, mine, sizeof mine, d->hosts, err));
    for (int r = 0; r < d->comm.size; r++) {
        d->hosts[r][DIST_HOST_BYTES - 1] = '\0';
        d->n_here += strcmp(d->hosts[r], mine) == 0;
    }
    return T2_OK;
}

enum t2_status dist_new(const struct dist_comm *comm, const char *host, struct dist **d,
                        struct t2_err *err)
{
    struct dist *made = t2_alloc(1, sizeof *made);
    enum t2_status st;

    made->comm = *comm;
    st = gather_hosts(made, host, err);
    *d = made;
    if (st != T2_OK) {
        dist_close(made);
        *d = NULL;
    }
    return st;
}

enum t2_status dist_open(double silence_s, struct dist **d, struct t2_err *err)
{
    int size = dist_mpi_launched();
    char host[DIST_HOST_BYTES] = "";
    struct dist_comm comm;

    *d = NULL;
    if (size > 1)
        T2_TRY(dist_comm_mpi(size, silence_s, &comm, err));
    else
        dist_comm_one(&comm);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    return dist_new(&comm, host, d, err);
}

void dist_close(struct dist *d)
{
    if (!d)
        return;
    d->comm.close(d->comm.state);
    t2_free(d->hosts);
    t2_free(d);
}

int dist_index_here(const struct dist *d)
{
    int n = 0;

    for (int r = 0; r < d->comm.rank; r++)
        n += strcmp(d->hosts[r], d->hosts[d->comm.rank]) == 0;
    return n;
}

void dist_all_know(struct dist *d)
{
    d->all_know = true;
}

void dist_abort(struct dist *d)
{
    d->comm.abort(d->comm.state);
}

/* ---- collectives ---- */

static enum t2_status transfer(struct dist *d, const struct dist_transfer *t, struct t2_err *err)
{
    uint64_t number;

    T2_TRY(d->comm.start(d->comm.state, t, &number, err));
    return d->comm.finish(d->comm.state, number, err);
}

/* Pieces of a transfer, none longer than a transport's message may be. */
struct pieces {
    struct dist_piece *items;
    int n;
};

static void add_pieces(struct pieces *p, int rank, const void *data, size_t bytes)
{
    const size_t most = (size_t) 1 << 30;

    for (size_t at = 0; at < bytes; at += most) {
        void *from = (char *) (uintptr_t) data + at; /* what is sent is not changed */

        p->items = t2_realloc(p->items, (size_t) p->n + 1, sizeof *p->items);
        p->items[p->n++] = (struct dist_piece){rank, from, bytes - at < most ? bytes - at : most};
    }
}

static enum t2_status transfer_pieces(struct dist *d, struct pieces *send, struct pieces *receive,
                                      struct t2_err *err)
{
    enum t2_status st =
        transfer(d, &(struct dist_transfer){send->items, receive->items, send->n, receive->n}, err);

    t2_free(send->items);
    t2_free(receive->items);
    return st;
}

enum t2_status dist_all_gather_parts(struct dist *d, void *all, const size_t *at,
                                     const size_t *bytes, struct t2_err *err)
{
    int n = d->comm.size, me = d->comm.rank;
    struct pieces send = {0}, receive = {0};

    for (int i = 1; i < n; i++) { /* each begins with another one */
        int r = (me + i) % n;

        add_pieces(&send, r, (char *) all + at[me], bytes[me]);
        add_pieces(&receive, r, (char *) all + at[r], bytes[r]);
    }
    return transfer_pieces(d, &send, &receive, err);
}

enum t2_status dist_send(struct dist *d, int to, const void *data, size_t bytes, struct t2_err *err)
{
    struct pieces send = {0}, receive = {0};

    add_pieces(&send, to, data, bytes);
    return transfer_pieces(d, &send, &receive, err);
}

enum t2_status dist_receive(struct dist *d, int from, void *data, size_t bytes, struct t2_err *err)
{
    struct pieces send = {0}, receive = {0};

    add_pieces(&receive, from, data, bytes);
    return transfer_pieces(d, &send, &receive, err);
}

enum t2_status dist_all_gather(struct dist *d, const void *mine, size_t bytes, void *all,
                               struct t2_err *err)
{
    size_t n = (size_t) d->comm.size;
    size_t *at = t2_alloc(n, sizeof *at), *sizes = t2_alloc(n, sizeof *sizes);
    enum t2_status st;

    for (size_t r = 0; r < n; r++) {
        at[r] = r * bytes;
        sizes[r] = bytes;
    }
    memcpy((char *) all + at[d->comm.rank], mine, bytes);
    st = dist_all_gather_parts(d, all, at, sizes, err);
    t2_free(at);
    t2_free(sizes);
    return st;
}

enum t2_status dist_barrier(struct dist *d, struct t2_err *err)
{
    char mine = 0, *all = t2_alloc((size_t) d->comm.size, 1);
    enum t2_status st = dist_all_gather(d, &mine, 1, all, err);

    t2_free(all);
    return st;
}

enum t2_status dist_gather_parts(struct dist *d, const void *mine, size_t bytes_mine, int root,
                                 void *all, const size_t *at, const size_t *bytes,
                                 struct t2_err *err)
{
    struct pieces send = {0}, receive = {0};

    if (d->comm.rank != root) {
        add_pieces(&send, root, mine, bytes_mine);
        return transfer_pieces(d, &send, &receive, err);
    }
    if (bytes_mine > 0)
        memcpy((char *) all + at[root], mine, bytes_mine);
    for (int r = 0; r < d->comm.size; r++)
        if (r != root)
            add_pieces(&receive, r, (char *) all + at[r], bytes[r]);
    return transfer_pieces(d, &send, &receive, err);
}

enum t2_status dist_broadcast(struct dist *d, void *data, size_t bytes, int root,
                              struct t2_err *err)
{
    struct pieces send = {0}, receive = {0};

    if (d->comm.rank != root)
        add_pieces(&receive, root, data, bytes);
    for (int r = 0; d->comm.rank == root && r < d->comm.size; r++)
        if (r != root)
            add_pieces(&send, r, data, bytes);
    return transfer_pieces(d, &send, &receive, err);
}

enum t2_status dist_least(struct dist *d, int64_t mine, int64_t *least, struct t2_err *err)
{
    int64_t *all = t2_alloc((size_t) d->comm.size, sizeof *all);
    enum t2_status st = dist_all_gather(d, &mine, sizeof mine, all, err);

    *least = mine;
    for (int r = 0; st == T2_OK && r < d->comm.size; r++)
        *least = all[r] < *least ? all[r] : *least;
    t2_free(all);
    return st;
}

enum t2_status dist_agree(struct dist *d, enum t2_status mine, struct t2_err *err)
{
    struct t2_err *all = t2_alloc((size_t) d->comm.size, sizeof *all), sent = T2_ERR_INIT;
    struct t2_err other = T2_ERR_INIT;
    enum t2_status st;

    if (mine != T2_OK && mine != T2_EOF) /* which has no message */
        sent = *err;
    sent.status = mine;
    st = dist_all_gather(d, &sent, sizeof sent, all, &other);
    if (st != T2_OK)
        *err = other;
    for (int r = 0; st == T2_OK && r < d->comm.size; r++) {
        if (all[r].status == T2_OK)
            continue;
        st = all[r].status;
        if (st == T2_EOF)
            break;
        *err = all[r];
        if (d->comm.size > 1)
            (void) t2_wrap(err, "rank %d on '%s'", r, d->hosts[r]);
        dist_all_know(d);
    }
    t2_free(all);
    return st;
}

/* ---- what must be alike ---- */

/* The length of the line, without its end. */
static int line_length(const char *line)
{
    return (int) strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_length(line);
    return *line == '\n' ? line + 1 : line;
}

/* The first line that is another one. */
static enum t2_status compare(const struct dist *d, const char *first, int r, const char *other,
                              struct t2_err *err)
{
    while (*first && line_length(first) == line_length(other) &&
           strncmp(first, other, (size_t) line_length(first)) == 0) {
        first = next_line(first);
        other = next_line(other);
    }
    if (!*first && !*other)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "ranks must be started alike: rank 0 on '%s' has %.*s, rank %d on '%s' has %.*s",
                   d->hosts[0], line_length(first), first, r, d->hosts[r], line_length(other),
                   other);
}

enum t2_status dist_same_lines(struct dist *d, const char *lines, struct t2_err *err)
{
    size_t n = (size_t) d->comm.size, mine = strlen(lines) + 1, sum = 0;
    size_t *bytes = t2_alloc(n, sizeof *bytes), *at = t2_alloc(n, sizeof *at);
    char *all = NULL;
    enum t2_status st;

    T2_GOTO(st, out, dist_all_gather(d, &mine, sizeof mine, bytes, err));
    for (size_t r = 0; r < n; r++) {
        at[r] = sum;
        sum += bytes[r];
    }
    all = t2_alloc(sum, 1);
    memcpy(all + at[d->comm.rank], lines, mine);
    T2_GOTO(st, out, dist_all_gather_parts(d, all, at, bytes, err));
    for (size_t r = 1; r < n && st == T2_OK; r++)
        st = compare(d, all, (int) r, all + at[r], err);
    if (st != T2_OK)
        dist_all_know(d);
out:
    t2_free(all);
    t2_free(bytes);
    t2_free(at);
    return st;
}
