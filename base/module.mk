# base/module.mk - the sources of libt2-base.a; the format is at the top of the Makefile.
# version.c alone gets T2_VERSION, T2_GIT_DESCRIBE, T2_COMPILER and T2_BUILD_CONFIG as strings.
LIB_base := \
	alloc.c \
	base64.c \
	budget.c \
	buf.c \
	cgroup.c \
	completion.c \
	completion_bash.c \
	completion_fish.c \
	completion_zsh.c \
	cpu.c \
	cpu_count.c \
	crc32c.c \
	crc32c_arm.c \
	crc32c_choose.c \
	crc32c_join.c \
	crc32c_x86.c \
	csv.c \
	dir_lock.c \
	err.c \
	file.c \
	flags.c \
	flags_common.c \
	flags_foreign.c \
	flags_help.c \
	flags_markdown.c \
	follow.c \
	gzip.c \
	hash.c \
	heaps.c \
	io.c \
	isal.c \
	json.c \
	json_copy.c \
	json_grammar.c \
	json_page.c \
	json_want.c \
	json_writer.c \
	library.c \
	list_tree.c \
	log.c \
	map.c \
	mapping.c \
	match_files.c \
	memory_available.c \
	mt19937.c \
	npy.c \
	numpy_generator.c \
	numpy_random.c \
	out.c \
	path.c \
	pipeline.c \
	pool.c \
	progress.c \
	protobuf.c \
	remote_hooks.c \
	remote_path.c \
	rng.c \
	rng_many.c \
	run_program.c \
	run_tool.c \
	sha256.c \
	sha256_rsa.c \
	shown.c \
	signals.c \
	siphash.c \
	spool.c \
	str.c \
	subcommands.c \
	tar_read.c \
	tar_write.c \
	text.c \
	utf8.c \
	version.c \
	yaml.c \
	yaml_tree.c \
	zip.c \
	remote/aws_account.c \
	remote/entry_name.c \
	remote/gcs_account.c \
	remote/gcs_listing.c \
	remote/http.c \
	remote/http_headers.c \
	remote/known_objects.c \
	remote/location.c \
	remote/object_hashes.c \
	remote/remote_cache.c \
	remote/remote_call.c \
	remote/remote_file.c \
	remote/remote_fill.c \
	remote/remote_pending.c \
	remote/remote_refusal.c \
	remote/s3_listing.c \
	remote/store.c \
	remote/store_gcs.c \
	remote/store_http.c \
	remote/store_s3.c \
	remote/upload_parts.c \
	remote/xml_walk.c
# its instructions are asked for when the program runs
ifneq ($(filter neon,$(CPU_VARIANTS)),)
CFLAGS_base/crc32c_arm.c := -march=armv8-a+crc+crypto
endif
# its square roots are of positive numbers: without errno they are computed in vectors
CFLAGS_base/rng_many.c := -fno-math-errno -fno-trapping-math
