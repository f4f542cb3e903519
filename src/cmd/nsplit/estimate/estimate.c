// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes an estimate, and shows it as tables and sentences, or as a JSON object. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "capture/memory/memory_plan.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/probe.h"
#include "core/kinds/page_class.h"
#include "estimate/estimate.h"
#include "io/path.h"
#include "set/dump.h"

/* A capture that fits the memory as well as possible. */
struct fitted {
	struct memory_plan plan;
	struct fit_note note;
	unsigned threads;
};

/* The outputs are those of the options. */
struct nsplit_estimate {
	const struct nsplit_options *options;
	unsigned level;			/* the dump level of the options */
	struct source *source;		/* stands for /proc/vmcore; owned */
	struct sink *sinks;		/* of all outputs; owned */
	int outputs_status;		/* the exit status because of outputs that cannot be used */
	struct estimate pages;
	struct room room;
	struct crash_kernel kernel;
	struct limit limit;		/* of the capture kernel */
	struct fitted fitted;
	uint64_t crashkernel;		/* the least that is sufficient for the settings as they are; 0: unknown */
	/* The dump that the options ask for. */
	uint64_t bytes;
	double seconds;
	bool at_least;			/* the time to write to some outputs is unknown */
	/* Where a limit ends it; of a limit of which that is unknown, only the number. */
	enum capture_limit end;	/* LIMIT_NONE: there is none, or it is not reached */
	unsigned end_classes;		/* 1U << class: those in the layer that is not complete */
	double end_share;		/* of this layer that is kept */
	double end_whole;		/* bytes with all of this layer; 0: it is not the first one */
	enum capture_limit unknown;
	struct clock_times own;		/* of this program */
};

static unsigned level_of(const struct nsplit_options *o)
{
	return dump_level_of_classes(o->left_out.classes) | (o->left_out.zero ? DUMP_LEVEL_ZERO : 0);
}

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

static struct estimate_settings settings_of(const struct nsplit_options *o)
{
	enum { NO_LIMIT = 1 << 20 };	/* seconds */
	/* Larger blocks gain little, and would take more memory here. */
	uint32_t given = (uint32_t)min_u64(o->capture.block_size, ESTIMATE_BLOCK_MAX);
	struct estimate_settings s;

