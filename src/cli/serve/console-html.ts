import { PAGE_STYLE } from "./page-style.js";

export const CONSOLE_STYLE = `${PAGE_STYLE}
main{display:flex;flex-direction:column;gap:.6rem;height:100dvh;padding:.75rem 1rem}
p{margin:0}h3{font-size:.875rem;margin:.75rem 0 .25rem}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8125rem}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}.bar>:last-child:is(span){color:var(--soft)}
[role=tablist]{display:flex;flex-wrap:wrap}.parts{border-bottom:1px solid var(--line)}
[role=tab]{border:0;border-bottom:3px solid transparent;border-radius:0;color:var(--soft)}[role=tab][aria-selected=true]{color:var(--accent);border-color:var(--accent);font-weight:600}
[role=tabpanel]{flex:1;min-height:0;display:flex;flex-direction:column;gap:.6rem}[role=tabpanel][hidden],[hidden]{display:none}
.two{flex:1;min-height:0;display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1rem}
.two>*{min-height:0;overflow:auto;border:1px solid var(--line);border-radius:.35rem}.two>aside{background:var(--raised);padding:.75rem;display:flex;flex-direction:column;gap:.6rem}
thead{position:sticky;top:0;background:var(--paper)}td{white-space:nowrap}#requests td:nth-child(3){white-space:normal;overflow-wrap:anywhere;color:var(--soft)}
td button{border:0;background:none;padding:0;text-align:start;font-weight:600}tr.chosen{background:var(--raised)}
label:has(textarea){display:flex;flex-direction:column;flex:1}textarea{flex:1;min-height:8rem;font:.8125rem/1.4 monospace}
#axis{position:relative;height:2.6rem;background:var(--raised);border-radius:.35rem;overflow:hidden}
#axis i{position:absolute;bottom:0;width:3px;height:55%;background:var(--good)}#axis i.bad{background:var(--bad);height:75%}#axis i.warn{background:var(--warn);height:100%}
#axis b{position:absolute;top:0;bottom:0;border-inline:1px solid var(--line);background:repeating-linear-gradient(135deg,transparent 0 5px,var(--line) 5px 6px);color:var(--ink);font:600 .75rem/1.2 system-ui;padding:.1rem .2rem;overflow:hidden;white-space:nowrap}
@media (max-width:48rem){main{height:auto}h1,.bar label,.bar label input{width:100%}.two{display:flex;flex-direction:column}.two>*{max-height:70vh}#calls :is(td,th):nth-child(4){display:none}}`;

export const CONSOLE_BODY = `<main>
<div class="bar"><h1>Sandbox console</h1><button data-run="five">Clock +5 minutes</button><button data-run="reset">Reset</button><span id="state" aria-live="off">Connecting</span></div>
<div class="bar parts"><div role="tablist" aria-label="Parts"><button role="tab" data-tab="calls" aria-selected="true">Requests</button><button role="tab" data-tab="data">Data</button><button role="tab" data-tab="faults">Faults</button><button role="tab" data-tab="webhooks">Webhooks</button></div><span id="message" role="status"></span></div>
<div role="tabpanel" id="calls" aria-label="Requests">
<div class="bar"><label>Filter by operation, path or status <input id="filter" type="search"></label><button data-run="more">Show more</button><span id="count" role="status"></span></div>
<div id="axis" aria-hidden="true"></div>
<div class="two"><div tabindex="0" role="region" aria-label="List of requests"><table><thead><tr><th scope="col">Operation</th><th scope="col">Status</th><th scope="col">With</th><th scope="col">Time</th></tr></thead><tbody id="requests"></tbody></table></div>
<aside aria-label="One request" tabindex="0"><p id="none" class="soft">Choose a request to see what was sent and received.</p><div id="call" hidden><h2 id="call-title" tabindex="-1"></h2><p id="call-path" class="soft"></p><p id="hint"></p>
<div class="bar"><button data-run="typescript">Copy as TypeScript</button><button data-run="curl">Copy as curl</button></div>
<h3>Sent</h3><pre id="sent"></pre><h3>Received</h3><pre id="got"></pre></div></aside></div></div>
<div role="tabpanel" id="data" aria-label="Data" hidden>
<div class="bar"><label>Records <select id="names"></select></label><label>Search by text or id <input id="search" type="search"></label><button data-run="data">Show</button><span id="found" role="status"></span></div>
<div class="two"><div tabindex="0" role="region" aria-label="Records"><table><thead id="columns"></thead><tbody id="records"></tbody></table></div>
<aside aria-label="One record" tabindex="0"><label>A record as JSON. If a record with its id exists, that record is changed <textarea id="record">{}</textarea></label>
<div class="bar"><button data-run="save">Add or change</button><button data-run="delete">Delete this id</button></div></aside></div></div>
<div role="tabpanel" id="faults" aria-label="Faults" hidden>
<div class="bar" role="group" aria-label="Faults for the next request"><button data-fault='{"status":429,"retryAfter":2}'>429, Retry-After 2</button><button data-fault='{"status":503}'>503</button><button data-fault='{"reset":true,"applied":true}'>Response lost</button><button data-fault='{"cut":true}'>Truncated</button><button data-run="clear">Remove all</button></div>
<div class="two"><div tabindex="0" role="region" aria-label="Pending faults"><pre id="pending"></pre></div>
<aside aria-label="A fault" tabindex="0"><label>A fault as JSON <textarea id="fault">{ "operation": "accounts.list", "status": 500, "times": 2 }</textarea></label><div class="bar"><button data-run="fault">Add the fault</button></div></aside></div></div>
<div role="tabpanel" id="webhooks" aria-label="Webhooks" hidden>
<div class="bar"><label>Event <input id="event" value="account.created"></label><button data-run="send">Send a sample</button><button data-run="hooks">Show deliveries</button></div>
<div class="two"><div tabindex="0" role="region" aria-label="Deliveries"><table><thead><tr><th scope="col">Event</th><th scope="col">Status</th><th scope="col">Delivery</th></tr></thead><tbody id="hooks"></tbody></table></div></div></div>
</main>`;
