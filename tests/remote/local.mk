# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit and other machines: "make check-remote", which is not part of "make check" because it takes
# root and servers.

remote_tests = \
	tests/remote/rclone.sh \
	tests/remote/s3.sh \
	tests/remote/ssh.sh

EXTRA_DIST += $(remote_tests) tests/remote/lib.sh tests/remote/rclone-lib.sh

REMOTE_TESTS = $(remote_tests)
# Without the programs of the other tests.
check-remote: $(bin_PROGRAMS)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(REMOTE_TESTS)' check_PROGRAMS= check_LIBRARIES=

# An S3 server in Python, for tests/remote/s3.sh; ./quickstart check-remote calls this.
S3_SERVER = 'moto[s3]>=5,<6' flask flask-cors
s3-server: tests/remote/venv/bin/moto_server
tests/remote/venv/bin/moto_server:
	@$(MKDIR_P) tests/remote
	python3 -m venv tests/remote/venv
	tests/remote/venv/bin/python -m pip install --disable-pip-version-check $(S3_SERVER)

clean-local: s3-server-clean
s3-server-clean:
	-rm -rf tests/remote/venv
.PHONY: check-remote s3-server s3-server-clean
