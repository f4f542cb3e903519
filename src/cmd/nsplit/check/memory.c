// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/text.h"
#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_plan.h"
#include "cmd/nsplit/check/memory.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/dump.h"

static struct limits limits_unknown(void)
{
	return (struct limits){
		.memory = { UINT64_MAX, "" },
		.addresses = { UINT64_MAX, "" },
	};
}

static struct limits limits_in_capture_kernel(const struct crash_kernel *kernel)
{
	struct limits limits = limits_unknown();

	if (kernel->initramfs)
		limits.memory = (struct limit){
			crash_kernel_leaves_beside(kernel->reserved, kernel->initramfs),
			"what a capture kernel with this initramfs leaves free of crashkernel="
		};
	else
		limits.memory = (struct limit){
			crash_kernel_leaves(kernel->reserved),
			"what a capture kernel leaves free of crashkernel="
		};
	return limits;
}

struct limits nsplit_limits_for(const struct crash_kernel *kernel)
{
	if (!kernel)
		return limits_here();
	return kernel->reserved_known ? limits_in_capture_kernel(kernel) :
					limits_unknown();
}

static void report_fit(struct findings *found, const struct limits *limits,
		       const struct memory_plan *plan)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];

	if (limits->memory.bytes == UINT64_MAX)
		found_kind(found, FINDING_MEMORY_UNKNOWN, "memory: the available amount is unknown");
	else
		found_good(found, "memory: %s of %s (%s)", size_format(plan->total, need),
			   size_format(limits->memory.bytes, have), limits->memory.what);
}

struct memory_checked nsplit_check_memory(struct findings *found, const struct nsplit_options *o,
			 struct source *source, const struct sink *sinks,
			 const struct layer_policy *policy, const struct crash_kernel *kernel)
{
	struct capture_settings settings = o->capture;
	struct limits limits = nsplit_limits_for(kernel);
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	struct memory_checked checked = { UINT64_MAX, limits.memory.bytes, settings.threads };
	struct memory_plan plan;
	struct error e;

	settings.policy = policy;
	nsplit_set_headers(&settings, o, source, kernel ? crash_machine_root() : NULL);
	if (!found_no_error(found, FINDING_MEMORY_LIMIT,
			    capture_fit(&settings, source, sinks, (unsigned)o->outputs.count, &limits,
					&plan, &note, &e), &e))
		return checked;
	checked.need = plan.total;
	checked.threads = settings.threads;
	if (note.outcome == FIT_NOT) {
		found_kind(found, FINDING_MEMORY_TOO_SMALL, "%s", note.text.text);
		return checked;
	}
	/* With a smaller capture there will be a dump. */
	if (note.outcome == FIT_WITH_LESS)
		found_kind(found, FINDING_MEMORY_SHORT, "%s", note.text.text);
	report_fit(found, &limits, &plan);
	if (kernel && !kernel->initramfs)
		found_kind(found, FINDING_MEMORY_INITRAMFS,
			   "the memory that the initramfs of the capture kernel takes");
	return checked;
}
