/*
 * tests/support/cuda_on_host/nccl_on_host.cpp - the few functions of NCCL that
 * train/dist/cards_nccl.c calls, between processes and threads of one host:
 * messages are files.
 *
 * A group's sends and receives are work in their stream.  The sends happen when the group ends, the
 * receives as late as other work does, and then they wait: a card goes on by itself where this one
 * stands still until its host waits, so a rank's messages must be there when the others' hosts are
 * behind the call.  What a real library would mix up or wait for without end is found: a message
 * of another size than is expected, or none within a minute.  Two ranks on one device are refused.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/cuda_on_host/internal.h"

enum {
    OK = 0,
    SYSTEM_ERROR = 2,
    INVALID_USAGE = 5,
    ID_BYTES = 128,
    PATIENCE_S = 20,
    POLL_US = 200 /* of let_others_run */
};

struct nccl_id {
    char folder[ID_BYTES];
};

struct ncclComm {
    std::string folder;
    int rank, size;
    std::map<int, uint64_t> sent, received; /* messages to and from a rank */
};

struct message {
    bool sends;
    char *data;
    size_t bytes;
    int rank;
    ncclComm *comm;
    cudaStream_t stream;
};

static thread_local std::vector<message> group;
static thread_local bool grouped;

/* ---- files ---- */

static std::string path_of(const ncclComm *c, const char *kind, int from, int to, uint64_t number)
{
    char name[80];

    snprintf(name, sizeof name, "/%s-%d-%d-%llu", kind, from, to, (unsigned long long) number);
    return c->folder + name;
}

static bool write_file(const std::string &path, const void *data, size_t bytes)
{
    std::string temporary = path + ".new";
    FILE *f = fopen(temporary.c_str(), "wb");
    bool good = f && fwrite(data, 1, bytes, f) == bytes;

    good = f && fclose(f) == 0 && good;
    return good && rename(temporary.c_str(), path.c_str()) == 0;
}

/* Waits for the file, whose bytes must be so many; then it is gone. */
static bool read_file(const std::string &path, void *data, size_t bytes)
{
    for (int64_t us = 0; us < (int64_t) PATIENCE_S * 1000000; us += POLL_US) {
        struct stat info;
        FILE *f;
        bool good;

        if (stat(path.c_str(), &info) != 0) {
            cuda_on_host::let_others_run();
            continue;
        }
        f = fopen(path.c_str(), "rb");
        good = f && (size_t) info.st_size == bytes && fread(data, 1, bytes, f) == bytes;
        if (f)
            fclose(f);
        if (!good)
            cuda_on_host::report_race("message %s has %lld bytes, not %zu", path.c_str(),
                                      (long long) info.st_size, bytes);
        unlink(path.c_str());
        return good;
    }
    cuda_on_host::report_race("message %s has not come", path.c_str());
    return false;
}

/* ---- what the library has ---- */

extern "C" {

int ncclGetVersion(int *version);
int ncclGetUniqueId(struct nccl_id *id);
int ncclCommInitRank(ncclComm **comm, int size, struct nccl_id id, int rank);
int ncclCommDestroy(ncclComm *comm);
int ncclCommGetAsyncError(ncclComm *comm, int *error);
const char *ncclGetErrorString(int error);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *data, size_t n, int type, int rank, ncclComm *comm, void *stream);
int ncclRecv(void *data, size_t n, int type, int rank, ncclComm *comm, void *stream);

int ncclGetVersion(int *version)
{
    *version = 22703;
    return OK;
}

int ncclGetUniqueId(struct nccl_id *id)
{
    const char *folder = getenv("TMPDIR");

    snprintf(id->folder, sizeof id->folder, "%.90s/nccl-XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(id->folder) ? OK : SYSTEM_ERROR;
}

/* All ranks meet here. */
int ncclCommInitRank(ncclComm **comm, int size, struct nccl_id id, int rank)
{
    ncclComm *c = new ncclComm{id.folder, rank, size, {}, {}};
    int mine = cuda_on_host::current_device(), others;
    bool alike = false;

    *comm = nullptr;
    for (int r = 0; r < size; r++)
        if (r != rank && !write_file(path_of(c, "device", rank, r, 0), &mine, sizeof mine))
            return SYSTEM_ERROR;
    for (int r = 0; r < size; r++) {
        if (r == rank)
            continue;
        if (!read_file(path_of(c, "device", r, rank, 0), &others, sizeof others))
            return SYSTEM_ERROR;
        alike |= others == mine;
    }
    if (alike) {
        delete c;
        return INVALID_USAGE;
    }
    *comm = c;
    return OK;
}

int ncclCommDestroy(ncclComm *comm)
{
    (void) rmdir(comm->folder.c_str()); /* the last one, unless there is a message nobody took */
    delete comm;
    return OK;
}

int ncclCommGetAsyncError(ncclComm *comm, int *error)
{
    (void) comm;
    *error = OK;
    return OK;
}

const char *ncclGetErrorString(int error)
{
    return error == OK              ? "no error"
           : error == INVALID_USAGE ? "invalid usage (two ranks on one device?)"
                                    : "unhandled system error";
}

int ncclGroupStart(void)
{
    grouped = true;
    group.clear();
    return OK;
}

static int add(bool sends, void *data, size_t bytes, int rank, ncclComm *comm, void *stream)
{
    if (!grouped || rank < 0 || rank >= comm->size || rank == comm->rank)
        return INVALID_USAGE;
    group.push_back(message{sends, (char *) data, bytes, rank, comm, (cudaStream_t) stream});
    return OK;
}

int ncclSend(const void *data, size_t n, int type, int rank, ncclComm *comm, void *stream)
{
    return type == 0 ? add(true, (char *) (uintptr_t) data, n, rank, comm, stream) : INVALID_USAGE;
}

int ncclRecv(void *data, size_t n, int type, int rank, ncclComm *comm, void *stream)
{
    return type == 0 ? add(false, data, n, rank, comm, stream) : INVALID_USAGE;
}

int ncclGroupEnd(void)
{
    cudaStream_t stream = group.empty() ? nullptr : group[0].stream;

    grouped = false;
    for (const message &m : group) {
        if (m.stream != stream)
            return INVALID_USAGE; /* one is enough here */
        if (!m.sends)
            continue;
        std::string path = path_of(m.comm, "data", m.comm->rank, m.rank, m.comm->sent[m.rank]++);

        cuda_on_host::queue_waiting(stream, "a send", [=] {
            cuda_on_host::watch_access(m.data, m.bytes, false);
            if (!write_file(path, m.data, m.bytes))
                cuda_on_host::report_race("message %s cannot be sent", path.c_str());
        });
    }
    cuda_on_host::run_through(stream);
    for (const message &m : group) {
        if (m.sends)
            continue;
        std::string path =
            path_of(m.comm, "data", m.rank, m.comm->rank, m.comm->received[m.rank]++);

        cuda_on_host::queue_waiting(stream, "a receive", [=] {
            cuda_on_host::watch_access(m.data, m.bytes, true);
            (void) read_file(path, m.data, m.bytes);
        });
    }
    return OK;
}

} /* extern "C" */
