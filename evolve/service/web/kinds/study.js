// A study: its settings compared over their seeds, and the runs in it.

import { path } from "../api.js";
import { usePages } from "../data.js";
import { useEvents } from "../events.js";
import { amount, date, strengthOf } from "../format.js";
import { html } from "../html.js";
import { OverSeeds } from "../pages/contests.js";
import { to } from "../router.js";
import { Chip, More, Table, Wait } from "../ui.js";

function Study({ run }) {
  const runs = usePages(path(["runs"], { study: run.id, limit: 100, sort: "name" }));
  useEvents(({ name, data }) => {
    if (name !== "run" || !data.id.startsWith(`${run.id}+`)) return;
    const known = runs.items?.some(({ id }) => id === data.id);
    if (data.gone || !known) runs.reload();
    else runs.change((items) => items.map((item) => (item.id === data.id ? data : item)));
  });
  const short = (id) => id.slice(run.id.length + 1);
  return html`<${OverSeeds} key=${runs.items?.filter(({ state }) => state === "done").length} runs=${[run]} />
    <h2>Its runs</h2>
    <${Wait} of=${runs}>
      ${runs.items?.length === 0 && html`<p class="quiet">None has begun yet.</p>`}
      ${runs.items?.length > 0 && html`<${Table} name="runs" rows=${runs.items} id="id" columns=${[
        { name: "run", show: (one) => html`<a href=${to(["run", one.id])}>${short(one.id)}</a>` }, { name: "seed", number: true },
        { name: "state", show: (one) => html`<${Chip} state=${one.state} />` }, { name: "done", show: (one) => one.problem || amount(one) },
        { title: "its champion", show: (one) => strengthOf(one)?.join(" ") ?? "–" }, { title: "last grew", show: (one) => date(one.date) },
      ]} />`}
      <${More} pages=${runs} what="runs" />
    <//>`;
}

export const parts = { "": ["Runs", Study] };
