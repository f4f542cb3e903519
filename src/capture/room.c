// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/size.h"
#include "capture/room.h"

/* Its code, its tables, and an initramfs of busybox and a few programs. */
enum { CAPTURE_KERNEL = 84 << 20 };
/* And what grows with the memory that it is given: the table of pages, and watermarks. */
enum { CAPTURE_KERNEL_SHARE = 32 };

static const char iomem_file[] = "/proc/iomem";
static const char meminfo_file[] = "/proc/meminfo";
static const char reserved_file[] = "/sys/kernel/kexec_crash_size";

uint64_t room_ram(FILE *iomem)
{
	char line[128], what[16];
	uint64_t first, last, sum = 0;

	/* Indented lines are parts of the one before. */
	while (fgets(line, sizeof(line), iomem))
		if (*line != ' ' &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " : %15[^\n]", &first, &last, what) == 3 &&
		    strcmp(what, "System RAM") == 0 && last > first)
			sum += last - first + 1;
	return sum;
}

bool room_available(FILE *meminfo, uint64_t *bytes)
{
	char line[128];
	uint64_t kib;

	while (fgets(line, sizeof(line), meminfo)) {
		if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1) {
			*bytes = kib << 10;
			return true;
		}
	}
	return false;
}

bool room_here(struct room *room)
{
	FILE *file = fopen(meminfo_file, "re");
	bool found;

	*room = (struct room){ .reserved = false };
	if (!file)
		return false;
	found = room_available(file, &room->bytes);
	fclose(file);
	return found;
}

bool room_reserved(struct room *room)
{
	FILE *file = fopen(reserved_file, "re");
	bool found;

	*room = (struct room){ .reserved = true };
	if (!file)
		return false;
	found = fscanf(file, "%" SCNu64, &room->bytes) == 1;
	fclose(file);
	return found;
}

uint64_t room_machine(void)
{
	FILE *file = fopen(iomem_file, "re");
	struct sysinfo info;
	uint64_t ram = 0;

	if (file) {
		ram = room_ram(file);
		fclose(file);
	}
	/* Less what the kernel keeps for itself, which is near enough. */
	if (!ram && sysinfo(&info) == 0)
		ram = (uint64_t)info.totalram * info.mem_unit;
	return ram;
}

uint64_t room_of_reserved(uint64_t reserved)
{
	uint64_t taken = CAPTURE_KERNEL + reserved / CAPTURE_KERNEL_SHARE;

	return reserved > taken ? reserved - taken : 0;
}

enum status room_check(const struct room *room, uint64_t needed, struct error *e)
{
	uint64_t left = room->reserved ? room_of_reserved(room->bytes) : room->bytes;
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH];

	if (room->reserved && !room->bytes)
		return error_set(e, STATUS_NO_MEMORY, "no memory is reserved for a capture kernel "
				 "(crashkernel=)");
	if (needed <= left)
		return STATUS_OK;
	size_format(needed, need);
	size_format(left, have);
	if (!room->reserved)
		return error_set(e, STATUS_NO_MEMORY, "needs %s of memory, and %s is available; use "
				 "--mem-limit, or fewer threads (-j)", need, have);
	return error_set(e, STATUS_NO_MEMORY, "needs %s of memory, and of the %s reserved for it "
			 "(crashkernel=) a capture kernel leaves about %s; reserve more, or use "
			 "--mem-limit, or fewer threads (-j)", need, size_format(room->bytes, all),
			 have);
}
