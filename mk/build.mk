# mk/build.mk - libraries and tools.

-include $(FOLDERS:%=%/module.mk)

# A folder's library may use those after it.
DEPS_base := base
DEPS_tfrecord := tfrecord base
DEPS_tokenizer := tokenizer base
DEPS_augment := augment base
DEPS_audio := audio base
DEPS_tfrec := tfrec tokenizer augment tfrecord base
DEPS_vocab := vocab tokenizer tfrecord base
DEPS_datagen := datagen tokenizer augment audio tfrecord base
DEPS_train := train datagen tokenizer augment audio tfrecord base

# What is for CUDA goes into the library of its folder, or is not there.
ifneq ($(CUDA_BUILD),no)
$(foreach f,$(FOLDERS),$(eval LIB_$f += $(filter %.c,$(CUDA_$f))))
OBJ_CUDA = $(patsubst %.cu,$(B)/obj/%.cu.o,$(filter %.cu,$(addprefix $(1)/,$(CUDA_$(1)))))
CFLAGS_train/device/device.c += -DT2_HAVE_CUDA=1
$(B)/obj/train/device/cuda/%.o: EXTRA_FLAGS = $(CUDA_CFLAGS)
endif

# The reference's loops start no threads and are slow enough without ThreadSanitizer.  It sees their calls, not what
# they read and write: where "far" runs them on its queue's thread, PROT_NONE guards that memory from the host.
ifeq ($(SAN),thread)
$(B)/obj/train/device/reference/%.o: SAN_FLAGS :=
$(B)/obj/train/device/reference/%.o: OPT := -O3 -g1
endif

PRESENT := $(foreach f,$(FOLDERS),$(if $(strip $(LIB_$f)$(CPU_KERNELS_$f)),$f))
libs_of = $(foreach d,$(filter $(PRESENT),$(DEPS_$(1))),$(B)/lib/libt2-$d.a)

# Listed but not written: left out with a warning (and `make lint` fails).
define missing_sources
$(foreach s,$(addprefix $(1)/,$(LIB_$(1)) $(CPU_KERNELS_$(1))),$(if $(wildcard $s),,$s))
endef
ABSENT := $(foreach f,$(PRESENT),$(call missing_sources,$f))
ifneq ($(strip $(ABSENT)),)
$(warning listed in module.mk but absent: $(strip $(ABSENT)))
endif

# $(1) folder
define library
SRC_$(1) := $(filter-out $(ABSENT) $(BARE_OUT),$(addprefix $(1)/,$(LIB_$(1))))
KSRC_$(1) := $(filter-out $(ABSENT),$(addprefix $(1)/,$(CPU_KERNELS_$(1))))
OBJ_$(1) := $$(SRC_$(1):%.c=$(B)/obj/%.o) $$(patsubst %,$(B)/obj/%.o,$$(addprefix $(1)/,$$(TEXTS_$(1)))) $$(foreach v,$(CPU_VARIANTS),$$(KSRC_$(1):%.c=$(B)/obj/%.$$v.o)) $$(call OBJ_CUDA,$(1))
$(B)/lib/libt2-$(1).a: $$(OBJ_$(1)) $(1)/module.mk
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && $(AR) rcs $$@ $$(OBJ_$(1))
endef
$(foreach f,$(PRESENT),$(eval $(call library,$f)))

# ---- objects -------------------------------------------------------------------------------------
# When a flag changes, everything is compiled again; -Werror alone changes nothing in the objects.
FLAGS_STAMP := $(B)/flags
VERSION_STAMP := $(B)/version
update_stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
$(FLAGS_STAMP): FORCE
	$(call update_stamp,$(CC) CUDA=$(CUDA_BUILD) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(foreach v,$(CPU_VARIANTS),$(KERNEL_FLAGS_$v)))
$(VERSION_STAMP): FORCE
	$(call update_stamp,$(VERSION_FLAGS))
FORCE:

COMPILE = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(WERROR) $(EXTRA_FLAGS) $(CFLAGS_$<) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE)
$(B)/obj/base/version.o: EXTRA_FLAGS = $(VERSION_FLAGS)
$(B)/obj/base/version.o: $(VERSION_STAMP)

