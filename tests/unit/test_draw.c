// SPDX-License-Identifier: GPL-2.0-or-later
/* Pictures: colours, axes, what is drawn as one, and text in markup. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "draw/alike.h"
#include "draw/axis.h"
#include "draw/curves.h"
#include "draw/label.h"
#include "helper.h"

/* 0 to 255, about as bright as the colour is on a grey printer. */
static double grey_of(enum ink ink)
{
	unsigned long rgb = strtoul(ink_colour(ink) + 1, NULL, 16);

	return 0.299 * (double)(rgb >> 16) + 0.587 * (double)(rgb >> 8 & 255) +
	       0.114 * (double)(rgb & 255);
}

START_TEST(test_colours_differ_in_grey)
{
	for (size_t i = 1; i < INK_SERIES_COUNT; i++)
		ck_assert_double_gt(grey_of(ink_of(i)), grey_of(ink_of(i - 1)) + 15);
	ck_assert_int_eq(ink_of(INK_SERIES_COUNT), ink_of(0));
}
END_TEST

START_TEST(test_axis)
{
	struct axis axis = { .most = 1234 };
	char text[AXIS_TEXT_LENGTH];

	ck_assert_double_eq(axis_step(&axis), 500);
	ck_assert_str_eq(axis_format(&axis, 1234567, text), "1,234,567");
	ck_assert_str_eq(axis_format_step(&axis, 2, text), "1,000");
	axis.most = 12;
	ck_assert_str_eq(axis_format(&axis, 11.26, text), "11.3");
	ck_assert_str_eq(axis_format_step(&axis, 2, text), "4");
	axis = (struct axis){ .most = 1.2, .percent = true };
	ck_assert_double_eq_tol(axis_step(&axis), 0.2, 1e-9);
	ck_assert_str_eq(axis_format(&axis, 0.5, text), "50 %");
	axis = (struct axis){ .most = 3, .whole = true, .zero = "serial" };
	ck_assert_double_eq(axis_step(&axis), 1);
	ck_assert_str_eq(axis_format_step(&axis, 0, text), "serial");
	ck_assert_str_eq(axis_format_step(&axis, 1, text), "1");
}
END_TEST

static bool is_near(const void *arg, size_t a, size_t b)
{
	const int *values = arg;

	return abs(values[a] - values[b]) <= 1;
}

START_TEST(test_alike)
{
	static const char *const names[] = { "raw", "lzo", "lz4", "zstd", "zlib" };
	char name[ALIKE_NAME_LENGTH];
	struct alike groups;
	struct error e;

	/* 12 is near 11, but not near the first of that group. */
	ck_assert_int_eq(alike_init(&groups, names, 3, is_near, (int[]){ 10, 11, 12 }, &e), STATUS_OK);
	alike_name(&groups, 0, "all", 200, name);
	ck_assert_str_eq(name, "raw, lzo");
	alike_name(&groups, 2, "all", 200, name);
	ck_assert_str_eq(name, "lz4");
	alike_free(&groups);

	ck_assert_int_eq(alike_init(&groups, names, 5, is_near, (int[]){ 1, 9, 1, 1, 1 }, &e), STATUS_OK);
	alike_name(&groups, 0, "all", 200, name);
	ck_assert_str_eq(name, "raw, lz4, 2 more");
	alike_name(&groups, 0, "all", canvas_text_width(name, TEXT_SMALL) - 1, name);
	ck_assert_str_eq(name, "raw, 3 more");
	alike_free(&groups);

	ck_assert_int_eq(alike_init(&groups, names, 5, is_near, (int[5]){ 0 }, &e), STATUS_OK);
	alike_name(&groups, 0, "all", 200, name);
	ck_assert_str_eq(name, "all");
	ck_assert_uint_eq(alike_size(&groups, 0), 5);
	alike_free(&groups);
}
END_TEST