	estimate_settings_init(&s);
	s.root = crash_machine_root();
	/* A test must not depend on how busy its machine is. */
	if (*s.root)
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

uint64_t nsplit_estimate_kept(const struct nsplit_options *o)
{
	enum { SAMPLE_LEAST = 1 << 20 };	/* bytes to pack, since nobody asks how well they can be */
	struct estimate_settings settings = settings_of(o);
	struct estimate pages;
	struct error e;

	settings.sample_max = SAMPLE_LEAST;
	if (estimate_make(&pages, &settings, &e))
		return 0;
	return estimate_pages(&pages, level_of(o)) * pages.page_size;
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

/* Whether a capture fits this limit, if need be with less than the settings ask for. */
static enum status fit(const struct nsplit_estimate *n, const struct limit *limit, struct fitted *fitted, struct error *e)
{
	const struct nsplit_options *o = n->options;
	struct capture_settings settings = o->capture;
	const struct filter_wishes wishes = nsplit_wishes(o);
	struct page_policy page_policy;
	enum status status;

	*fitted = (struct fitted){ .note = { .outcome = FIT_AS_WANTED } };
	if (nsplit_has_policy(o, n->source))
		settings.policy = page_policy_expect(&page_policy, n->source, &wishes);
	status = capture_fit(&settings, n->source, n->sinks, (unsigned)o->outputs.count, limit, &fitted->plan, &fitted->note,
			     e);
	fitted->threads = capture_workers(&settings);
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
		struct fitted fitted;
		struct error e;

		if (fit(n, &limit, &fitted, &e))
			return 0;
		if (fitted.note.outcome == FIT_AS_WANTED)
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
	return fit(n, &n->limit, &n->fitted, e);
}

/* --- the dump of the options ------------------------------------------------------ */

/* Threads pack while writers write, so the slower of CPUs and disks decides. */
static double seconds_of(const struct nsplit_estimate *n, double cpu, double bytes)
{
	/* To start the program and its threads, to begin each pass, and to end the outputs (doc/benchmarks.md, section 13). */
	const double fixed_seconds = 0.02;
	const struct trial *tried = &n->room.tried;
	double seconds;

	if (tried->bytes)
		cpu += bytes * tried->cpu_seconds / (double)tried->bytes;
	seconds = cpu / capture_workers(&n->options->capture);
	if (!n->at_least && n->room.rate > 0)
		seconds = max_double(seconds, bytes / n->room.rate);
	return seconds + fixed_seconds;
}

/* The most bytes, or seconds.  False: there is no such limit, or it is not known, which is noted. */
static bool most_of(struct nsplit_estimate *n, enum capture_limit limit, double *most)
{
	const struct capture_limits *limits = &n->options->capture.limits;
	uint64_t given = limit == LIMIT_SIZE ? limits->size : limit == LIMIT_FREE ? limits->keep_free : limits->seconds;
	bool known = limit == LIMIT_SIZE || (limit == LIMIT_FREE ? n->room.space_known : !n->at_least);

	*most = (double)(limit == LIMIT_FREE ? n->room.bytes : given);
	if (given && !known)
		n->unknown = limit;
	return given && known;
}

/* The next pages, which are of a layer, are added to those before, as many as the limits allow. */
static void add_layer(struct nsplit_estimate *n, double *bytes, double *cpu, double more_bytes, double more_cpu)
{
	double share = 1, most;

	for (enum capture_limit i = LIMIT_SIZE; i <= LIMIT_TIME; i++) {
		bool time = i == LIMIT_TIME;
		double before = time ? seconds_of(n, *cpu, *bytes) : *bytes;
		double after = time ? seconds_of(n, *cpu + more_cpu, *bytes + more_bytes) : *bytes + more_bytes;

		if (!most_of(n, i, &most) || after <= most || (most - before) / (after - before) >= share)
			continue;
		share = max_double((most - before) / (after - before), 0);
		n->end = i;
	}
	n->end_share = share;
	*bytes += share * more_bytes;
	*cpu += share * more_cpu;
}

/* In the order of the capture. */
static void apply_limits(struct nsplit_estimate *n)
{
	const struct filter_wishes wishes = nsplit_wishes(n->options);
	double bytes = 0, cpu = estimate_cpu_seconds(&n->pages, n->level);
	struct class_table table;
	unsigned layers = filter_plan(n->source, &wishes, &table);

	for (unsigned i = 0; i < CLASSES; i++)
		cpu -= estimate_cpu_seconds_of(&n->pages, i, n->level);
	for (unsigned layer = 1; layer <= layers && !n->end; layer++) {
		double more_bytes = 0, more_cpu = 0;

		n->end_classes = 0;
		for (unsigned i = 0; i < CLASSES; i++) {
			if (class_layer(&table, i) != layer || !n->pages.of[i].pages)
				continue;
			n->end_classes |= 1U << i;
			more_bytes += estimate_bytes_of(&n->pages, i, n->level);
			more_cpu += estimate_cpu_seconds_of(&n->pages, i, n->level);
		}
		n->end_whole = layer == 1 ? more_bytes : 0;
		add_layer(n, &bytes, &cpu, more_bytes, more_cpu);
	}
	if (!n->end)
		return;
	n->bytes = (uint64_t)bytes;
	n->seconds = seconds_of(n, cpu, bytes);
}

enum { COLUMN = 12, LABEL = 17, WORD_LENGTH = 32, ADVICE_LENGTH = 512 };

/* --- one sentence ------------------------------------------------------------- */

/* As in the kernel's command line: the least that is sufficient, or what is reserved if that is. */
static void append_crashkernel(char *text, const struct nsplit_estimate *n)
{
	bool known = n->kernel.reserved_known, sufficient = known && n->kernel.reserved >= n->crashkernel;
	uint64_t bytes = sufficient && n->crashkernel ? n->kernel.reserved : n->crashkernel;
	bool whole = bytes >> 30 && !(bytes & ((1 << 30) - 1));

	if (!bytes)
		return;
	text_append(text, ADVICE_LENGTH, "crashkernel=%" PRIu64 "%c", bytes >> (whole ? 30 : 20), whole ? 'G' : 'M');
	if (known && !sufficient && n->kernel.reserved)
		text_append(text, ADVICE_LENGTH, " (now %" PRIu64 "M)", n->kernel.reserved >> 20);
	text_append(text, ADVICE_LENGTH, ", ");
}

/* No more exact than such a figure is. */
static void append_time(char *text, double seconds)
{
	enum { MINUTE = 60, HOUR = 3600 };

	if (seconds < 2 * MINUTE)
		text_append(text, ADVICE_LENGTH, "%.0f s", seconds < 1 ? 1 : seconds);
	else if (seconds < 2.0 * HOUR)
		text_append(text, ADVICE_LENGTH, "%.0f min", seconds / MINUTE);
	else
		text_append(text, ADVICE_LENGTH, "%.1f h", seconds / HOUR);
}

static void append_room(char *text, const struct nsplit_estimate *n)
{
	uint64_t dumps = room_dumps(&n->room, n->bytes);
	char space[SIZE_TEXT_LENGTH], directory[PATH_MAX];
	const char *where = "the outputs", *have = "have";

	if (!n->room.count)
		return;
	if (n->room.count == 1) {
		where = n->options->outputs.names[0];
		have = "has";
		if (n->sinks[0].kind == SINK_FILE && path_directory(where, directory))
			where = directory;
	}
	if (!n->room.space_known)
		text_append(text, ADVICE_LENGTH, "; whether it fits is unknown");
	else if (dumps)
		text_append(text, ADVICE_LENGTH, "; %s %s room for %" PRIu64, where, have, dumps);
	else
		text_append(text, ADVICE_LENGTH, "; it does not fit: %s %s only %s%s", where, have,
			    size_format(n->room.bytes, space),
			    n->options->capture.limits.keep_free ? " more than is kept free" : "");
}

/* "crashkernel=256M, -j4, -d 31: 11.0 GiB in about 40 s; /var/crash has room for 3"; returns text. */
static const char *format_advice(const struct nsplit_estimate *n, char text[ADVICE_LENGTH])
{
	char size[SIZE_TEXT_LENGTH];

	text[0] = '\0';
	append_crashkernel(text, n);
	text_append(text, ADVICE_LENGTH, "-j%u, -d %u: %s in %s ", capture_workers(&n->options->capture), n->level,
		    size_format(n->bytes, size), n->at_least ? "at least" : "about");
	append_time(text, n->seconds);
	append_room(text, n);
	return text;
}

/* "the limit of 20.0 GiB is reached within the anonymous pages: about 40 % of them are kept"; empty without limits. */
static const char *format_limit(const struct nsplit_estimate *n, char text[ADVICE_LENGTH])
{
	const struct capture_limits *limits = &n->options->capture.limits;
	bool map = n->end_classes == 1U << CLASS_MAP;
	const char *join = " within the ";
	char size[SIZE_TEXT_LENGTH];
	struct error reached;

	text[0] = '\0';
	if (n->end) {
		capture_limit_error(limits, n->end, &reached);
		text_append(text, ADVICE_LENGTH, "%s", reached.text);
		for (unsigned i = 0; i < CLASSES; i++)
			if (n->end_classes >> i & 1) {
				text_append(text, ADVICE_LENGTH, "%s%s", join, map ? "memory map" : layer_class_name(i));
				join = ", ";
			}
		text_append(text, ADVICE_LENGTH, "%s: about %.0f %% of %s kept", map ? "" : " pages", 100 * n->end_share,
			    map ? "it is" : "them are");
		if (n->end_whole)
			text_append(text, ADVICE_LENGTH, "; all of them take %s", size_format((uint64_t)n->end_whole, size));
	} else if (!n->unknown && (limits->size || limits->keep_free || limits->seconds)) {
		text_append(text, ADVICE_LENGTH, "no limit is reached");
	}
	if (n->unknown) {
		capture_limit_error(limits, n->unknown, &reached);
		text_append(text, ADVICE_LENGTH, "%swhether %s is unknown, as the %s of an output is", *text ? "; " : "",
			    reached.text, n->unknown == LIMIT_FREE ? "space" : "rate");
	}
	return text;
}

/* Of JSON: what format_limit() says. */
static void show_limit(const struct nsplit_estimate *n, struct json *json)
{
	static const char *const names[] = { [LIMIT_SIZE] = "size", [LIMIT_FREE] = "free", [LIMIT_TIME] = "time" };
	char text[ADVICE_LENGTH];

	if (*format_limit(n, text))
		json_text(json, "limits", text);
	if (!n->end)
		return;
	json_object(json, "limit");
	json_text(json, "name", names[n->end]);
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++)
		if (n->end_classes >> i & 1)
			json_text(json, NULL, layer_class_name(i));
	json_close_array(json);
	json_real(json, "kept", n->end_share);
	json_close_object(json);
}

/* --- parts of the report: text or, unless json is NULL, JSON, in which what is not known has no key --- */

static void show_origin(const struct estimate *est, struct json *json)
{
	char size[SIZE_TEXT_LENGTH];

	if (json) {
		json_number(json, "page_size", est->page_size);
		json_number(json, "pages", est->pages);
		json_number(json, "pages_looked_at", est->pages_seen);
		json_text(json, "pages_from", est->pages_from);
		if (est->pages_why.status)
			json_text(json, "pages_why", est->pages_why.text);
		json_text(json, "ratio_from", est->contents_read ? "/proc/kcore" : "usual machines");
		if (!est->contents_read)
			json_text(json, "ratio_why", est->contents_why.text);
		json_number(json, "sample_bytes", est->sample_bytes);
		return;
	}
	printf("memory: %s in %" PRIu64 " pages", size_format(est->pages * est->page_size, size), est->pages);
	if (est->pages_why.status)
		printf("; by /proc/meminfo, because %s", est->pages_why.text);
	else if (est->pages_seen < est->pages)
		printf(", of which a sample of %" PRIu64 " was looked at", est->pages_seen);
	printf("\n");
	if (est->contents_read)
		printf("packed size: measured on %s of pages from /proc/kcore\n", size_format(est->sample_bytes, size));
	else
		printf("packed size: that of usual machines, because %s\n", est->contents_why.text);
}

static void show_memory(const struct nsplit_estimate *n, struct json *json)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH], reserved[SIZE_TEXT_LENGTH];
	unsigned threads = capture_workers(&n->options->capture);
	const struct fitted *f = &n->fitted;

	if (json) {
		json_object(json, "memory");
		json_number(json, "needed_bytes", f->plan.total);
		if (n->kernel.reserved_known)
			json_number(json, "reserved_bytes", n->kernel.reserved);
		if (n->limit.bytes != UINT64_MAX)
			json_number(json, "available_bytes", n->limit.bytes);
		if (n->crashkernel)
			json_number(json, "crashkernel_bytes", n->crashkernel);
		if (n->limit.bytes != UINT64_MAX)
			json_bool(json, "fits", f->note.outcome == FIT_AS_WANTED);
		json_number(json, "threads", f->threads);
		json_close_object(json);
		return;
	}
	if (f->note.outcome != FIT_AS_WANTED)
		printf("\nmemory of the capture: %s\n", f->note.text.text);
	else if (n->kernel.reserved_known && n->kernel.reserved)
		printf("\nmemory of the capture: %s for %u thread%s, of %s that the capture kernel leaves of %s\n",
		       size_format(f->plan.total, need), threads, plural(threads),
		       size_format(n->limit.bytes, have), size_format(n->kernel.reserved, reserved));
	else
		printf("\nmemory of the capture: %s for %u thread%s; %s\n", size_format(f->plan.total, need),
		       threads, plural(threads), n->kernel.reserved_known ?
		       "no memory is reserved for a capture kernel" : "what is reserved is unknown");
}

