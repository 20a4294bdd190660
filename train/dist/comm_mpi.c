/*
 * train/dist/comm_mpi.c - the transport over MPI.
 *
 * One thread makes all calls of the library (MPI_THREAD_FUNNELED), MPI_Init_thread first.  The
 * process's other threads put transfers into its list and wait; it posts them in that order, which
 * is the same on all ranks, so messages of a pair meet in order.  It asks MPI_Test round by round:
 * without pause at first where somebody waits, then every millisecond; while nobody does, because
 * he computes, it leaves him the processor for a tenth of a millisecond each time.
 *
 * The two binary interfaces differ in what a handle is: Open MPI's are pointers, and the predefined
 * ones addresses of objects in the library; MPICH's are integers, with numbers for the predefined
 * ones that the MPICH ABI initiative has fixed.  So there are two types of each function.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/str.h"
#include "train/dist/comm.h"

/* ---- the library ---- */

/* Larger than any MPI_Status; what is in it is not looked at. */
union status {
    char bytes[256];
    long long alignment;
};

union handle {
    void *pointer; /* Open MPI */
    int number;    /* MPICH */
};

struct functions {
    int (*init)(int *, char ***, int, int *);
    int (*finalize)(void);
    int (*version)(char *, int *);
    union {
        int (*pointer)(void *, int *);
        int (*number)(int, int *);
    } comm_rank, comm_size;
    union {
        int (*pointer)(void *, int);
        int (*number)(int, int);
    } abort;
    union {
        int (*pointer)(const void *, int, void *, int, int, void *, void **);
        int (*number)(const void *, int, int, int, int, int, int *);
    } send;
    union {
        int (*pointer)(void *, int, void *, int, int, void *, void **);
        int (*number)(void *, int, int, int, int, int, int *);
    } receive;
    union {
        int (*pointer)(void **, int *, void *);
        int (*number)(int *, int *, void *);
    } test;
    bool pointers;
    union handle world, byte; /* MPI_COMM_WORLD, MPI_BYTE */
};

enum {
    MPI_FUNNELED = 1, /* in both */
    MPICH_WORLD = 0x44000000,
    MPICH_BYTE = 0x4c00010d
};

static bool open_library(const struct t2_library *library, bool pointers, struct functions *f,
                         char *why, size_t why_bytes)
{
    const struct t2_symbol symbols[] = {
        {"MPI_Init_thread", &f->init},
        {"MPI_Finalize", &f->finalize},
        {"MPI_Get_library_version", &f->version},
        {"MPI_Comm_rank", &f->comm_rank},
        {"MPI_Comm_size", &f->comm_size},
        {"MPI_Abort", &f->abort},
        {"MPI_Isend", &f->send},
        {"MPI_Irecv", &f->receive},
        {"MPI_Test", &f->test},
        /* objects, in Open MPI only */
        {"ompi_mpi_comm_world", &f->world.pointer},
        {"ompi_mpi_byte", &f->byte.pointer},
    };
    size_t n = sizeof symbols / sizeof *symbols;

    *f = (struct functions){.pointers = pointers};
    if (!pointers) {
        n -= 2;
        f->world.number = MPICH_WORLD;
        f->byte.number = MPICH_BYTE;
    }
    return t2_library_open(library, symbols, n, why, why_bytes);
}

static void comm_rank(const struct functions *f, int *rank)
{
    (void) (f->pointers ? f->comm_rank.pointer(f->world.pointer, rank)
                        : f->comm_rank.number(f->world.number, rank));
}

static void comm_size(const struct functions *f, int *size)
{
    (void) (f->pointers ? f->comm_size.pointer(f->world.pointer, size)
                        : f->comm_size.number(f->world.number, size));
}

static void abort_all(const struct functions *f)
{
    (void) (f->pointers ? f->abort.pointer(f->world.pointer, 1)
                        : f->abort.number(f->world.number, 1));
}

static int begin_send(const struct functions *f, const struct dist_piece *p, int tag,
                      union handle *request)
{
    return f->pointers ? f->send.pointer(p->data, (int) p->bytes, f->byte.pointer, p->rank, tag,
                                         f->world.pointer, &request->pointer)
                       : f->send.number(p->data, (int) p->bytes, f->byte.number, p->rank, tag,
                                        f->world.number, &request->number);
}

static int begin_receive(const struct functions *f, const struct dist_piece *p, int tag,
                         union handle *request)
{
    return f->pointers ? f->receive.pointer(p->data, (int) p->bytes, f->byte.pointer, p->rank, tag,
                                            f->world.pointer, &request->pointer)
                       : f->receive.number(p->data, (int) p->bytes, f->byte.number, p->rank, tag,
                                           f->world.number, &request->number);
}

