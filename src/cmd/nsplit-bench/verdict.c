// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/text.h"
#include "cmd/nsplit-bench/verdict.h"
#include "cmd/common/message.h"

const char *const verdict_names[JUDGED_KINDS] = {
	[JUDGED_CAPTURES] = "captures",
	[JUDGED_VERIFIES] = "verifies",
	[JUDGED_JOINS] = "joins",
	[JUDGED_CEILINGS] = "ceilings",
	[JUDGED_SHARES] = "shares",
};

const char *verdict_sentence(const struct verdict *v)
{
	bool speeds = verdict_speeds_reliable(v), shares = verdict_shares_reliable(v);

	if (v->few)
		return "With so few rounds, no figure is reliable; use more --rounds.";
	if (speeds && shares)
		return "The speeds and their shares of the ceiling are reliable.";
	if (speeds)
		return "The speeds are reliable; some of their shares of the ceiling are not.";
	if (shares)
		return "The shares of the ceiling are reliable; some of the speeds are not.";
	return "Some speeds and some shares of the ceiling are unreliable.";
}

/* Appends "3 of 10 captures" to a list. */
static void add_kind(char *list, size_t size, const struct verdict *v, enum judged kind)
{
	size_t unreliable = v->kinds[kind].figures - v->kinds[kind].reliable;

	if (unreliable)
		text_append(list, size, "%s%zu of %zu %s", *list ? ", " : "", unreliable,
			    v->kinds[kind].figures, verdict_names[kind]);
}

void verdict_warn(const struct verdict *v)
{
	char list[256] = "";

	for (int kind = 0; kind < JUDGED_KINDS; kind++)
		add_kind(list, sizeof(list), v, kind);
	if (list[0])
		message("unreliable: %s; use more --rounds or a larger SOURCE", list);
}
