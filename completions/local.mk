# SPDX-License-Identifier: GPL-2.0-or-later
# Completions.  bash and fish look for a file named after each program: one file serves all, and the
# other names are links to it.  zsh finds the programs in the first line of its file.
completion_links = njoin nsplit-bench nsplit-mount mkfakevmcore

completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = completions/nsplit
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = completions/_nsplit
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = completions/nsplit.fish

install-data-hook: install-completion-links
install-completion-links:
	for name in $(completion_links); do \
		rm -f "$(DESTDIR)$(completiondir)/$$name" \
			"$(DESTDIR)$(fishcompletiondir)/$$name.fish" && \
		$(LN_S) nsplit "$(DESTDIR)$(completiondir)/$$name" && \
		$(LN_S) nsplit.fish "$(DESTDIR)$(fishcompletiondir)/$$name.fish" || exit 1; \
	done

uninstall-hook: uninstall-completion-links
uninstall-completion-links:
	for name in $(completion_links); do \
		rm -f "$(DESTDIR)$(completiondir)/$$name" \
			"$(DESTDIR)$(fishcompletiondir)/$$name.fish"; \
	done
.PHONY: install-completion-links uninstall-completion-links
