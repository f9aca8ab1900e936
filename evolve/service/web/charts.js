// Charts as SVG, drawn at the width they have, so that their text stays readable, each with its table.

import { hasValues, seriesOf } from "./data.js";
import { capital, number, percent } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { squareName } from "./reversi.js";
import { mostOf, scale, shade } from "./figures.js";
import { Box, Menu, Table } from "./ui.js";

const MOST = 2000;
const LEFT = 52;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 24;
const NEAR = 15;
const isNumber = Number.isFinite;

function thinned(points, most = MOST) {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, index) => points[Math.round((index * (points.length - 1)) / (most - 1))]);
}

export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!isNumber(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Round steps between two values, about `wanted` of them; `whole`: no fractions. */
export function ticks([low, high], wanted, whole) {
  const rough = (high - low || 1) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(whole ? 1 : 0, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

const short = (text, letters) => (text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`);

/**
 * A chart with its menu: the table behind it, and files of it. draw(width): the drawing; csv(): rows of cells, the first the names.
 * acts: what is chosen beside the title; children: below the drawing.
 */
export function Figure({ title, option, about, acts, range, draw, columns, rows, csv, children }) {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round((16 * entry.contentRect.width) / parseFloat(getComputedStyle(document.documentElement).fontSize))));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  const save = async (kind) => (await import("./saving.js")).save(kind, title, { svg: ref.current.querySelector("svg"), rows: csv });
  const files = [...(draw ? ["SVG", "PNG"] : []), "CSV"];
  return html`<figure class="chart">
    <figcaption><span><span class="title">${title}</span>${option && html` <span class="option">${option}</span>`}${about && html` <small>${about}</small>`}</span>
      <span class="row">${acts}<${Menu} ghost name=${`More about this chart: ${title}`}>
        <button type="button" data-shuts aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "No table" : "As a table"}</button>
        ${files.map((kind) => html`<button type="button" data-shuts onClick=${() => save(kind)}>Download ${kind}</button>`)}${range}<//></span></figcaption>
    <div ref=${ref}>${width > 0 && draw(width)}</div>
    ${children}
    ${open && html`<${Table} name=${`${title}: table`} columns=${columns} rows=${thinned(rows, 500)} />`}
  </figure>`;
}

export function Svg({ label, width, height, children, ...rest }) {
  return html`<svg role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} ...${rest}>${children}</svg>`;
}

function pieces(points, ...keys) {
  const all = [];
  let open = null;
  for (const point of points) {
    if (!keys.every((key) => isNumber(point[key]))) open = null;
    else if (open) open.push(point);
    else all.push((open = [point]));
  }
  return all;
}

/** Heights for labels near `wanted`, from the top down, that do not cover each other. */
function apart(labels, top, bottom) {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  sorted.forEach((label, index) => { label.y = Math.max(label.y, top, index ? sorted[index - 1].y + NEAR : top); });
  for (let index = sorted.length - 1; index >= 0; index--) sorted[index].y = Math.min(sorted[index].y, index === sorted.length - 1 ? bottom : sorted[index + 1].y - NEAR);
  return sorted;
}

/**
 * Lines over a common x. series: [{name, points: [{x, y, low, high, faint, shade}], dots, whiskers, open, bold, label}]; low and high make
 * a band, or whiskers; `dots`: points without a line; `open`: ringed; `unlisted`: not in the legend. rungs: [{label, elo, passed}], lines with names.
 * `range`: what y shows at least; `words`: names of x from 0 on; `log`: x is a logarithm to the base 10; `small`: half as high; `bare`: no names of its series. The pointer reads values off; a drag zooms.
 */
export function Plot({ title, option, about, acts, series, xName, range = [], text = number, words, rungs = [], log, small, bare, tall, children }) {
  const [at, setAt] = useState(null);
  const [hidden, setHidden] = useState([]);
  const [zoom, setZoom] = useState(null);
  const [from, setFrom] = useState(null);
  const whole = extent(series.flatMap((curve) => curve.points.map((point) => point.x)));
  const xs = zoom ?? whole;
  const inside = ({ x }) => x >= xs[0] && x <= xs[1];
  const drawn = series.map((curve, index) => ({ ...curve, index, points: thinned(zoom ? curve.points.filter(inside) : curve.points) }));
  const shown = drawn.filter(({ name }) => !hidden.includes(name));
  const all = shown.flatMap((curve) => curve.points);
  const [low, high] = extent([...all.flatMap((point) => [point.y, point.low, point.high]), ...range]);
  const pad = low === high ? Math.abs(low) / 10 || 1 : (high - low) * (range.length ? 0.005 : 0.04);
  const above = Math.min(...rungs.map(({ elo }) => elo).filter((elo) => elo > high), Infinity);
  const ys = [low - pad, isNumber(above) && above - high < (high - low) / 4 ? above + pad : high + pad];
  const lines = rungs.filter(({ elo }) => elo > ys[0] && elo < ys[1]);
  const near = ({ points }) => points.reduce((best, point) => (isNumber(point.y) && Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best), points.find(({ y }) => isNumber(y)) || {});
  const xText = (value) => (words ? words[value] : number(log ? Number((10 ** value).toPrecision(2)) : value));
  const yText = text === percent ? (share) => percent(share, 0) : text;
  const width0 = (list) => 18 + 6.6 * Math.max(4, ...list.map((name) => name.length));
  const ends = shown.filter(({ dots, label }) => !bare && (label || !dots)).map((curve) => {
    const last = curve.points.findLast(({ y }) => isNumber(y));
    return last && { ...curve, x: last.x, last: last.y, words: curve.label || (series.length > 1 ? curve.name : yText(last.y)) };
  }).filter(Boolean);
  const draw = (width) => {
    const height = small ? 150 : tall ? Math.max(240, Math.min(400, width * 0.36)) : Math.max(180, Math.min(300, width * 0.42));
    const roomy = width > (rungs.length ? 720 : 330);
    const beside = width0(ends.map((curve) => curve.words));
    const labelled = roomy && !words && !rungs.length && beside < width / 3; // else the legend has to do
    const right = labelled ? beside : roomy && rungs.length ? width0(lines.map(({ label, elo }) => `${label} · ${number(elo, 0)} –`)) : RIGHT;
    const x = scale(xs, [LEFT + 6, width - right]);
    const y = scale(ys, [height - BOTTOM, TOP]);
    const join = (points, key) => points.map((point) => `${x(point.x).toFixed(1)},${y(point[key]).toFixed(1)}`).join(" ");
    const valueAt = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const share = (((event.clientX - box.left) * width) / box.width - x(xs[0])) / (x(xs[1]) - x(xs[0]) || 1);
      return xs[0] + Math.max(0, Math.min(1, share)) * (xs[1] - xs[0]);
    };
    const drop = (event) => {
      if (from === null) return;
      const ends = [from, valueAt(event)].sort((a, b) => a - b);
      setFrom(null);
      if (Math.abs(x(ends[1]) - x(ends[0])) > 12 && series.some(({ points }) => points.filter((point) => point.x >= ends[0] && point.x <= ends[1]).length > 1)) setZoom(ends);
    };
    const xTicks = words ? words.map((_, index) => index) : ticks(xs, Math.min(10, width / (small ? 60 : 90)), all.every((point) => Number.isInteger(point.x)));
    const labels = labelled ? apart(ends.map((curve) => ({ ...curve, y: y(curve.last) + 4 })), TOP + 4, height - BOTTOM) : [];
    const names = apart(lines.map((rung) => ({ ...rung, y: y(rung.elo) + 4 })), TOP + 4, height - BOTTOM + 4);
    const own = rungs.length ? ends.filter((curve) => roomy || curve.open).map((curve) => ({ ...curve, y: curve.open ? y(curve.last) - 14 : y(Math.min(...curve.points.filter((point) => x(point.x) > x(curve.x) - 8 - 6.6 * curve.words.length).map((point) => point.low ?? point.y))) + 16 })) : [];
    return html`<${Svg} label=${`${title}: ${described(shown, text)}`} width=${width} height=${height} class="plot" onPointerDown=${(event) => !words && setFrom(valueAt(event))}
        onPointerMove=${(event) => setAt(valueAt(event))} onPointerUp=${drop} onPointerLeave=${() => { setAt(null); setFrom(null); }} onDblClick=${() => setZoom(null)}>
      <g aria-hidden="true">
        ${ticks(ys, height / 50).map((tick) => html`${!rungs.length && html`<line class="grid" x1=${LEFT} x2=${width - right} y1=${y(tick)} y2=${y(tick)} />`}
          <text x=${LEFT - 6} y=${y(tick)} dy="0.35em" text-anchor="end">${yText(tick)}</text>`)}
        ${names.map(({ label, elo, passed, y: height }) => html`<line class=${passed ? "rung passed" : "rung"} x1=${LEFT} x2=${width - right} y1=${y(elo)} y2=${y(elo)} />
          ${roomy && html`<text class=${passed ? "strong" : undefined} x=${width - right + 8} y=${height}>${capital(label)} · ${number(elo, 0)}</text>`}`)}
        ${xTicks.map((tick) => html`<text x=${x(tick)} y=${height - BOTTOM + 18} text-anchor="middle">${short(xText(tick), words ? width / words.length / 8 : 12)}</text>`)}
      </g>
      ${shown.map(({ points, dots, whiskers, open, bold, index }) => html`<g class=${`c${(series[index].colour ?? index % 6) + 1}`}>
        ${!whiskers && pieces(points, "x", "low", "high").map((part) => html`<polygon class="band" points=${`${join(part, "low")} ${join([...part].reverse(), "high")}`} />`)}
        ${whiskers && points.filter((point) => isNumber(point.low)).map((point) => html`<line class=${open ? "err bold" : "err"} x1=${x(point.x)} x2=${x(point.x)} y1=${y(point.low)} y2=${y(point.high)} />`)}
        ${pieces(points, "x", "y").map((part) => (dots || part.length === 1
          ? part.map((point) => html`<circle class=${`dot${point.faint ? " faint" : ""}${open ? " open" : ""}${point.shade ? ` v ${point.shade}` : ""}`} cx=${x(point.x)} cy=${y(point.y)} r=${open ? 6 : part.length > 200 ? 2 : 3.5} />`)
          : html`<polyline class=${bold ? "line bold" : "line"} points=${join(part, "y")} />`))}
      </g>`)}
      ${labels.map((curve) => html`<g class=${`c${curve.index % 6 + 1}`} aria-hidden="true"><circle class="dot" cx=${x(curve.x)} cy=${y(curve.last)} r="3" /><text class=${series.length > 1 ? "series" : "strong"} x=${x(curve.x) + 8} y=${curve.y}>${curve.words}</text></g>`)}
      ${own.map((curve) => html`<text class=${`series c${(curve.colour ?? curve.index % 6) + 1}`} x=${x(curve.x) - 8} y=${curve.y} text-anchor="end" aria-hidden="true">${curve.words}</text>`)}
      ${from !== null && at !== null && html`<rect class="chosen" x=${Math.min(x(from), x(at))} y=${TOP} width=${Math.abs(x(at) - x(from))} height=${height - BOTTOM - TOP} />`}
      ${at !== null && shown[0] && html`<${Tip} x=${x(near(shown[0]).x)} width=${width} top=${TOP} bottom=${height - BOTTOM}
        lines=${[[`${xName} ${xText(near(shown[0]).x)}`], ...shown.filter((curve) => !curve.open).map((curve) => [`${curve.name} ${valueOf(near(curve), text)}`, curve.colour ?? curve.index % 6])]} />`}
    <//>`;
  };
  const rows = new Map();
  series.forEach((curve, index) => curve.points.forEach((point) => rows.set(point.x, { x: point.x, ...rows.get(point.x), [index]: point })));
  const sorted = [...rows.values()].sort((a, b) => a.x - b.x);
  const ranged = (curve) => curve.points.some((point) => isNumber(point.low));
  const columns = series.flatMap((curve, index) => [
    { name: index, title: curve.name, number: true, show: (row) => text(row[index]?.y) },
    ranged(curve) && { title: "95 %", number: true, show: (row) => (isNumber(row[index]?.low) ? `${text(row[index].low)} to ${text(row[index].high)}` : "–") },
  ]).filter(Boolean);
  const csv = () => [[xName, ...series.flatMap((curve) => [curve.name, ...(ranged(curve) ? [`${curve.name} low`, `${curve.name} high`] : [])])],
    ...sorted.map((row) => [xText(row.x), ...series.flatMap((curve, index) => [row[index]?.y, ...(ranged(curve) ? [row[index]?.low, row[index]?.high] : [])])])];
  const toggle = (name) => setHidden(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]);
  const end = (index) => html`<input type="number" step="any" aria-label=${`${xName} ${index ? "to" : "from"}`} value=${xs[index]} onChange=${({ target }) => {
    const next = index ? [xs[0], Number(target.value)] : [Number(target.value), xs[1]];
    setZoom(next[0] < next[1] ? next : null);
  }} />`;
  return html`<${Figure} title=${title} option=${option} about=${about} acts=${acts} draw=${draw} rows=${sorted} csv=${csv}
    range=${!words && html`<span class="range">${xName} ${end(0)} to ${end(1)}</span>`}
    columns=${[{ title: xName, number: true, show: (row) => xText(row.x) }, ...columns]}>
    ${((series.length > 1 && !bare) || zoom) && html`<div class="legend">${!bare && series.length > 1 && drawn.filter(({ unlisted }) => !unlisted).map(({ name, dots, open, index, colour }) => html`
      <button type="button" class=${`c${(colour ?? index % 6) + 1}`} aria-pressed=${!hidden.includes(name)} onClick=${() => toggle(name)}><svg viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">
        ${dots ? html`<circle class=${open ? "dot open" : "dot"} cx="12" cy="6" r="4" />` : html`<line class="line" x1="1" x2="23" y1="6" y2="6" />`}</svg>${name}</button>`)}
      ${rungs.length > 0 && html`<span><svg viewBox="0 0 24 12" width="24" height="12" aria-hidden="true"><line class="rung passed" x1="0" x2="24" y1="6" y2="6" /></svg>rung of the ladder; bold: below the whole interval of the strength</span>`}
      ${zoom && html`<button type="button" onClick=${() => setZoom(null)}>Whole range</button>`}</div>`}
    ${children}
  <//>`;
}

