// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/names.h"
#include "helper.h"

enum { WANT_MAX = 8 };

static const struct {
	const char *pattern;
	const char *want[WANT_MAX];	/* ended by NULL */
} patterns[] = {
	{ "a", { "a" } },
	{ "d{0..3}/a", { "d0/a", "d1/a", "d2/a", "d3/a" } },
	{ "d<0..3>/a", { "d0/a", "d1/a", "d2/a", "d3/a" } },
	{ "{3..1}", { "3", "2", "1" } },
	{ "{00..03}", { "00", "01", "02", "03" } },
	{ "{8..010}", { "008", "009", "010" } },
	{ "{08..10}x", { "08x", "09x", "10x" } },
	{ "{5..5}", { "5" } },
	{ "{0..0}", { "0" } },
	{ "{0..1}{0..1}", { "00", "01", "10", "11" } },
	{ "a{1..2}b<2..1>c", { "a1b2c", "a1b1c", "a2b2c", "a2b1c" } },
	{ "{a..d}", { "a", "b", "c", "d" } },
	{ "{D..B}x", { "Dx", "Cx", "Bx" } },
	{ "{a..a}", { "a" } },
	{ "m{a,b,c}", { "ma", "mb", "mc" } },
	{ "m{,.gz}", { "m", "m.gz" } },
	{ "{,}m", { "m", "m" } },
	{ "{a,b..c}", { "a", "b..c" } },
	{ "x{0,1}/y{0..2}", { "x0/y0", "x0/y1", "x0/y2", "x1/y0", "x1/y1", "x1/y2" } },
	{ "{a,b{1,2},c{d..e}}z", { "az", "b1z", "b2z", "cdz", "cez" } },
	{ "{{a,b},{c,{d,e}}}", { "a", "b", "c", "d", "e" } },
	{ "{a,<1..2>}", { "a", "1", "2" } },
	{ "{0..1}<a..b>", { "0<a..b>", "1<a..b>" } },
	{ "<1..2", { "<1..2" } },
	{ "a,b", { "a,b" } },
	{ "a>b", { "a>b" } },
	/* Escapes. */
	{ "\\{1..2\\}", { "{1..2}" } },
	{ "\\{{1..2}\\}", { "{1}", "{2}" } },
	{ "{a\\,b,c}", { "a,b", "c" } },
	{ "{a\\},b}", { "a}", "b" } },
	{ "\\<1..2>", { "<1..2>" } },
	{ "\\\\{a", { "\\{a" } },
	{ "a\\,b", { "a,b" } },
	{ "by\\x2duuid\\", { "by\\x2duuid\\" } },
	{ "%s{1..2}%d", { "%s1%d", "%s2%d" } },
	{ "{999999999..999999998}", { "999999999", "999999998" } },
};

