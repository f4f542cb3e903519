# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tasks that readers find in a core, against the list that the machine made before the panic.

# tasks_crash: the lines "PID NAME" of what crash said
tasks_crash() {
	awk '
		/^crash> / { ps = $0 == "crash> ps"; next }
		ps { sub(/^>/, " ") }
		ps && $1 ~ /^[0-9]+$/ {
			name = $0
			# PID PPID CPU TASK ST %MEM VSZ RSS COMM
			for (i = 1; i <= 8; i++) sub(/^ *[^ ]+/, "", name)
			sub(/^ */, "", name)
			gsub(/^\[|\]$/, "", name)
			print $1, name
		}'
}

# tasks_drgn: the same of what drgn said
tasks_drgn() {
	sed -n 's/^task \([0-9]* .*\)/\1/p'
}

# tasks_check PS: the list on standard input has each task of PS, lines "PID NAME" below a heading, but
# for ps itself and for kernel workers, which come and go; prints those that are missing.  ps adds the
# work to the name of a worker, and shows 15 characters.
tasks_check() {
	awk '
		NR == FNR { pid = $1; sub(/^ *[0-9]+ /, ""); found[pid] = substr($0, 1, 15); next }
		FNR == 1 { next }
		{
			pid = $1; sub(/^ *[0-9]+ +/, ""); sub(/ +$/, "")
			if ($0 == "ps") next
			tasks++
			if ($0 ~ /^kworker\//) {
				if (pid in found && index(found[pid], "kworker/") != 1) bad(pid)
			} else if (!(pid in found) || found[pid] != $0)
				bad(pid)
		}
		function bad(pid) {
			printf "task %d is %s, and was %s\n", pid, pid in found ? found[pid] : "missing", $0
			missing = 1
		}
		END { if (!tasks) print "the machine listed no tasks"; exit missing || !tasks }' - "$1"
}

# tasks_crash_limits: the questions that crash does not answer, or only in part: it says why after its
# own name for the command
tasks_crash_limits() {
	awk '
		function end() {
			if (question && (failed || !lines)) text = text (text ? ", " : "") question
		}
		/^crash> / {
			end()
			question = substr($0, 8)
			split(question, word, " ")
			lines = failed = 0
			next
		}
		index($0, word[1] ": ") == 1 || word[2] && index($0, word[2] ": ") == 1 { failed = 1 }
		$0 != "" { lines++ }
		END { end(); print text }'
}
