/*
 * train/device/rules/rules.h - the rules of all lines UPDATE(...) of kernels.def.
 */
#ifndef DEV_RULES_RULES_H
#define DEV_RULES_RULES_H

#include "train/device/rules/adagrad_rule.h"
#include "train/device/rules/adam_rule.h"
#include "train/device/rules/adamax_rule.h"
#include "train/device/rules/ftrl_rule.h"
#include "train/device/rules/nadam_rule.h"
#include "train/device/rules/rms_prop_rule.h"
#include "train/device/rules/sgd_rule.h"

#endif
