// Charts as SVG: lines with bands, bars with intervals, points, heat maps, parallel coordinates.
// They are drawn at the width they have, so that their text stays readable; CSS gives their colours;
// each has a label and its table behind it.

import { number } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { Table } from "./ui.js";

const MOST = 2000;
const MARGIN = { top: 10, right: 14, bottom: 34, left: 52 };
export const COLOURS = 8;

/** The width of an element, as it changes. */
function useWidth() {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** At most `most` of the points, evenly, with the first and the last. */
export function thinned(points, most = MOST) {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, place) => points[Math.round(place * step)]);
}

function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Round steps between two values, about `wanted` of them. */
function ticks(low, high, wanted) {
  const rough = (high - low || 1) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const all = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) {
    all.push(Math.abs(at) < step / 1e6 ? 0 : Number(at.toPrecision(12)));
  }
  return all;
}

function scale([low, high], [from, to]) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** A figure: its title, its drawing for the width it has, and the table. */
function Figure({ title, name, draw, height, columns, rows, children }) {
  const [ref, width] = useWidth();
  const [open, setOpen] = useState(false);
  const tall = height ?? Math.max(170, Math.min(300, width * 0.42));
  return html`<figure class="chart">
    ${title && html`<figcaption>${title}</figcaption>`}
    <div ref=${ref} class="drawing">${width > 0 && draw(width, tall)}</div>
    ${children}
    <details onToggle=${(event) => setOpen(event.target.open)}><summary>As a table</summary>
      ${open && html`<${Table} name=${`${name || title}: table`} columns=${columns} rows=${thinned(rows, 500)} />`}
    </details>
  </figure>`;
}

function Axes({ x, y, xTicks, yTicks, width, height, xName, xText = number, yText = number }) {
  return html`<g class="axes" aria-hidden="true">
    ${yTicks.map((at) => html`<g><line x1=${MARGIN.left} x2=${width - MARGIN.right} y1=${y(at)} y2=${y(at)} />
      <text x=${MARGIN.left - 6} y=${y(at)} dy="0.35em" text-anchor="end">${yText(at)}</text></g>`)}
    ${xTicks.map((at) => html`<text x=${x(at)} y=${height - MARGIN.bottom + 16} text-anchor="middle">${xText(at)}</text>`)}
    ${xName && html`<text class="name" x=${width - MARGIN.right} y=${height - 3} text-anchor="end">${xName}</text>`}
  </g>`;
}

/** Runs of points whose value is there. */
function pieces(points, ...keys) {
  const all = [];
  let open = null;
  for (const point of points) {
    if (keys.every((key) => Number.isFinite(point[key]))) {
      if (!open) all.push((open = []));
      open.push(point);
    } else open = null;
  }
  return all;
}

const line = (points, x, y, key = "y") => points.map((point) => `${x(point.x).toFixed(1)},${y(point[key]).toFixed(1)}`).join(" ");

/**
 * Lines over a common x. series: [{name, points: [{x, y, low, high}]}], the last two where there is a
 * band. `range`: what y shows at least. Values are read off with the pointer.
 */