/* What the SVG of two curves contains; the second one is by this factor above the first. */
static void draw_two(double factor, char *svg, size_t size)
{
	const struct curve_point low[] = { { 1, 100, 99, 101 }, { 2, 200, 199, 201 } };
	struct curve_point high[] = { { 1, 100, 99, 101 }, { 2, 200, 199, 201 } };
	const struct curve two[] = { { "lzo", low, 2 }, { "<zstd>", high, 2 } };
	const struct curves curves = { .title = "Speed", .x_unit = "threads", .y_unit = "MB/s",
				       .all = "all codecs", .curves = two, .count = 2 };
	FILE *file = fmemopen(svg, size, "w");
	struct canvas canvas;
	struct error e;

	high[1].y *= factor;
	ck_assert_ptr_nonnull(file);
	canvas_svg_begin(&canvas, file, PANEL_WIDTH, curves_height(&curves), "Speed", true);
	ck_assert_int_eq(curves_draw(&curves, &canvas, &e), STATUS_OK);
	canvas_svg_end(&canvas);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_curves_that_coincide)
{
	static char svg[65536];

	draw_two(1.009, svg, sizeof(svg));
	ck_assert_ptr_nonnull(strstr(svg, ">all codecs, within 1 %<"));
	ck_assert_ptr_null(strstr(svg, "lzo"));
	draw_two(1.02, svg, sizeof(svg));
	ck_assert_ptr_null(strstr(svg, "all codecs"));
	ck_assert_ptr_nonnull(strstr(svg, ">lzo<"));
	ck_assert_ptr_nonnull(strstr(svg, ">&lt;zstd&gt;<"));
}
END_TEST

START_TEST(test_label)
{
	char text[] = "zstd:19, 2 outputs, 64K, within 1 %", word[] = "zstd:19";
	double width = canvas_text_width("zstd:19, 2 outputs,", TEXT_SMALL);

	label_wrap(text, width);
	ck_assert_str_eq(text, "zstd:19, 2 outputs,\n64K, within 1 %");
	ck_assert_double_eq(label_width(text), width);
	ck_assert_double_eq(label_height(text), LABEL_LINE_HEIGHT);
	label_wrap(word, 1);
	ck_assert_str_eq(word, "zstd:19");
	ck_assert_double_eq(label_height(word), 0);
}
END_TEST

/* The names of groups are no wider than their space. */
START_TEST(test_names_fit)
{
	const struct curve_point low[] = { { 1, 100, 99, 101 }, { 2, 200, 199, 201 } };
	const struct curve_point high[] = { { 1, 110, 99, 111 }, { 2, 210, 199, 211 } };
	const struct curve four[] = {
		{ "zstd:19, as many outputs, 4K", low, 2 }, { "lzo, as many outputs, 4K", high, 2 },
		{ "zstd:19, as many outputs, 64K", low, 2 }, { "lzo, as many outputs, 64K", high, 2 },
	};
	const struct curves curves = { .title = "", .x_unit = "", .y_unit = "", .all = "all",
				       .curves = four, .count = 4 };
	static char svg[65536];
	FILE *file = fmemopen(svg, sizeof(svg), "w");
	struct canvas canvas;
	struct error e;

	ck_assert_ptr_nonnull(file);
	canvas_svg_begin(&canvas, file, PANEL_WIDTH, curves_height(&curves), "", true);
	ck_assert_int_eq(curves_draw(&curves, &canvas, &e), STATUS_OK);
	canvas_svg_end(&canvas);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_ptr_nonnull(strstr(svg, ">zstd:19, as many outputs, 4K,<"));
	ck_assert_ptr_nonnull(strstr(svg, ">lzo, as many outputs, 4K,<"));
	ck_assert_ptr_nonnull(strstr(svg, ">1 more, within 1 %<"));
	for (const char *p = svg; (p = strstr(p, "<text x=\"")); p++) {
		char text[128];
		double x;

		if (sscanf(p, "<text x=\"%lf\" y=\"%*f\" font-size=\"11\" class=\"f-text\" "
			   "fill=\"%*[^\"]\">%127[^<]", &x, text) == 2)
			ck_assert_double_le(x + canvas_text_width(text, TEXT_SMALL), PANEL_WIDTH);
	}
}
END_TEST

START_TEST(test_markup)
{
	char text[256] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(file);
	markup_text(file, "<a b=\"c\"> & 'd'\n\x1b\xff \xc3\xa9");
	/* U+FFFE and U+FFFF; the code points beside them are characters. */
	markup_text(file, "\xef\xbf\xbe\xef\xbf\xbf \xef\xbf\xbd\xef\xbe\xbf\xf0\x90\x80\x80");
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_str_eq(text, "&lt;a b=&quot;c&quot;&gt; &amp; &#39;d&#39;\xef\xbf\xbd\xef\xbf\xbd"
			 "\xef\xbf\xbd \xc3\xa9"
			 "\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbe\xbf\xf0\x90\x80\x80");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("draw");
	TCase *tcase = tcase_create("draw");

	tcase_add_test(tcase, test_colours_differ_in_grey);
	tcase_add_test(tcase, test_axis);
	tcase_add_test(tcase, test_alike);
	tcase_add_test(tcase, test_curves_that_coincide);
	tcase_add_test(tcase, test_label);
	tcase_add_test(tcase, test_names_fit);
	tcase_add_test(tcase, test_markup);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
