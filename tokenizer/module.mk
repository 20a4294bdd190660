# tokenizer/ - Unicode words, subwords, vocabulary files, the builder.
LIB_tokenizer := unicode.c word_scan.c word_scan_x86.c words.c escape.c trie.c encoder.c word_cache.c \
	subwords.c subwords_decode.c tokens.c bytes.c vocab_file.c \
	counts.c count_runs.c counts_file.c tally.c line_sampler.c suffix_array.c subword_tree.c subword_tree_pruned.c subword_probe.c vocab_builder.c vocab_builder_memory.c
LIB_tokenizer += sentencepiece.c sp_model.c sp_normalizer.c sp_unigram.c sp_bpe.c sp_scores.c sp_write.c list_kinds.c
LIB_tokenizer += byte_bpe.c pretokenize.c tiktoken.c
LIB_tokenizer += hf_decode.c hf_json.c hf_json_model.c hf_json_normalizer.c hf_models.c hf_normalize.c hf_pretokenize.c hf_tokenizer.c small_regex.c
LIB_tokenizer += subword_nmt.c
LIB_tokenizer += bpe_order.c hf_merge_order.c convert.c write_lines.c charsmap.c write_hf.c write_hf_sp.c write_hf_subwords.c write_sentencepiece.c \
	write_tiktoken.c
LIB_tokenizer += reencode.c stripped_lines.c python_numbers.c integers.c labels.c dna.c named_encoders.c
