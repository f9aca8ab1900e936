// Ratings: choose agents, let them meet, watch their Elo.

import { path } from "../api.js";
import { useGet } from "../data.js";
import { useEvents } from "../events.js";
import { Launch } from "./new.js";
import { date } from "../format.js";
import { html } from "../html.js";
import { Watched } from "../jobs.js";
import { RatingResult } from "./job.js";
import { go, to } from "../router.js";
import { Chip, IdList } from "../ui.js";

export default function Ratings({ query }) {
  const job = query.get("job");
  const agents = query.getAll("agent");
  return html`<h1>Ratings</h1>
    <p>Every agent meets every other one, both colours on every opening. Their Elo follows from all games.</p>
    <div class="panel"><h2>Agents</h2>
      <label for="rate-agent">Add an agent; two or more are needed</label>
      <${IdList} id="rate-agent" chosen=${agents} onChange=${(chosen) => go(to(["ratings"], { agent: chosen, job }))} />
    </div>
    <${Launch} command="rate" fixed=${{ agents }} button="Start the rating" disabled=${agents.length < 2}
      onStart=${(started) => go(to(["ratings"], { agent: agents, job: started.id }))} />
    ${job && html`<${Watched} key=${job} id=${job}>${({ result }) => html`<${RatingResult} result=${result} />`}<//>`}
    <${Earlier} job=${job} />`;
}

function Earlier({ job }) {
  const jobs = useGet(path(["jobs"], { limit: 100 }));
  useEvents(({ name, data }) => name === "job" && data.command === "rate" && jobs.reload());
  const ratings = (jobs.data?.items || []).filter((one) => one.command === "rate" && one.id !== job);
  if (!ratings.length) return null;
  return html`<h2>Earlier ratings</h2><ul class="list">${ratings.map((one) => html`<li class="item">
    <a href=${to(["ratings"], { agent: one.settings.agents, job: one.id })}>${(one.settings.agents || []).join(", ")}</a>
    <${Chip} state=${one.state} /><span class="quiet">${date(one.created)}</span></li>`)}</ul>`;
}