/* "cache (2)", or what keeps the class in every dump. */
static const char *left_out_by(enum layer_class class, char text[WORD_LENGTH])
{
	unsigned classes = page_class_of_captured(class);

	if (class_is_marked(class))
		return "every level";
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (classes & PAGE_CLASS_BIT(c)) {
			snprintf(text, WORD_LENGTH, "%s (%u)", page_class_name(c), dump_level_of_classes(PAGE_CLASS_BIT(c)));
			return text;
		}
	return "no level";
}

/* In text, the error of the sample is shown only if there is one. */
static void show_classes(const struct nsplit_estimate *n, struct json *json)
{
	char size[SIZE_TEXT_LENGTH], margin[SIZE_TEXT_LENGTH + 2] = "", by[WORD_LENGTH], label[CLASS_LABEL_LENGTH];
	bool sampled = !n->pages.pages_why.status && n->pages.pages_seen < n->pages.pages;
	int column = sampled ? COLUMN + 1 : 0;

	if (json)
		json_array(json, "classes");
	else
		printf("\n%-*s %*s%*s  left out by\n", LABEL, "class", COLUMN, "memory", column, sampled ? "error" : "");
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct estimate_class *c = &n->pages.of[i];
		uint64_t bytes = c->pages * n->pages.page_size;

		if (!c->pages && !c->margin)
			continue;
		if (json) {
			json_object(json, NULL);
			json_text(json, "name", layer_class_name(i));
			json_number(json, "pages", c->pages);
			json_number(json, "error_pages", c->margin);
			json_number(json, "bytes", bytes);
			json_bool(json, "kept", estimate_keeps(i, n->level));
			json_close_object(json);
			continue;
		}
		if (sampled)
			snprintf(margin, sizeof(margin), "+-%s", size_format(c->margin * n->pages.page_size, size));
		printf("%-*s %*s%*s  %s\n", LABEL, class_label(i, label), COLUMN, size_format(bytes, size), column, margin,
		       left_out_by(i, by));
	}
	if (json)
		json_close_array(json);
}

