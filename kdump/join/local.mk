# SPDX-License-Identifier: GPL-2.0-or-later
# After the reboot, members become a kdump file, once the unit is enabled: README.md.  No package enables it.
kdump_join_docdir = $(docdir)/kdump/join
kdump_join_made = kdump/join/nsplit-join kdump/join/nsplit-join.service

pkglibexec_SCRIPTS += kdump/join/nsplit-join
nodist_systemd_unit_DATA += kdump/join/nsplit-join.service
dist_kdump_join_doc_DATA = kdump/join/README.md kdump/join/nsplit-join.conf
EXTRA_DIST += kdump/join/nsplit-join.in kdump/join/nsplit-join.service.in
CLEANFILES += $(kdump_join_made)

$(kdump_join_made): %: %.in Makefile
	$(AM_V_GEN)$(MKDIR_P) kdump/join && sed -e 's|@bindir[@]|$(bindir)|' -e 's|@docdir[@]|$(docdir)|' \
		-e 's|@pkglibexecdir[@]|$(pkglibexecdir)|' $(srcdir)/$@.in > $@-new && mv $@-new $@
