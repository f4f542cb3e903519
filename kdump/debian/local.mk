# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's kdump-tools calls nsplit, once "kdump-tools-save enable" has switched it on.

kdump_debiandir = $(pkgdatadir)/kdump/debian
kdump_debian_functionsdir = $(pkglibexecdir)
kdump_debian_docdir = $(docdir)/kdump/debian
kdump_debian_made = \
	kdump/debian/kdump-tools-save \
	kdump/debian/kdump-tools-setup \
	kdump/debian/nsplit-kdump-check.service \
	kdump/debian/save.conf

pkglibexec_SCRIPTS += kdump/debian/kdump-tools-save
# kdump-tools-save sources it.  It is not executable.
nodist_kdump_debian_functions_DATA = kdump/debian/kdump-tools-setup
dist_kdump_debian_DATA = kdump/debian/check.conf
nodist_kdump_debian_DATA = kdump/debian/save.conf
nodist_systemd_unit_DATA += kdump/debian/nsplit-kdump-check.service
dist_kdump_debian_doc_DATA = kdump/debian/README.md
EXTRA_DIST += \
	kdump/debian/kdump-tools-save.in \
	kdump/debian/kdump-tools-setup.in \
	kdump/debian/nsplit-kdump-check.service.in \
	kdump/debian/save.conf.in
CLEANFILES += $(kdump_debian_made)

# With the directories of this build; make knows them, and configure does not yet.
kdump_debian_make = $(AM_V_GEN)$(MKDIR_P) kdump/debian && sed -e 's|@bindir[@]|$(bindir)|' \
	-e 's|@docdir[@]|$(docdir)|' -e 's|@pkgdatadir[@]|$(pkgdatadir)|' \
	-e 's|@pkglibexecdir[@]|$(pkglibexecdir)|' $(srcdir)/$@.in > $@-new && mv $@-new $@

kdump/debian/kdump-tools-save: kdump/debian/kdump-tools-save.in Makefile
	$(kdump_debian_make)
kdump/debian/kdump-tools-setup: kdump/debian/kdump-tools-setup.in Makefile
	$(kdump_debian_make)
kdump/debian/nsplit-kdump-check.service: kdump/debian/nsplit-kdump-check.service.in Makefile
	$(kdump_debian_make)
kdump/debian/save.conf: kdump/debian/save.conf.in Makefile
	$(kdump_debian_make)