/* A table whose last row is the dump level of the options, if that is another. */
static void show_sizes(const struct nsplit_estimate *n, struct json *json)
{
	/* Nothing is left out; free pages; also those of processes; also those of files. */
	unsigned levels[] = { 0, 16, 24, 31, n->level }, last = sizeof(levels) / sizeof(*levels) - 1, rows = last + 1;
	char name[PRESET_TEXT_LENGTH], size[SIZE_TEXT_LENGTH], classes[CLASS_LIST_LENGTH];
	const struct estimate_settings *s = &n->pages.settings;

	for (unsigned i = 0; i < last; i++)
		if (dump_level_classes(levels[i]) == dump_level_classes(n->level))
			rows = last;
	if (json)
		json_array(json, "sizes");
	else
		printf("\n%-3s", "-d");
	for (unsigned i = 0; i < s->presets_count && !json; i++)
		printf(" %*s%s", COLUMN, preset_format(&s->presets[i], name), i + 1 < s->presets_count ? "" : "  leaves out\n");
	for (unsigned k = 0; k < rows; k++) {
		if (!json)
			printf("%-3u", levels[k]);
		for (unsigned i = 0; i < s->presets_count; i++) {
			uint64_t bytes = estimate_bytes(&n->pages, levels[k], i);

			if (!json) {
				printf(" %*s", COLUMN, size_format(bytes, size));
				continue;
			}
			json_object(json, NULL);
			json_number(json, "dump_level", levels[k]);
			json_text(json, "codec", preset_format(&s->presets[i], name));
			json_number(json, "bytes", bytes);
			json_close_object(json);
		}
		if (!json)
			printf("  %s\n", *class_list_format(dump_level_classes(levels[k]), classes) ? classes : "nothing");
	}
	if (json)
		json_close_array(json);
}

