// Charts as SVG, drawn at the width they have, so that their text stays readable, each with its table.

import { hasValues, seriesOf } from "./data.js";
import { number, percent } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { squareName } from "./reversi.js";
import { mostOf, scale, shade } from "./figures.js";
import { Box, Table } from "./ui.js";

const MOST = 2000;
const LEFT = 52;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 34;
const there = Number.isFinite;

function thinned(points, most = MOST) {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, place) => points[Math.round((place * (points.length - 1)) / (most - 1))]);
}

function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!there(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Round steps between two values, about `wanted` of them; `whole`: no fractions. */
function ticks([low, high], wanted, whole) {
  const rough = (high - low || 1) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(whole ? 1 : 0, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

const short = (text, letters) => (text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`);

function Figure({ title, draw, columns, rows, children }) {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <div ref=${ref}>${width > 0 && draw(width)}</div>
    ${children}
    <details onToggle=${(event) => setOpen(event.target.open)}><summary>As a table</summary>
      ${open && html`<${Table} name=${`${title}: table`} columns=${columns} rows=${thinned(rows, 500)} />`}
    </details>
  </figure>`;
}

function Svg({ label, width, height, children, ...rest }) {
  return html`<svg role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} ...${rest}>${children}</svg>`;
}

function pieces(points, ...keys) {
  const all = [];
  let open = null;
  for (const point of points) {
    if (!keys.every((key) => there(point[key]))) open = null;
    else if (open) open.push(point);
    else all.push((open = [point]));
  }
  return all;
}

/**
 * Lines over a common x. series: [{name, dots, points: [{x, y, low, high, faint}]}]; low and high make
 * a band, `dots` points without a line. `range`: what y shows at least; `words`: names of x from 0 on.
 * The pointer reads values off.
 */
export function Plot({ title, series, xName, range = [], text = number, words }) {
  const [at, setAt] = useState(null);
  const drawn = series.map((one) => ({ ...one, points: thinned(one.points) }));
  const all = drawn.flatMap((one) => one.points);
  const xs = extent(all.map((point) => point.x));
  const [low, high] = extent([...all.flatMap((point) => [point.y, point.low, point.high]), ...range]);
  const pad = low === high ? Math.abs(low) / 10 || 1 : (high - low) * (range.length ? 0.005 : 0.04);
  const ys = [low - pad, high + pad];
  const near = ({ points }) => points.reduce((best, point) => (Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best), points[0] || {});
  const xText = (value) => (words ? words[value] : number(value));
  const yText = text === percent ? (share) => percent(share, 0) : text;
  const draw = (width) => {
    const height = Math.max(180, Math.min(300, width * 0.42));
    const x = scale(xs, [LEFT + 6, width - RIGHT]);
    const y = scale(ys, [height - BOTTOM, TOP]);
    const join = (points, key) => points.map((point) => `${x(point.x).toFixed(1)},${y(point[key]).toFixed(1)}`).join(" ");
    const read = (event) => {
      const share = (event.clientX - event.currentTarget.getBoundingClientRect().left - x(xs[0])) / (x(xs[1]) - x(xs[0]));
      setAt(xs[0] + Math.max(0, Math.min(1, share)) * (xs[1] - xs[0]));
    };
    const xTicks = words ? words.map((_, place) => place) : ticks(xs, Math.min(10, width / 80), all.every((point) => Number.isInteger(point.x)));
    return html`<${Svg} label=${`${title}: ${described(series, text)}`} width=${width} height=${height} class="plot"
        onPointerMove=${read} onPointerLeave=${() => setAt(null)}>
      <g aria-hidden="true">
        ${ticks(ys, height / 50).map((tick) => html`<line class="grid" x1=${LEFT} x2=${width - RIGHT} y1=${y(tick)} y2=${y(tick)} />
          <text x=${LEFT - 6} y=${y(tick)} dy="0.35em" text-anchor="end">${yText(tick)}</text>`)}
        ${xTicks.map((tick) => html`<text x=${x(tick)} y=${height - BOTTOM + 16} text-anchor=${x(tick) > width - 40 ? "end" : "middle"}>${short(xText(tick), words ? width / words.length / 8 : 12)}</text>`)}
        <text x=${width - RIGHT} y=${height - 3} text-anchor="end">${xName}</text>
      </g>
      ${drawn.map(({ points, dots }, place) => html`<g class=${`c${place % 6 + 1}`}>
        ${pieces(points, "x", "low", "high").map((part) => html`<polygon class="band" points=${`${join(part, "low")} ${join([...part].reverse(), "high")}`} />`)}
        ${pieces(points, "x", "y").map((part) => (dots || part.length === 1
          ? part.map((point) => html`<circle class=${point.faint ? "dot faint" : "dot"} cx=${x(point.x)} cy=${y(point.y)} r="4" />`)
          : html`<polyline class="line" points=${join(part, "y")} />`))}
      </g>`)}
      ${at !== null && drawn[0] && html`<line class="cursor" x1=${x(near(drawn[0]).x)} x2=${x(near(drawn[0]).x)} y1=${TOP} y2=${height - BOTTOM} />`}
    <//>`;
  };
  const rows = new Map();
  series.forEach((one, place) => one.points.forEach((point) => rows.set(point.x, { x: point.x, ...rows.get(point.x), [place]: point })));
  const columns = series.flatMap((one, place) => [
    { name: place, title: one.name, number: true, show: (row) => text(row[place]?.y) },
    one.points.some((point) => there(point.low))
      && { title: "interval", number: true, show: (row) => (there(row[place]?.low) ? `${text(row[place].low)} to ${text(row[place].high)}` : "–") },
  ]).filter(Boolean);
  return html`<${Figure} title=${title} draw=${draw} rows=${[...rows.values()].sort((a, b) => a.x - b.x)}
    columns=${[{ title: xName, number: true, show: (row) => xText(row.x) }, ...columns]}>
    <p class="legend" aria-hidden="true">${at !== null && drawn[0] && html`<span>${xName} ${xText(near(drawn[0]).x)}</span>`}
      ${(series.length > 1 || at !== null) && drawn.map((one, place) => html`
        <span class=${`key c${place % 6 + 1}`}>${one.name}${at !== null && ` ${text(near(one).y)}`}</span>`)}</p>
  <//>`;
}

/** The charts of a table, [{title, columns: [[column, name]]}], as far as it has values; x: [column, name]. */
export function Curves({ rows, charts, x: [x, xName], children }) {
  return html`${rows.length === 0 && html`<p class="quiet">The first row is on its way.</p>`}
    <div class="charts">${charts.map(({ columns, ...chart }) => {
      const series = columns.filter(([column]) => hasValues(rows, column)).map(([column, name]) => seriesOf(rows, column, name, x));
      return series.length > 0 && html`<${Plot} key=${chart.title} ...${chart} xName=${xName} series=${series} />`;
    })}${children}</div>`;
}

function described(series, text) {
  return series.map(({ name, points }) => {
    const known = points.filter((point) => there(point.y));
    return known.length ? `${name} from ${text(known[0].y)} to ${text(known.at(-1).y)}` : `${name}: nothing yet`;
  }).join("; ");
}

/** bars: [{name, value, low, high, faint}]. */
export function BarChart({ title, bars, text = number }) {
  const xs = extent([0, ...bars.flatMap((bar) => [bar.value, bar.low, bar.high])]);
  const height = bars.length * 30 + 30;
  const draw = (width) => {
    const left = Math.min(width * 0.42, 15 + 7.2 * Math.max(4, ...bars.map((bar) => bar.name.length)));
    const x = scale(xs, [left, width - 66]);
    return html`<${Svg} label=${`${title}: ${bars.map((bar) => `${bar.name} ${text(bar.value)}`).join("; ")}`} width=${width} height=${height}>
      <g aria-hidden="true">${ticks(xs, width / 160).map((tick) => html`
        <line class="grid" x1=${x(tick)} x2=${x(tick)} y1="4" y2=${height - 24} /><text x=${x(tick)} y=${height - 8} text-anchor="middle">${text(tick)}</text>`)}</g>
      ${bars.map((bar, place) => {
        const y = place * 30 + 4;
        const end = x(bar.value ?? 0);
        const whisker = there(bar.low) && there(bar.high);
        return html`<g class="c1">
          <text class="strong" x=${left - 8} y=${y + 15} text-anchor="end">${short(bar.name, (left - 10) / 7)}</text>
          <rect class=${bar.faint ? "bar faint" : "bar"} x=${Math.min(x(0), end)} y=${y + 3} width=${Math.max(1, Math.abs(end - x(0)))} height="18" rx="2" />
          ${whisker && html`<path class="whisker" d=${`M${x(bar.low)} ${y + 12}H${x(bar.high)}M${x(bar.low)} ${y + 7}v10M${x(bar.high)} ${y + 7}v10`} />`}
          <text class="strong" x=${Math.max(end, x(0), whisker ? x(bar.high) : 0) + 6} y=${y + 15}>${text(bar.value)}</text></g>`;
      })}
    <//>`;
  };
  return html`<${Figure} title=${title} draw=${draw} rows=${bars}
    columns=${["name", "value", "low", "high"].map((name) => ({ name, number: name !== "name", show: (bar) => (name === "name" ? bar.name : text(bar[name])) }))} />`;
}

/** One line a row over an axis a setting, [{name, words}]; the better its score, the stronger. */
export function ParallelChart({ title, axes, rows, score }) {
  const height = 300;
  const scores = scale(extent(rows.map(score)), [0, 1]);
  const draw = (given) => {
    const width = Math.max(given, axes.length * 84);
    const x = scale([0, axes.length - 1], [46, width - 46]);
    const drawn = axes.map(({ name, words }) => {
      const value = (row) => (words ? words.indexOf(String(row[name])) : row[name]);
      const ends = words ? [0, words.length - 1] : extent(rows.map(value));
      return { name, value, y: scale(ends, [height - 40, 44]), ends: ends.map((end) => (words ? words[end] : number(end))) };
    });
    return html`<${Box} name=${`${title}: drawing`}><${Svg} label=${`${title}: ${rows.length} lines over ${axes.map(({ name }) => name).join(", ")}`} width=${width} height=${height}>
      ${thinned(rows, 400).map((row) => html`<g class=${scores(score(row)) > 0.8 ? "c2" : "c1"} opacity=${0.15 + 0.85 * scores(score(row)) ** 2}>
        <polyline class="line" points=${drawn.map(({ value, y }, place) => (there(value(row)) ? `${x(place)},${y(value(row))}` : "")).join(" ")} /></g>`)}
      <g aria-hidden="true">${drawn.map(({ name, ends }, place) => html`<line class="grid" x1=${x(place)} x2=${x(place)} y1="44" y2=${height - 40} />
        <text class="strong" x=${x(place)} y=${place % 2 ? 27 : 12} text-anchor="middle">${short(name, 22)}</text>
        ${ends.map((end, which) => html`<text x=${x(place)} y=${which ? 41 : height - 24} text-anchor="middle">${short(end, 12)}</text>`)}`)}</g>
    <//><//>`;
  };
  return html`<${Figure} title=${title} draw=${draw} rows=${rows} columns=${axes.map(({ name, words }) => ({ name, number: !words }))} />`;
}

/** rows: [head, [[text, share]]]; a share of −1 to 1 colours its cell. */
function HeatTable({ title, heads, rows }) {
  const shade = ([text, share]) => html`<td class=${`v ${shade(share)}`}>${text}</td>`;
  return html`<figure class="chart"><figcaption>${title}</figcaption><${Box} name=${title}><table class="heats">
    <thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(([head, cells]) => html`<tr><th scope="row">${head}</th>${cells.map(shade)}</tr>`)}</tbody></table><//></figure>`;
}

/** Shares, 0 to 1 or null, of rows against columns. */
export function HeatMap({ title, names, values, href }) {
  return html`<${HeatTable} title=${title} heads=${names.map((_, place) => place + 1)} rows=${names.map((name, row) => [
    html`${row + 1} ${href ? html`<a href=${href(name)}>${name}</a>` : name}`,
    values[row].map((value) => (there(value) ? [value.toFixed(2).replace(/^0/, ""), 2 * value - 1] : ["", 0])),
  ])} />`;
}

/** Each square as the least of those that mirror it: a1 to d1, b2 to d4. */
function folded(square) {
  const [row, column] = [Math.floor(square / 8), square % 8].map((at) => Math.min(at, 7 - at));
  return 8 * Math.min(row, column) + Math.max(row, column);
}

/** A board of numbers in the colours of their values. Where squares mirror each other, each number stands once. */
export function BoardHeat({ title, about, values, most = mostOf(values) }) {
  const once = values.every((value, square) => value === values[folded(square)]);
  const texts = values.map((value) => number(value, Math.abs(value) >= 10 ? 0 : undefined));
  const told = values.map((value, square) => (once && folded(square) !== square ? "" : `${squareName(square)} ${texts[square]}`)).filter(Boolean);
  return html`<figure><figcaption><strong>${title}</strong> ${about && html`<small>${about}</small>`}</figcaption>
    <svg class="heatboard" role="img" aria-label=${`${title}: ${told.join(", ")}`} viewBox="0 0 268 268">
      ${[..."abcdefgh"].map((letter, at) => html`<text x=${28 + at * 30 + 14.5} y="11" text-anchor="middle">${letter}</text><text x="20" y=${18 + at * 31 + 19} text-anchor="end">${at + 1}</text>`)}
      ${values.map((value, square) => {
        const [x, y] = [28 + (square % 8) * 30, 18 + Math.floor(square / 8) * 31];
        const at = shade(value, most);
        return html`<rect class=${`v ${at}`} x=${28 + (square % 8) * 30} y=${y} width="29" height="30" rx="3" />
          ${(!once || folded(square) === square) && html`<text class=${`on-v ${at}`} x=${x + 14.5} y=${y + 19} text-anchor="middle">${texts[square]}</text>`}`;
      })}</svg></figure>`;
}