static bool is_done(const struct functions *f, union handle *request)
{
    union status status;
    int done = 0;

    (void) (f->pointers ? f->test.pointer(&request->pointer, &done, &status)
                        : f->test.number(&request->number, &done, &status));
    return done != 0;
}

/* ---- which one ---- */

/* A number of the environment, 0 without. */
static int number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t n = 0;

    return text && t2_parse_i64(text, &n) && n > 0 && n < 1 << 24 ? (int) n : 0;
}

static bool launched_by_slurm(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE") == 0 && number_of("PMI_SIZE") == 0;
}

int dist_mpi_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_of(names[i]) > 0)
            return number_of(names[i]);
    return 1;
}

/* Open MPI's mpirun says OMPI_..., that of MPICH and its relatives PMI_...; of Slurm's plugins pmix
 * is Open MPI's, pmi2 MPICH's. */
static bool open_any(struct functions *f, char *why, size_t why_bytes)
{
    bool open_mpi = getenv("OMPI_COMM_WORLD_SIZE") || (!getenv("PMI_SIZE") && getenv("PMIX_RANK"));
    char other[256];

    if (open_library(open_mpi ? &t2_openmpi : &t2_mpich, open_mpi, f, why, why_bytes))
        return true;
    return launched_by_slurm() &&
           open_library(open_mpi ? &t2_mpich : &t2_openmpi, !open_mpi, f, other, sizeof other);
}

/* ---- transfers ---- */

struct ticket {
    struct ticket *next;
    uint64_t number;
    union handle *requests;
    struct dist_piece *pieces; /* sends, then receives */
    int n_send, n_requests;
    int n_done; /* of the requests, from the first */
};

/* What a rank and rank 0 tell each other, to be there. */
enum { WORD_BYTES = 8, TAG_DATA = 1, TAG_WORD = 2, LAST_WORD = 1 };

struct peer {
    int rank;
    char in[WORD_BYTES], out[WORD_BYTES];
    union handle receiving, sending;
    bool is_sending, has_said_last;
    double heard_s;
};

struct mpi {
    struct functions call;
    char version[64];
    int rank, size;
    double silence_s;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;            /* the thread: there is something to do */
    pthread_cond_t done;            /* those who wait for the thread */
    struct ticket *first;           /* not posted yet, in order */
    struct ticket **end;            /* where the next is put */
    uint64_t n_started, n_finished; /* transfers are numbered from 1, and finish in this order */
    int n_waiting;                  /* who are in `finish` */
    bool opened, closing, aborting;

    /* of the thread alone */
    struct ticket *posted, **posted_end;
    struct peer *peers; /* rank 0: all others; others: rank 0 */
    int n_peers;
    double word_s; /* when peers were told last */
};

/* The greatest count of bytes in one message. */
enum { MOST_BYTES = 1 << 30 };

/* Sends first: between ranks of one host a receive whose message is announced copies it there and
 * then, while the peer waits to hear of the sends behind it and copies nothing. */
static void post(struct mpi *m, struct ticket *t)
{
    for (int i = 0; i < t->n_requests; i++) {
        const struct dist_piece *p = &t->pieces[i];

        T2_ASSERT(p->bytes <= MOST_BYTES);
        (void) (i < t->n_send ? begin_send(&m->call, p, TAG_DATA, &t->requests[i])
                              : begin_receive(&m->call, p, TAG_DATA, &t->requests[i]));
    }
    *m->posted_end = t;
    m->posted_end = &t->next;
}

static void free_ticket(struct ticket *t)
{
    t2_free(t->requests);
    t2_free(t->pieces);
    t2_free(t);
}

/* Transfers finish in the order in which they were started; returns how many did. */
static int test_posted(struct mpi *m)
{
    int n = 0;

    for (struct ticket *t = m->posted; t; t = m->posted) {
        while (t->n_done < t->n_requests && is_done(&m->call, &t->requests[t->n_done]))
            t->n_done++;
        if (t->n_done < t->n_requests)
            break;
        m->posted = t->next;
        if (!m->posted)
            m->posted_end = &m->posted;
        free_ticket(t);
        n++;
    }
    return n;
}

/* ---- signs of life ---- */

static void expect_word(struct mpi *m, struct peer *p)
{
    (void) begin_receive(&m->call, &(struct dist_piece){p->rank, p->in, WORD_BYTES}, TAG_WORD,
                         &p->receiving);
}

static void meet_peers(struct mpi *m)
{
    m->n_peers = m->rank == 0 ? m->size - 1 : 1;
    m->peers = t2_alloc((size_t) m->n_peers, sizeof *m->peers);
    for (int i = 0; i < m->n_peers; i++) {
        m->peers[i].rank = m->rank == 0 ? i + 1 : 0;
        m->peers[i].heard_s = t2_now_s();
        expect_word(m, &m->peers[i]);
    }
}