static void show_output(const struct nsplit_estimate *n, unsigned i, struct json *json)
{
	const struct room_output *o = &n->room.of[i];
	const char *spare = n->options->capture.limits.keep_free ? "more than is kept free" : "free";
	char size[SIZE_TEXT_LENGTH];
	uint64_t dumps = room_dumps_of(o, n->bytes);

	if (json) {
		json_object(json, NULL);
		json_text(json, "name", n->options->outputs.names[i]);
		json_text(json, "kind", nsplit_sink_kind(&n->sinks[i]));
		if (o->space_known) {
			json_number(json, "space_bytes", o->space.bytes);
			json_number(json, "dumps", dumps);
		}
		json_bool(json, "tried", o->tried);
		if (o->tried)
			json_number(json, "bytes_per_second", (uint64_t)((double)o->trial.bytes / o->trial.seconds));
		else
			json_text(json, "not_tried", o->why.text);
		json_close_object(json);
		return;
	}
	printf("output %s: ", n->options->outputs.names[i]);
	if (!o->space_known)
		printf("its space is unknown");
	else if (o->space.is_device)
		printf("a device of %s, which %s", size_format(o->space.bytes, size),
		       dumps ? "holds the dump" : "is too small for all of the dump");
	else if (dumps)
		printf("%s %s, room for %" PRIu64 " dump%s", size_format(o->space.bytes, size), spare, dumps, plural(dumps));
	else
		printf("%s %s, too little for all of the dump", size_format(o->space.bytes, size), spare);
	if (o->tried)
		printf("; %s/s in a trial\n", rate_format(o->trial.bytes, o->trial.seconds, size));
	else
		printf("; not tried: %s\n", o->why.text);
}

