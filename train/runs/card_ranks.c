/*
 * train/runs/card_ranks.c - see the header.
 */
#include "train/runs/card_ranks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "train/device/card_count.h"
#include "train/dist/comm.h"

int tr_card_ranks(int64_t n_shards, int n_cards)
{
    int n = n_cards < n_shards ? n_cards : (int) n_shards;

    while (n > 1 && n_shards % n != 0)
        n--;
    return n > 1 ? n : 1;
}

/* What Open MPI's mpirun is told by its environment, and others pass over: ranks are as many as
 * cards, not as processors, and are not bound, as each has threads of its own (tr_launch_threads).
 * What the user has set stays.  Root is allowed what mpirun refuses him: it would be refused on
 * behalf of one who has not called it, in a container where there is nobody else.  Who sets one of
 * the two to 0 is not asked again. */
static enum t2_status prepare_environment(struct t2_err *err)
{
    static const struct {
        const char *name, *value;
        bool of_root;
    } settings[] = {{"OMPI_MCA_rmaps_base_oversubscribe", "1", false},
                    {"OMPI_MCA_hwloc_base_binding_policy", "none", false},
                    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", false},
                    {"PRTE_MCA_hwloc_default_binding_policy", "none", false},
                    {"OMPI_ALLOW_RUN_AS_ROOT", "1", true},
                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", true}};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if ((!settings[i].of_root || geteuid() == 0) &&
            setenv(settings[i].name, settings[i].value, 0) != 0)
            return t2_fail(err, T2_ENOMEM, "setenv %s: %s", settings[i].name, strerror(errno));
    return T2_OK;
}

/* Returns when it cannot be done. */
static void become_mpirun(int n_ranks, int64_t shards_each, int argc, char *const *argv)
{
    struct t2_strs line = {0};
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    if (len <= 0)
        return;
    self[len] = '\0';
    t2_strs_push(&line, "mpirun");
    t2_strs_push(&line, "-n");
    t2_strs_take(&line, t2_asprintf("%d", n_ranks));
    t2_strs_push(&line, self);
    for (int i = 1; i < argc; i++)
        t2_strs_push(&line, argv[i]);
    t2_strs_take(&line, t2_asprintf("--worker_gpu=%" PRId64, shards_each));
    t2_strs_take(&line, NULL); /* ends argv */
    (void) execvp(line.items[0], line.items);
    t2_strs_release(&line);
}

enum t2_status tr_start_card_ranks(const char *device, int64_t worker_gpu, int argc,
                                   char *const *argv, struct t2_err *err)
{
    int n_cards, n_ranks;

    if (worker_gpu < 2 || dist_mpi_launched() > 1)
        return T2_OK;
    n_cards = dev_card_count(device);
    n_ranks = tr_card_ranks(worker_gpu, n_cards);
    if (n_ranks == 1)
        return T2_OK;
    T2_TRY(prepare_environment(err));
    t2_info("--worker_gpu=%" PRId64 ", %d cards: mpirun starts %d ranks, a card each", worker_gpu,
            n_cards, n_ranks);
    become_mpirun(n_ranks, worker_gpu / n_ranks, argc, argv);
    t2_warn("mpirun cannot be started (%s): one of %d cards is used, and the %" PRId64
            " shards are computed one after the other; install openmpi-bin, or mpich",
            strerror(errno), n_cards, worker_gpu);
    return T2_OK;
}
