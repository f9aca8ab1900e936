// What runs of any kind show, from what the registry says of their tables: charts, and the tables.

import { path } from "./api.js";
import { Curves } from "./charts.js";
import { useCurve, usePages, useTable } from "./data.js";
import { label, percent } from "./format.js";
import { html, useState } from "./html.js";
import { firstTable, tableOf } from "./meta.js";
import { PagedTable, Select, Wait } from "./ui.js";

/** The charts of a table: those that its columns name, each with the columns that name it. */
export function chartsOf(table) {
  const charts = new Map();
  for (const { name, label: title, chart, format } of table.columns) {
    if (!chart) continue;
    if (!charts.has(chart.title)) {
      charts.set(chart.title, { ...chart, range: chart.least, columns: [], ...(format === "percent" && { text: percent }) });
    }
    charts.get(chart.title).columns.push([name, title || label(name)]);
  }
  return [...charts.values()].sort((a, b) => b.first - a.first);
}

/** The curves of a run's first table; `children` draws more of its rows. */
export function Overview({ run, children }) {
  const table = firstTable(run);
  const curve = useCurve(run);
  const [over, setOver] = useState(table.over[0]);
  return html`
    ${table.over.length > 1 && html`<p class="filters"><${Select} name="Over" value=${over} choices=${table.over.map((name) => [name, label(name)])} onChange=${setOver} /></p>`}
    <${Wait} of=${curve}>${curve.data && html`<${Curves} rows=${curve.data} charts=${chartsOf(table)} x=${[over, label(over)]}>${children?.(curve.data)}<//>`}<//>`;
}

/** A table, the first if none is named, without the columns that nothing is in. */
export function Rows({ run, table }) {
  const pages = table ? usePages(path(["runs", run.id, table], { limit: 50 })) : useTable(run);
  const used = ({ name }) => (pages.items || []).some((row) => row[name] !== null && row[name] !== undefined);
  return html`<${PagedTable} pages=${pages} name=${tableOf(run, table)?.title ?? "rows"} pick=${used} />`;
}

/** The parts of a run beside its kind's `own`: its charts, and each table that these do not show. */
export function partsOf(kind, own = {}) {
  const [first] = kind.tables;
  const parts = !own[""] && first.columns.some(({ chart }) => chart) ? { "": ["Curves", Overview] } : {};
  for (const { name, title } of kind.tables.filter(({ whole, drawn }) => whole && !drawn)) {
    const place = own[""] || parts[""] ? title.toLowerCase().replaceAll(" ", "-") : "";
    parts[place] = [title, ({ run }) => html`<${Rows} run=${run} table=${name === first.name ? undefined : name} />`];
  }
  return parts;
}
