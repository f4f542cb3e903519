// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory of this machine, as /proc/kcore shows it: contents of pages, and where the memory map is.
 * Only root may read it, and not if the kernel is locked down for confidentiality.
 */
#ifndef NSPLIT_ESTIMATE_KCORE_H
#define NSPLIT_ESTIMATE_KCORE_H

#include "core/kinds/page_map.h"

/* Must not be moved while it is open. */
struct kcore {
	int fd;
	double until;			/* clock_seconds(): nothing is read after that; 0: no limit */
	struct core core;
	struct vmcoreinfo info;
	struct page_keys keys;
	struct virt virt;
	struct page_map map;		/* empty, unless has_map */
	bool has_map;
};

/*
 * root: /proc is below it.  If it takes more than these seconds to find the map, there is none.  Any failure says
 * why the contents of memory are not known; the error begins with the file's name.  kcore_close() in any case.
 */
enum status kcore_open(struct kcore *kcore, const char *root, double seconds, struct error *e);
void kcore_close(struct kcore *kcore);

/* Reads bytes at a physical address.  False: they cannot be read. */
bool kcore_read(const struct kcore *kcore, uint64_t address, size_t length, uint8_t *bytes);

/* Bytes of a struct page; that of most kernels if it is not known. */
uint32_t kcore_struct_page(const struct kcore *kcore);

#endif
