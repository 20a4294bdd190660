/*
 * datagen/default_folders.h - the folders that nobody named: below /tmp, where others may write,
 * too.
 */
#ifndef DG_DEFAULT_FOLDERS_H
#define DG_DEFAULT_FOLDERS_H

#include "base/err.h"

/* Tensor2Tensor's default of --tmp_dir, as --help shows it; a flag that has this very pointer was
 * not given. */
extern const char dg_shared_tmp_dir[];
/*
 * What is used in its place: /tmp/t2t_datagen where it is this user's own (it holds earlier
 * downloads, the original's too), else /tmp/t2t_datagen-<user id>.  Owned by the caller.
 */
char *dg_default_tmp_dir(void);

/*
 * Before a run writes into a default folder: makes it for this user alone.  T2_EIO, naming the flag
 * that chooses another, when it is somebody else's or others may write to it.
 */
T2_MUST_CHECK enum t2_status dg_claim_default_dir(const char *path, const char *flag,
                                                  struct t2_err *err);
/* At the end of a run: it leaves when nothing came into it. */
void dg_leave_default_dir(const char *path);

#endif