export function LineChart({ title, series, xName, range = [], text = number, dots }) {
  const [at, setAt] = useState(null);
  const drawn = series.map((one) => ({ ...one, points: thinned(one.points) }));
  const all = drawn.flatMap((one) => one.points);
  const xs = extent(all.map((point) => point.x));
  const [low, high] = extent([...all.flatMap((point) => [point.y, point.low, point.high]), ...range]);
  const pad = low === high ? Math.abs(low) * 0.1 || 1 : range.length ? 0 : 0.04 * (high - low);
  const ys = [low - pad, high + pad];
  const near = (one) => at !== null && one.points.reduce(
    (best, point) => (!best || Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best), null,
  );
  const draw = (width, height) => {
    const x = scale(xs, [MARGIN.left, width - MARGIN.right]);
    const y = scale(ys, [height - MARGIN.bottom, MARGIN.top]);
    const read = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
      setAt(xs[0] + Math.max(0, Math.min(1, share)) * (xs[1] - xs[0]));
    };
    return html`<svg role="img" aria-label=${`${title}: ${describe(series, text)}`} viewBox=${`0 0 ${width} ${height}`}
        width=${width} height=${height} onPointerMove=${read} onPointerLeave=${() => setAt(null)}>
      <${Axes} x=${x} y=${y} width=${width} height=${height} xName=${xName} yText=${text}
        xTicks=${ticks(...xs, Math.min(10, width / 80)).filter((tick) => !all.every((point) => Number.isInteger(point.x)) || Number.isInteger(tick))}
        yTicks=${ticks(...ys, height / 50)} />
      ${drawn.map((one, place) => html`<g class=${`c${(one.colour ?? place) % COLOURS}`}>
        ${pieces(one.points, "x", "low", "high").map((part) => html`<polygon class="band"
          points=${`${line(part, x, y, "low")} ${line([...part].reverse(), x, y, "high")}`} />`)}
        ${pieces(one.points, "x", "y").map((part) => (part.length === 1 || dots
          ? part.map((point) => html`<circle cx=${x(point.x)} cy=${y(point.y)} r="3" />`)
          : html`<polyline points=${line(part, x, y)} />`))}
      </g>`)}
      ${at !== null && html`<line class="cursor" x1=${x(near(drawn[0])?.x ?? at)} x2=${x(near(drawn[0])?.x ?? at)} y1=${MARGIN.top} y2=${height - MARGIN.bottom} />`}
    </svg>`;
  };
  const rows = merged(series);
  return html`<${Figure} title=${title} draw=${draw} rows=${rows}
    columns=${[{ name: "x", title: xName, number: true }, ...series.flatMap((one, place) => [
      { name: place, title: one.name, number: true, show: (row) => text(row[place]?.y) },
      ...(one.points.some((point) => Number.isFinite(point.low))
        ? [{ name: `${place}i`, title: "interval", number: true, show: (row) => (Number.isFinite(row[place]?.low) ? `${text(row[place].low)} to ${text(row[place].high)}` : "–") }]
        : []),
    ])]}>
    <p class="legend" aria-hidden="true">${at !== null && html`<span>${xName} ${number(near(drawn[0])?.x)}</span>`}
      ${(series.length > 1 || at !== null) && drawn.map((one, place) => html`
        <span class=${`key c${(one.colour ?? place) % COLOURS}`}>${one.name}${at !== null ? ` ${text(near(one)?.y)}` : ""}</span>`)}
    </p>
  <//>`;
}

/** The rows of the table of several series: one an x. */
function merged(series) {
  const rows = new Map();
  series.forEach((one, place) => one.points.forEach((point) => {
    if (!rows.has(point.x)) rows.set(point.x, { x: point.x });
    rows.get(point.x)[place] = point;
  }));
  return [...rows.values()].sort((a, b) => a.x - b.x);
}

function describe(series, text) {
  return series.map((one) => {
    const there = one.points.filter((point) => Number.isFinite(point.y));
    if (!there.length) return `${one.name}: nothing yet`;
    return `${one.name} from ${text(there[0].y)} to ${text(there.at(-1).y)}`;
  }).join("; ");
}

/** Horizontal bars. bars: [{name, value, low, high, href}]; with `zero` they begin there. */
export function BarChart({ title, bars, text = number, zero = true, valueName = "value" }) {
  const values = bars.flatMap((bar) => [bar.value, bar.low, bar.high]);
  const xs = extent(zero ? [0, ...values] : values);
  const row = 30;
  const height = bars.length * row + 30;
  const draw = (width) => {
    const left = Math.min(width * 0.42, 15 + 7.2 * Math.max(4, ...bars.map((bar) => bar.name.length)));
    const letters = Math.floor((left - 10) / 7);
    const x = scale(xs, [left, width - 66]);
    const base = x(Math.max(xs[0], Math.min(xs[1], 0)));
    return html`<svg role="img" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}
        aria-label=${`${title}: ${bars.slice(0, 12).map((bar) => `${bar.name} ${text(bar.value)}`).join("; ")}`}>
      <g class="axes" aria-hidden="true">${ticks(...xs, width / 160).map((tick) => html`
        <line x1=${x(tick)} x2=${x(tick)} y1="4" y2=${height - 24} /><text x=${x(tick)} y=${height - 8} text-anchor="middle">${text(tick)}</text>`)}</g>
      ${bars.map((bar, place) => {
        const y = place * row + 4;
        const end = Number.isFinite(bar.value) ? x(bar.value) : base;
        return html`<g class=${`c${(bar.colour ?? 0) % COLOURS}`}>
          <text class="word" x=${left - 8} y=${y + 15} text-anchor="end">${shortened(bar.name, letters)}</text>
          <rect class="bar" x=${Math.min(base, end)} y=${y + 3} width=${Math.max(1, Math.abs(end - base))} height=${row - 12} rx="2" />
          ${Number.isFinite(bar.low) && Number.isFinite(bar.high) && html`<path class="whisker"
            d=${`M${x(bar.low)} ${y + 12}H${x(bar.high)}M${x(bar.low)} ${y + 7}v10M${x(bar.high)} ${y + 7}v10`} />`}
          <text class="word" x=${Math.max(end, Number.isFinite(bar.high) ? x(bar.high) : end, base) + 6} y=${y + 15}>${text(bar.value)}</text>
        </g>`;
      })}
    </svg>`;
  };
  return html`<${Figure} title=${title} draw=${draw} height=${height} rows=${bars} columns=${[
    { name: "name" }, { name: "value", title: valueName, number: true, show: (bar) => text(bar.value) },
    ...(bars.some((bar) => Number.isFinite(bar.low)) ? [{ name: "low", number: true, show: (bar) => text(bar.low) }, { name: "high", number: true, show: (bar) => text(bar.high) }] : []),
  ]} />`;
}

