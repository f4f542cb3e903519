// SPDX-License-Identifier: GPL-2.0-or-later
/* Judges which classes can be believed, after all of them were found. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "filter/filter_state.h"

/* So many pages with memory errors are believed, and one more for so many frames. */
enum { POISONED_MAX = 64, POISONED_ONE_IN = 16384 };

/*
 * The classes of dump levels that a class of captures follows: it is believed if one of these is.  A
 * class in none of them is known by a flag of struct page, like all the others.
 */
static unsigned followed(unsigned class)
{
	unsigned classes = page_class_of_captured(class);

	return classes ? classes : PAGE_CLASS_BIT(PAGE_CLASSES) - 1;
}

static bool is_to_leave_out(const struct class_table *table, enum page_class class)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_PLANNED_OUT && i != CLASS_POISONED &&
		    followed(i) == PAGE_CLASS_BIT(class))
			return true;
	return false;
}

/* "cache, private: WHY; free: WHY", as far as there is space. */
static void explain(const struct page_trust *trust, const struct class_table *table,
		    char reason[FILTER_REASON_LENGTH])
{
	reason[0] = '\0';
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		const char *why = trust->why[c];
		bool again = false;

		if (!why[0] || !is_to_leave_out(table, c))
			continue;
		for (enum page_class before = 0; before < c; before++)
			again |= is_to_leave_out(table, before) && !strcmp(trust->why[before], why);
		if (again)
			continue;
		text_append(reason, FILTER_REASON_LENGTH, "%s%s", *reason ? "; " : "", page_class_name(c));
		for (enum page_class other = c + 1; other < PAGE_CLASSES; other++)
			if (is_to_leave_out(table, other) && !strcmp(trust->why[other], why))
				text_append(reason, FILTER_REASON_LENGTH, ", %s", page_class_name(other));
		text_append(reason, FILTER_REASON_LENGTH, ": %s", why);
	}
}

/*
 * Memory errors are rare.  If very many pages are marked, the flag is another one.  A page of hugetlb is
 * marked once.
 */
static bool poison_is_believed(const struct filter *f, const struct page_evidence *evidence)
{
	return evidence->poisoned <= POISONED_MAX + range_list_end(&f->map.present) / POISONED_ONE_IN;
}

static void doubt_poison(struct page_trust *trust, unsigned after_all, const struct page_evidence *evidence,
			 struct class_table *table, char reason[FILTER_REASON_LENGTH])
{
	if (class_state(table, CLASS_POISONED) != CLASS_PLANNED_OUT || !page_trust_classes(trust))
		return;
	table->of[CLASS_POISONED] = class_entry(CLASS_SAVED_AFTER_ALL, after_all);
	text_append(reason, FILTER_REASON_LENGTH,
		    "%spoisoned: %" PRIu64 " pages have this mark, which are too many",
		    *reason ? "; " : "", evidence->poisoned);
}

static void decide(const struct page_trust *trust, unsigned after_all, struct class_table *table)
{
	unsigned believed = page_trust_classes(trust);

	for (unsigned i = 0; i < CLASSES; i++) {
		if (class_state(table, i) != CLASS_PLANNED_OUT)
			continue;
		table->of[i] = followed(i) & believed ?
			       class_entry(CLASS_LEFT_OUT, 0) :
			       class_entry(CLASS_SAVED_AFTER_ALL, after_all);
	}
}

static enum status find_facts(struct filter *f, struct filter_thread *t, struct page_facts *facts,
			      struct error *e)
{
	enum status status = f->vote_status;

	if (status) {
		*e = f->vote_error;
	} else {
		t->bytes.stop = &f->stopped;
		status = page_facts_complete(facts, &f->vote, &f->map, &t->virt, &t->evidence, e);
		t->bytes.stop = NULL;
	}
	/* An interrupted read says nothing. */
	if (status == STATUS_STOPPED)
		error_set(e, status, "the capture was stopped before they could be judged");
	return status;
}

void filter_stop(struct filter *f)
{
	atomic_store(&f->stopped, true);
}

void filter_judge(struct filter *f, unsigned thread, unsigned after_all, struct class_table *table,
		  char reason[FILTER_REASON_LENGTH])
{
	struct page_evidence *evidence = &f->threads[thread].evidence;
	struct page_facts facts;
	struct page_trust trust;
	struct error e;

	for (unsigned i = 0; i < f->threads_count; i++)
		if (i != thread)
			page_evidence_merge(evidence, &f->threads[i].evidence);
	if (find_facts(f, &f->threads[thread], &facts, &e))
		page_trust_refuse_all(&trust, e.text);
	else
		page_trust_judge(&trust, &facts);
	explain(&trust, table, reason);
	if (!poison_is_believed(f, evidence))
		doubt_poison(&trust, after_all, evidence, table, reason);
	decide(&trust, after_all, table);
}
