// A training: its curves with their bands, and the table of checks.

import { path } from "../api.js";
import { Plot } from "../charts.js";
import { hasValues, seriesOf, useCurve, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { percent } from "../format.js";
import { html, useState } from "../html.js";
import { PagedTable, Select, Wait } from "../ui.js";

const CHARTS = [
  { title: "Elo on the ladder", columns: [["elo", "Elo"]] },
  { title: "Score", columns: [["score", "score"]], range: [0, 1], text: percent },
  { title: "Scores against the panel", columns: [["random", "random"], ["depth_1", "depth 1"], ["depth_2", "depth 2"]], range: [0, 1], text: percent },
  { title: "Loss", columns: [["loss", "loss"]] },
  { title: "Weights that games have visited", columns: [["visited", "share"]], range: [0], text: percent },
];
const OVER = [["games", "games"], ["cpu_seconds", "CPU seconds"], ["check", "checks"]];

export function Training({ run }) {
  const curve = useCurve(run.id, "train");
  const [over, setOver] = useState("games");
  const rows = curve.data?.items || [];
  const xName = OVER.find(([name]) => name === over)[1];
  return html`<p class="filters"><${Select} name="Over" value=${over} choices=${OVER} onChange=${setOver} /></p>
    <${Wait} of=${curve}>
      ${rows.length === 0 && html`<p class="quiet">The first check is still to come.</p>`}
      <div class="charts">${CHARTS.map(({ title, columns, range, text }) => {
        const there = columns.filter(([column]) => hasValues(rows, column));
        return there.length > 0 && html`<${Plot} key=${title} title=${title} xName=${xName} range=${range} text=${text}
          series=${there.map(([column, name]) => seriesOf(rows, column, name, over))} />`;
      })}</div><//>`;
}

export function Checks({ run }) {
  const pages = usePages(path(["runs", run.id, "metrics"], { limit: 100 }));
  useEvents(({ name, data }) => {
    if (name !== "check" || data.run !== run.id || pages.more) return;
    pages.change((items) => (items.some((row) => row.check === data.row.check) ? items : [...items, data.row]));
  });
  const used = (column) => (pages.items || []).some((row) => row[column.name] !== null && row[column.name] !== undefined);
  return html`<${PagedTable} pages=${pages} name="checks" id="check" pick=${used} />`;
}
