// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/nsplit-bench/gnuplot.h"
#include "cmd/common/shell.h"

bool gnuplot_found(void)
{
	struct error e;
	bool found;

	return !shell_finds("gnuplot", "gnuplot", &found, &e) && found;
}

void gnuplot_quote(FILE *script, const char *text)
{
	putc('"', script);
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || *text & 0x80 || strchr(" .,/_-:%()=;", *text))
			putc(*text, script);
		else
			fprintf(script, "\\%03o", (unsigned char)*text);
	}
	putc('"', script);
}

enum status gnuplot_file(FILE **file, struct error *e)
{
	int fd = memfd_create("gnuplot", MFD_CLOEXEC);

	*file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (*file)
		return STATUS_OK;
	error_system(e, errno, "gnuplot");
	if (fd >= 0)
		close(fd);
	return STATUS_SYSTEM;
}

void gnuplot_begin(FILE *script, bool png, double width, double height)
{
	fprintf(script, "set terminal %s size %.0f,%.0f background rgb 'white'\n",
		png ? "pngcairo font 'sans,9'" : "svg font 'Helvetica,Arial,sans-serif,11'",
		width, height);
}

/* Without the settings of the user, which are for other pictures. */
enum status gnuplot_run(FILE *script, FILE *picture, const char *name, struct error *e)
{
	enum status status = STATUS_OK;
	struct stat st;
	bool good;

	if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) < 0)
		status = error_system(e, errno, "gnuplot");
	if (!status)
		status = shell_filter("gnuplot", "exec gnuplot -d", fileno(script), fileno(picture),
				      &good, e);
	if (!status && (!good || fstat(fileno(picture), &st) < 0 || !st.st_size))
		status = error_set(e, STATUS_SYSTEM, "%s: gnuplot failed", name);
	rewind(picture);
	return status;
}
