// What runs of any kind show, from what the registry says of their tables: charts, and the tables.

import { path } from "./api.js";
import { Curves, Plot } from "./charts.js";
import { hasValues, seriesOf, useCurve, usePages, useTable } from "./data.js";
import { capital, duration, label, number, percent } from "./format.js";
import { html, useState } from "./html.js";
import { firstTable, rungsOf, tableOf } from "./meta.js";
import { PagedTable, Seg, Wait } from "./ui.js";

/** The charts of a table: those that its columns name, each with the columns that name it. */
export function chartsOf(table) {
  const charts = new Map();
  for (const { name, label: title, chart, format } of table.columns) {
    if (!chart) continue;
    if (!charts.has(chart.title)) {
      charts.set(chart.title, { ...chart, range: chart.least, columns: [], ...(format === "percent" ? { text: percent } : name === "seconds" && { text: duration }) });
    }
    charts.get(chart.title).columns.push([name, title || label(name)]);
  }
  return [...charts.values()].sort((a, b) => b.first - a.first);
}

/** The curves of a run's first table: what matters most in a wide chart, with the rungs of the ladder; `children` draws more. */
export function Overview({ run, children }) {
  const table = firstTable(run);
  const curve = useCurve(run);
  const [over, setOver] = useState(table.over[0]);
  const charts = chartsOf(table);
  const [main] = charts.filter(({ first, columns }) => first && columns.some(([column]) => hasValues(curve.data || [], column)));
  const seg = table.over.length > 1 && html`<${Seg} name="Over" value=${over} choices=${table.over.map((name) => [name, capital(label(name))])} onChange=${setOver} />`;
  const elo = run.elo ?? run.elo_so_far;
  const x = [over, label(over)];
  return html`<${Wait} of=${curve}>${curve.data && html`
    ${main ? html`<${Plot} key=${over} ...${main} tall about=${`over ${x[1]}`} acts=${seg} xName=${x[1]} text=${main.text ?? ((value) => number(value, 0))}
      series=${main.columns.map(([column, name]) => seriesOf(curve.data, column, name, over))} rungs=${typeof elo === "number" ? rungsOf(run) : []} />`
      : seg && html`<p>${seg}</p>`}
    <${Curves} small=${Boolean(main)} rows=${curve.data} charts=${charts.filter((chart) => chart !== main)} x=${x}>${children?.(curve.data)}<//>`}<//>`;
}

/** A table, the first if none is named. */
export function Rows({ run, table }) {
  const pages = table ? usePages(path(["runs", run.id, table], { limit: 50 })) : useTable(run);
  return html`<${PagedTable} pages=${pages} name=${tableOf(run, table)?.title ?? "rows"} />`;
}

/** The parts of a run beside its kind's `own`: its charts, and each table that these do not show. */
export function partsOf(kind, own = {}) {
  const [first] = kind.tables;
  const parts = !own[""] && first.columns.some(({ chart }) => chart) ? { "": ["Curves", Overview] } : {};
  for (const { name, title } of kind.tables.filter(({ whole, drawn }) => whole && !drawn)) {
    const part = own[""] || parts[""] ? title.toLowerCase().replaceAll(" ", "-") : "";
    parts[part] = [title, ({ run }) => html`<${Rows} run=${run} table=${name === first.name ? undefined : name} />`, (run) => name === first.name || run.tables.includes(name)];
  }
  return parts;
}
