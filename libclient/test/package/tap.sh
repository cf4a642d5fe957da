# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the shell tests of the library share: TAP, and a folder $work that is removed at the end.

number=0
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/gpulink-lib-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# check NAME COMMAND...: one test, passed when the command succeeds.
check() {
	name=$1
	shift
	number=$((number + 1))
	if "$@" >"$work/check" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$work/check"
		bad=$((bad + 1))
	fi
}
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}
finish() {
	echo "1..$number"
	[ $bad = 0 ]
	exit
}
is() { [ "$1" = "$2" ] || { echo "is '$1', should be '$2'"; return 1; }; }

# functions_of HEADER...: what the headers declare, by the compiler's eyes: comments and macros are gone. Functions whose bodies are in a
# header are of the program.
functions_of() {
	for header; do
		cc -E -P -I"$(dirname "$header")" "$header" || return 1
	done | tr '\n' ' ' >"$work/seen_by_compiler"
	grep -oE '\bgpulink_[a-z0-9_]+ *\(' "$work/seen_by_compiler" | tr -d ' (' | sort -u >"$work/all_functions"
	grep -oE 'static inline [a-z0-9_ *]+\bgpulink_[a-z0-9_]+ *\(' "$work/seen_by_compiler" | grep -oE 'gpulink_[a-z0-9_]+ *\($' |
		tr -d ' (' | sort -u | comm -13 - "$work/all_functions"
}
