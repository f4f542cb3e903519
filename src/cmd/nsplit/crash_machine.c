// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/cpus.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/check/initramfs.h"
#include "cmd/nsplit/check/kernel.h"
#include "cmd/nsplit/crash_machine.h"

const char *crash_machine_root(void)
{
	const char *root = getenv("NSPLIT_ROOT");

	return root ? root : "";
}

/* --- the call -------------------------------------------------------------------------------------- */

static const char *origin(const struct crash_machine *m)
{
	return m->kdump.config ? m->kdump.config : m->kdump.name;
}

/* In the capture kernel, such a mistake costs no dump. */
static void note_mistake(void *arg, struct error *e)
{
	struct crash_machine *m = arg;

	found_kind(&m->found, FINDING_COLLECTOR_OPTIONS, "%s: %s", origin(m), e->text);
}

static void ignore_mistake(void *arg, struct error *e)
{
	(void)arg;
	(void)e;
}

/* Makes the call, with words of this program's own command line if argc is more than 1, and reads its options. */
static enum status try_call(struct crash_machine *m, const struct nsplit_options *given, int argc, char **argv,
			    void (*report)(void *arg, struct error *e), struct nsplit_options *called, struct error *e)
{
	const struct mistake_reporter reporter = { .report = report, .arg = m };

	*called = (struct nsplit_options){ 0 };
	if (collector_call_make(&m->call, m->root, &m->kdump, given, argc, argv, e))
		return e->status;
	return nsplit_options_try(called, m->call.argc, m->call.argv, &reporter, e);
}

/* The option that makes nsplit do something else than save the dump. */
static const char *mode_of(const struct nsplit_options *o)
{
	if (o->dry_run)
		return "--dry-run";
	if (o->check_params)
		return "--check-params";
	if (o->estimate)
		return "--estimate";
	return o->drill ? "--drill" : NULL;
}

/* As kdump itself calls it. */
static bool call_is_usable(struct crash_machine *m, const struct nsplit_options *given, char **argv)
{
	struct nsplit_options called;
	struct error e;
	enum status status = try_call(m, given, 1, argv, note_mistake, &called, &e);
	const char *mode = status ? NULL : mode_of(&called);

	if (mode)
		status = error_set(&e, STATUS_END, "with %s, nsplit saves nothing", mode);
	if (status == STATUS_END)
		found_kind(&m->found, FINDING_COLLECTOR_SAVES_NOTHING, "%s: %s", origin(m), e.text);
	else if (status)
		note_mistake(m, &e);
	nsplit_options_free(&called);
	collector_call_free(&m->call);
	return !status;
}

static void take_call(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv)
{
	struct nsplit_options called;
	struct error e;

	if (!call_is_usable(m, o, argv))
		return;
	if (!try_call(m, o, argc, argv, ignore_mistake, &called, &e)) {
		nsplit_options_move(o, &called);
		m->called = true;
	} else {
		note_mistake(m, &e);
	}
	nsplit_options_free(&called);
}

void crash_machine_begin(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv)
{
	*m = (struct crash_machine){ .root = crash_machine_root() };
	/* Then the check is about the capture only. */
	if (o->check_params && (!vmcore_absent(o->source) || o->capture_only))
		return;
	kdump_system_find(m->root, &m->kdump);
	if (!o->has_operands && m->kdump.kind != KDUMP_NONE)
		take_call(m, o, argc, argv);
}

void crash_machine_end(struct crash_machine *m)
{
	findings_free(&m->found);
	collector_call_free(&m->call);
}

void crash_machine_report_call(const struct crash_machine *m, const struct nsplit_options *o, const char *who)
{
	char text[CALL_TEXT_LENGTH];

	findings_print(&m->found, false);
	if (m->called && !o->quiet)
		message("%s: as %s calls it: %s", who, m->kdump.name, collector_call_format(&m->call, text));
}

/* --- the capture kernel ------------------------------------------------------------------------------ */

struct crash_kernel crash_machine_kernel(const struct crash_machine *m, const struct names *outputs)
{
	struct crash_kernel kernel = crash_kernel_of(m->root);
	struct findings ignored = { 0 };

	if (m->kdump.kind != KDUMP_NONE)
		kernel.initramfs = nsplit_check_initramfs(&ignored, m->root, &m->kdump, outputs);
	findings_free(&ignored);
	return kernel;
}

unsigned crash_machine_cpus(const struct crash_machine *m)
{
	unsigned all = cpus_allowed();

	return m->kdump.cpus && m->kdump.cpus < all ? m->kdump.cpus : all;
}

bool crash_machine_is_ready(const struct crash_kernel *kernel)
{
	struct findings found = { 0 };
	bool ready;

	nsplit_check_kernel(&found, kernel);
	findings_print(&found, false);
	ready = findings_exit_status(&found) == EXIT_PERFECT;
	findings_free(&found);
	return ready;
}