function shortened(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
}

/** Points of two values. points: [{x, y, name, faint}]; `line` joins the points of another list. */
export function ScatterChart({ title, points, best, xName, yName, words }) {
  const drawn = thinned(points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y)));
  const xs = extent(drawn.map((point) => point.x));
  const ys = extent(drawn.map((point) => point.y));
  const draw = (width, height) => {
    const x = scale(xs, [MARGIN.left + 8, width - MARGIN.right - 8]);
    const y = scale(ys, [height - MARGIN.bottom - 6, MARGIN.top + 6]);
    const xTicks = words ? words.map((_, place) => place) : ticks(...xs, Math.min(8, width / 90));
    return html`<svg role="img" aria-label=${`${title}: ${drawn.length} points, ${yName} from ${number(ys[0])} to ${number(ys[1])}`}
        viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>
      <${Axes} x=${x} y=${y} width=${width} height=${height} xName=${xName} xTicks=${xTicks} yTicks=${ticks(...ys, height / 50)}
        xText=${words ? (place) => shortened(String(words[place]), Math.floor(width / words.length / 8)) : number} />
      ${best && html`<g class="c1"><polyline points=${line(best, x, y)} /></g>`}
      <g class="c0">${drawn.map((point) => html`<circle class=${point.faint ? "faint" : undefined} cx=${x(point.x)} cy=${y(point.y)} r="4">
        <title>${point.name}</title></circle>`)}</g>
    </svg>`;
  };
  return html`<${Figure} title=${title} draw=${draw} rows=${points} columns=${[
    { name: "name" }, { name: "x", title: xName, number: !words, show: (point) => (words ? words[point.x] : number(point.x)) },
    { name: "y", title: yName, number: true },
  ]} />`;
}

