/**
 * The style shared by the sandbox's console and the page of a plan, with the accent colors of the documentation site.
 */
export const PAGE_STYLE = `:root{color-scheme:light dark;--ink:#1c2733;--soft:#55636f;--paper:#fff;--raised:#f4f6f8;--line:#d3dae0;--accent:#1d5c8f;--good:#0a6b2d;--warn:#7a4b00;--bad:#a40e26;--on:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#a9b5bf;--paper:#15191e;--raised:#1e242b;--line:#39434d;--accent:#8cc4f0;--good:#7ee2a0;--warn:#f0c060;--bad:#ff9aa2;--on:#15191e}}
*{box-sizing:border-box}
body{accent-color:var(--accent);background:var(--paper);color:var(--ink);font:.9375rem/1.45 system-ui,sans-serif;margin:0}
h1{font-size:1.2rem;margin:0}h2{font-size:1rem;margin:0}
button,input,select,textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.35rem;padding:.25rem .6rem}
button{cursor:pointer;color:var(--accent)}button:hover{border-color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.25rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-size:.8125rem}
.mark{display:inline-block;min-width:3em;padding:0 .5em;border-radius:.7em;background:var(--soft);color:var(--on);font-size:.8125rem;font-weight:600;text-align:center;white-space:nowrap}
.mark.good{background:var(--good)}.mark.warn{background:var(--warn)}.mark.bad{background:var(--bad)}
.soft{color:var(--soft)}`;
