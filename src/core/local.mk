# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/core/bytes.h \
	src/core/elf.h src/core/elf.c \
	src/core/log.h src/core/log.c \
	src/core/log_plain.c \
	src/core/log_records.c \
	src/core/log_ring.c \
	src/core/log_text.h src/core/log_text.c \
	src/core/memory.h src/core/memory.c \
	src/core/page_choice.h src/core/page_choice.c \
	src/core/page_class.h src/core/page_class.c \
	src/core/page_cursor.c \
	src/core/page_evidence.h src/core/page_evidence.c \
	src/core/page_filter.h src/core/page_filter.c \
	src/core/page_keys.h src/core/page_keys.c \
	src/core/page_kind.h src/core/page_kind.c \
	src/core/page_map.h src/core/page_map.c \
	src/core/page_range.h src/core/page_range.c \
	src/core/page_sections.h src/core/page_sections.c \
	src/core/page_survey.h src/core/page_survey.c \
	src/core/page_tables.h src/core/page_tables.c \
	src/core/page_trust.h src/core/page_trust.c \
	src/core/page_vote.h src/core/page_vote.c src/core/page_vote_image.c \
	src/core/page_zones.h src/core/page_zones.c \
	src/core/pages.h src/core/pages.c \
	src/core/pages_absent.h src/core/pages_absent.c \
	src/core/pages_find.c \
	src/core/pages_leave_out.c \
	src/core/pages_stored.h src/core/pages_stored.c \
	src/core/segments.h src/core/segments.c \
	src/core/small_reads.h src/core/small_reads.c \
	src/core/uts.h src/core/uts.c \
	src/core/virt.h src/core/virt.c \
	src/core/virt_arch.h \
	src/core/virt_arm64.c \
	src/core/virt_x86.c \
	src/core/vmcoreinfo.h src/core/vmcoreinfo.c \
	src/core/window.h src/core/window.c
