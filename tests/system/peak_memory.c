// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peak_memory FILE COMMAND...: runs a command, and writes its peak resident memory to the file, in KiB.
 * Exits as the command does.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	FILE *file;
	int status;
	pid_t child;

	if (argc < 3)
		return 2;
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("peak_memory");
		return 127;
	}
	file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file)) {
		perror(argv[1]);
		return 127;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