/** One line a row over an axis a parameter; the better its score, the stronger its colour. */
export function ParallelChart({ title, axes, rows, score }) {
  const drawn = thinned(rows, 400);
  const scores = extent(drawn.map(score));
  const height = 300;
  const draw = (given) => {
    const width = Math.max(given, axes.length * 84);
    const at = scale([0, axes.length - 1], [46, width - 46]);
    const scales = axes.map((axis) => {
      const words = axis.words;
      const values = words ? [0, words.length - 1] : extent(rows.map((row) => row[axis.name]));
      const place = scale(values, [height - 40, 44]);
      const numeric = (row) => (words ? words.indexOf(row[axis.name]) : row[axis.name]);
      return { ends: words ? [words[0], words.at(-1)] : values, of: (row) => (Number.isFinite(numeric(row)) && numeric(row) !== -1 || !words && Number.isFinite(row[axis.name]) ? place(numeric(row)) : null) };
    });
    return html`<div class="box" role="region" tabindex="0" aria-label=${title}><svg role="img" aria-label=${`${title}: ${rows.length} trials over ${axes.map((axis) => axis.name).join(", ")}`}
        viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>
      ${drawn.map((row) => {
        const points = axes.map((_, place) => [at(place), scales[place].of(row)]).filter(([, y]) => y !== null);
        const share = (score(row) - scores[0]) / (scores[1] - scores[0] || 1);
        return html`<g class=${share > 0.8 ? "c1" : "c0"} opacity=${(0.15 + 0.85 * (share || 0) ** 2).toFixed(2)}>
          <polyline points=${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")} /></g>`;
      })}
      <g class="axes" aria-hidden="true">${axes.map((axis, place) => html`
        <line x1=${at(place)} x2=${at(place)} y1="44" y2=${height - 40} />
        <text class="word" x=${at(place)} y=${place % 2 ? 28 : 13} text-anchor="middle">${shortened(axis.title || axis.name, 22)}</text>
        <text x=${at(place)} y=${height - 24} text-anchor="middle">${shortened(number(scales[place].ends[0]), 12)}</text>
        <text x=${at(place)} y="41" text-anchor="middle">${shortened(number(scales[place].ends[1]), 12)}</text>`)}</g>
    </svg></div>`;
  };
  return html`<${Figure} title=${title} draw=${draw} height=${height} rows=${rows}
    columns=${axes.map((axis) => ({ name: axis.name, title: axis.title, number: !axis.words }))} />`;
}

/** A square table of shares, 0 to 1, as colours: names of the rows against those of the columns. */
export function HeatMap({ title, names, values, rowHref }) {
  const many = names.length > 24;
  const draw = (given) => {
    const left = 120;
    const size = Math.max(many ? 7 : 34, Math.min(46, (given - left) / names.length));
    const width = left + size * names.length;
    const top = 22;
    return html`<div class="box" role="region" tabindex="0" aria-label=${title}><svg role="img" viewBox=${`0 0 ${width} ${top + size * names.length}`} width=${width}
        height=${top + size * names.length} aria-label=${`${title}: ${names.length} by ${names.length}`}>
      ${names.map((name, row) => html`<g>
        ${(!many || row % Math.ceil(14 / size) === 0) && html`<text class="word" x=${left - 6} y=${top + (row + 0.5) * size} dy="0.35em" text-anchor="end">${shortened(name, 16)}</text>`}
        ${!many && html`<text class="word" x=${left + (row + 0.5) * size} y="14" text-anchor="middle">${row + 1}</text>`}
        ${values[row].map((value, column) => html`<g>
          <rect class=${value === null || value === undefined ? "none" : value >= 0.5 ? "plus" : "minus"} x=${left + column * size} y=${top + row * size}
            width=${size - (many ? 0 : 1)} height=${size - (many ? 0 : 1)} fill-opacity=${value === null || value === undefined ? 1 : (0.08 + 1.1 * Math.abs(value - 0.5)).toFixed(2)}>
            <title>${name} against ${names[column]}: ${value === null || value === undefined ? "did not meet" : number(value)}</title></rect>
          ${!many && value !== null && value !== undefined && html`<text class="word" x=${left + (column + 0.5) * size} y=${top + (row + 0.5) * size} dy="0.35em" text-anchor="middle">${value.toFixed(2).replace(/^0/, "")}</text>`}
        </g>`)}
      </g>`)}
    </svg></div>`;
  };
  return html`<${Figure} title=${title} draw=${draw} height=${100} rows=${names.map((name, row) => ({ name, row }))} columns=${[
    { name: "name", show: ({ name }) => (rowHref ? html`<a href=${rowHref(name)}>${name}</a>` : name) },
    ...names.map((name, column) => ({ name, title: many ? `${column + 1}` : name, number: true, show: ({ row }) => number(values[row][column]) })),
  ]} />`;
}

/** A small curve without axes, for lists. */
export function Spark({ values, name }) {
  const there = values.filter(Number.isFinite);
  if (there.length < 2) return null;
  const x = scale([0, there.length - 1], [2, 94]);
  const y = scale(extent(there), [25, 3]);
  return html`<svg class="spark c0" role="img" aria-label=${`${name}: from ${number(there[0])} to ${number(there.at(-1))}`} viewBox="0 0 96 28" width="96" height="28">
    <polyline points=${there.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ")} />
  </svg>`;
}

/** A board of 64 numbers as colours, more than nothing one way and less the other. */
export function BoardHeat({ title, values, most }) {
  const size = 40;
  const top = Math.max(1e-9, most ?? Math.max(...values.map(Math.abs)));
  return html`<figure class="heat"><figcaption>${title}</figcaption>
    <svg role="img" viewBox=${`0 0 ${8 * size} ${8 * size}`} aria-label=${`${title}; row 1: ${values.slice(0, 8).map((value) => number(value)).join(", ")}`}>
      ${values.map((value, square) => {
        const x = (square % 8) * size;
        const y = Math.floor(square / 8) * size;
        return html`<g><rect class=${value >= 0 ? "plus" : "minus"} x=${x} y=${y} width=${size - 1} height=${size - 1}
          fill-opacity=${(0.06 + 0.54 * Math.min(1, Math.abs(value) / top)).toFixed(2)} />
          <text class="word" x=${x + size / 2 - 0.5} y=${y + size / 2} dy="0.35em" text-anchor="middle">${number(value)}</text></g>`;
      })}
    </svg>
    <details><summary>As a table</summary><div class="box" role="region" tabindex="0" aria-label=${`${title}: table`}><table><tbody>
      ${[0, 1, 2, 3, 4, 5, 6, 7].map((row) => html`<tr><th scope="row">${row + 1}</th>${values.slice(8 * row, 8 * row + 8).map((value) => html`<td class="number">${number(value)}</td>`)}</tr>`)}
    </tbody></table></div></details>
  </figure>`;
}
