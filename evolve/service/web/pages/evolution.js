// An evolution: its curves, and the table of generations.

import { path } from "../api.js";
import { LineChart } from "../charts.js";
import { hasValues, seriesOf, useCurve } from "../curves.js";
import { usePages } from "../data.js";
import { useEvents } from "../events.js";
import { number, percent } from "../format.js";
import { html } from "../html.js";
import { to } from "../router.js";
import { PagedTable, Wait } from "../ui.js";

const CHARTS = [
  { title: "Rating on the ladder", columns: [["rating", "Elo of the best"]] },
  { title: "Elo against the panel", columns: [["panel_elo", "Elo of the best"]] },
  { title: "Scores of the best", columns: [["panel_score", "against the panel"], ["past_score", "against past champions"]], range: [0, 1], text: percent },
  { title: "Scores of the round robin", columns: [["best_score", "best"], ["mean_score", "mean of the survivors"]], range: [0, 1], text: percent },
  { title: "Games lost over the budget", columns: [["over_budget", "share of games"]], range: [0, 0.01], text: percent },
  { title: "Seconds a generation", columns: [["seconds", "seconds"]], range: [0] },
];

export function Evolution({ run }) {
  const curve = useCurve(run.id, "run");
  const rows = curve.data?.items || [];
  return html`<${Wait} of=${curve}>
    ${rows.length === 0 && html`<p class="quiet">The first generation is on its way.</p>`}
    <div class="charts">
      ${CHARTS.map(({ title, columns, range, text }) => {
        const there = columns.filter(([column]) => hasValues(rows, column));
        if (!there.length) return null;
        return html`<${LineChart} key=${title} title=${title} xName="generation" range=${range} text=${text}
          series=${there.map(([column, name]) => seriesOf(rows, column, name))} />`;
      })}
      <${Depths} rows=${rows} />
    </div><//>`;
}

/** The depths of each generation's best, a line a phase. */
function Depths({ rows }) {
  const phases = Math.max(0, ...rows.map((row) => row.depths?.length || 0));
  if (!phases) return null;
  const series = Array.from({ length: phases }, (_, phase) => ({
    name: `phase ${phase + 1}`,
    points: rows.map((row) => ({ x: row.generation, y: row.depths?.[phase] })),
  }));
  return html`<${LineChart} title="Search depths of the best" xName="generation" series=${series} range=${[0]} />`;
}

export function Generations({ run }) {
  const pages = usePages(path(["runs", run.id, "generations"], { limit: 50 }));
  useEvents(({ name, data }) => {
    if (name !== "generation" || data.run !== run.id || pages.more) return;
    pages.change((items) => (items.some((row) => row.generation === data.row.generation) ? items : [...items, data.row]));
  });
  const share = (value) => percent(value);
  return html`<${PagedTable} pages=${pages} name="generations" id="generation" shows=${{
    generation: (value) => html`<a href=${to(["run", run.id, "generations", value])}>${number(value)}</a>`,
    best: (value) => html`<a href=${to(["run", run.id, "individual", value])}>${value}</a>`,
    best_score: share, mean_score: share, panel_score: share, past_score: share, over_budget: share,
  }} />`;
}
