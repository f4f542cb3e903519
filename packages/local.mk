# SPDX-License-Identifier: GPL-2.0-or-later
# Packages for Debian and for systems with RPM, and a program without shared libraries, or with that of C only.  Neither
# root nor a network is required.

EXTRA_DIST += \
	debian/changelog \
	debian/clean \
	debian/control \
	debian/copyright \
	debian/fakevmcore-dkms.dkms \
	debian/fakevmcore-dkms.install \
	debian/nsplit-fuse.install \
	debian/nsplit-makedumpfile.links \
	debian/nsplit-makedumpfile.lintian-overrides \
	debian/nsplit-makedumpfile.postrm \
	debian/nsplit-makedumpfile.preinst \
	debian/nsplit.install \
	debian/nsplit.lintian-overrides \
	debian/nsplit.prerm \
	debian/rules \
	debian/source/format \
	debian/source/lintian-overrides \
	debian/source/options \
	debian/tests/control \
	debian/tests/mount \
	debian/tests/round-trip \
	debian/watch \
	packages/contents.sh \
	packages/lib.sh \
	packages/lintian-suppressed \
	packages/make-deb.sh \
	packages/make-rpm.sh \
	packages/release.sh \
	packages/rpmlint.toml \
	packages/sbom.sh \
	packages/static-program.sh

# automake's command, but the same files make the same archive, of the time of the changelog.
am__tar = $${TAR-tar} --format=posix --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
	--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
	--mtime="$$(sed -n 's/^ -- .*>  //p' $(srcdir)/debian/changelog | sed q)" -chf - "$$tardir"

# exec replaces make's shell, so that a signal to make reaches the script.
deb: dist
	@exec $(SHELL) $(srcdir)/packages/make-deb.sh $(distdir)

rpm: dist
	@exec $(SHELL) $(srcdir)/packages/make-rpm.sh $(distdir)

if STATIC_PROGRAMS
# The linker's map, for the list of what the program contains.
nsplit_LDFLAGS = $(AM_LDFLAGS) -Wl,-Map=nsplit.map
CLEANFILES += nsplit.map

static-program: nsplit$(EXEEXT)
	@EXCEPT='$(static_end)' STRIP='$(STRIP)' CC='$(CC)' VERSION='$(VERSION)' PAGE='$(PACKAGE_URL)' \
		$(SHELL) $(srcdir)/packages/static-program.sh
else
static-program:
	@echo 'make static-program: configure with --enable-static-programs first' >&2
	@exit 1
endif
.PHONY: deb rpm static-program

# The results of "make deb", "make rpm" and "make static-program".
clean-local: packages-clean
packages-clean:
	rm -rf static packages-scratch
	rm -f nsplit_$(VERSION)* nsplit-fuse_$(VERSION)* nsplit-makedumpfile_$(VERSION)* fakevmcore-dkms_$(VERSION)* \
		nsplit-dbgsym_$(VERSION)* nsplit-fuse-dbgsym_$(VERSION)* \
		nsplit-$(VERSION)-*.rpm nsplit-*-$(VERSION)-*.rpm \
		fakevmcore-dkms-$(VERSION)-*.rpm deb.log rpm.log
.PHONY: packages-clean
