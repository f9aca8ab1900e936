// A first visit: a game that plays itself, what may be started with one click, and an example.

import { post } from "../api.js";
import { Board } from "../board.js";
import { useGet } from "../data.js";
import { Elo, Spark, Thumb, unfolded } from "../figures.js";
import { aboutOf, amount, number } from "../format.js";
import { html, useMemo, useState } from "../html.js";
import { usePlaying } from "../playing.js";
import { goalOf } from "../meta.js";
import { positions } from "../reversi.js";
import { go, to } from "../router.js";
import { Act, Icon, Problem, Wait } from "../ui.js";

export function Welcome({ opened }) {
  const found = useGet("welcome");
  return html`<${Wait} of=${found}>${found.data && html`
    <div class="welcome"><${Replay} game=${found.data.game} /><div class="stack loose">
      <div class="stack"><p class="headline">Breed agents that play Reversi, and see how strong they get</p>
        <p class="lead">Start with one of these. Everything runs on this machine, and you can stop and go on at any time.</p></div>
      <${Offers} offers=${found.data.offers} />
      <p class="note">Search settings, compare over seeds, match and rate: all goals are under <a href="#/new">New</a>.</p></div></div>
    ${!opened && html`<section class="stack"><h2>Look at a finished one first</h2><${Example} run=${found.data.run} /></section>`}`}<//>`;
}

const PICTURES = {
  play: html`<rect class="b" width="56" height="56" rx="6" /><path class="l" d="M18.700 9v38M37.300 9v38M9 18.700h38M9 37.300h38" /><circle class="k" cx="10" cy="31" r="7" /><circle class="w" cx="28" cy="31" r="7" /><circle class="k" cx="46" cy="31" r="7" /><circle class="k" cx="28" cy="48" r="7" /><circle class="w" cx="46" cy="48" r="7" />`,
  evolve: html`<rect class="bg" width="56" height="56" rx="6" /><circle class="q" cx="14" cy="16" r="3.500" /><circle class="q" cx="23" cy="12" r="3.500" /><path class="g" d="M8 46l9-11 8 3 7-14 9-3 7-11" /><circle class="o" cx="48" cy="10" r="5" />`,
  teach: html`<rect class="bg" width="56" height="56" rx="6" />${[0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => html`
    <rect class=${row + column < 2 && column < 2 ? "o" : row + column < 3 ? "q" : "s"} x=${9.500 + 13.500 * column} y=${9.500 + 13.500 * row} width="11" height="11" rx="2" />`))}`,
};

function Offers({ offers }) {
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(null);
  const start = async ({ name, play, job }) => {
    setBusy(name);
    setError(null);
    try {
      if (play) go(to(["play", (await post("plays", play)).id]));
      else go(to(["job", (await post("jobs", job)).id]));
    } catch (problem) {
      setError(problem);
      setBusy("");
    }
  };
  return html`<div class="stack">${offers.map((offer) => html`
    <button type="button" class="card offer" disabled=${busy !== ""} onClick=${() => start(offer)}>
      <svg class="pic" viewBox="0 0 56 56" aria-hidden="true">${PICTURES[offer.name]}</svg>
      <span class="stack tight"><span class="title">${offer.title}</span><span class="note">${offer.about}</span>${offer.line && html`<code class="option">${offer.line}</code>`}</span>
      <span class="time">${busy === offer.name ? "starts …" : offer.time}<small>${offer.gets}</small></span></button>`)}
    <${Problem} error=${error} /></div>`;
}

function Example({ run }) {
  const open = async () => {
    await post("welcome/example");
    go(to(["run", run.id]));
  };
  return html`<div class="card flush"><div class="run"><span class="tick"></span><${Thumb} values=${unfolded(run.weights)} />
    <div class="who"><strong class="title">Example evolution</strong><span class="note">Comes with evolve · ${aboutOf(run, amount(run))}</span></div>
    <${Spark} lines=${[run.curve]} name="course of the example" /><div class="figure"><${Elo} value=${run.elo} low=${run.elo_low} high=${run.elo_high} /></div>
    <span class="says">Beats the ${run.beats}</span><span class="when note">becomes one of your runs</span><${Act} act=${open}>Open<//></div></div>`;
}

/** The game on a board, a move a second; who wants less motion starts it. */
function Replay({ game }) {
  const moves = useMemo(() => game.moves.split(" "), [game]);
  const all = useMemo(() => positions(moves), [moves]);
  const [at, setAt] = useState(Math.min(34, moves.length));
  const [playing, setPlaying] = usePlaying(at, setAt, moves.length, true);
  const lead = game.discs[at] ?? 0;
  const words = at === moves.length ? `${game.black} ${game.discs_black}, ${game.white} ${game.discs_white}.`
    : Math.abs(lead) < 1 ? "Even." : `${lead > 0 ? "Black" : "White"} should win by about ${number(Math.abs(lead), 0)} discs.`;
  return html`<figure class="stack"><${Board} position=${all[at]} name="a game of the example" />
    <${Lead} values=${game.discs} at=${at} />
    <figcaption class="caption"><button type="button" class="icon" aria-label=${playing ? "Pause" : "Play"} onClick=${() => setPlaying(!playing)}><${Icon} name=${playing ? "pause" : "play"} /></button>
      <span class="note">Two agents of one evolution, ${goalOf(game.rules)}. Move ${at} of ${moves.length}: ${words}</span></figcaption></figure>`;
}

/** Who leads, over the game: above the middle Black. */
function Lead({ values, at }) {
  const x = (move) => 4 + (412 * move) / (values.length - 1);
  const y = (value) => 30 - Math.max(-30, Math.min(30, value)) * 0.85;
  const line = values.slice(0, at + 1).map((value, move) => `${x(move).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return html`<svg class="lead-graph" viewBox="0 0 420 60" role="img" aria-label="Black's lead in discs over the game"><rect class="bg" width="420" height="60" rx="4" />
    <polygon class="k" points=${`${x(0)},30 ${line} ${x(at)},30`} /><line class="axis" x1="0" x2="420" y1="30" y2="30" /><line class="cursor" x1=${x(at)} x2=${x(at)} y1="2" y2="58" /></svg>`;
}
