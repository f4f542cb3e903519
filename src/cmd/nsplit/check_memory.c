// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/size.h"
#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_fit.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/check_memory.h"

static struct limits limits_unknown(void)
{
	return (struct limits){
		.memory = { UINT64_MAX, "" },
		.addresses = { UINT64_MAX, "" },
	};
}

static struct limits limits_in_capture_kernel(uint64_t reserved)
{
	struct limits limits = limits_unknown();

	limits.memory = (struct limit){
		crash_kernel_leaves(reserved),
		"what a capture kernel leaves free of crashkernel="
	};
	return limits;
}

struct limits nsplit_limits_for(const struct crash_kernel *kernel)
{
	if (!kernel)
		return limits_here();
	return kernel->reserved_known ? limits_in_capture_kernel(kernel->reserved) :
					limits_unknown();
}

static void report_fit(struct findings *found, const struct limits *limits,
		       const struct memory_plan *plan)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];

	if (limits->memory.bytes == UINT64_MAX)
		found_unchecked(found, "memory: the available amount is unknown");
	else
		found_good(found, "memory: %s of %s (%s)", size_format(plan->total, need),
			   size_format(limits->memory.bytes, have), limits->memory.what);
}

/* If a smaller capture fits, there will be a dump, so this is reported but is not a failure. */
static void report_less(struct findings *found, const struct fit_note *note)
{
	if (!found->verbose)
		message("%s", note->text.text);
	found_note(found, "%s", note->text.text);
}

void nsplit_check_memory(struct findings *found, const struct nsplit_options *o,
			 const struct source *source, const struct sink *sinks,
			 const struct layer_policy *policy, const struct crash_kernel *kernel)
{
	struct capture_settings settings = o->capture;
	struct limits limits = nsplit_limits_for(kernel);
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	struct memory_plan plan;
	struct error e;

	settings.policy = policy;
	if (!found_no_error(found, capture_fit(&settings, source, sinks,
					       (unsigned)o->outputs.count, &limits, &plan, &note,
					       &e), &e))
		return;
	if (note.outcome == FIT_NOT) {
		found_no_error(found, note.text.status, &note.text);
		return;
	}
	if (note.outcome == FIT_WITH_LESS)
		report_less(found, &note);
	report_fit(found, &limits, &plan);
	if (kernel)
		found_unchecked(found, "the memory that the initramfs of the capture kernel takes");
}