START_TEST(test_expand)
{
	struct names list = { 0 };
	struct error e;
	size_t count = 0;

	ck_assert_int_eq(names_expand(&list, patterns[_i].pattern, WANT_MAX, &e), STATUS_OK);
	while (patterns[_i].want[count])
		count++;
	ck_assert_uint_eq(list.count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(list.names[i], patterns[_i].want[i]);
	names_free(&list);
}
END_TEST

#define ITSELF "; a backslash before a brace makes it part of the name"
#define NOT_CLOSED ": a brace is not closed" ITSELF
#define NOT_OPEN ": a closing brace has no opening brace" ITSELF
#define EMPTY ": there is nothing between the braces" ITSELF
#define NO_LIST ": the braces hold neither a list (A,B) nor a range (A..B)" ITSELF
#define NO_RANGE ": a range must be A..B: two numbers of at most 9 digits and without a sign, or " \
		"two letters of the same case" ITSELF
#define STEP ": a range takes no step (A..B..STEP); write a list, such as {0,2,4}" ITSELF

static const struct {
	const char *pattern, *text;
} refused[] = {
	{ "{1..2", "{1..2" NOT_CLOSED },
	{ "a{1,2}{b", "a{1,2}{b" NOT_CLOSED },
	{ "{1..2>", "{1..2>" NOT_CLOSED },
	{ "{a,{b,c}", "{a,{b,c}" NOT_CLOSED },
	{ "{a,b\\}", "{a,b\\}" NOT_CLOSED },
	{ "a}", "a}" NOT_OPEN },
	{ "{a,b}}", "{a,b}}" NOT_OPEN },
	{ "<1..2}", "<1..2}" NOT_OPEN },
	{ "\\{a,b}", "\\{a,b}" NOT_OPEN },
	{ "m{}", "m{}" EMPTY },
	{ "{a,{}}", "{a,{}}" EMPTY },
	{ "{x}{1..2}", "{x}{1..2}" NO_LIST },
	{ "{1..2}{x}", "{1..2}{x}" NO_LIST },
	{ "{{1..2}}", "{{1..2}}" NO_LIST },
	{ "{{a,b}}", "{{a,b}}" NO_LIST },
	{ "{1.2}", "{1.2}" NO_LIST },
	{ "{a\\,b}", "{a\\,b}" NO_LIST },
	{ "{now}", "{now}" NO_LIST },
	{ "{1..c}", "{1..c}" NO_RANGE },
	{ "{a..B}", "{a..B}" NO_RANGE },
	{ "{aa..bb}", "{aa..bb}" NO_RANGE },
	{ "{-1..2}", "{-1..2}" NO_RANGE },
	{ "{ 1..2}", "{ 1..2}" NO_RANGE },
	{ "{1...2}", "{1...2}" NO_RANGE },
	{ "{1..2..3}", "{1..2..3}" STEP },
	{ "{a..e..2}", "{a..e..2}" STEP },
	{ "{..}", "{..}" NO_RANGE },
	{ "{1..}", "{1..}" NO_RANGE },
	{ "{0000000001..2}", "{0000000001..2}" NO_RANGE },	/* ten digits are too many */
	{ "", "'' results in an empty name" },
	{ "{,a}", "'{,a}' results in an empty name" },
	{ "{a,{b,}}", "'{a,{b,}}' results in an empty name" },
	{ "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"
	  "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
	  "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"
	  "{a,b}{a,b}{a,b}...: more than 32 braces" },
};

START_TEST(test_refused)
{
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, refused[_i].pattern, 254, &e),
			 STATUS_USAGE);
	ck_assert_str_eq(e.text, refused[_i].text);
	names_free(&list);
}
END_TEST

/* In a command, all other braces and all backslashes belong to its shell. */
START_TEST(test_numbers_only)
{
	static const char *const same[] = {
		"|awk '{print $1, $2}'", "|cat > ${FILE}", "|{ cat; }", "|x {a,b} {a..b} {}", "|a{",
		"|a}", "|sed s/\\{//", "|echo \\, \\<", "|x {1..2..3}", "|x {-1..2}",
	};
	struct names list = { 0 };
	struct error e;

	for (size_t i = 0; i < LENGTH(same); i++)
		ck_assert_int_eq(names_expand(&list, same[i], 254, &e), STATUS_OK);
	ck_assert_uint_eq(list.count, LENGTH(same));
	for (size_t i = 0; i < LENGTH(same); i++)
		ck_assert_str_eq(list.names[i], same[i]);
	names_free(&list);
	ck_assert_int_eq(names_expand(&list, "|{ x h{0..1}<2..3>; }", 254, &e), STATUS_OK);
	ck_assert_uint_eq(list.count, 4);
	ck_assert_str_eq(list.names[0], "|{ x h02; }");
	ck_assert_str_eq(list.names[3], "|{ x h13; }");
	names_free(&list);
}
END_TEST

/* A billion names are refused at once and without allocating memory for them. */
START_TEST(test_limit)
{
	static const char *const large[] = { "{0..254}", "{0..999999999}",
					     "{0..999999999}{0..999999999}", "{300..1}",
					     "{a..z}{a..z}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" };
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, large[_i], 254, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "too many names; at most 254");
	ck_assert_uint_le(list.count, 254);
	names_free(&list);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("names");

	tcase_add_loop_test(tcase, test_expand, 0, LENGTH(patterns));
	tcase_add_loop_test(tcase, test_refused, 0, LENGTH(refused));
	tcase_add_test(tcase, test_numbers_only);
	tcase_add_loop_test(tcase, test_limit, 0, 6);
	return helper_run_case("names", tcase);
}
