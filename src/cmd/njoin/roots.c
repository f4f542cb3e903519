// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/njoin/roots.h"

static void report_different(struct njoin_findings *findings, const struct member *m, const char *found)
{
	char stated[DIGEST_TEXT_LENGTH + 1];
	struct error e;

	digest_format(m->footer.root, stated);
	error_set(&e, STATUS_DAMAGED, "%s: its records are not those with which it was closed: their root is %s, but its "
		  "footer has %s", m->name, found, stated);
	njoin_report_damage(findings, &e);
}

static void report_root(struct njoin_findings *findings, const struct set *set, const struct roots *roots, unsigned i,
			bool quiet)
{
	const struct member *m = &set->members[i];
	char text[DIGEST_TEXT_LENGTH + 1];
	uint8_t found[ROOT_LENGTH] = { 0 };
	enum root_verdict verdict = roots_verdict(roots, i, found);

	digest_format(found, text);
	if (verdict == ROOT_DIFFERENT)
		report_different(findings, m, text);
	else if (verdict == ROOT_UNKNOWN)
		message("%s: its root was not checked, because not all of its records are intact", m->name);
	else if (verdict == ROOT_SAME && !quiet)
		message("%s: root verified: %s", m->name, text);
}

static bool any_root(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (member_has_root(&set->members[i]))
			return true;
	return false;
}

void njoin_report_roots(struct njoin_findings *findings, const struct set *set, const struct roots *roots, bool quiet)
{
	if (!roots && any_root(set))
		message("the roots of the members were not checked, because this build of njoin was made without the "
			"library nettle");
	for (unsigned i = 0; roots && i < set->count; i++)
		report_root(findings, set, roots, i, quiet);
}