const valueOf = ({ y, low, high }, text) => (isNumber(low) ? `${text(y)} (${text(low)} to ${text(high)})` : text(y));

/** What stands at the pointer, beside a line there. */
function Tip({ x, width, top, bottom, lines }) {
  const wide = 16 + 6.4 * Math.max(...lines.map(([words]) => words.length));
  const left = x + wide + 12 > width ? Math.max(0, x - wide - 8) : x + 8;
  return html`<g class="tip" data-gone aria-hidden="true"><line class="cursor" x1=${x} x2=${x} y1=${top} y2=${bottom} />
    <rect x=${left} y=${top} width=${wide} height=${lines.length * 17 + 8} rx="6" />
    ${lines.map(([words, index], at) => html`<text class=${index === undefined ? "strong" : `series c${index + 1}`} x=${left + 8} y=${top + 17 + at * 17}>${words}</text>`)}</g>`;
}

/** The charts of a table, [{title, columns: [[column, name]]}], as far as it has values; x: [column, name]. */
export function Curves({ rows, charts, x: [x, xName], small, children }) {
  return html`${rows.length === 0 && html`<p class="quiet">The first row is on its way.</p>`}
    <div class=${small ? "charts multiples" : "charts"}>${charts.map(({ columns, ...chart }) => {
      const series = columns.filter(([column]) => hasValues(rows, column)).map(([column, name]) => seriesOf(rows, column, name, x));
      return series.length > 0 && html`<${Plot} key=${chart.title} ...${chart} option=${columns.length === 1 ? columns[0][0] : undefined} small=${small} xName=${xName} series=${series} />`;
    })}${children}</div>`;
}

