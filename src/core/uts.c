// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "core/uts.h"

/* --- machines ---------------------------------------------------------------- */

static const struct {
	uint16_t machine;
	const char *name;
	size_t status_size;		/* of struct elf_prstatus, with the registers of a CPU */
	const char *keys[2];		/* of VMCOREINFO, which its kernels have, and no others */
	uint64_t kernel;		/* its symbols are at this address or above; 0: not known */
} machines[] = {
	{ EM_X86_64, "x86_64", 336, { "NUMBER(phys_base)", "SYMBOL(init_level4_pgt)" }, 0xffffffff80000000 },
	{ EM_AARCH64, "aarch64", 392, { "NUMBER(kimage_voffset)", "NUMBER(TCR_EL1_T1SZ)" }, 0xffff000000000000 },
	{ EM_RISCV, "riscv64", 376, { "NUMBER(phys_ram_base)", "NUMBER(KERNEL_LINK_ADDR)" }, 0 },
	{ EM_PPC64, "ppc64le", 504, { "SYMBOL(mmu_vmemmap_psize)", "SYMBOL(vmemmap_list)" }, 0xc000000000000000 },
	{ EM_LOONGARCH, "loongarch64", 480, { NULL, NULL }, 0x9000000000000000 },
	{ EM_IA_64, "ia64", 1144, { NULL, NULL }, 0xa000000000000000 },
	{ EM_MIPS, "mips64", 480, { NULL, NULL }, 0 },
};

enum { MACHINES = sizeof(machines) / sizeof(*machines) };

static uint16_t machine_of_name(const char *name)
{
	for (size_t i = 0; i < MACHINES; i++)
		if (strcmp(machines[i].name, name) == 0)
			return machines[i].machine;
	return EM_NONE;
}

const char *machine_name(uint16_t machine)
{
	for (size_t i = 0; i < MACHINES; i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}

static bool has_key(const struct vmcoreinfo *info, const char *key)
{
	char value[64];

	return key && vmcoreinfo_text(info, key, value, sizeof(value));
}

uint16_t machine_of_keys(const struct vmcoreinfo *info)
{
	for (size_t i = 0; i < MACHINES; i++)
		if (has_key(info, machines[i].keys[0]) || has_key(info, machines[i].keys[1]))
			return machines[i].machine;
	return EM_NONE;
}

static uint16_t machine_of_registers(const struct core *core)
{
	struct note note;
	size_t at = 0;

	while (core_next_note(core, &at, &note))
		for (size_t i = 0; i < MACHINES; i++)
			if (note.type == NT_PRSTATUS && note_has_name(&note, "CORE") &&
			    note.desc_size == machines[i].status_size)
				return machines[i].machine;
	return EM_NONE;
}

static uint16_t machine_of_address(const struct vmcoreinfo *info)
{
	uint64_t address, kernel = 0;
	uint16_t machine = EM_NONE;

	if (!vmcoreinfo_get(info, "SYMBOL", "_stext", &address))
		return EM_NONE;
	for (size_t i = 0; i < MACHINES; i++)
		if (machines[i].kernel > kernel && machines[i].kernel <= address) {
			kernel = machines[i].kernel;
			machine = machines[i].machine;
		}
	return machine;
}

uint16_t machine_of_notes(const struct core *core, const struct vmcoreinfo *info)
{
	uint16_t machine = machine_of_registers(core);

	return machine ? machine : machine_of_address(info);
}

/* --- names ------------------------------------------------------------------- */

/* libkdumpfile expects a zero byte at the very end. */
static bool ends(const char text[UTS_TEXT])
{
	return text[UTS_TEXT - 1] == '\0';
}

static bool is_sane(const struct uts *uts)
{
	return ends(uts->sysname) && ends(uts->nodename) && ends(uts->release) &&
	       ends(uts->version) && ends(uts->machine) && ends(uts->domainname) &&
	       strcmp(uts->sysname, "Linux") == 0 && uts->release[0] && uts->version[0] &&
	       uts->machine[0];
}

uint16_t machine_of_page(const uint8_t *page, size_t size)
{
	struct uts uts;

	for (size_t at = 0; at + sizeof(uts) <= size; at += sizeof(uint32_t)) {
		uint16_t machine;

		if (memcmp(page + at, "Linux", sizeof("Linux")) != 0)
			continue;
		memcpy(&uts, page + at, sizeof(uts));
		machine = is_sane(&uts) ? machine_of_name(uts.machine) : EM_NONE;
		if (machine)
			return machine;
	}
	return EM_NONE;
}

/* Each text ends in a zero byte, whatever the dump has. */
static void take_names(struct uts *uts, const char *bytes)
{
	memcpy(uts, bytes, sizeof(*uts));
	for (size_t end = UTS_TEXT; end <= sizeof(*uts); end += UTS_TEXT)
		((char *)uts)[end - 1] = '\0';
}

uint16_t uts_of_header(struct uts *uts, const char bytes[sizeof(struct uts) + 2 * UTS_MOVED])
{
	static const unsigned offsets[] = { UTS_MOVED, 0, 2 * UTS_MOVED };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		uint16_t machine;

		take_names(uts, bytes + offsets[i]);
		machine = machine_of_name(uts->machine);
		if (!machine)
			continue;
		/* The first bytes of the first text are not in the header. */
		if (offsets[i] < UTS_MOVED)
			snprintf(uts->sysname, sizeof(uts->sysname), "Linux");
		return machine;
	}
	take_names(uts, bytes + UTS_MOVED);
	if (strcmp(uts->sysname, "Linux") != 0)
		*uts = (struct uts){ .sysname = "" };
	/* "Unknown" in dumps of QEMU. */
	if (strcasestr(uts->machine, "unknown"))
		uts->machine[0] = '\0';
	return EM_NONE;
}

/* Kernels 2.6 have no uts_namespace.name; there a reference count precedes the names. */
static bool read_uts(const struct virt *v, struct uts *uts)
{
	uint64_t address, offset;
	struct error ignored;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "init_uts_ns", &address))
		return false;
	if (!vmcoreinfo_get(v->info, "OFFSET", "uts_namespace.name", &offset))
		offset = sizeof(int32_t);
	return !virt_read(v, address + offset, sizeof(*uts), (uint8_t *)uts, &ignored) &&
	       is_sane(uts);
}

struct uts uts_find(const struct virt *v)
{
	const char *machine = machine_name(v->core->machine);
	struct uts uts;

	if (read_uts(v, &uts))
		return uts;
	uts = (struct uts){ .sysname = "Linux", .version = "(unknown)" };
	if (!vmcoreinfo_text(v->info, "OSRELEASE", uts.release, sizeof(uts.release)) ||
	    !uts.release[0])
		snprintf(uts.release, sizeof(uts.release), "(unknown)");
	if (machine)
		snprintf(uts.machine, sizeof(uts.machine), "%s", machine);
	else
		snprintf(uts.machine, sizeof(uts.machine), "ELF machine %u", v->core->machine);
	return uts;
}
