#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PROGRAM BASH ZSH: writes the completions of a program for both shells.

The description is what the program itself prints: `PROGRAM --help`, and `PROGRAM COMMAND --help` for each of its commands. So it
needs these forms, which test/complete checks:

  -o, --output FORMAT  table (default) or json      an option, the word of its value, and a list of values, if it begins with one
      --watch[=SECONDS]                             an option with an optional value
  info                 show device information      a command
Usage: PROGRAM [OPTION...] COMMAND ARGUMENT [ARGUMENT]
ARGUMENT is a, b or c                               a list of values
"""
import re
import shlex
import subprocess
import sys

OPTION = re.compile(r'(?:(-\w), )?--([a-z][a-z-]*)(?:\[=([A-Z]+)\]| ([A-Z][A-Z./]*\b|[a-z]+:[A-Z:]+))?')
FILES = {'FILE', 'PATH', 'OUT', 'IN', 'FABRIC', 'FILE.html'}


def help_of(words):
    ran = subprocess.run(words + ['--help'], capture_output=True, text=True, check=True)
    return ran.stdout


def choices(text):
    """The values of 'a, b or c: ...', or none. Parentheses are remarks."""
    bare = re.sub(r'\s*\([^)]*\)', '', text)
    for part in (bare if ' or ' in bare.split(':')[0] else '', bare.partition(': ')[2]):
        words = [w for w in re.split(r',\s*(?:or\s+)?|\s+or\s+', re.split(r'[:;.]\s|[:;.]$', part)[0].strip()) if w]
        if len(words) > 1 and all(re.fullmatch(r'[a-z0-9][\w-]*', w) for w in words):
            return words
    return []


def values(word, text):
    """How a value completes: '@files', '@cards', words, or nothing."""
    if word == 'CARD':
        return ['@cards']
    return ['@files'] if word in FILES else choices(text)


class Option:
    def __init__(self, short, name, word, optional, text):
        self.short, self.name, self.word, self.optional = short, '--' + name, word, optional
        self.text = re.split(r'[;(]', text)[0].strip()
        self.values = values(word, text) if word else []


def options_of(text):
    lines, found = text.splitlines(), {}
    for number, line in enumerate(lines):
        if not re.match(r'\s+--?\w', line):
            continue
        matches = list(OPTION.finditer(line))
        says = line[matches[-1].end():].strip()
        for more in lines[number + 1:]:
            if not re.match(r'\s{12,}[^\s-]', more):
                break
            says += ' ' + more.strip()
        for m in matches:
            found.setdefault(m[2], Option(m[1], m[2], m[3] or m[4], bool(m[3]), says))
    return list(found.values())


def commands_of(text):
    for line in text.splitlines():
        m = re.match(r'  ([a-z][a-z-]*)(?: .*?)?  +(\S(?:(?!  ).)*)$', line)
        if m:
            yield m[1], m[2]


def arguments_of(name, text):
    """[(word, values)] of a command, from its usage."""
    usage = text.splitlines()[0].split(' ' + name, 1)[1]
    while re.search(r'\([^()]*\)', usage):
        usage = re.sub(r'\([^()]*\)', '', usage)
    found = []
    for word in usage.replace('[OPTION...]', '').split():
        word = word.replace('[', '').replace(']', '')
        key = word.split('=')[0]
        if re.fullmatch(r'\w+(\|\w+)+', word):
            found.append((word, word.split('|')))
            continue
        said = re.search(r'\b' + re.escape(key) + r'(?: is|:) (.*)', text.replace('\n', ' '))
        found.append((key, [c + '=' * ('=' in word) for c in values(key, said[1] if said else '')]))
    return found


class Command:
    def __init__(self, program, name, text, known):
        self.name, self.text = name, text
        said = help_of([program, name])
        self.options, self.arguments = options_of(said), arguments_of(name, said)
        if re.search(r'options of run', said):
            without = re.search(r'without (-\w)', said)
            self.options += [o for o in known['run'].options if not without or o.short != without[1]]
        if not any(o.name == '--help' for o in self.options):
            self.options.append(Option('-h', 'help', None, False, 'show help'))


class Program:
    def __init__(self, path):
        said = help_of([path])
        self.name = re.match(r'[Uu]sage: (\S+)', said)[1]
        self.commands = {}
        for name, text in commands_of(said):
            self.commands[name] = Command(path, name, text, self.commands)
        self.options = options_of(said)


# --- bash

BASH = '''# bash completion for {name}. Made from its --help.
# SPDX-License-Identifier: Apache-2.0
_{id}_of() # COMMAND, "options", OPTION or number of an argument: the words, @files or @cards
{{
	case "$1 $2" in
{cases}
	esac
}}
_{id}_takes() # whether the next word is the value of the option
{{
	case $1 in
	{taking}) return 0 ;;
	esac
	return 1
}}
_{id}()
{{
	local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command='' number=0 i word of
	COMPREPLY=()
	# The shell splits --option=value.
	if [[ $cur == '=' ]]; then
		cur=''
	elif [[ $prev == '=' && $COMP_CWORD -gt 2 ]]; then
		prev=${{COMP_WORDS[COMP_CWORD-2]}}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${{COMP_WORDS[i]}}
		if [[ $word == -* ]]; then
			[[ ${{COMP_WORDS[i+1]}} != '=' ]] || ((i += 2))
			! _{id}_takes "$word" || ((i += 1))
		elif [[ $word == '=' ]]; then
			:
		elif [[ {has_commands} == 1 && -z $command ]]; then
			command=$word
		else
			((number += 1))
		fi
	done
	if _{id}_takes "$prev"; then
		of=$(_{id}_of "$command" "$prev")
	elif [[ $cur == -* ]]; then
		of=$(_{id}_of "$command" options)
	else
		of=$(_{id}_of "$command" $number)
	fi
	case $of in
	@files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	@cards) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/gpulink 2>/dev/null)" -- "$cur") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$of" -- "$cur") ;;
	esac
	[[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace 2>/dev/null
}}
complete -F _{id} {name}
'''


def bash_case(pattern, words):
    return [f'\t{pattern}) echo {shlex.quote(" ".join(words))} ;;'] if words else []


def bash_command(command, options, arguments):
    cases = bash_case(f"'{command} options'", [w for o in options for w in (o.short, o.name) if w])
    for number, (_, words) in enumerate(arguments):
        cases += bash_case(f"'{command} {number}'", words)
    return cases


def bash_values(every):
    """An option has the same values with all commands that have it."""
    cases, seen = [], {}
    for o in every:
        if o.name not in seen and not o.optional:
            cases += bash_case(' | '.join(f"*' {w}'" for w in (o.short, o.name) if w), o.values)
        if seen.setdefault(o.name, o.values) != o.values:
            sys.exit(f'generate.py: {o.name} has values {seen[o.name]} and {o.values}')
    return cases


def bash(program):
    every = program.options + [o for c in program.commands.values() for o in c.options]
    cases = bash_command('', program.options, [('COMMAND', list(program.commands))] if program.commands else [])
    for c in program.commands.values():
        cases += bash_command(c.name, c.options, c.arguments)
    cases += bash_values(every)
    taking = sorted({w for o in every for w in (o.short, o.name) if w and o.word and not o.optional})
    return BASH.format(name=program.name, id=program.name.replace('-', '_'), cases='\n'.join(cases), taking=' | '.join(taking),
                       has_commands=int(bool(program.commands)))


# --- zsh

def zsh_action(words):
    return {'@files': '_files', '@cards': '_gpulink_cards'}.get(words[0], '(' + ' '.join(words) + ')') if words else ' '


def zsh_text(text):
    return re.sub(r"[\[\]':`\\]", '', text)


def zsh_options(options):
    for o in options:
        for w in (o.short, o.name):
            if not w:
                continue
            rest = f'[{zsh_text(o.text)}]'
            if o.optional:
                rest = ('-' if w == o.short else '=-') + rest + f'::{o.word}: '
            elif o.word:
                rest = ('+' if w == o.short else '=') + rest + f':{zsh_text(o.word)}:{zsh_action(o.values)}'
            yield shlex.quote('*' + w + rest)


def zsh_lines(options, arguments):
    specs = list(zsh_options(options)) + [shlex.quote(f':{zsh_text(a)}:{zsh_action(words)}') for a, words in arguments]
    return ' \\\n\t\t\t'.join(specs)


def zsh(program):
    name = program.name.replace('-', '_')
    out = [f'#compdef {program.name}', '# SPDX-License-Identifier: Apache-2.0', '# Made from its --help.',
           '_gpulink_cards() { compadd -- /sys/class/gpulink/*(N:t) }', f'_{name}() {{']
    if not program.commands:
        out += [f'\t_arguments \\\n\t\t\t{zsh_lines(program.options, [])}', '}', f'_{name} "$@"']
        return '\n'.join(out) + '\n'
    described = [shlex.quote(f'{c.name}:{zsh_text(c.text)}') for c in program.commands.values()]
    out += ['\tlocal context state line', '\ttypeset -A opt_args', '\tlocal -a commands=(', *(f'\t\t{d}' for d in described), '\t)',
            f"\t_arguments -C \\\n\t\t\t{zsh_lines(program.options, [])} ':command:->command' '*::argument:->argument'",
            '\tcase $state in', '\tcommand) _describe command commands ;;', '\targument)', '\t\tcase $words[1] in']
    for c in program.commands.values():
        out.append(f'\t\t{c.name}) _arguments \\\n\t\t\t{zsh_lines(c.options, c.arguments)} ;;')
    out += ['\t\tesac ;;', '\tesac', '}', f'_{name} "$@"']
    return '\n'.join(out) + '\n'


def main():
    program = Program(sys.argv[1])
    for path, text in zip(sys.argv[2:], (bash(program), zsh(program))):
        with open(path, 'w', encoding='ascii') as file:
            file.write(text)


if __name__ == '__main__':
    main()
