// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The set operations accept any value; params_read() rejects invalid ones.  If a set operation
 * rejected a value, the kernel would report it without a reason, once for each parameter, and in
 * some cases with an error other than -EINVAL.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "bad.h"
#include "decimal.h"
#include "elfhead.h"
#include "params.h"

struct number {
	u64 value;
	const char *problem;	/* why the text was not a valid number, or NULL */
};

/* The value of pattern_param is an enum pattern_kind. */
static struct number size_param = { .value = 64 << 20 };
static struct number block_size_param = { .value = PAGE_SIZE };
static struct number pool_param = { .value = PATTERN_POOL_DEFAULT };
static struct number seed_param;
static struct number pattern_param = { .value = PATTERN_MIXED };
static struct number compressible_param;
static char *bad_param;		/* NULL or allocated */

/* --- setting and showing -------------------------------------------------- */

static int number_set(const char *text, const struct kernel_param *kp)
{
	struct number *number = kp->arg;
	const char *end = decimal_parse(text, &number->value);

	number->problem = end && !*end ? NULL : "must be a decimal number below 2^64";
	return 0;
}

static int number_get(char *buffer, const struct kernel_param *kp)
{
	const struct number *number = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%llu\n", number->value);
}

static const struct kernel_param_ops number_ops = {
	.set = number_set,
	.get = number_get,
};

/* Returns the number of bits to shift for a suffix, or -1 if it is not a suffix. */
static int suffix_shift(const char *suffix)
{
	static const char suffixes[] = "KMGT";
	const char *found;

	if (!*suffix)
		return 0;
	found = strchr(suffixes, toupper(*suffix));
	return found && !suffix[1] ? 10 * (int)(found - suffixes + 1) : -1;
}

static int size_set(const char *text, const struct kernel_param *kp)
{
	struct number *number = kp->arg;
	const char *end = decimal_parse(text, &number->value);
	int shift = end ? suffix_shift(end) : -1;

	if (shift < 0 || number->value > U64_MAX >> shift)
		number->problem =
			"must be a number of bytes below 2^64, optionally followed by K, M, G or T";
	else
		number->problem = NULL;
	number->value <<= shift < 0 ? 0 : shift;
	return 0;
}

static const struct kernel_param_ops size_ops = {
	.set = size_set,
	.get = number_get,
};

/* An unknown name becomes PATTERN_KINDS, which pattern_problem() rejects. */
static int pattern_set(const char *text, const struct kernel_param *kp)
{
	struct number *number = kp->arg;
	unsigned int i;

	for (i = 0; pattern_name(i) && strcmp(text, pattern_name(i)); i++)
		;
	number->value = i;
	return 0;
}

static int pattern_get(char *buffer, const struct kernel_param *kp)
{
	const struct number *number = kp->arg;
	const char *name = pattern_name(number->value);

	return scnprintf(buffer, PAGE_SIZE, "%s\n", name ? name : "");
}

static const struct kernel_param_ops pattern_ops = {
	.set = pattern_set,
	.get = pattern_get,
};

