// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "core/virt/virt_arch.h"

uint64_t virt_number_or(const struct virt *v, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return vmcoreinfo_get(v->info, "NUMBER", name, &value) ? value : otherwise;
}

void virt_init(struct virt *v, const struct core *core, const struct vmcoreinfo *info)
{
	/* The default of makedumpfile for kernels without phys_ram_base. */
	const uint64_t riscv_base = 0x80200000;

	*v = (struct virt){ .core = core, .info = info };
	switch (core->machine) {
	case EM_X86_64:
		virt_x86_init(v);
		break;
	case EM_AARCH64:
		virt_arm64_init(v);
		break;
	case EM_RISCV:
		v->phys_base = virt_number_or(v, "phys_ram_base", riscv_base);
		break;
	}
}

static bool by_linear(const struct virt_linear *l, uint64_t vaddr, uint64_t *paddr,
		      uint64_t *length)
{
	uint64_t within = vaddr - l->vaddr;

	if (vaddr < l->vaddr || within >= l->length)
		return false;
	*paddr = l->paddr + within;
	*length = l->length - within;
	return true;
}

/* By p_vaddr, for kernel addresses only, since some writers leave it 0. */
static bool by_segment(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length)
{
	const struct segment_index *x = &v->core->virtual;
	uint64_t within;
	size_t at;

	/* If this segment is not at a kernel address, those before it are not either. */
	if (!segment_index_last(x, segment_index_up_to(x, vaddr), vaddr, &at) ||
	    x->ranges[at].first >> 56 != 0xff)
		return false;
	within = vaddr - x->ranges[at].first;
	*paddr = x->ranges[at].segment->paddr + within;
	*length = x->ranges[at].segment->filesz - within;
	return true;
}

enum status virt_find(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
		      struct error *e)
{
	enum status status;

	if (vaddr & v->kernel_bit)
		vaddr |= v->tag;
	if (by_linear(&v->linear[0], vaddr, paddr, length) ||
	    by_linear(&v->linear[1], vaddr, paddr, length))
		return STATUS_OK;
	status = page_tables_walk(&v->tables, v->core, vaddr, paddr, length, e);
	if (!status || core_bytes_end(status))
		return status;
	if (by_linear(&v->assumed, vaddr, paddr, length) || by_segment(v, vaddr, paddr, length))
		return STATUS_OK;
	return STATUS_MISSING;
}

enum status virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
			   struct error *e)
{
	uint64_t sought = vaddr & v->kernel_bit ? vaddr | v->tag : vaddr;
	enum status status = virt_find(v, vaddr, paddr, length, e);

	if (status == STATUS_MISSING)
		error_set(e, status, "cannot translate kernel address %#" PRIx64, sought);
	return status;
}

enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e)
{
	while (len) {
		uint64_t paddr, some;
		enum status status = virt_translate(v, vaddr, &paddr, &some, e);

		if (status)
			return status;
		some = min_u64(some, len);
		status = memory_read(v->core, paddr, some, dst, e);
		if (status)
			return error_prefix(e, "kernel address %#" PRIx64 ": ", vaddr);
		dst += some;
		vaddr += some;
		len -= some;
	}
	return STATUS_OK;
}
