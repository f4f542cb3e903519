# SPDX-License-Identifier: GPL-2.0-or-later
# Builds, installs, uses and removes the packages in a clean system: "make check-packages", which is
# not part of "make check" because it takes minutes, root and a mirror.

EXTRA_DIST += \
	tests/packages/check-packages.sh \
	tests/packages/debian-enter.sh \
	tests/packages/debian-root.sh \
	tests/packages/inside.sh \
	tests/packages/rpm-makedumpfile.sh \
	tests/packages/state.sh

TESTS += tests/packages/sbom.sh tests/packages/versions.sh
EXTRA_DIST += tests/packages/sbom.sh tests/packages/versions.sh

check-packages: dist
	@exec env builddir='$(abs_builddir)' \
		$(SHELL) $(srcdir)/tests/packages/check-packages.sh $(distdir)
.PHONY: check-packages