static bool is_silent(struct mpi *m, struct peer *p)
{
    if (p->is_sending)
        p->is_sending = !is_done(&m->call, &p->sending);
    return !p->is_sending;
}

static void tell(struct mpi *m, struct peer *p)
{
    if (!is_silent(m, p))
        return;
    p->is_sending = true;
    (void) begin_send(&m->call, &(struct dist_piece){p->rank, p->out, WORD_BYTES}, TAG_WORD,
                      &p->sending);
}

_Noreturn static void end_all(struct mpi *m)
{
    abort_all(&m->call);
    _exit(1);
}

/* Rank 0 says who is lost; if it is lost itself the others do, and the first one ends them all
 * before the next says the same. */
static void look_after_peers(struct mpi *m)
{
    double now = t2_now_s(), limit = m->silence_s + (m->rank > 0 ? 1.0 + 0.5 * m->rank : 0.0);
    bool speak = now - m->word_s >= 1.0;

    for (int i = 0; i < m->n_peers; i++) {
        struct peer *p = &m->peers[i];

        if (!p->has_said_last && is_done(&m->call, &p->receiving)) {
            p->heard_s = now;
            p->has_said_last = p->in[0] == LAST_WORD;
            if (!p->has_said_last)
                expect_word(m, p);
        }
        if (speak)
            tell(m, p);
        if (!p->has_said_last && now - p->heard_s > limit) {
            t2_log(T2_LOG_ERROR,
                   "rank %d has not answered for %.0f s: its process, its machine or the network "
                   "has stopped; all ranks end, and files that are there are whole",
                   p->rank, now - p->heard_s);
            end_all(m);
        }
    }
    if (speak)
        m->word_s = now;
}

/* ---- the thread ---- */

