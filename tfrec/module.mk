# tfrec/module.mk - the sources of libt2-tfrec.a; the format is at the top of the Makefile.
LIB_tfrec := command.c commands.c cmd_count.c

# looking at records
LIB_tfrec += bytes_summary.c json_cursor.c row_draft.c row_flags.c row_ids.c row_json.c row_parse.c row_proto.c
LIB_tfrec += row_short.c rows.c
LIB_tfrec += cmd_cat.c cmd_head.c cmd_raw.c cmd_sample.c cmd_tail.c kept_records.c
LIB_tfrec += open_vocab.c raw_message.c show.c
LIB_tfrec += cmd_events.c event_images.c event_inputs.c event_json.c event_line.c event_values.c

# understanding a set
LIB_tfrec += class_names.c cmd_report.c cmd_schema.c cmd_stats.c distinct.c duplicates.c exact_sum.c histogram.c html.c picture.c schema.c
LIB_tfrec += report_charts.c report_page.c report_rows.c report_schema.c report_style.c sample.c
LIB_tfrec += schema_json.c schema_pbtxt.c schema_spec.c schema_table.c
LIB_tfrec += schema_tfds.c stats.c stats_json.c stats_results.c stats_table.c text_table.c values.c vocab_use.c

# choosing and ordering records
LIB_tfrec += record_key.c cmd_dedup.c cmd_diff.c diff_ordered.c diff_record.c diff_sets.c cmd_filter.c cmd_project.c cmd_shuffle.c cmd_sort.c filter.c rewrite.c sort_keys.c where_eval.c where_parse.c where_pattern.c

# cutting and indexing
LIB_tfrec += cmd_get.c cmd_index.c cmd_merge.c cmd_reshard.c cmd_split.c count_records.c cut_flags.c recompress.c

# damage
LIB_tfrec += cmd_salvage.c salvage.c
LIB_tfrec += cmd_verify.c findings.c picture_check.c verify.c verify_kinds.c verify_manifest.c verify_print.c
LIB_tfrec += verify_record.c

# other formats
LIB_tfrec += cmd_convert.c convert/bag.c convert/convert_run.c convert/csv_columns.c convert/csv_in.c convert/csv_out.c
LIB_tfrec += convert/formats.c convert/images_in.c convert/images_out.c convert/jsonl.c convert/npz_in.c
LIB_tfrec += convert/npz_out.c convert/record_files.c convert/tfds.c convert/webdataset_in.c convert/webdataset_out.c

# editing a finished set
LIB_tfrec += cmd_append.c cmd_relabel.c cmd_remove.c edit.c edit_append.c edit_vocab.c edit_choose.c edit_journal.c edit_records.c
LIB_tfrec += edit_relabel.c edit_report.c edit_schema.c make_manifest.c
