#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""man-diagnostics.py TREE: what DIAGNOSTICS of a page quotes is a message of its program.

A message is a format string that is passed to a function in CALLS, or the text that a function
NAME_problem() returns; or what a script in SCRIPTS passes to say, fail or finding, or assigns to text or cause.  PRINTED_BY lists the programs, and so the pages, of each source.  A line
after .TP or .TQ quotes one message, with italics or a number for each conversion.  A prefix or
suffix is quoted with WHY for the rest, the text of an errno as a word in italics or as it is.

`cond ? "A" : "B"` makes two messages, with A and with B; if one is empty, the other is optional.
"""
import os
import re
import sys

CALLS = {'error_set': 2, 'error_system': 2, 'error_prefix': 1, 'error_suffix': 1,
         'message': 0, 'compose_text': 1,
         'found_add': 3, 'fprintf': 1}

ALL = ['nsplit', 'nsplit-check', 'njoin', 'nsplit-bench', 'nsplit-makedumpfile', 'nsplit-mount', 'mkfakevmcore']
# The first entry that is a prefix of the source's path applies.  The pages of nsplit-bench,
# nsplit-makedumpfile and nsplit-mount refer to those of nsplit and njoin for messages that they share.
PRINTED_BY = [
    ('src/cmd/nsplit-bench/', ['nsplit-bench']),
    ('src/cmd/nsplit-mount/', ['nsplit-mount']),
    ('src/cmd/makedumpfile/', ['nsplit-makedumpfile']),
    ('src/mount/', ['nsplit-mount']),
    ('src/cmd/common/operands', ['nsplit', 'njoin', 'nsplit-bench']),
    ('src/bench/', ['nsplit-bench']),
    ('src/set/read/range', ['njoin', 'nsplit-bench', 'nsplit-mount']),
    ('src/cmd/nsplit/', ['nsplit', 'nsplit-check']),
    ('src/cmd/common/left_out', ['njoin', 'nsplit-mount']),
    ('src/core/kinds/page_class', ['nsplit', 'njoin', 'nsplit-mount']),
    ('src/cmd/njoin/', ['njoin']),
    ('src/cmd/mkfakevmcore/', ['mkfakevmcore']),
    ('src/cmd/', ['nsplit', 'njoin']),
    ('src/capture/', ['nsplit']),
    ('src/codec/', ['nsplit']),
    ('src/io/existing', ['nsplit', 'nsplit-makedumpfile']),
    ('src/io/path', ['nsplit', 'njoin', 'mkfakevmcore']),
    ('src/io/', ['nsplit']),
    ('src/set/', ['njoin']),
    ('src/export/', ['njoin']),
    ('src/core/', ['njoin']),       # the page of nsplit refers to this one
    ('src/filter/', ['nsplit']),
    ('src/format/', ['nsplit', 'njoin']),
    ('src/estimate/', ['nsplit']),
    ('src/base/text.c', ALL),
    # nsplit-mount and mkfakevmcore have no options with choices.
    ('src/base/option_table.c', ['nsplit', 'njoin', 'nsplit-bench']),
    ('src/base/system.c', ['nsplit']),
    ('src/base/thread_pool.c', ['njoin']),     # nsplit continues with fewer threads
    ('src/base/', ['nsplit', 'njoin']),
    ('fakevmcore/params.c', []),    # the kernel module: fakevmcore(4)
    ('fakevmcore/core.c', ['mkfakevmcore', 'nsplit-bench']),
    ('fakevmcore/pattern.h', ['mkfakevmcore', 'nsplit-bench']),
    ('fakevmcore/elfhead.h', ['mkfakevmcore', 'nsplit-bench']),
    ('fakevmcore/', ['mkfakevmcore']),
]

# Scripts that a program runs, with the page of their messages.
SCRIPTS = {'kdump/common/nsplit-drill': 'nsplit-check', 'kdump/common/nsplit-check-system': 'nsplit-check'}

ERRNOS = {os.strerror(n) for n in range(1, 134)}

STRING = r'"((?:[^"\\]|\\.)*)"'
CONVERSION = re.compile(r'%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh?|ll?|[zj])?[a-zA-Z]')
WORD = '\x01'


def without_comments(text):
    def blank(match):
        piece = match.group()
        return piece if piece[0] in '"\'' else re.sub(r'[^\n]', ' ', piece)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|//[^\n]*', blank, text,
                  flags=re.S)


def arguments(text, start):
    """The arguments of a call whose parenthesis opens before start."""
    found, depth, begin, at = [], 0, start, start
    while at < len(text):
        string = re.compile(STRING + r"|'(?:[^'\\]|\\.)*'").match(text, at)
        if string:
            at = string.end()
            continue
        if text[at] == ')' and depth == 0:
            return found + [text[begin:at]]
        if text[at] == ',' and depth == 0:
            found.append(text[begin:at])
            begin = at + 1
        depth += (text[at] in '([{') - (text[at] in ')]}')
        at += 1
    return found


def joined(argument):
    """The string made of adjacent literals and macros such as PRIu64."""
    literals = re.sub(r'\bPRI[a-z]\w*', '"u"', argument)
    return ''.join(re.findall(STRING, literals)).replace('\\n', '').replace('\\"', '"').strip()


def choices(argument, text):
    """The texts that an argument chooses from, and whether it may be empty."""
    if re.search(r'\bplural\(', argument):
        return ['s'], True
    for name in re.findall(r'(\w+)\(', argument):
        body = re.search(r'\bconst char \*' + name + r'\([^)]*\)\n{\n(.*?)\n}', text, re.S)
        argument += body.group(1) if body else ''
    texts = re.findall(STRING, argument)
    if '?' not in argument or len(texts) < 2:
        return [], False
    return [t for t in texts if t], '' in texts


def patterns(call, args, text):
    """Regular expressions for the messages of a call."""
    made = ['']
    form = joined(args[CALLS[call]])
    form = re.sub(r'^mkfakevmcore: ', '', form)
    if call not in ('error_system', 'error_prefix') and \
       not re.search('[A-Za-z]', CONVERSION.sub('', form)):
        return []       # it passes on the text of another message
    values = iter(args[CALLS[call] + 1:])
    end = 0
    for match in CONVERSION.finditer(form.replace('%%', '\0\0')):
        before = re.escape(form[end:match.start()].replace('%%', '%'))
        end = match.end()
        for _ in range(match.group().count('*')):
            next(values, '')
        texts, optional = choices(next(values, ''), text)
        if not texts:
            parts = [f'(?:{WORD}|[0-9]+)']
        elif optional:
            parts = ['(?:' + '|'.join(map(re.escape, texts)) + ')?']
        else:
            parts = map(re.escape, texts)
        made = [m + before + part for part in list(parts) for m in made]
    rest = re.escape(form[end:].replace('%%', '%'))
    if call == 'error_system':
        rest += f': {WORD}'
    made = [m + rest for m in made]
    if call == 'error_prefix':
        made = [m + (' ' if form.endswith(':') else '') + WORD for m in made]
    if call == 'error_suffix':
        made = [WORD + m for m in made]
    return made


def messages(text):
    """A pattern for each message in a source."""
    text = without_comments(text)
    for match in re.finditer(r'\b(' + '|'.join(CALLS) + r')\(', text):
        call, args = match.group(1), arguments(text, match.end())
        if len(args) > CALLS[call] and '"' in args[CALLS[call]]:
            yield from patterns(call, args, text)
    for match in re.finditer(r'\w+_problem\([^)]*\)\n{\n(.*?)\n}', text, re.S):
        for part in re.finditer(r'(?:' + STRING + r'\s*)+', match.group(1)):
            yield re.escape(joined(part.group()))


def messages_of_script(text):
    """A pattern for each message in a script; the name of what it is about may be set before it."""
    for match in re.finditer(r'^\s*(?:fail |(?:say|finding [a-z]+ [a-z-]+) (?:\\\n\s*)?|(?:text|cause)=)(["\'])([^\n]*?)\1',
                             text, re.M):
        parts = re.split(r'\$(?:\w+|\{[^}]*\})', match.group(2))
        # Not what only passes on the text of another message.
        if len(re.findall('[a-z]', ''.join(parts))) > len('drill failed'):
            yield f'(?:{WORD}: )?' + f'(?:{WORD}|[0-9]+)'.join(map(re.escape, parts))


def plain(line):
    """A line of a page as a reader sees it, with one WORD for consecutive italics."""
    italic, macro = None, re.match(r"\.(I|B|IR|RI|BR|RB|BI|IB)\s+(.*)", line)
    if macro:
        fonts, rest = macro.groups()
        parts = [a if a else b for a, b in re.findall(r'"([^"]*)"|(\S+)', rest)]
        if len(fonts) == 1:
            parts = [' '.join(parts)]
        line = ''.join(f'\\f{fonts[i % len(fonts)]}{part}' for i, part in enumerate(parts))
    for escape, means in ('\\-', '-'), ('\\(aq', "'"), ('\\(dq', '"'), ('\\(ha', '^'), ('\\&', ''):
        line = line.replace(escape, means)
    out, italic = '', False
    for font, piece in re.findall(r'(?:\\f([IRBP]))?((?:(?!\\f[IRBP]).)*)', line):
        italic = font == 'I' if font else italic
        out += WORD if italic and piece else piece
    head, colon, tail = re.sub(WORD + '+', WORD, out).strip().rpartition(': ')
    return head + colon + (WORD if tail in ERRNOS else tail)


def quoted(page):
    """(line, text) of each message that DIAGNOSTICS of a page quotes."""
    with open(page, encoding='utf-8') as file:
        lines = file.read().split('\n')
    inside = False
    for number, line in enumerate(lines):
        if line.startswith('.SH'):
            inside = line == '.SH DIAGNOSTICS'
        elif inside and line in ('.TP', '.TQ'):
            yield number + 2, plain(lines[number + 1])


def sources(tree):
    for directory in ('src', 'fakevmcore'):
        for folder, _, names in os.walk(os.path.join(tree, directory)):
            for name in names:
                if name.endswith(('.c', '.h')):
                    yield os.path.relpath(os.path.join(folder, name), tree)


def check(tree):
    """The lines of pages that quote no message, or one that is quoted before."""
    messages_of = {program: set() for program in ALL}
    for path in sorted(sources(tree)):
        with open(os.path.join(tree, path), encoding='utf-8') as file:
            found = set(messages(file.read()))
        programs = next((who for begin, who in PRINTED_BY if path.startswith(begin)), None)
        if found and programs is None:
            yield f'{path}: not in PRINTED_BY'
        for program in programs or []:
            messages_of[program] |= found
    for path, program in SCRIPTS.items():
        with open(os.path.join(tree, path), encoding='utf-8') as file:
            messages_of[program] |= set(messages_of_script(file.read()))
    for program in ALL:
        page, before = f'man/{program}.1', set()
        for line, text in quoted(os.path.join(tree, page)):
            shown = f"{page}:{line}: '{text.replace(WORD, '*')}'"
            if not any(re.fullmatch(pattern, text) for pattern in messages_of[program]):
                yield f'{shown} is not a message of {program}'
            elif text in before:
                yield f'{shown} is there more than once'
            before.add(text)


differences = list(check(sys.argv[1]))
for difference in differences:
    print(difference)
sys.exit(1 if differences else 0)
