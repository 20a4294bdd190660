/*
 * train/experiment/fields.h - the tables of fields: path, type, default, what it becomes here.
 *
 * Defaults are those of tf-models-official's configuration classes (2.20); spec
 * formats-and-experiments.md D3-D5.
 */
#ifndef EXP_FIELDS_H
#define EXP_FIELDS_H

#include "train/experiment/config.h"

/* The fields of a table, for a place in a tree. */
struct exp_fields {
    const struct exp_field *fields;
    size_t n;
};

extern const struct exp_fields exp_runtime_fields, exp_trainer_fields;
extern const struct exp_fields exp_optimizer_fields; /* of trainer.optimizer_config */
extern const struct exp_fields exp_task_fields;      /* of every task */
extern const struct exp_fields exp_data_fields;      /* of train_data and validation_data */
/* is_training: of train_data; of validation_data; of that of a task that passes it over */
extern const struct exp_fields exp_training_fields, exp_validation_fields,
    exp_any_validation_fields;
extern const struct exp_fields exp_image_fields, exp_image_data_fields;
extern const struct exp_fields exp_translation_fields, exp_translation_data_fields;
extern const struct exp_fields exp_bert_fields; /* model.encoder of the tasks of BERT */
extern const struct exp_fields exp_sentence_fields, exp_sentence_data_fields;
extern const struct exp_fields exp_masked_fields, exp_masked_data_fields;
extern const struct exp_fields exp_answer_fields, exp_answer_data_fields;
extern const struct exp_fields
    exp_tpu_resnet_fields; /* the whole of tensorflow/tpu's, which is flat */

#endif