function described(series, text) {
  return series.map(({ name, points }) => {
    const known = points.filter((point) => isNumber(point.y));
    if (known.length === 1) return `${name} at ${text(known[0].y)}`;
    return known.length ? `${name} from ${text(known[0].y)} to ${text(known.at(-1).y)}` : `${name}: nothing yet`;
  }).join("; ");
}

/** bars: [{name, value, low, high, faint}]. */
export function BarChart({ title, bars, text = number, children }) {
  const xs = extent([0, ...bars.flatMap((bar) => [bar.value, bar.low, bar.high])]);
  const height = bars.length * 30 + 30;
  const draw = (width) => {
    const left = Math.min(width * 0.42, 15 + 7.9 * Math.max(4, ...bars.map((bar) => bar.name.length)));
    const x = scale(xs, [left, width - 66]);
    return html`<${Svg} label=${`${title}: ${bars.map((bar) => `${bar.name} ${text(bar.value)}`).join("; ")}`} width=${width} height=${height}>
      <g aria-hidden="true">${ticks(xs, width / 160).map((tick) => html`
        <line class="grid" x1=${x(tick)} x2=${x(tick)} y1="4" y2=${height - 24} /><text x=${x(tick)} y=${height - 8} text-anchor="middle">${text(tick)}</text>`)}</g>
      ${bars.map((bar, index) => {
        const y = index * 30 + 4;
        const end = x(bar.value ?? 0);
        const whisker = isNumber(bar.low) && isNumber(bar.high);
        return html`<g class="c1">
          <text class="strong" x=${left - 8} y=${y + 15} text-anchor="end">${short(bar.name, (left - 10) / 7.7)}</text>
          <rect class=${bar.faint ? "bar faint" : "bar"} x=${Math.min(x(0), end)} y=${y + 3} width=${Math.max(1, Math.abs(end - x(0)))} height="18" rx="2" />
          ${whisker && html`<path class="whisker" d=${`M${x(bar.low)} ${y + 12}H${x(bar.high)}M${x(bar.low)} ${y + 7}v10M${x(bar.high)} ${y + 7}v10`} />`}
          <text class="strong" x=${Math.max(end, x(0), whisker ? x(bar.high) : 0) + 6} y=${y + 15}>${text(bar.value)}</text></g>`;
      })}
    <//>`;
  };
  const csv = () => [["name", "value", "low", "high"], ...bars.map(({ name, value, low, high }) => [name, value, low, high])];
  return html`<${Figure} title=${title} draw=${draw} rows=${bars} csv=${csv}
    columns=${["name", "value", "low", "high"].map((name) => ({ name, number: name !== "name", show: (bar) => (name === "name" ? bar.name : text(bar[name])) }))}>${children}<//>`;
}

