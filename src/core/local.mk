# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/core/bytes.h \
	src/core/elf.h src/core/elf.c \
	src/core/log/log.h src/core/log/log.c \
	src/core/log/log_records.c \
	src/core/log/log_ring.c \
	src/core/log/log_text.h src/core/log/log_text.c \
	src/core/memory.h src/core/memory.c \
	src/core/kinds/page_choice.h src/core/kinds/page_choice.c \
	src/core/kinds/page_class.h src/core/kinds/page_class.c \
	src/core/kinds/page_filter.h src/core/kinds/page_filter.c \
	src/core/kinds/page_keys.h src/core/kinds/page_keys.c \
	src/core/kinds/page_kind.h src/core/kinds/page_kind.c \
	src/core/kinds/page_map.h src/core/kinds/page_map.c \
	src/core/kinds/page_parts.h src/core/kinds/page_parts.c \
	src/core/kinds/page_range.h src/core/kinds/page_range.c \
	src/core/kinds/page_survey.h src/core/kinds/page_survey.c \
	src/core/kinds/page_trust.h src/core/kinds/page_trust.c \
	src/core/kinds/page_vote.h src/core/kinds/page_vote.c \
	src/core/kinds/page_zones.h src/core/kinds/page_zones.c \
	src/core/pages.h src/core/pages.c \
	src/core/pages_find.c \
	src/core/pages_leave_out.c \
	src/core/pages_stored.h src/core/pages_stored.c \
	src/core/virt/small_reads.h src/core/virt/small_reads.c \
	src/core/uts.h src/core/uts.c \
	src/core/virt/virt.h src/core/virt/virt.c \
	src/core/virt/virt_arch.h \
	src/core/virt/virt_arm64.c \
	src/core/virt/virt_x86.c \
	src/core/vmcoreinfo.h src/core/vmcoreinfo.c \
	src/core/window.h src/core/window.c
