# mk/build.mk - libraries and tools.

-include $(FOLDERS:%=%/module.mk)

# A folder's library may use those after it.
DEPS_base := base
DEPS_tfrecord := tfrecord base
DEPS_tokenizer := tokenizer base
DEPS_augment := augment base
DEPS_tfrec := tfrec tokenizer augment tfrecord base
DEPS_vocab := vocab tokenizer tfrecord base
DEPS_datagen := datagen tokenizer augment tfrecord base
DEPS_train := train datagen tokenizer augment tfrecord base

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
SRC_$(1) := $(filter-out $(ABSENT),$(addprefix $(1)/,$(LIB_$(1))))
KSRC_$(1) := $(filter-out $(ABSENT),$(addprefix $(1)/,$(CPU_KERNELS_$(1))))
OBJ_$(1) := $$(SRC_$(1):%.c=$(B)/obj/%.o) $$(patsubst %,$(B)/obj/%.o,$$(addprefix $(1)/,$$(TEXTS_$(1)))) $$(foreach v,$(CPU_VARIANTS),$$(KSRC_$(1):%.c=$(B)/obj/%.$$v.o))
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
	$(call update_stamp,$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(foreach v,$(CPU_VARIANTS),$(KERNEL_FLAGS_$v)))
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

# A text that is part of a program: its bytes as C.
$(B)/obj/%.yaml.o: %.yaml mk/text.sh $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)sh mk/text.sh $(TEXT_PREFIX_$(firstword $(subst /, ,$<))) $< >$(@:.o=.c)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(WERROR) -c -o $@ $(@:.o=.c)

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
# The official Transformer spells its program with an underscore.
tool_of = $(patsubst data-download,data_download,$(subst _,-,$(patsubst %_main.c,%,$(notdir $(1)))))
TOOLS := $(foreach m,$(MAINS),$(call tool_of,$m))
TOOL_PATHS := $(TOOLS:%=$(B)/bin/%)

# $(1) main source
define tool_rule
$(B)/bin/$(call tool_of,$(1)): $(1:%.c=$(B)/obj/%.o) $(call libs_of,$(firstword $(subst /, ,$(1))))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $$(ALL_LDFLAGS) $$(LDFLAGS_$(1)) -o $$@ $$(filter %.o %.a,$$^) $$(call foreign_of,$(DEPS_$(firstword $(subst /, ,$(1)))))
endef
$(foreach m,$(MAINS),$(eval $(call tool_rule,$m)))
# Plug-ins (datagen/plugin.h) call back into the program.
LDFLAGS_datagen/t2t_datagen_main.c := -rdynamic

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
