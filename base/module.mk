# base/module.mk - the sources of libt2-base.a; the format is at the top of the Makefile.
# version.c alone gets T2_VERSION, T2_GIT_DESCRIBE, T2_COMPILER and T2_BUILD_CONFIG as strings.
LIB_base := \
	alloc.c \
	base64.c budget.c buf.c \
	completion.c completion_bash.c completion_fish.c completion_zsh.c \
	csv.c \
	cpu.c \
	cpu_count.c memory_available.c \
	dir_lock.c \
	err.c \
	file.c \
	flags.c \
	flags_help.c \
	gzip.c \
	hash.c \
	isal.c \
	json.c \
	json_copy.c \
	json_grammar.c \
	json_want.c \
	json_writer.c \
	io.c library.c list_tree.c log.c \
	map.c mapping.c match_files.c \
	mt19937.c npy.c numpy_random.c \
	out.c \
	path.c \
	pipeline.c \
	pool.c protobuf.c \
	progress.c \
	remote_path.c rng.c run_tool.c \
	sha256.c \
	shown.c signals.c siphash.c spool.c \
	str.c subcommands.c \
	tar_read.c tar_write.c text.c \
	utf8.c \
	version.c \
	yaml.c \
	yaml_tree.c \
	zip.c