# Kernels for a GPU, or for the emulated one.
$(B)/obj/%.cu.o: %.cu $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,$(if $(filter host,$(CUDA_BUILD)),CXX,NVCC),$<)
	$(Q)$(if $(filter host,$(CUDA_BUILD)),$(CXX) $(CXX_FLAGS) $(CUDA_CFLAGS) -I. -x c++,$(NVCC_CACHE) $(NVCC) $(NVCC_FLAGS) $(CFLAGS_$<) -I.) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(B)/obj/%.o: %.cpp $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXX_FLAGS) $(CFLAGS_$<) $(CUDA_CFLAGS) -I. -MMD -MP -c -o $@ $<
$(B)/obj/%.watched.o: % $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CXX,"$< (watched)")
	$(Q)$(CXX) $(CXX_FLAGS) -O1 $(CXX_WATCH) $(CUDA_CFLAGS) -I. -x c++ -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
ifneq ($(CUDA_RUNTIME),)
$(CUDA_RUNTIME): $(CUDA_RUNTIME_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(B)/lib/libt2-train.a: $(CUDA_RUNTIME)
-include $(wildcard $(CUDA_RUNTIME_OBJ:.o=.d) $(CUDA_WATCHED:.o=.d))
$(CUDA_WATCHED_TESTS): $(CUDA_WATCHED)
endif

# A text that is part of a program: its bytes as C.
define text_rule
$(B)/obj/%.$(1).o: %.$(1) mk/text.sh $(FLAGS_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)sh mk/text.sh $$(TEXT_PREFIX_$$(firstword $$(subst /, ,$$<))) $$< >$$(@:.o=.c)
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) $$(WERROR) -c -o $$@ $$(@:.o=.c)
endef
$(foreach kind,yaml html,$(eval $(call text_rule,$(kind))))

# $(1) variant
define kernel_rule
$(B)/obj/%.$(1).o: %.c $(FLAGS_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC,"$$< ($(1))")
	$$(Q)$$(COMPILE) -DDEV_CPU_VARIANT=$(1) $(KERNEL_FLAGS_$(1)) $$(CFLAGS_$$<)
endef
$(foreach v,$(CPU_VARIANTS),$(eval $(call kernel_rule,$v)))

# ---- tools ---------------------------------------------------------------------------------------
MAINS := $(foreach f,$(PRESENT),$(wildcard $f/*_main.c))
# TensorFlow's models spell their programs with underscores.
UNDERSCORED := data_download resnet_main transformer_main
tool_of = $(or $(filter $(patsubst %_main.c,%,$(notdir $(1))),$(UNDERSCORED)),$(subst _,-,$(patsubst %_main.c,%,$(notdir $(1)))))
TOOLS := $(foreach m,$(MAINS),$(call tool_of,$m))
TOOL_PATHS := $(TOOLS:%=$(B)/bin/%)

# $(1) main source
define tool_rule
$(B)/bin/$(call tool_of,$(1)): $(1:%.c=$(B)/obj/%.o) $(if $(filter train/%,$(1)),$(CUDA_WATCHED)) $(call libs_of,$(firstword $(subst /, ,$(1))))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $$(ALL_LDFLAGS) $$(LDFLAGS_$(1)) -o $$@ $$(filter %.o %.a,$$^) $$(call foreign_of,$(DEPS_$(firstword $(subst /, ,$(1)))))
endef
$(foreach m,$(MAINS),$(eval $(call tool_rule,$m)))
# Plug-ins (datagen/plugin.h, train/models/model_plugin.h) call back into the program.
$(foreach m,datagen/t2t_datagen train/t2t_trainer train/t2t_decoder train/t2t_exporter,$(eval \
	LDFLAGS_$m_main.c := -rdynamic))

# ./bin/<tool> leads to the release build, so that a user types bin/t2t-datagen.
BIN_LINKS := $(if $(filter release,$(CONFIG)),$(TOOLS:%=bin/%))
bin/%: | $(B)/bin/%
	@mkdir -p $(@D)
	@ln -sfn ../$(B)/bin/$* $@

.PHONY: all tools libs FORCE
all: libs tools ; @:
tools: $(TOOL_PATHS) $(BIN_LINKS) ; @:
libs: $(foreach f,$(PRESENT),$(B)/lib/libt2-$f.a)

DEPFILES := $(foreach f,$(PRESENT),$(OBJ_$f:.o=.d)) $(MAINS:%.c=$(B)/obj/%.d)
-include $(wildcard $(DEPFILES))
