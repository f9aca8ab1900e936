// A training: its curves, how strong its agent is, and how to use it.

import { strengthOf } from "../format.js";
import { html } from "../html.js";
import { to } from "../router.js";
import { Overview } from "../tables.js";
import { UseIt } from "./sweep.js";

function Training({ run }) {
  const [what, value] = strengthOf(run) || ["", "Its first check is on its way."];
  return html`<div class="two">
      <div class="card stack"><h2 class="title">Strength</h2>
        <p><strong>${value}</strong> <small>${what === "score" ? "of the points against its panel, 95 %" : what}</small></p>
        ${run.agent && html`<p class="row"><a class="button" href=${to(["play"], { agent: run.agent })}>Play it</a>
          <a class="button" href=${to(["ratings"], { agent: [run.agent, "random", "swh?depth=3", `champion-${run.rules}`] })}>Rate it</a></p>`}</div>
      <${UseIt} lines=${run.lines} />
    </div><${Overview} run=${run} />`;
}

export const parts = { "": ["Overview", Training] };
