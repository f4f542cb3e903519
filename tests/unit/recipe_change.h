// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a recipe that change bytes of a member; for recipe.c only. */
#ifndef NSPLIT_TESTS_UNIT_RECIPE_CHANGE_H
#define NSPLIT_TESTS_UNIT_RECIPE_CHANGE_H

#include "recipe.h"

/* Changes the member that is being made; false: not such a step. */
bool recipe_change(struct recipe *r, struct maker *m, const char *step);

#endif
