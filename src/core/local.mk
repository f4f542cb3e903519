# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/core/elf.h src/core/elf.c \
	src/core/log.h src/core/log.c \
	src/core/memory.h src/core/memory.c \
	src/core/kinds/page_choice.h src/core/kinds/page_choice.c \
	src/core/kinds/page_class.h src/core/kinds/page_class.c \
	src/core/kinds/page_filter.h src/core/kinds/page_filter.c \
	src/core/kinds/page_keys.h src/core/kinds/page_keys.c \
	src/core/kinds/page_kind.h src/core/kinds/page_kind.c \
	src/core/kinds/page_map.h src/core/kinds/page_map.c \
	src/core/kinds/page_trust.h src/core/kinds/page_trust.c \
	src/core/kinds/page_vote.c \
	src/core/pages.h src/core/pages.c \
	src/core/pages_find.c \
	src/core/uts.h src/core/uts.c \
	src/core/virt.h src/core/virt.c
