// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/collector_call.h"
#include "core/kinds/page_class.h"

/* Words beside those of kdump: nsplit, a form and two options for it, a codec, -d, -j, SOURCE, OUTPUT, NULL. */
enum { WORDS_MORE = 12 };

static void add(struct collector_call *call, char *word)
{
	call->argv[call->argc++] = word;
}

static void add_words(struct collector_call *call)
{
	char *rest, *word = strtok_r(call->words, " \t", &rest);

	for (; word; word = strtok_r(NULL, " \t", &rest))
		add(call, word);
}

static void add_level(struct collector_call *call, const char *words)
{
	const char *level = kdump_level_in(words);

	if (!level)
		return;
	/* Of several, the last. */
	while (level[strcspn(level, ", ")] == ',')
		level += strcspn(level, ", ") + 1;
	snprintf(call->level, sizeof(call->level), "-d%lu", strtoul(level, NULL, 10));
	if (strtoul(level, NULL, 10) <= DUMP_LEVEL_ALL)
		add(call, call->level);
}

/* What nsplit's scripts pass in place of makedumpfile's options, unless nsplit.conf sets it. */
static void add_defaults(struct collector_call *call, const struct nsplit_options *configured)
{
	if (strcmp(configured->codec_text, "raw") == 0)
		add(call, (char *)"-c");
	if (!configured->left_out.given && !configured->capture.stripe)
		add_level(call, call->words);
}

/* What nsplit does with these options under the name of makedumpfile. */
static void add_translated(struct collector_call *call)
{
	add(call, (char *)"--format=kdump");
	add(call, (char *)"--no-stripe");
	add(call, (char *)"--no-digest");
	snprintf(call->codec, sizeof(call->codec), "--compress=%s", kdump_codec_name(call->words));
	add(call, call->codec);
	add_level(call, call->words);
}

/* The threads are those of the CPUs that the capture kernel starts, unless a number is set. */
static void add_threads(struct collector_call *call, const struct kdump_system *kdump,
			const struct nsplit_options *configured)
{
	unsigned all = threads_default();

	if (!kdump->cpus || kdump->cpus >= all || configured->threads_given)
		return;
	snprintf(call->threads, sizeof(call->threads), "-j%u", kdump->cpus);
	add(call, call->threads);
}

/*
 * The scripts of kdump-utils require the directory, and the others make it: then the one above it counts that
 * exists.  False: the dump does not go to a directory of this machine.
 */
static bool find_output(struct collector_call *call, const char *root, const struct kdump_system *kdump)
{
	char directory[PATH_MAX];
	struct rooted found;

	if (*kdump->target || *kdump->directory != '/')
		return false;
	snprintf(directory, sizeof(directory), "%s", kdump->directory);
	while (kdump->kind != KDUMP_UTILS && strrchr(directory, '/') != directory &&
	       !rooted_exists(root, directory))
		*strrchr(directory, '/') = '\0';
	if (rooted_find(root, directory, &found))
		snprintf(call->output, sizeof(call->output), "%s/vmcore-incomplete", found.path);
	else
		snprintf(call->output, sizeof(call->output), "%s%s/vmcore-incomplete", root, directory);
	/* Kdump makes a directory for each dump, in which there is none. */
	if (access(call->output, F_OK) == 0)
		text_append(call->output, sizeof(call->output), ".new");
	return true;
}

static size_t words_of(const char *text)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, " \t"), text += strspn(text, " \t"))
		count++;
	return count;
}

/* Before anything reads argv, which changes the order of words. */
static void format_text(struct collector_call *call, const struct kdump_system *kdump)
{
	bool link = kdump->caller == KDUMP_CALLS_LINK;

	snprintf(call->text, sizeof(call->text), "%s", link ? "makedumpfile" : "nsplit");
	if (link)
		text_append(call->text, sizeof(call->text), " %s", kdump->options);
	for (int i = 1; i < call->argc && !link; i++)
		text_append(call->text, sizeof(call->text), " %s", call->argv[i]);
	if (link && *call->output)
		text_append(call->text, sizeof(call->text), " %s %s", vmcore_name, call->output);
}

enum status collector_call_make(struct collector_call *call, const char *root, const struct kdump_system *kdump,
				const struct nsplit_options *configured, struct error *e)
{
	*call = (struct collector_call){ .argc = 0 };
	snprintf(call->words, sizeof(call->words), "%s", kdump->options);
	call->argv = calloc(words_of(call->words) + WORDS_MORE, sizeof(*call->argv));
	if (!call->argv)
		return error_system(e, ENOMEM, "the command line of %s", kdump->name);
	add(call, (char *)"nsplit");
	if (kdump_has_options_of_nsplit(kdump))
		add_words(call);
	else if (kdump->caller == KDUMP_CALLS_LINK)
		add_translated(call);
	else
		add_defaults(call, configured);
	add_threads(call, kdump, configured);
	if (find_output(call, root, kdump)) {
		add(call, (char *)vmcore_name);
		add(call, call->output);
	}
	format_text(call, kdump);
	return STATUS_OK;
}

void collector_call_free(struct collector_call *call)
{
	free(call->argv);
	*call = (struct collector_call){ .argc = 0 };
}