/** One line a row over an axis a setting, [{name, words}]; the better its score among them, the stronger, the best tenth in a colour of its own. */
export function ParallelChart({ title, axes, rows, score }) {
  const height = 300;
  const ranked = [...rows].sort((a, b) => score(a) - score(b));
  const rank = new Map(ranked.map((row, at) => [row, (at + 1) / ranked.length]));
  const draw = (given) => {
    const width = Math.max(given, axes.length * 84);
    const x = scale([0, axes.length - 1], [46, width - 46]);
    const drawn = axes.map(({ name, words }) => {
      const value = (row) => (words ? words.indexOf(String(row[name])) : row[name]);
      const ends = words ? [0, words.length - 1] : extent(rows.map(value));
      return { name, value, y: scale(ends, [height - 40, 44]), ends: ends.map((end) => (words ? words[end] : number(end))) };
    });
    return html`<${Box} name=${`${title}: drawing`}><${Svg} label=${`${title}: ${rows.length} lines over ${axes.map(({ name }) => name).join(", ")}`} width=${width} height=${height}>
      ${thinned(ranked, 400).map((row) => html`<g class=${rank.get(row) > 0.9 ? "c2" : "c1"} opacity=${0.15 + 0.85 * rank.get(row) ** 2}>
        <polyline class="line" points=${drawn.map(({ value, y }, index) => (isNumber(value(row)) ? `${x(index)},${y(value(row))}` : "")).join(" ")} /></g>`)}
      <g aria-hidden="true">${drawn.map(({ name, ends }, index) => html`<line class="grid" x1=${x(index)} x2=${x(index)} y1="44" y2=${height - 40} />
        <text class="strong" x=${x(index)} y=${index % 2 ? 27 : 12} text-anchor="middle">${short(name, 22)}</text>
        ${ends.map((end, which) => html`<text x=${x(index)} y=${which ? 41 : height - 24} text-anchor="middle">${short(end, 12)}</text>`)}`)}</g>
    <//><//>`;
  };
  const csv = () => [axes.map(({ name }) => name), ...rows.map((row) => axes.map(({ name }) => row[name]))];
  return html`<${Figure} title=${title} draw=${draw} rows=${rows} csv=${csv} columns=${axes.map(({ name, words }) => ({ name, number: !words }))} />`;
}

