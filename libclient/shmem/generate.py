#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py OUTPUT COMPILER...: writes the typed calls of libgpulink-shmem from the prototypes in the installed <shmem.h>, as
implementations and versions have different ones. A function that it has no rule for is passed on behind a flush."""
import re
import subprocess
import sys

# Written in calls.c.
WRITTEN = set("""init init_thread query_thread finalize global_exit ptr fence ctx_fence quiet ctx_quiet ctx_destroy barrier barrier_all sync sync_all
malloc calloc align realloc free set_lock test_lock clear_lock""".split())
# Without stores, loads or waiting.
LEFT = re.compile(r"my_pe|n_pes|info_.*|(pe|addr)_accessible|ctx_create|.*cache.*|udcflush.*|team_(my|n)_.*|ctx_get_team"
                  r"|team_translate_pe|team_get_config|alltoall_global_nb|pcontrol")


def prototypes(compiler):
    """(result, name, parameters) of each shmem_ and shmemx_ function."""
    source = "#include <shmem.h>\n#if __has_include(<shmemx.h>)\n#include <shmemx.h>\n#endif\n"
    text = subprocess.run([*compiler, "-E", "-P", "-x", "c", "-"], input=source, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
    seen = set()
    for result, name, parameters in re.findall(r"(?:extern\s+)?\b([a-z_][\w\s*]*?[\s*])(shmemx?_\w+)\s*\(([^()]*)\)\s*;", text):
        if name not in seen and not re.search(r"\b(typedef|return)\b", result):
            seen.add(name)
            named = [p.strip() for p in parameters.split(",")]
            named = [p if p == "void" or re.search(r"[\s*]\w+(\[\d*\])?$", p) else f"{p} a{i}" for i, p in enumerate(named)]
            yield result.replace("extern", "").strip(), name, named


def name_of(parameter):
    return re.search(r"(\w+)\s*(\[\d*\])?$", parameter).group(1)


def body(result, name, short, arguments, real):
    """The call's body, by its name."""
    other = f"{arguments[0]} != SHMEM_CTX_DEFAULT" if short.startswith("ctx_") else "false"
    a = arguments[1:] if short.startswith("ctx_") else arguments
    plain = re.sub(r"^ctx_", "", short)
    sized = re.fullmatch(r"i?(?:put|get)(\d+|mem)(_nbi)?", plain)
    bytes_each = f"sizeof(*{a[0]})" if not sized else {"mem": "1"}.get(sized.group(1)) or str(int(sized.group(1)) // 8)
    if re.search(r"_p$", plain):
        return f"GLK_P({a[0]}, {a[1]}, {a[2]}, {other}, {real});"
    if re.fullmatch(r"(\w+_)?put(\d+|mem)?(_nbi)?", plain):
        return f"GLK_PUT({a[0]}, {a[1]}, {a[2]} * {bytes_each}, {a[3]}, {other}, {real});"
    if re.fullmatch(r"(\w+_)?iput(\d+)?", plain):
        return f"GLK_IPUT({a[0]}, {a[1]}, {a[2]}, {a[3]}, {a[4]}, {bytes_each}, {a[5]}, {other}, {real});"
    if re.search(r"_g$", plain):
        return f"GLK_G({a[0]}, {a[1]}, {real});"
    if re.fullmatch(r"(\w+_)?get(\d+|mem)?(_nbi)?", plain):
        return f"GLK_GET({a[0]}, {a[1]}, {a[2]} * {bytes_each}, {a[3]}, {real});"
    if re.fullmatch(r"(\w+_)?wait_until", plain):
        return f"GLK_WAIT({real.replace('shmemx', 'shmem').replace('wait_until', 'test')});"
    if re.fullmatch(r"(\w+_)?wait", plain):
        kind = plain[:-5] or "long"
        return f"GLK_WAIT(pshmem_{kind}_test({a[0]}, SHMEM_CMP_NE, {a[1]}));"
    if re.fullmatch(r"\w+_test", plain):
        return f"GLK_TEST({real});"
    if plain.startswith("malloc"):
        return f"glk_quiet(); glk_meet(0, 0, glk_shmem.pes, NULL); return {real};"
    back = "" if result == "void" else "return "
    if "PE_start" in arguments:
        return f"glk_meet(PE_start, logPE_stride, PE_size, {a[-1]}); {back}{real};"
    if a[-1] == "pe" and "iget" in plain:
        return f"glk_before_load({a[1]}, SIZE_MAX / 2, pe); {real};"
    if a[-1] == "pe":  # atomics, and what is not known
        at = a[1] if re.search(r"_(fetch\w*|swap)_nbi$", plain) else a[0]
        return f"glk_before_store({at}, sizeof(*{at}), pe, {other}); {back}{real};"
    if result == "void":
        return f"glk_before_block(); {real}; glk_after_block();"
    return f"glk_before_block(); {result} result = {real}; glk_after_block(); return result;"


def main():
    output, compiler = sys.argv[1], sys.argv[2:]
    lines = ["// SPDX-License-Identifier: Apache-2.0", "/* Written by generate.py from <shmem.h>. */", "#include <shmem.h>",
             "#if __has_include(<shmemx.h>)", "#include <shmemx.h>", "#endif", '#include "calls.h"',
             "#pragma weak oshmem_ctx_default /* Open MPI's: a shell that oshrun starts does not have it */"]
    declarations, head = [], len(lines)
    for result, name, parameters in prototypes(compiler):
        short = re.sub(r"^shmemx?_", "", name)
        if short in WRITTEN or LEFT.fullmatch(short):
            continue
        arguments = [] if parameters == ["void"] else [name_of(p) for p in parameters]
        real = f"p{name}({', '.join(arguments)})"
        declarations.append(f"extern __typeof__({name}) p{name} __attribute__((weak));")  # headers have some without code
        lines += [f"{result} {name}({', '.join(parameters)})", "{",
                  "\t" + body(result, name, short, arguments, real), "}"]
    if not declarations:
        sys.exit("generate.py: no prototypes found in <shmem.h>")
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:head] + declarations + lines[head:]) + "\n")


main()
