// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/size.h"
#include "base/text.h"
#include "cmd/nsplit/drill/report.h"

enum { LENGTH = 400 };

void drill_result_take(struct drill_result *r, const struct drill_run *run)
{
	const struct drill_figures *f = run->figures;

	r->exit_status = run->exit_status;
	r->captured = f->known;
	r->memory_short = f->memory_short;
	r->source_bytes = f->source_bytes;
	r->member_bytes = f->member_bytes;
	r->seconds = f->seconds;
	r->memory = run->memory;
	r->limited = run->limited;
	r->peak_known = run->peak_known;
	r->peak = run->peak;
}

bool drill_result_good(const struct drill_result *r)
{
	return r->exit_status == EXIT_PERFECT && r->captured && !r->memory_short && !r->failed &&
	       r->removed && r->verified != VERIFIED_NOTHING && r->verified != VERIFIED_DAMAGED;
}

static void append_figures(const struct drill_result *r, char text[LENGTH])
{
	char size[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH];

	text_append(text, LENGTH, "%s in %.1f s, %s/s; %s written", size_format(r->source_bytes, size),
		    r->seconds, rate_format(r->source_bytes, r->seconds, rate),
		    size_format(r->member_bytes, written));
}

static void append_memory(const struct drill_result *r, char text[LENGTH])
{
	char peak[SIZE_TEXT_LENGTH], memory[SIZE_TEXT_LENGTH];

	if (r->memory == UINT64_MAX)
		return;
	size_format(r->memory, memory);
	if (r->limited && r->peak_known)
		text_append(text, LENGTH, "; at most %s of %s of memory", size_format(r->peak, peak), memory);
	else
		text_append(text, LENGTH, r->limited ? "; within %s of memory" : "; planned for %s of memory", memory);
}

static void append_verified(const struct drill_result *r, char text[LENGTH])
{
	static const char *const verified[] = {
		[VERIFIED_NOTHING] = "", [NOT_STORED] = "; nothing was stored",
		[NOT_VERIFIED] = "; not verified, since not all of it can be read here",
		[NO_CHECKSUMS] = "; not verified, since an ELF core has no checksums",
		[VERIFIED] = "; verified", [VERIFIED_DAMAGED] = "; damaged",
	};

	text_append(text, LENGTH, "%s", verified[r->verified]);
	if (!r->here)
		return;
	text_append(text, LENGTH, "%s", r->verified == VERIFIED && r->removed ? " and removed" :
		    r->removed ? "; removed" : "; not removed");
}

void drill_result_report(const struct drill_result *r, const char *fallback, bool quiet)
{
	bool good = drill_result_good(r);
	char text[LENGTH] = "";

	if (good && quiet)
		return;
	if (r->captured) {
		append_figures(r, text);
		append_memory(r, text);
		if (r->memory_short)
			text_append(text, LENGTH, "; the memory is too small for a capture");
		if (r->failed)
			text_append(text, LENGTH, "; %u of %u output%s failed", r->failed, r->outputs, plural(r->outputs));
		append_verified(r, text);
	} else {
		text_append(text, LENGTH, "nothing was captured");
	}
	if (fallback)
		message("drill%s: fallback %s: %s", good ? "" : " failed", fallback, text);
	else
		message("drill%s: %s", good ? "" : " failed", text);
}
