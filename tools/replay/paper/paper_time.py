# SPDX-License-Identifier: Apache-2.0
"""The section on the terms of the time model: what each explains of the speed-ups that FinePack's paper has. Part of `paper`."""

from paper_common import H100, filled, geometric_mean, near, table

METHODS = ("p2p", "dma", "finepack")
PAPER = {"finepack": 2.4, "finepack over p2p": 3.0, "finepack over dma": 1.4, "infinite bandwidth": 3.4}
# Published figures. PLX's data book of the PEX 8532 (8.4.1.4) gives efficiencies without DLLPs, and with an Ack and an UpdateFC of 8
# bytes for each TLP of the other direction. Intel's receiver (user guide of L- and H-tile, table 51) has credits for 127 posted
# headers and 750 times 16 bytes. The NVSHMEM study (Fig. 10) assumes that a kernel's launch takes 5 us.
DLLPS, CREDIT_HEADERS, CREDIT_BYTES, KERNEL = 16, 127, 750 * 16, ["--kernel-start", "5000"]
PCIE4 = 16e9 * 16 / 8 * 128 / 130  # bytes a second
WINDOWS = {"4194304": "4 MiB", "268435456": "256 MiB"}
CREDIT_NS = round(CREDIT_BYTES / CREDIT_HEADERS / PCIE4 * 1e9)
# Terms, each by itself and together.
COPY, COMPUTE, DLLP = ["--copy-start", str(H100["copy_to_byte"])], ["--compute", "500"], ["--dllp", str(DLLPS)]
COPIES = f"copies start {H100['copy_to_byte'] / 1000:.1f} us after a phase"
SMALL = {ns: ["--transaction", str(ns)] for ns in (2, CREDIT_NS, 5, 10)}
SOURCED = {"DLLPs, credits": DLLP + SMALL[CREDIT_NS], "kernels 5 us, DLLPs, credits": KERNEL + DLLP + SMALL[CREDIT_NS]}
TERMS = {
    "as above": [],
    "computing takes 5 times as long": COMPUTE,
    "computing takes 20 times as long": ["--compute", "2000"],
    "kernels start 5 us after a phase's begin": KERNEL,
    COPIES: COPY,
    f"{DLLPS} bytes of DLLPs for a transaction": DLLP,
    **{f"a transaction takes at least {ns} ns{' (credits)' if ns == CREDIT_NS else ''}": words for ns, words in SMALL.items()},
    **SOURCED,
    "the same and copies": KERNEL + DLLP + SMALL[CREDIT_NS] + COPY,
    "the same, computing 5 times as long": KERNEL + DLLP + SMALL[CREDIT_NS] + COPY + COMPUTE,
}


def means(run, names, words):
    """Geometric means over the workloads."""
    ones = [run(name, METHODS, True, words) for name in names]
    time = {m: [one["by"][m]["time_ps"] for one in ones] for m in METHODS}
    found = {m: geometric_mean(one["by"][m]["speed_up"] for one in ones) for m in METHODS}
    found["infinite bandwidth"] = geometric_mean(one["infinite_bandwidth_speed_up"] for one in ones)
    for other in ("p2p", "dma"):
        found[f"finepack over {other}"] = geometric_mean(a / b for a, b in zip(time[other], time["finepack"]))
    return found


