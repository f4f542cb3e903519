// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/system.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/probe.h"
#include "core/kinds/page_class.h"
#include "export/kdump.h"

/* --- settings of the estimate ------------------------------------------------ */

static void add_preset(struct estimate_settings *s, const struct preset *preset)
{
	for (unsigned i = 0; i < s->presets_count; i++)
		if (s->presets[i].codec == preset->codec && s->presets[i].level == preset->level)
			return;
	if (s->presets_count < CODECS_SHOWN)
		s->presets[s->presets_count++] = *preset;
}

/* That of the options comes first; the others are for comparison. */
static void set_presets(struct estimate_settings *s, const struct presets *presets)
{
	static const char *const others[] = { "raw", "lzo", "lz4", "zstd:1" };

	/* -C auto packs at least as well as its standard preset where the outputs are slow. */
	add_preset(s, &presets->list[presets->count > 1 ? PRESET_STANDARD : 0]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && s->form != ESTIMATE_ELF; i++) {
		struct presets found;
		struct error not_built;

		if (!presets_find(others[i], &found, &not_built) &&
		    (s->form != ESTIMATE_KDUMP || kdump_has_codec(found.list[0].codec->id)))
			add_preset(s, &found.list[0]);
	}
}

static struct estimate_settings settings_of(const struct nsplit_estimate *n)
{
	enum { NO_LIMIT = 1 << 20 };	/* seconds */
	const struct nsplit_options *o = n->options;
	/* Larger blocks gain little, and would take more memory here. */
	uint32_t given = (uint32_t)min_u64(o->capture.block_size, ESTIMATE_BLOCK_MAX);
	struct estimate_settings s;

	estimate_settings_init(&s);
	s.root = n->root;
	/* A test must not depend on how busy its machine is. */
	if (*n->root)
		s.count_seconds = s.sample_seconds = NO_LIMIT;
	s.form = o->format == NSPLIT_KDUMP ? ESTIMATE_KDUMP : o->format == NSPLIT_ELF ? ESTIMATE_ELF : ESTIMATE_MEMBERS;
	s.first = o->left_out.classes ? PACKED_BY_BLOCK : PACKED_BY_PAGE;
	set_presets(&s, &o->capture.presets);
	s.block_size[PACKED_BY_PAGE] = o->block_size_given ? given : BLOCK_SIZE_MIN;
	s.block_size[PACKED_BY_BLOCK] = o->block_size_given ? given : PAGE_POLICY_BLOCK;
	/* A dump that other programs open has pages. */
	if (s.form != ESTIMATE_MEMBERS)
		s.block_size[PACKED_BY_PAGE] = s.block_size[PACKED_BY_BLOCK] = (uint32_t)sysconf(_SC_PAGESIZE);
	return s;
}

/* --- outputs and memory -------------------------------------------------------- */