static struct timespec soon(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 200000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* New transfers; waits for them while none is on its way. */
static struct ticket *take_new(struct mpi *m, bool *closing)
{
    struct timespec until = soon();
    struct ticket *taken;

    pthread_mutex_lock(&m->lock);
    if (!m->first && !m->posted && !m->closing && !m->aborting)
        (void) pthread_cond_timedwait(&m->wake, &m->lock, &until);
    taken = m->first;
    m->first = NULL;
    m->end = &m->first;
    *closing = m->closing && !taken && !m->posted;
    if (m->aborting)
        end_all(m);
    pthread_mutex_unlock(&m->lock);
    return taken;
}

static void pass_time(struct mpi *m, double since_s)
{
    struct timespec pause = {.tv_nsec = 1000000};
    bool waits;

    pthread_mutex_lock(&m->lock);
    waits = m->n_waiting > 0;
    pthread_mutex_unlock(&m->lock);
    if (!waits)
        pause.tv_nsec = 100000;
    if (waits && t2_now_s() - since_s < 1.0)
        sched_yield();
    else
        (void) clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* All transfers are finished: the last words, so that no message is left on its way. */
static void say_goodbye(struct mpi *m)
{
    int n = 0;

    for (int i = 0; i < m->n_peers; i++) {
        struct peer *p = &m->peers[i];

        while (!is_silent(m, p))
            sched_yield();
        p->out[0] = LAST_WORD;
        tell(m, p);
    }
    m->word_s = t2_now_s() + 1e9; /* nothing after it */
    while (n < m->n_peers) {
        n = 0;
        look_after_peers(m);
        for (int i = 0; i < m->n_peers; i++)
            n += m->peers[i].has_said_last && is_silent(m, &m->peers[i]);
        sched_yield();
    }
}

static void serve(struct mpi *m)
{
    double changed_s = t2_now_s();
    bool closing = false;

    while (!closing) {
        struct ticket *next;
        int n;

        for (struct ticket *t = take_new(m, &closing); t; t = next) {
            next = t->next;
            t->next = NULL;
            post(m, t);
            changed_s = t2_now_s();
        }
        n = test_posted(m);
        if (n > 0) {
            pthread_mutex_lock(&m->lock);
            m->n_finished += (uint64_t) n;
            pthread_cond_broadcast(&m->done);
            pthread_mutex_unlock(&m->lock);
            changed_s = t2_now_s();
        }
        look_after_peers(m);
        if (m->posted)
            pass_time(m, changed_s);
    }
}

static void *run(void *arg)
{
    struct mpi *m = arg;
    int provided = 0, length = 0;
    char version[8192] = "";

    (void) m->call.version(version, &length);
    snprintf(m->version, sizeof m->version, "%.*s", (int) strcspn(version, ",\n"), version);
    (void) m->call.init(NULL, NULL, MPI_FUNNELED, &provided);
    comm_rank(&m->call, &m->rank);
    comm_size(&m->call, &m->size);
    if (m->size > 1)
        meet_peers(m);
    pthread_mutex_lock(&m->lock);
    m->opened = true;
    pthread_cond_broadcast(&m->done);
    pthread_mutex_unlock(&m->lock);
    serve(m);
    say_goodbye(m);
    (void) m->call.finalize();
    return NULL;
}

/* ---- the interface ---- */

static enum t2_status start(void *state, const struct dist_transfer *t, uint64_t *number,
                            struct t2_err *err)
{
    struct mpi *m = state;
    struct ticket *ticket = t2_alloc(1, sizeof *ticket);
    int n = t->n_send + t->n_receive;

    (void) err;
    ticket->n_send = t->n_send;
    ticket->n_requests = n;
    ticket->requests = t2_alloc((size_t) n, sizeof *ticket->requests);
    ticket->pieces = t2_alloc((size_t) n, sizeof *ticket->pieces);
    if (t->n_send > 0)
        memcpy(ticket->pieces, t->send, (size_t) t->n_send * sizeof *t->send);
    if (t->n_receive > 0)
        memcpy(ticket->pieces + t->n_send, t->receive, (size_t) t->n_receive * sizeof *t->receive);
    pthread_mutex_lock(&m->lock);
    *number = ++m->n_started;
    *m->end = ticket;
    m->end = &ticket->next;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    return T2_OK;
}

static enum t2_status finish(void *state, uint64_t number, struct t2_err *err)
{
    struct mpi *m = state;

    (void) err;
    pthread_mutex_lock(&m->lock);
    m->n_waiting++;
    while (m->n_finished < number)
        (void) pthread_cond_wait(&m->done, &m->lock);
    m->n_waiting--;
    pthread_mutex_unlock(&m->lock);
    return T2_OK;
}

static bool is_finished(void *state, uint64_t number)
{
    struct mpi *m = state;
    bool done;

    pthread_mutex_lock(&m->lock);
    done = m->n_finished >= number;
    pthread_mutex_unlock(&m->lock);
    return done;
}

/* The thread does it between two of its calls; if it does not come to that, the process alone
 * ends, and the launcher, or the others' patience, does the rest. */
static void end_from_outside(void *state)
{
    enum { PATIENCE_S = 10 };
    struct mpi *m = state;

    pthread_mutex_lock(&m->lock);
    m->aborting = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    sleep(PATIENCE_S);
    _exit(1);
}

static void release(struct mpi *m)
{
    t2_free(m->peers);
    pthread_cond_destroy(&m->wake);
    pthread_cond_destroy(&m->done);
    pthread_mutex_destroy(&m->lock);
    t2_free(m);
}

static void close_mpi(void *state)
{
    struct mpi *m = state;

    pthread_mutex_lock(&m->lock);
    m->closing = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    pthread_join(m->thread, NULL);
    release(m);
}

static enum t2_status start_thread(struct mpi *m, struct t2_err *err)
{
    pthread_condattr_t monotonic;
    int error;

    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&m->wake, &monotonic);
    pthread_cond_init(&m->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    m->end = &m->first;
    m->posted_end = &m->posted;
    error = pthread_create(&m->thread, NULL, run, m);
    if (error != 0) {
        release(m);
        return t2_fail_errno(err, error, "cannot start the thread that speaks MPI");
    }
    pthread_mutex_lock(&m->lock);
    while (!m->opened)
        (void) pthread_cond_wait(&m->done, &m->lock);
    pthread_mutex_unlock(&m->lock);
    return T2_OK;
}

enum t2_status dist_comm_mpi(int size, double silence_s, struct dist_comm *comm, struct t2_err *err)
{
    struct mpi *m = t2_alloc(1, sizeof *m);
    char why[512] = "";

    T2_ASSERT(silence_s >= 2.0);
    m->silence_s = silence_s;
    if (!open_any(&m->call, why, sizeof why)) {
        t2_free(m);
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%d processes were started together, and there is no MPI to connect them: "
                       "%s",
                       size, why);
    }
    T2_TRY(start_thread(m, err));
    *comm = (struct dist_comm){.name = m->version,
                               .rank = m->rank,
                               .size = m->size,
                               .state = m,
                               .start = start,
                               .finish = finish,
                               .is_done = is_finished,
                               .abort = end_from_outside,
                               .close = close_mpi};
    if (m->size == size)
        return T2_OK;
    t2_fail(err, T2_EUNSUPPORTED,
            "%d processes were started together, but %s of this one knows of %d: start them with "
            "the mpirun of that library, or with srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)",
            size, m->version, m->size);
    close_mpi(m);
    return T2_EUNSUPPORTED;
}
