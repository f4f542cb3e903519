# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts the checks made here and those that a machine reports.  The caller sets check, the name of
# the command.

checks_passed=0
checks_failed=0
# The part of the console that was already shown.
checks_console_shown=

# passed TEXT
passed() {
	checks_passed=$((checks_passed + 1))
	printf 'ok      %s: %s\n' "$scenario" "$1"
}

# failed TEXT: prints it, and the end of the machine's console
failed() {
	checks_failed=$((checks_failed + 1))
	printf 'NOT OK  %s: %s\n' "$scenario" "$1"
	[ ! -s "${console:-}" ] || [ "$console" = "$checks_console_shown" ] || {
		checks_console_shown=$console
		printf '        %s has it all; what stands out, and the end:\n' "$console"
		{
			grep -aE 'Kernel panic|Out of memory|BUG:|WARNING:|Oops' "$console" | head -n 20
			tail -n 40 "$console"
		} | tr -d '\r' | sed 's/^/        | /'
	}
}

# same WHAT HAVE WANT
same() {
	if [ "$2" = "$3" ]; then
		passed "$1"
	else
		failed "$1: is '$2' and not '$3'"
	fi
}

# try WHAT COMMAND...: a check that passes if COMMAND succeeds
try() {
	checks_what=$1
	shift
	if checks_said=$("$@" 2>&1); then
		passed "$checks_what"
	else
		failed "$checks_what: $* says: $checks_said"
	fi
}

# value NAME: prints the value that the machine reported under that name
value() {
	sed -n "s/^value $1 //p" "$report"
}

# checks_of_machine: adds the checks of the machine that has just run
checks_of_machine() {
	[ "$machine_status" -eq 0 ] ||
		failed "the machine did not end by itself (status $machine_status)"
	while read -r checks_verdict checks_text; do
		case $checks_verdict in
		ok) passed "$checks_text" ;;
		failed) failed "$checks_text" ;;
		note) printf '        %s\n' "$checks_text" ;;
		value | end) ;;
		*) failed "an invalid line of the report: $checks_verdict $checks_text" ;;
		esac
	done < "$report"
	# If a script ended early, in either kernel, this line is missing.
	grep -q '^end$' "$report" || failed 'the script in the machine ended early'
}

# checks_sum SECONDS
checks_sum() {
	if [ "$checks_failed" -gt 0 ]; then
		printf '%s: %d checks FAILED, %d passed, in %d s\n' \
			"$check" "$checks_failed" "$checks_passed" "$1"
		exit 1
	fi
	[ "$checks_passed" -gt 0 ] || {
		printf '%s: nothing was checked\n' "$check"
		exit 1
	}
	printf '%s: %d checks passed in %d s\n' "$check" "$checks_passed" "$1"
}