/* The kernel's own charp is limited to 1024 characters, about 200 ranges. */
static int bad_set(const char *text, const struct kernel_param *kp)
{
	char **list = kp->arg, *copy = kstrdup(text, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	kfree(*list);
	*list = copy;
	return 0;
}

/* A list too long for sysfs is truncated and ends with three dots. */
static int bad_get(char *buffer, const struct kernel_param *kp)
{
	static const char more[] = "...\n";
	const char *list = *(char **)kp->arg;
	size_t len_max = PAGE_SIZE - sizeof(more);

	if (!list)
		list = "";
	if (strlen(list) <= len_max)
		return scnprintf(buffer, PAGE_SIZE, "%s\n", list);
	memcpy(buffer, list, len_max);
	memcpy(buffer + len_max, more, sizeof(more));
	return PAGE_SIZE - 1;
}

static void bad_param_free(void *arg)
{
	kfree(*(char **)arg);
}

static const struct kernel_param_ops bad_ops = {
	.set = bad_set,
	.get = bad_get,
	.free = bad_param_free,
};

module_param_cb(fakevmcore_size, &size_ops, &size_param, 0444);
MODULE_PARM_DESC(fakevmcore_size, "size of the file in bytes, or with K, M, G, T (64M)");
module_param_cb(fakevmcore_block_size, &size_ops, &block_size_param, 0444);
MODULE_PARM_DESC(fakevmcore_block_size, "block size of the pattern, one page to 1M (one page)");
module_param_cb(fakevmcore_pool, &size_ops, &pool_param, 0444);
MODULE_PARM_DESC(fakevmcore_pool, "bytes kept in memory, which the file repeats (64M)");
module_param_cb(fakevmcore_seed, &number_ops, &seed_param, 0444);
MODULE_PARM_DESC(fakevmcore_seed, "seed of all random values (0)");
module_param_cb(fakevmcore_pattern, &pattern_ops, &pattern_param, 0444);
MODULE_PARM_DESC(fakevmcore_pattern, "random, zero, same, text or mixed (mixed)");
module_param_cb(fakevmcore_compressible, &number_ops, &compressible_param, 0444);
MODULE_PARM_DESC(fakevmcore_compressible, "percentage of each random block that is zero (0)");
module_param_cb(fakevmcore_bad, &bad_ops, &bad_param, 0444);
MODULE_PARM_DESC(fakevmcore_bad, "pages that cannot be read, such as 3,10-19 (none)");

/* --- checking ------------------------------------------------------------- */

/* Checks that all numbers were valid, before any of the values is checked. */
static const char *number_problem(const char **name)
{
	static const struct {
		const char *name;
		const struct number *number;
	} all[] = {
		{ "fakevmcore_size", &size_param },
		{ "fakevmcore_block_size", &block_size_param },
		{ "fakevmcore_pool", &pool_param },
		{ "fakevmcore_seed", &seed_param },
		{ "fakevmcore_compressible", &compressible_param },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		*name = all[i].name;
		if (all[i].number->problem)
			return all[i].number->problem;
	}
	return NULL;
}

static u32 clamp_u32(u64 value)
{
	return min_t(u64, value, U32_MAX);
}

/*
 * Sets the values one by one in a pattern that is valid so far, so that a problem is caused by
 * the value just set.  All rules are in pattern_problem().
 */
static const char *take_pattern(struct pattern *p, const char **name)
{
	const char *problem;

	p->seed = seed_param.value;
	p->block_size = PATTERN_BLOCK_DEFAULT;
	p->pool_size = PATTERN_POOL_MAX;
	p->compressible = 0;

	*name = "fakevmcore_pattern";
	p->kind = pattern_param.value;
	problem = pattern_problem(p);
	if (problem)
		return problem;

	*name = "fakevmcore_block_size";
	p->block_size = clamp_u32(block_size_param.value);
	problem = pattern_problem(p);
	if (problem)
		return problem;
	if (p->block_size < PAGE_SIZE)
		return "the block size must be at least the page size of this kernel";

	*name = "fakevmcore_pool";
	p->pool_size = pool_param.value;
	problem = pattern_problem(p);
	if (problem)
		return problem;

	*name = "fakevmcore_compressible";
	p->compressible = clamp_u32(compressible_param.value);
	return pattern_problem(p);
}

static const char *take_rest(struct settings *s, const char **name, char why[BAD_WHY])
{
	const char *problem;

	*name = "fakevmcore_size";
	s->size = size_param.value;
	problem = elfhead_problem(s->size);
	if (problem)
		return problem;

	*name = "fakevmcore_bad";
	s->bad = bad_param ? bad_param : "";
	if (bad_check(s->bad, (s->size + PAGE_SIZE - 1) >> PAGE_SHIFT, why))
		return NULL;
	return why;
}

int params_read(struct settings *settings)
{
	const char *name, *problem;
	char why[BAD_WHY];

	problem = number_problem(&name);
	if (!problem)
		problem = take_pattern(&settings->pattern, &name);
	if (!problem)
		problem = take_rest(settings, &name, why);
	if (!problem)
		return 0;
	pr_err("%s: %s\n", name, problem);
	return -EINVAL;
}
