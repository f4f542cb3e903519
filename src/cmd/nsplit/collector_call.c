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

/* What is added to the words of the two command lines: -c, -d, -j, --exclude=none, SOURCE, OUTPUT, NULL. */
enum { WORDS_MORE = 8 };

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

/* What the scripts for the others pass unless nsplit.conf sets it; a link takes it from makedumpfile's options. */
static void add_defaults(struct collector_call *call, const struct nsplit_options *given)
{
	const char *level = kdump_level_in(call->words);

	if (strcmp(given->codec_text, "raw") == 0)
		add(call, (char *)"-c");
	if (!level || given->left_out.given || given->capture.stripe)
		return;
	/* Of several, the last. */
	while (level[strcspn(level, ", ")] == ',')
		level += strcspn(level, ", ") + 1;
	snprintf(call->level, sizeof(call->level), "-d%lu", strtoul(level, NULL, 10));
	if (strtoul(level, NULL, 10) <= DUMP_LEVEL_ALL)
		add(call, call->level);
}

/* The threads are those of the CPUs that the capture kernel starts, unless a number is set. */
static void add_threads(struct collector_call *call, const struct kdump_system *kdump,
			const struct nsplit_options *given)
{
	unsigned all = threads_default();

	if (!kdump->cpus || kdump->cpus >= all || given->threads_given)
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
	return true;
}

static size_t words_of(const char *text)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, " \t"), text += strspn(text, " \t"))
		count++;
	return count;
}

enum status collector_call_make(struct collector_call *call, const char *root,
				const struct kdump_system *kdump, const struct nsplit_options *given,
				int argc, char **argv, struct error *e)
{
	*call = (struct collector_call){ .argc = 0 };
	snprintf(call->words, sizeof(call->words), "%s", kdump->options);
	call->argv = calloc((size_t)argc + words_of(call->words) + WORDS_MORE + 1, sizeof(*call->argv));
	if (!call->argv)
		return error_system(e, ENOMEM, "the command line of %s", kdump->name);
	add(call, argv[0]);
	if (kdump_has_options_of_nsplit(kdump))
		add_words(call);
	else
		add_defaults(call, given);
	add_threads(call, kdump, given);
	call->own = call->argc;
	/* Levels of one command line are added to each other; those of this program's own replace the others. */
	if (argc > 1 && given->left_out_here)
		add(call, (char *)"--exclude=none");
	for (int i = 1; i < argc; i++)
		add(call, argv[i]);
	call->own_end = call->argc;
	if (find_output(call, root, kdump)) {
		add(call, (char *)vmcore_name);
		add(call, call->output);
	}
	return STATUS_OK;
}

const char *collector_call_format(const struct collector_call *call, char text[CALL_TEXT_LENGTH])
{
	snprintf(text, CALL_TEXT_LENGTH, "nsplit");
	for (int i = 1; i < call->argc; i++)
		if (i < call->own || i >= call->own_end)
			text_append(text, CALL_TEXT_LENGTH, " %s", call->argv[i]);
	return text;
}

void collector_call_free(struct collector_call *call)
{
	free(call->argv);
	*call = (struct collector_call){ .argc = 0 };
}