def section(run, names, goodput, progress):
    rows = {}
    for name, words in TERMS.items():
        progress(f"time, {name}")
        rows[name] = means(run, names, words)
    columns = [*METHODS, "infinite bandwidth", "finepack over p2p", "finepack over dma"]
    above, five = rows["as above"], rows["computing takes 5 times as long"]
    limits = {int(words[1]): rows[name]["finepack over p2p"] for name, words in TERMS.items() if words[:1] == ["--transaction"]}
    reached = [ns for ns, ratio in limits.items() if ratio >= PAPER["finepack over p2p"]]
    explained = {name: [c for c in PAPER if near([row[c]], [PAPER[c]])] for name, row in rows.items()}
    best = max(explained, key=lambda name: len(explained[name]))
    # Wire bytes of a store, and its share of them with DLLPs.
    wire = {size: size / goodput[size]["pcie4"] * 100 for size in (4, 32, 128)}
    with_dllps = {size: size / (bytes_ + DLLPS) for size, bytes_ in wire.items()}
    measured_ns = wire[4] / (PCIE4 / 2) * 1e9
    memory = 2 * 32 / wire[4] * PCIE4 / 1e9
    sourced = [rows[name]["finepack over p2p"] for name, words in TERMS.items()
               if words in ([], KERNEL, DLLP, SMALL[CREDIT_NS], *SOURCED.values())]
    lines_ns = {window: H100["stores_random"][window] for window in WINDOWS}
    small_ns = [[ns[size] for size in ("4", "8", "16", "32")] for ns in lines_ns.values()]
    result = f"terms that have a source reach {max(sourced):.2f} at most"
    text = [
        """What the model of time leaves out by default, a term at a time: kernels that do not reach the data sheet's rates (`--compute`), their
        launch at the begin of a phase (`--kernel-start`), the launch of copies by a driver (`--copy-start`), acknowledgements and
        credits (`--dllp`), and a limit of transactions a second in switches and receivers (`--transaction`), which costs small stores
        most. Geometric means of the paper's workloads without ct. None is used elsewhere on this page.""",
        f"""Sources: the launch of a kernel is the NVSHMEM study's assumption, 5 us. {DLLPS} bytes are an Ack and an UpdateFC for each
        transaction of the other direction, the worse of two cases in PLX's data book of the PEX 8532 (8.4.1.4; in the other there are
        none), with as much traffic in both directions. Credits: a receiver lets as many transactions through in the time that credits
        take to return as it has header credits. Intel's for PCIe 3 (L- and H-tile, table 51) has {CREDIT_HEADERS} posted headers for
        {CREDIT_BYTES} bytes; one that is as large as PCIe 4 needs, in the same proportion, lets one through in
        {CREDIT_BYTES / CREDIT_HEADERS / PCIE4 * 1e9:.1f} ns. An H100 (below) takes {H100['kernel_in_a_row'] / 1000:.1f} us for a kernel in a row of
        empty ones, {H100['kernel_to_store'] / 1000:.1f} from a launch to the first store that the CPU sees, and
        {H100['copy_to_byte'] / 1000:.1f} from the call of a copy to its byte. The factors of computing and the other limits are assumptions,
        chosen to span what is plausible.""",
        f"""More computing raises all methods and brings them together: with 5 times as much FinePack's own speed-up is {five['finepack']:.2f},
        for the paper's {PAPER['finepack']:g}, but its ratio to peer stores {five['finepack over p2p']:.2f}, for {PAPER['finepack over p2p']:g}. Launches
        of kernels, which one GPU has too, lower all; those of copies make the ratio to copies
        {rows[COPIES]['finepack over dma']:.2f}, for {PAPER['finepack over dma']:g}.""",
        f"""The ratio to peer stores is {above['finepack over p2p']:.2f} by bandwidth alone,
        {rows[f'{DLLPS} bytes of DLLPs for a transaction']['finepack over p2p']:.2f} with DLLPs, and with a limit of transactions
        {', '.join(f'{ratio:.2f} at {ns} ns' for ns, ratio in limits.items())}. **Result: {result}**; the paper's
        {PAPER['finepack over p2p']:g} needs a limit of {reached[0] if reached else 'more than ' + str(max(limits))} ns. Goodput in the papers does
        not settle it: FinePack's Fig. 2 is measured, by its caption in relation to the maximum throughput, by its text to the bytes sent.
        Where it is a share of throughput there is no such limit: PROACT's 14 % for 4 bytes leave {measured_ns:.1f} ns for a store on
        its PCIe 3, what the {wire[4]:.0f} bytes take, and PROACT ascribes them to packets' overheads. FinePack's 32 bytes, half as efficient
        as 128, are {with_dllps[32] / with_dllps[128]:.2f} with DLLPs and {goodput[32]['pcie4'] / goodput[128]['pcie4']:.2f} without; but with them 4 bytes
        have {100 * with_dllps[4]:.0f} %, not 14 %. The row with most of the paper's {len(PAPER)} numbers within 5 % is "{best}":
        {', '.join(explained[best])}; {'no row has all' if len(explained[best]) < len(PAPER) else 'it has all'}.""",
        f"""Not modelled, because they bound nothing here: the receiver's memory, which stores of 4 bytes at the full rate of PCIe 4 keep busy
        with {memory:.0f} GB/s when each reads and writes a sector of 32 bytes, where a V100 has 900 (NVIDIA's data sheet; FinePack's
        section IV-C says the same in words); and completions of reads, because stores, packets and copies are all pushed. Caches and
        occupancy of the GPUs are within the factor of computing.""",
    ]
    seen = [
        f"""A GPU of today, beside these: an H100 that stores to memory of its host (PCIe 5 with 16 lanes, an Intel processor of family 6, model
        207, in a virtual machine; `tests/gpu/cuda_rates.cu`). Each store goes to a line of its own, at random in a window, and is one
        TLP with a header of 16 bytes: the GPU's counter of bytes written to PCIe says so, to a tenth of a per cent. While the
        processor's cache holds the window, a store takes {max(small_ns[0]):.2f} ns at most whatever its size up to 32
        bytes; in a window of 256 MiB {min(small_ns[1]):.1f} to {max(small_ns[1]):.1f} ns. Whole lines of 64 bytes take what their bytes
        take. So there is a limit of transactions, of the GPU or of the receiver, and parts of lines cost the receiver's memory
        more; both are below the {CREDIT_NS} ns of the credits, in each of four runs (2.9 ns at most). Which limit a GPU has as receiver was not measured.""",
    ]
    pcie5 = 2 * PCIE4
    measured = table(["share of the link that is data, %", *(f"{size} B" for size in lines_ns["4194304"])],
                     [["by bytes alone", *(f"{100 * int(size) / (int(size) + wire[4] - 4):.0f}" for size in lines_ns["4194304"])],
                      *([f"H100, window of {WINDOWS[window]}", *(f"{100 * int(size) / t / pcie5 * 1e9:.0f}" for size, t in ns.items())]
                        for window, ns in lines_ns.items())])
    lines = table(["", *columns], [*([name, *(f"{row[c]:.2f}" for c in columns)] for name, row in rows.items()),
                                   ["the paper's", *(f"{PAPER[c]:.1f}" if c in PAPER else "-" for c in columns)]])
    return "\n".join(["## Terms of the time model", "", *(filled(t) + "\n" for t in text), *lines, "", *(filled(t) + "\n" for t in seen), *measured, ""])
