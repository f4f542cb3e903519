// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/size.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/check/memory.h"
#include "cmd/nsplit/drill/limits.h"

bool drill_limits_find(const struct nsplit_options *o, const struct crash_machine *machine, struct drill_limits *limits)
{
	struct crash_kernel kernel;
	char size[SIZE_TEXT_LENGTH];

	*limits = (struct drill_limits){
		.memory = o->drill_memory ? o->drill_memory : UINT64_MAX,
		.cpus = crash_machine_cpus(machine),
	};
	if (o->drill_memory)
		return true;
	kernel = crash_machine_kernel(machine, &o->outputs);
	limits->no_dump = vmcore_absent(o->source) && !crash_machine_is_ready(&kernel);
	if (!kernel.reserved_known || !kernel.reserved)
		return true;
	limits->memory = nsplit_limits_for(&kernel).memory.bytes;
	if (!limits->memory)
		message("drill failed: of the %s that crashkernel= reserves, a capture kernel leaves nothing to programs",
			size_format(kernel.reserved, size));
	return limits->memory;
}
