# mk/test.mk - test programs, and the targets that run them through tests/run.sh.

-include tests/module.mk
-include bench/module.mk

UNIT_SRC := $(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c tests/unit/*/*/*/test_*.c)
TEST_SRC := $(UNIT_SRC) $(wildcard tests/ops/test_*.c tests/oracle/test_*.c)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SRC := $(wildcard bench/bench_*.c)
SUPPORT_SRC := $(filter-out $(BARE_OUT),$(wildcard tests/support/*.c)) $(if $(BARE_CMOCKA),tests/support/bare/bare_run.c)

SUPPORT_LIB := $(B)/lib/libt2-tests.a
$(SUPPORT_LIB): $(SUPPORT_SRC:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Tests are compiled for a quick build, not for a quick run.
$(B)/obj/tests/%.o: EXTRA_FLAGS = -O1

DEPS_tests := train datagen tfrec tokenizer augment audio tfrecord base
ALL_LIBS := $(call libs_of,tests)
# A unit test is linked with its folder's library and those below: base is tested without the rest.
unit_folder = $(word 3,$(subst /, ,$(1)))
libs_for_test = $(if $(filter tests/unit/%,$(1)),$(if $(DEPS_$(call unit_folder,$(1))),$(call libs_of,$(call unit_folder,$(1))),$(ALL_LIBS)),$(ALL_LIBS))

# $(1) test source
define test_rule
$(1:%.c=$(B)/%): $(1:%.c=$(B)/obj/%.o) $(SUPPORT_LIB) $(call libs_for_test,$(1))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $$(ALL_LDFLAGS) $$(QUICK_LD) $$(LDFLAGS_$(1)) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(FOREIGN)
endef
$(foreach t,$(TEST_SRC),$(eval $(call test_rule,$t)))

# A fuzz target is linked with a driver that replays its seeds, the folder of its name below
# fixtures/; with SAN=fuzzer,... by clang's own.
FUZZ_DRIVER := $(if $(filter fuzz,$(CONFIG)),,$(B)/obj/tests/fuzz/replay.o)
define fuzz_rule
$(1:%.c=$(B)/%): $(1:%.c=$(B)/obj/%.o) $(FUZZ_DRIVER) $(ALL_LIBS)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $$(ALL_LDFLAGS) $$(QUICK_LD) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(FOREIGN)
endef
$(foreach t,$(FUZZ_SRC),$(eval $(call fuzz_rule,$t)))

define bench_rule
$(1:%.c=$(B)/%): $(1:%.c=$(B)/obj/%.o) $(ALL_LIBS)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(FOREIGN)
endef
$(foreach t,$(BENCH_SRC) bench/object_store.c bench/plain_get.c $(wildcard scripts/*.c),$(eval $(call bench_rule,$t)))

# The program that makes the images of fixtures/: with the tests' own hostile ones.
MAKE_IMAGES := $(B)/fixtures/make/make_images
$(MAKE_IMAGES): $(B)/obj/fixtures/make/make_images.o $(SUPPORT_LIB) $(ALL_LIBS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(QUICK_LD) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(FOREIGN)

# Writes all fixtures again, in place; tests/e2e/fixtures.sh compares.
fixtures: $(MAKE_IMAGES)
	$(Q)sh fixtures/make/all.sh $(MAKE_IMAGES) fixtures

TEST_PROGRAMS := $(TEST_SRC:%.c=$(B)/%)
FUZZ_PROGRAMS := $(FUZZ_SRC:%.c=$(B)/%)
-include $(wildcard $(TEST_SRC:%.c=$(B)/obj/%.d) $(FUZZ_SRC:%.c=$(B)/obj/%.d) $(BENCH_SRC:%.c=$(B)/obj/%.d) \
	$(SUPPORT_SRC:%.c=$(B)/obj/%.d) $(B)/obj/tests/fuzz/replay.d $(B)/obj/fixtures/make/make_images.d)

.PHONY: tests fixtures check check-all check-data check-asan check-tsan check-generic check-avx2 check-arm64 check-mpi run-quick run-all run-data run-threads run-kernels run-processor run-ops run-models run-emulated check-far check-cuda check-cuda-asan check-gpu check-nvcc fuzz coverage
tests: $(TEST_PROGRAMS) $(FUZZ_PROGRAMS)

# T=word restricts everything to tests whose path contains it, and builds only those.
run-quick run-all run-data run-threads run-kernels run-processor run-ops run-models run-emulated: run-%:
	+$(Q)programs=$$(tests/run.sh --programs $* $(T)) && $(MAKE) --no-print-directory SAN=$(SAN) CUDA=$(CUDA) BARE='$(BARE)' CONFIG=$(CONFIG) \
		$$(for p in $$programs; do case $$p in tools) echo tools;; *) echo $(B)/$$p;; esac; done) run-nothing
	$(Q)T2_DATA='$(T2_DATA)' T2_EMULATOR='$(EMULATOR)' tests/run.sh --build $(B) --jobs $(JOBS) $* $(T)
.PHONY: run-nothing
run-nothing: ; @:

check: run-quick
check-all: run-all
check-data: run-data
check-asan:
	$(Q)T2_SAMPLE=1 $(MAKE) --no-print-directory SAN=address,undefined run-quick
check-tsan:
	$(Q)$(MAKE) --no-print-directory SAN=thread run-threads

# What several processes do together, under mpirun.
check-mpi:
	$(Q)command -v mpirun >/dev/null || { echo 'no mpirun: install openmpi-bin' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory run-quick T=datagen_tasks
	$(Q)$(MAKE) --no-print-directory run-all T=train_ranks
	$(Q)$(MAKE) --no-print-directory run-quick T=decode_ranks

# What has CPU variants, once more in plain C.
check-generic:
	$(Q)T2_CPU=generic $(MAKE) --no-print-directory run-kernels

# On a machine with AVX-512 what one without it does: our kernels, those of the libraries, their memory.
# On a device whose memory is out of the host's reach: operators beside the other devices, then all that
# runs on any device.
check-far:
	$(Q)T2_REFERENCE=far $(MAKE) --no-print-directory run-ops
	$(Q)T2_ALL_DEVICES=far $(MAKE) --no-print-directory run-models
# The device "cuda" without a GPU: every operator's test beside the reference device's, then what runs on
# the reference device, then our own products where the libraries' stood.  With SAN=address,undefined the emulated device is instrumented, too.
check-cuda:
	$(Q)T2_TEST_DEVICE=cuda $(MAKE) --no-print-directory CUDA=host run-ops
	$(Q)T2_SAMPLE=1 T2_REFERENCE=cuda $(MAKE) --no-print-directory CUDA=host run-models
	$(Q)$(MAKE) --no-print-directory CUDA=host run-quick T=e2e/cuda_
	$(Q)$(MAKE) --no-print-directory own-products-of-test_conv2d own-products-of-test_gemm
own-products-of-%:
	$(Q)T2_TEST_DEVICE=cuda T2_CUDNN=no T2_CUBLASLT=no $(MAKE) --no-print-directory CUDA=host run-ops T=$*
# A program with CUDA, of all targets, on this machine, which may be without a GPU.
check-nvcc:
	$(Q)test -n '$(NVCC)' || { echo 'no nvcc: install nvidia-cuda-toolkit, or give NVCC=PATH' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory CUDA=yes CONFIG=nvcc run-quick T=e2e/nvcc_
# On a machine with a GPU; all stages: scripts/gpu.sh
check-gpu:
	$(Q)scripts/gpu.sh parity oracles
check-cuda-asan:
	$(Q)T2_TEST_DEVICE=cuda $(MAKE) --no-print-directory CUDA=host SAN=address,undefined run-ops
# What knows of processors, bytes and floats, for aarch64 under an emulator.
check-arm64:
	$(Q)command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || { echo 'no cross compiler or no emulator: apt-get install gcc-aarch64-linux-gnu qemu-user' >&2; exit 2; }
	$(Q)sh mk/sysroot.sh arm64
	$(Q)$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu- run-emulated
check-avx2:
	$(Q)T2_CPU=avx2 ONEDNN_MAX_CPU_ISA=AVX2 $(MAKE) --no-print-directory run-processor

TIME ?= 60
fuzz:
	$(Q)test -n '$(TARGET)' || { echo 'usage: make fuzz TARGET=NAME [TIME=SECONDS]; targets: $(FUZZ_SRC:tests/fuzz/fuzz_%.c=%)' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined build/fuzz/tests/fuzz/fuzz_$(TARGET) LDFLAGS=-fsanitize=fuzzer
	$(Q)mkdir -p build/fuzz/corpus/$(TARGET) build/fuzz/found
	build/fuzz/tests/fuzz/fuzz_$(TARGET) -max_total_time=$(TIME) -artifact_prefix=build/fuzz/found/ \
		build/fuzz/corpus/$(TARGET) $$(find fixtures -type d -name $(TARGET))

coverage:
	$(Q)$(MAKE) --no-print-directory COVERAGE=1 run-quick
	$(Q)lcov -q -c -d build/coverage -o build/coverage/all.info --no-external && \
		lcov -q -r build/coverage/all.info '*/tests/*' -o build/coverage/t2t.info && \
		genhtml -q build/coverage/t2t.info -o build/coverage/html && lcov --summary build/coverage/t2t.info
