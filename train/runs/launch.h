/*
 * train/runs/launch.h - a program that mpirun or srun may have started several times: its ranks,
 * their threads and logs, and how they end together.
 */
#ifndef TR_LAUNCH_H
#define TR_LAUNCH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/flags.h"
#include "train/device/device.h"
#include "train/dist/dist.h"
#include "train/graph/params.h"

/* dist_open; lines of the log get the rank, and those of ranks above 0 are of errors alone. */
T2_MUST_CHECK enum t2_status tr_launch_open(double silence_s, struct dist **dist,
                                            struct t2_err *err);
/* Why a program ends, said once: what all ranks know rank 0 says; else this rank does, and ends the
 * others.  Closes dist (NULL: it was never opened); returns the exit code. */
int tr_launch_end(struct dist *dist, enum t2_status st, struct t2_err *err);

/* The threads of a process, of which `asked` for (0: nobody has): those of a machine are shared by
 * the ranks on it, unless the launcher has given each its own. */
int tr_launch_threads(const struct dist *d, int asked);

/* T2_EUNSUPPORTED where several processes were started for `what` ("a search"); `instead`: what to
 * do. */
T2_MUST_CHECK enum t2_status tr_launch_check_alone(const char *what, const char *instead,
                                                   struct t2_err *err);

/* ---- lines for dist_same_lines ---- */

/* The tool's flags, without those that belong to a rank's machine. */
void tr_launch_put_flags(const struct t2_tool *tool, struct t2_buf *lines);
/* What computes, without how many threads do. */
void tr_launch_put_device(struct dev *dev, struct t2_buf *lines);
/* Of the values of all variables. */
uint32_t tr_launch_checksum(struct dev *dev, const struct gr_params *p);
/* Of n more values, behind those of crc. */
uint32_t tr_launch_checksum_more(struct dev *dev, const float *values, int64_t n, uint32_t crc);

#endif
