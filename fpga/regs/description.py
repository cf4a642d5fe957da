# SPDX-License-Identifier: Apache-2.0
"""The description, read and checked."""
import tomllib

FILES = ("gpulink.toml", "settings.toml", "codes.toml")
# What users call the block of a group of settings or counters, and the block.
GROUPS = {"partition": "partition", "link": "link", "pool": "tsu", "card": "card", "context": "context"}


class Bad(Exception):
    """An inconsistent description."""


def mask(field):
    return ((1 << field["width"]) - 1) << field["lsb"]


def named(rows, name, what):
    for row in rows:
        if row["name"] == name:
            return row
    raise Bad(f"{what}: no {name}")


def check_fields(where, fields):
    used = {}
    for f in fields:
        q = f.get("q", 0)
        if f["lsb"] < 0 or f["width"] < 1 or f["lsb"] + f["width"] > 64:
            raise Bad(f"{where}.{f['name']}: bits do not fit 64")
        if used.get(q, 0) & mask(f):
            raise Bad(f"{where}.{f['name']}: overlaps another field")
        used[q] = used.get(q, 0) | mask(f)


def expand(d):
    """Expands register arrays."""
    for b in d["block"]:
        b["reg"] = [dict(r, name=f"{r['name']}_{one}", offset=r["offset"] + 8 * i, doc=f"{r['doc']}: {one.replace('_', ' ')}")
                    if one else r for r in b["reg"] for i, one in enumerate(r.get("each", [None]))]


def check(d):
    """Rejects overlapping registers, blocks and fields."""
    extents = []
    for b in d["block"]:
        array = b.get("array")
        size = array["stride"] if array else 0x1000
        seen = set() if array else {0}
        for r in b["reg"]:
            if r["offset"] % 8 or r["offset"] + 8 > size or r["offset"] in seen:
                raise Bad(f"{b['name']}.{r['name']}: offset {r['offset']:#x} is taken, unaligned or outside")
            if r["access"] not in ("ro", "rw", "wo", "w1c"):
                raise Bad(f"{b['name']}.{r['name']}: access {r['access']}")
            if r.get("counter") and "unit" not in r and b["name"] != "context":
                raise Bad(f"{b['name']}.{r['name']}: a counter without a unit")
            seen.add(r["offset"])
            check_fields(f"{b['name']}.{r['name']}", r.get("field", []))
        counters = [r["offset"] for r in b["reg"] if r.get("counter")]
        if counters != sorted(counters):
            raise Bad(f"{b['name']}: counters are not in the order of their offsets")
        extents.append((b["offset"], 0x1000, b["name"]))
        if array:
            extents.append((array["offset"], array["stride"] * array["count"], b["name"] + " array"))
    extents.append((d["constants"]["msix_table_offset"]["value"], 0x8000, "MSI-X table"))
    extents.append((d["constants"]["msix_pba_offset"]["value"], 0x8000, "MSI-X pending bits"))
    extents.sort()
    for (a, size, name), (b, _, other) in zip(extents, extents[1:]):
        if a + size > b:
            raise Bad(f"{name} overlaps {other}")
    for r in d["record"]:
        check_fields(r["name"], r["field"])
        if any(8 * f["q"] + 8 > r["bytes"] for f in r["field"]):
            raise Bad(f"{r['name']}: a field lies beyond its end")


def features(d, name):
    """Bits of CARD.FEATURES; 0 for no feature."""
    if not name:
        return 0
    fields = named(named(d["block"], "card", "blocks")["reg"], "features", "card")["field"]
    return mask(named(fields, name, "features"))


def block(d, group):
    return named(d["block"], GROUPS[group], "blocks")


def counters(d, group):
    """The counters of card, partition, link, pool or context, in register order."""
    return [r for r in block(d, group)["reg"] if r.get("counter")]


def settings(d, group):
    """The settings of partition, link or pool, in the order of their enumerators."""
    return [s for s in d["setting"] if s["of"] == group]


def policies(d):
    """What set-policy sets: {policy: [(number of the setting, its name, value)]}; what needs another setting is on only with it."""
    of = [(i, s) for i, s in enumerate(settings(d, "partition")) if "paper" in s]
    return {"paper": [(i, s["name"], s["paper"]) for i, s in reversed(of)], "best": [(i, s["name"], s["reset"]) for i, s in of]}


def registers(d, group):
    """The registers that hold these settings, in the order of their offsets."""
    used = {s["reg"]["name"]: s["reg"] for s in settings(d, group)}
    return sorted(used.values(), key=lambda r: r["offset"])


def words(items):
    """'a, b or c'"""
    items = [str(i) for i in items]
    return " or ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def allowed(s):
    """The allowed values, to follow 'must be'."""
    if s.get("power_of_two"):
        return words([2 ** i for i in range(64) if s["least"] <= 2 ** i <= s["most"]])
    if s["most"] == 1:
        return "0 or 1"
    return f"{s['least']}{' (' + s['zero'] + ')' if s.get('zero') else ''} to {s['most']}"


def check_settings(d):
    """Completes the settings: register, mask (0: all of it), reset value, limits."""
    for s in d["setting"]:
        where = f"{s['of']}.{s['name']}"
        s["reg"] = named(block(d, s["of"])["reg"], s.get("register", s["name"]), where)
        s["least"], s["most"] = s.get("least", 0), s.get("most", 1)
        reset = s["reg"].get("reset", 0)
        s["mask"] = 0
        if "field" in s["reg"]:
            s["mask"] = mask(named(s["reg"]["field"], s.get("field", s["name"]), where))
            reset = int(bool(reset & s["mask"]))
            if s["mask"] & (s["mask"] - 1) or (s["least"], s["most"]) != (0, 1):
                raise Bad(f"{where}: a field that is a setting has one bit")
        s["reset"] = reset
        for value in (reset, s.get("paper", reset)):
            if not s["least"] <= value <= s["most"]:
                raise Bad(f"{where}: its value {value} is not allowed")
        if "paper" in s:
            before = s["reg"].get("paper", s["reg"].get("reset", 0))
            s["reg"]["paper"] = (before & ~s["mask"]) | (s["mask"] if s["paper"] else 0) if s["mask"] else s["paper"]
        if "needs" in s:
            named(settings(d, s["of"]), s["needs"], where)


def check_unique(what, values):
    values = list(values)
    for value in values:
        if values.count(value) > 1:
            raise Bad(f"{what} {value}: stated twice")


def load(folder):
    d = {}
    for name in FILES:
        d.update(tomllib.loads((folder / name).read_text(encoding="utf-8")))
    expand(d)
    check(d)
    check_settings(d)
    check_unique("setting", ((s["of"], s["name"]) for s in d["setting"]))
    check_unique("code", (c["name"] for c in d["code"]))
    check_unique("error", (e["number"] for e in d["error"]))
    for status in named(d["enum"], "status", "enums")["values"]:
        if "error" in status:
            named(d["code"], status["error"], f"status {status['name']}")
    for group in GROUPS:
        for one in counters(d, group) + settings(d, group):
            features(d, one.get("feature"))
    return d