/* Each problem is reported; the estimate continues without that output. */
static void probe_outputs(struct nsplit_estimate *n)
{
	const struct nsplit_options *o = n->options;
	struct error e;

	for (unsigned i = 0; i < o->outputs.count; i++) {
		enum status status = nsplit_probe_output(o, n->source, n->sinks, i, &e);

		if (!status) {
			if (nsplit_probe_memory(o, &n->sinks[i], &e))
				message("warning: %s", e.text);
			continue;
		}
		message("%s", e.text);
		n->sinks[i].unavailable = true;
		if (n->outputs_status != EXIT_USAGE)
			n->outputs_status = status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
}

/* Whether a capture with the settings fits this limit; the settings are changed if it fits with less. */
static enum status fit(const struct nsplit_estimate *n, const struct limit *limit,
		       struct capture_settings *settings, struct memory_plan *plan, struct fit_note *note,
		       struct error *e)
{
	const struct nsplit_options *o = n->options;
	struct page_policy layers;
	enum status status;

	*settings = o->capture;
	if (o->left_out.given || o->format != NSPLIT_MEMBERS)
		settings->policy = page_policy_expect(&layers, n->source, o->left_out.classes);
	status = capture_fit(settings, n->source, n->sinks, (unsigned)o->outputs.count, limit, plan, note, e);
	settings->policy = NULL;
	return status;
}

/* Steps in which memory is reserved, and the most that is looked for. */
enum { CRASHKERNEL_STEP = 64 << 20 };
static const uint64_t crashkernel_most = (uint64_t)8 << 30;

/* Bytes of the files of an initramfs with systemd, if those of this machine's are unknown (doc/kdump.md). */
enum { INITRAMFS_USUAL = 48 << 20 };

/* The least memory of a capture kernel in which the capture need not become smaller. */
static uint64_t find_crashkernel(const struct nsplit_estimate *n)
{
	for (uint64_t bytes = 2 * (uint64_t)CRASHKERNEL_STEP; bytes <= crashkernel_most; bytes += CRASHKERNEL_STEP) {
		const struct crash_kernel kernel = {
			.reserved_known = true, .reserved = bytes,
			.initramfs = n->kernel.initramfs ? n->kernel.initramfs : INITRAMFS_USUAL,
		};
		struct limit limit = crash_machine_limit(&kernel);
		struct fit_note note = { .outcome = FIT_AS_WANTED };
		struct capture_settings settings;
		struct memory_plan plan;
		struct error e;

		if (fit(n, &limit, &settings, &plan, &note, &e))
			return 0;
		if (note.outcome == FIT_AS_WANTED)
			return bytes;
	}
	return 0;
}

/* If nothing is reserved, the plan is that of a machine on which enough is. */
static enum status fit_memory(struct nsplit_estimate *n, const struct crash_machine *machine, struct error *e)
{
	struct crash_kernel kernel;

	n->kernel = crash_machine_kernel(machine, &n->options->outputs, e);
	kernel = n->kernel;
	kernel.reserved_known = kernel.reserved_known && kernel.reserved;
	n->limit = crash_machine_limit(&kernel);
	n->crashkernel = find_crashkernel(n);
	return fit(n, &n->limit, &n->fitted, &n->plan, &n->fit, e);
}

/* --- the dump of the options ------------------------------------------------------ */

/* Threads pack while writers write, so the slower of CPUs and disks decides. */
static void forecast(struct nsplit_estimate *n)
{
	/* To start the program and its threads, to begin each pass, and to end the outputs (doc/benchmarks.md, section 13). */
	const double fixed_seconds = 0.02;
	const struct trial *tried = &n->room.tried;
	double cpu = estimate_cpu_seconds(&n->pages, n->level, 0);

	n->bytes = estimate_bytes(&n->pages, n->level, 0);
	if (tried->bytes)
		cpu += (double)n->bytes * tried->cpu_seconds / (double)tried->bytes;
	n->seconds = cpu / capture_workers(&n->options->capture);
	n->at_least = !n->room.rate_known;
	if (!n->at_least && n->room.rate > 0)
		n->seconds = max_double(n->seconds, (double)n->bytes / n->room.rate);
	n->seconds += fixed_seconds;
}

static struct nsplit_estimate begin(const struct nsplit_options *o)
{
	return (struct nsplit_estimate){
		.options = o, .root = crash_machine_root(), .outputs_status = EXIT_PERFECT,
		.level = dump_level_of_classes(o->left_out.classes) | (o->left_out.zero ? DUMP_LEVEL_ZERO : 0),
	};
}

/* Reports outputs that cannot be used.  An error says why there is no estimate. */
static enum status make(struct nsplit_estimate *n, const struct crash_machine *machine, struct error *e)
{
	const struct nsplit_options *o = n->options;
	struct estimate_settings settings = settings_of(n);
	enum status status;

	n->sinks = calloc(o->outputs.count + 1, sizeof(*n->sinks));
	if (!n->sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	status = source_expect(&n->source, o->source, crash_kernel_source(n->root), o->mmap, e);
	if (status)
		return status;
	probe_outputs(n);
	status = estimate_make(&n->pages, &settings, e);
	if (!status)
		status = room_look(&n->room, n->sinks, (unsigned)o->outputs.count, o->capture.fallbacks, e);
	if (!status)
		status = fit_memory(n, machine, e);
	if (!status)
		forecast(n);
	return status;
}

uint64_t nsplit_estimate_kept(const struct nsplit_options *o)
{
	enum { SAMPLE_LEAST = 1 << 20 };	/* bytes to pack, since nobody asks how well they can be */
	const struct nsplit_estimate n = begin(o);
	struct estimate_settings settings = settings_of(&n);
	struct estimate pages;
	struct error e;

	settings.sample_max = SAMPLE_LEAST;
	if (estimate_make(&pages, &settings, &e))
		return 0;
	return estimate_pages(&pages, n.level) * pages.page_size;
}

int nsplit_estimate(const struct nsplit_options *o, struct crash_machine *machine)
{
	struct clock_times began = clock_begin();
	struct nsplit_options there = *o;	/* in the capture kernel; lists are borrowed */
	struct nsplit_estimate n = begin(&there);
	struct error e;				/* of the machine, it is printed */
	bool saves;

	background_enter();
	nsplit_set_headers(&there.capture, o, NULL, crash_machine_root());
	if (!o->threads_given)
		there.capture.threads = crash_machine_cpus(machine);
	saves = crash_machine_report_call(machine, o, "estimate", &e);
	if (make(&n, machine, &e)) {
		message("%s", e.text);
		n.outputs_status = e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	} else {
		n.own = clock_since(&began);
		nsplit_estimate_print(&n);
		if (!n.outputs_status && (!saves || (n.room.space_known && !room_dumps(&n.room, n.bytes))))
			n.outputs_status = EXIT_FAILED;
	}
	room_free(&n.room);
	for (size_t i = 0; n.sinks && i < o->outputs.count; i++)
		sink_free(&n.sinks[i]);
	free(n.sinks);
	source_close(n.source);
	return n.outputs_status;
}
