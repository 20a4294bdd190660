/*
 * train/graph/layouts.h - parameters that the device keeps in an order of its own
 * (device/param_layout.h): which, and copies between the host and them.
 */
#ifndef GR_LAYOUTS_H
#define GR_LAYOUTS_H

#include "train/graph/graph.h"

/* While parameters are added (not frozen): a parameter of one variable, which all operators of the
 * graph use in the same way, has the layout that the device wants.  Later graphs must use it so,
 * too: an assertion. */
void gr_choose_layouts(struct gr_graph *g);

/* The table of those for kernels, after their places are known; and its bytes. */
T2_MUST_CHECK enum t2_status gr_place_layouts(struct gr_params *p, struct t2_err *err);
uint64_t gr_layouts_bytes(const struct gr_params *p);

/* Is the variable in a layout of the device? */
bool gr_is_laid(const struct gr_params *p, const struct gr_variable *v);

/*
 * Copies elements at .. at + n - 1, in the order of checkpoints, of a variable or of what is as
 * large and laid like it: its gradient, slots and averages.  `values` is its first element in
 * device memory; like NULL: it is nobody's, and lies as it is.  upload has read the host's memory
 * when it returns, download has written it.
 */
void gr_upload(const struct gr_params *p, const struct gr_variable *like, float *values, int64_t at,
               const float *from, int64_t n);
void gr_download(const struct gr_params *p, const struct gr_variable *like, const float *values,
                 int64_t at, float *to, int64_t n);

#endif
