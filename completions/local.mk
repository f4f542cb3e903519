# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash.  It is looked for under the name of each program: one file has them all.
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = completions/nsplit
completion_links = njoin nsplit-bench nsplit-mount mkfakevmcore

install-data-hook: install-completion-links
install-completion-links:
	for name in $(completion_links); do \
		rm -f "$(DESTDIR)$(completiondir)/$$name" && \
		$(LN_S) nsplit "$(DESTDIR)$(completiondir)/$$name" || exit 1; \
	done

uninstall-hook: uninstall-completion-links
uninstall-completion-links:
	for name in $(completion_links); do rm -f "$(DESTDIR)$(completiondir)/$$name"; done
.PHONY: install-completion-links uninstall-completion-links
