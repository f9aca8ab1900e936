// A training: its curves, how strong its agent is, how to use it, and a check of its file.

import { path, post } from "../api.js";
import { strengthOf } from "../format.js";
import { html, useState } from "../html.js";
import { to } from "../router.js";
import { Overview } from "../tables.js";
import { Act, Download } from "../ui.js";
import { UseIt } from "./sweep.js";

function Training({ run }) {
  const file = run.files.find(({ name }) => name === "agent.py");
  const [what, value] = strengthOf(run) || ["", "Its first check is on its way."];
  return html`<div class="two">
      <div class="card stack"><h2 class="title">Strength</h2>
        <p><strong>${value}</strong> <small>${what === "score" ? "of the points against its panel, 95 %" : what}</small></p>
        ${run.agent && html`<p class="row"><a class="button" href=${to(["play"], { agent: run.agent })}>Play it</a>
          <a class="button" href=${to(["ratings"], { agent: [run.agent, "random", "swh?depth=3", `champion-${run.rules}`] })}>Rate it</a></p>`}</div>
      <${UseIt} lines=${run.lines}>
        ${file && html`<${Check} key=${run.done} run=${run}><${Download} ...${file} /><//>`}<//>
    </div><${Overview} run=${run} />`;
}

/** The champion's file, put to a contest's test on the server. */
function Check({ run, children }) {
  const [found, setFound] = useState(null);
  return html`<div class="stack"><p class="row">${children}<${Act} act=${() => post(path(["runs", run.id, "check"])).then(setFound)} waits="Some seconds, half a minute at most …">Check the file<//></p>
    ${found && html`<div role="status"><p class=${found.good ? "callout" : "problem"}><strong>${found.good ? "It may be handed in." : "It would be turned down."}</strong> A short check: a move in each of four positions.</p>
      <dl class="checks">${found.findings.map((line) => html`<div><dt>${line.name}</dt><dd class=${line.good === false ? "bad" : undefined}>${line.good ? "ok" : line.good === false ? "not ok" : "unknown"}</dd><dd>${line.text}</dd></div>`)}</dl></div>`}</div>`;
}

export const parts = { "": ["Overview", Training] };
