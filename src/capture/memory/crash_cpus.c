// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/file_below.h"
#include "capture/memory/crash_cpus.h"

/* A configuration of kdump: shell variables. */
struct configuration {
	const char *file;
	const char *lines[2];		/* variables with parts of the command line */
	const char *absent;		/* the last one of them if the file does not set it */
	const char *cpus;		/* a variable with the number; NULL: none */
};

static const struct configuration configurations[] = {
	{ "etc/default/kdump-tools", { "KDUMP_CMDLINE", "KDUMP_CMDLINE_APPEND" }, "nr_cpus=1", NULL },
	{ "etc/sysconfig/kdump", { "KDUMP_COMMANDLINE", "KDUMP_COMMANDLINE_APPEND" }, "", "KDUMP_CPUS" },
};

static const char white[] = " \t\r\n\"'";

/* The value that a line "NAME=VALUE" assigns, or NULL. */
static const char *value_in(const char *line, const char *name)
{
	size_t length = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, "export ", 7) == 0)
		line += 7 + strspn(line + 7, " \t");
	return strncmp(line, name, length) == 0 && line[length] == '=' ? line + length + 1 : NULL;
}

/* The last value of the variable, owned by the caller; NULL: it is not set. */
static char *read_value(FILE *file, const char *name)
{
	char *line = NULL, *value = NULL;
	size_t size = 0;

	rewind(file);
	while (getline(&line, &size, file) >= 0) {
		const char *found = value_in(line, name);

		if (!found)
			continue;
		free(value);
		value = strdup(found);
	}
	free(line);
	return value;
}

static bool starts_with(const char **word, const char *begin)
{
	size_t length = strlen(begin);

	if (strncmp(*word, begin, length) != 0)
		return false;
	*word += length;
	return true;
}

static void lower(unsigned *cpus, const char *word, unsigned least)
{
	size_t digits = strspn(word, "0123456789");
	unsigned long number;

	if (!digits || (word[digits] && !strchr(white, word[digits])))
		return;
	number = strtoul(word, NULL, 10);
	/* maxcpus=0 starts no further CPU; nr_cpus=0 is ignored. */
	if (number < least)
		return;
	if (number < *cpus)
		*cpus = number ? (unsigned)number : 1;
}

static void read_command_line(const char *text, unsigned *cpus)
{
	while (*(text += strspn(text, white))) {
		const char *word = text;

		if (starts_with(&word, "nr_cpus="))
			lower(cpus, word, 1);
		else if (starts_with(&word, "maxcpus="))
			lower(cpus, word, 0);
		text += strcspn(text, white);
	}
}

static unsigned read_configuration(FILE *file, const struct configuration *c)
{
	unsigned cpus = CRASH_CPUS_ALL;

	for (int i = 0; i < 2; i++) {
		char *text = read_value(file, c->lines[i]);

		if (text || i == 1)
			read_command_line(text ? text : c->absent, &cpus);
		free(text);
	}
	if (c->cpus) {
		char *text = read_value(file, c->cpus);

		/* 0: all of them */
		if (text)
			lower(&cpus, text + strspn(text, white), 1);
		free(text);
	}
	return cpus;
}

unsigned crash_kernel_cpus(const char *root)
{
	for (size_t i = 0; i < sizeof(configurations) / sizeof(*configurations); i++) {
		FILE *file = file_below(root, configurations[i].file);
		unsigned cpus;

		if (!file)
			continue;
		cpus = read_configuration(file, &configurations[i]);
		fclose(file);
		return cpus;
	}
	return 1;
}
