# SPDX-License-Identifier: GPL-2.0-or-later
#
# fish completion for nsplit, njoin, nsplit-bench, nsplit-mount and mkfakevmcore.  Like the one for
# bash (completions/nsplit), it reads the options from --help=all, and tests/cli/completion.sh compares
# the values below with those that the programs accept.

# __nsplit_values PROGRAM OPTION WHAT: the values of an option that --help calls WHAT
function __nsplit_values
	switch $argv[1]:$argv[2]
		case njoin:compress
			printf '%s\n' lzo snappy zlib zstd
		case '*:compress' '*:codecs'
			nsplit --list-codecs 2>/dev/null | string replace -r ' .*' ''
			echo auto
		case '*:exclude'
			printf '%s\n' zero cache private user free
		case '*:format'
			printf '%s\n' elf kdump
		case '*:pattern'
			printf '%s\n' random zero same text mixed
		case '*'
			switch $argv[3]
				case WHEN
					printf '%s\n' auto always never
				case WAY
					printf '%s\n' drop keep
				case MODE
					printf '%s\n' 0400 0440 0404 0444
				case all
					echo all
				case GROUP
					__fish_complete_groups
			end
	end
end

# __nsplit_options PROGRAM: declares the options that its --help=all lists
function __nsplit_options
	set -l program $argv[1]

	complete -c $program -e
	for line in ($program --help=all 2>/dev/null)
		string match -rq '^ +(?:-(?<letter>\w), )?--(?<name>[a-z][a-z0-9-]*)(?<optional>\[?)=?(?<what>[A-Za-z]*)' -- $line
		or continue
		set -l options -l $name
		test -z "$letter"; or set -a options -s $letter
		if test -n "$what"
			set -l values (__nsplit_values $program $name $what)
			test -n "$optional"; or set -a options -r
			if test (count $values) -gt 0
				test "$what" != LIST; or set values "(__fish_append , $values)"
				set -a options -f -a "$values"
			end
		end
		# The description is on the next line if there is no space for it.
		string match -rq '\S  +(?<description>.*)' -- (string sub -s 3 -- $line)
		and set -a options -d $description
		complete -c $program $options
		# Further options of the line: the --no- forms.
		for other in (string match -ra -- '--no-[a-z-]+' $line)
			complete -c $program -l (string sub -s 3 -- $other)
		end
	end
end

# fish loads this file under the name of each program.
for program in nsplit njoin nsplit-bench nsplit-mount mkfakevmcore
	if command -q $program
		__nsplit_options $program
	end
end