/** rows: [head, [[text, share]]]; a share of −1 to 1 colours its cell. */
function HeatTable({ title, heads, rows }) {
  const filled = ([text, share]) => html`<td class=${`v ${shade(share)}`}>${text}</td>`;
  return html`<figure class="chart"><figcaption><span class="title">${title}</span></figcaption><${Box} name=${title}><table class="heats">
    <thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(([head, cells]) => html`<tr><th scope="row">${head}</th>${cells.map(filled)}</tr>`)}</tbody></table><//></figure>`;
}

/** Shares, 0 to 1 or null, of rows against columns. */
export function HeatMap({ title, names, values, href }) {
  return html`<${HeatTable} title=${title} heads=${names.map((_, index) => index + 1)} rows=${names.map((name, row) => [
    html`${row + 1} ${href ? html`<a href=${href(name)}>${name}</a>` : name}`,
    values[row].map((value) => (isNumber(value) ? [value.toFixed(2).replace(/^0/, ""), 2 * value - 1] : ["", 0])),
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
  const spoken = values.map((value, square) => (once && folded(square) !== square ? "" : `${squareName(square)} ${texts[square]}`)).filter(Boolean);
  return html`<figure><figcaption><strong>${title}</strong> ${about && html`<small>${about}</small>`}</figcaption>
    <svg class="heatboard" role="img" aria-label=${`${title}: ${spoken.join(", ")}`} viewBox="0 0 268 268">
      ${[..."abcdefgh"].map((letter, at) => html`<text x=${28 + at * 30 + 14.5} y="11" text-anchor="middle">${letter}</text><text x="20" y=${18 + at * 31 + 19} text-anchor="end">${at + 1}</text>`)}
      ${values.map((value, square) => {
        const [x, y] = [28 + (square % 8) * 30, 18 + Math.floor(square / 8) * 31];
        const at = shade(value, most);
        return html`<rect class=${`v ${at}`} x=${28 + (square % 8) * 30} y=${y} width="29" height="30" rx="3" />
          ${(!once || folded(square) === square) && html`<text class=${`on-v ${at}`} x=${x + 14.5} y=${y + 19} text-anchor="middle">${texts[square]}</text>`}`;
      })}</svg></figure>`;
}