static void show_outputs(const struct nsplit_estimate *n, struct json *json)
{
	uint64_t dumps = room_dumps(&n->room, n->bytes);
	char size[SIZE_TEXT_LENGTH];

	if (json)
		json_array(json, "outputs");
	for (unsigned i = 0; i < n->room.count; i++)
		show_output(n, i, json);
	if (json)
		json_close_array(json);
	else if (n->room.count > 1 && n->room.space_known)
		printf("all outputs: %s, room for %" PRIu64 " dump%s\n", size_format(n->room.bytes, size), dumps, plural(dumps));
}

/* Writes it to standard output. */
static void show(const struct nsplit_estimate *n)
{
	struct json json = { .file = stdout }, *to = n->options->json ? &json : NULL;
	char advice[ADVICE_LENGTH];

	format_advice(n, advice);
	if (to) {
		json_begin(to, stdout);
		json_text(to, "version", PACKAGE_VERSION);
		json_text(to, "advice", advice);
		json_number(to, "dump_level", n->level);
		json_text(to, "codec", n->options->codec_text);
		json_number(to, "threads", capture_workers(&n->options->capture));
		json_number(to, "bytes", n->bytes);
		json_number(to, "error_bytes", estimate_margin(&n->pages, n->level));
		json_real(to, "seconds", n->seconds);
		json_bool(to, "seconds_at_least", n->at_least);
		if (n->room.space_known)
			json_number(to, "dumps", room_dumps(&n->room, n->bytes));
	}
	show_origin(&n->pages, to);
	show_classes(n, to);
	show_sizes(n, to);
	show_memory(n, to);
	show_outputs(n, to);
	if (!to) {
		printf("\n%s\n", advice);
		if (*format_limit(n, advice))
			printf("%s\n", advice);
		return;
	}
	show_limit(n, to);
	/* The program that estimates. */
	json_object(to, "own");
	json_real(to, "seconds", n->own.real);
	json_real(to, "cpu_seconds", n->own.cpu);
	json_number(to, "peak_memory", memory_peak());
	json_close_object(to);
	json_end(to);
}

/* --- all ----------------------------------------------------------------------------- */

/* Reports outputs that cannot be used.  An error says why there is no estimate. */
static enum status make(struct nsplit_estimate *n, const struct crash_machine *machine, struct error *e)
{
	const struct nsplit_options *o = n->options;
	struct estimate_settings settings = settings_of(o);
	enum status status;

	n->sinks = calloc(o->outputs.count + 1, sizeof(*n->sinks));
	if (!n->sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	status = source_expect(&n->source, o->source, crash_kernel_source(machine->root), o->mmap, e);
	if (status)
		return status;
	probe_outputs(n);
	status = estimate_make(&n->pages, &settings, e);
	if (!status)
		status = room_look(&n->room, n->sinks, (unsigned)o->outputs.count, o->capture.fallbacks,
				   o->capture.limits.keep_free, e);
	if (!status)
		status = fit_memory(n, machine, e);
	if (status)
		return status;
	n->bytes = estimate_bytes(&n->pages, n->level, 0);
	n->at_least = !n->room.rate_known;
	n->seconds = seconds_of(n, estimate_cpu_seconds(&n->pages, n->level), (double)n->bytes);
	apply_limits(n);
	return STATUS_OK;
}

int nsplit_estimate(const struct nsplit_options *o, struct crash_machine *machine)
{
	struct clock_times began = clock_begin();
	struct nsplit_options there = *o;	/* in the capture kernel; lists are borrowed */
	struct nsplit_estimate n = { .options = &there, .outputs_status = EXIT_PERFECT, .level = level_of(o) };
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
		show(&n);
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
