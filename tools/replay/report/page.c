// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include "parts.h"

static const char css[] =
	"body { margin: 1.5em 2em; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif }\n"
	"h1 { font-size: 1.4em } h2 { font-size: 1.2em; margin: 2em 0 .4em } h2, h2 + p { break-after: avoid }\n"
	"h1, code { overflow-wrap: anywhere } p, dl { max-width: 100ch }\n"
	"#verdict, #answer { font-size: 1.2em; border-left: 4px solid var(--useful); padding: .2em 0 .2em .8em; max-width: 90ch }\n"
	"figure { margin: 1em 0; break-inside: avoid } figcaption { font-weight: 600; margin-bottom: .4em }\n"
	".row { display: flex; flex-wrap: wrap; gap: 1em 2.5em; align-items: flex-start }\n"
	".row > .broad { flex: 1 1 480px; max-width: 820px } .narrow { display: none }\n"
	".pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 560px), 1fr)); gap: 0 2.5em }\n"
	".pair > figure { min-width: 0 } .pair .row > .broad { flex-basis: 100% }\n"
	".wide { overflow-x: auto; max-width: 100% } tr { break-inside: avoid }\n"
	"table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }\n"
	"th, td { padding: .2em .55em; border-bottom: 1px solid var(--grid); text-align: right; white-space: nowrap }\n"
	"th:first-child, .settings td { text-align: left } .settings th { vertical-align: top }\n"
	".settings td { white-space: normal; overflow-wrap: anywhere } dt { font-weight: 600 } dd { margin: 0 0 .5em 1.5em }\n"
	".csv { display: inline-block; font-size: 12px; margin: .4em .7em; color: inherit }\n"
	".h0 { background: var(--h0) } .h1 { background: var(--h1) } .h2 { background: var(--h2) } .h3 { background: var(--h3) }\n"
	".h4 { background: var(--h4) } .h5 { background: var(--h5) } .h6 { background: var(--h6) } .h7 { background: var(--h7) }\n"
	".h8 { background: var(--h8) }\n"
	"@media screen and (max-width: 640px) { body { margin: 1em } .row { display: block } .row > .broad { display: none }\n"
	"  .narrow { display: block; max-width: 420px } th, td { padding: .2em .45em }\n"
	"  th:first-child { position: sticky; left: 0; background: var(--paper); white-space: normal } dd { margin-left: .8em } }\n"
	"@media print { body { margin: 0; font-size: 11px } table { font-size: 10px } .csv { display: none }\n"
	"  .wide { overflow: visible; break-inside: avoid } th, td { padding: .1em .4em } }\n";

void page_write(FILE *to, const struct page *p)
{
	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>",
	      to);
	svg_text(to, p->stream);
	fputs(" - gpulink-replay</title>\n<style>\n", to);
	svg_css(to);
	fputs(css, to);
	fputs("</style>\n</head>\n<body>\n", to);
	svg_patterns(to);
	fputs("<h1>Does packing stores help <bdi>", to);
	svg_text(to, p->stream);
	fprintf(to, "</bdi> on %u GPUs over %s?</h1>\n", p->run.gpus, p->run.options.setting.link.name);
	verdict_write(to, p);
	answer_write(to, &p->run);
	figures_time(to, &p->run);
	figures_bytes(to, &p->run);
	figures_packets(to, &p->run);
	sweeps_write(to, p);
	regions_write(to, p);
	settings_write(to, p);
	fputs("</body>\n</html>\n", to);
}
