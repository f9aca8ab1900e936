// A first visit: a game that plays itself, what may be started with one click, and an example.

import { path, post } from "../api.js";
import { Board } from "../board.js";
import { GameGraph } from "../coach.js";
import { useGet } from "../data.js";
import { Elo, GoalPicture, Spark, Thumb, unfolded } from "../figures.js";
import { aboutOf, amount, number } from "../format.js";
import { stepOf } from "../gameview.js";
import { html, useEffect, useMemo, useState } from "../html.js";
import { jobOf } from "../jobs.js";
import { PlayButton, usePlaying } from "../playing.js";
import { goalOf } from "../meta.js";
import { positions } from "../reversi.js";
import { go, to } from "../router.js";
import { AskRules, useRules } from "../rules.js";
import { Act, Problem, Wait } from "../ui.js";

export function Welcome({ opened }) {
  const found = useGet("welcome");
  return html`<${Wait} of=${found}>${found.data && html`
    <div class="welcome"><${Replay} game=${found.data.game} /><div class="stack loose">
      <div class="stack"><p class="headline">Breed agents that play Reversi, and see how strong they get</p>
        <p class="lead">Start with one of these. Everything runs on this machine, and you can stop and resume at any time.</p></div>
      <${Offers} of=${found.data} />
      <p class="note">Search settings, compare over seeds, match and rate: all goals are under <a href="#/new">New</a>.</p></div></div>
    ${!opened && html`<section class="stack"><h2>Look at a finished one first</h2><${Example} run=${found.data.run} /></section>`}`}<//>`;
}

function Offers({ of: { play, goals } }) {
  const [busy, setBusy] = useState("");
  const [error, setError] = useState(null);
  const [rules, keep] = useRules();
  const [asked, ask] = useState(null);
  const start = (name, collection, documentOf) => async (rules) => {
    setBusy(name);
    setError(null);
    try {
      go(to([collection.slice(0, -1), (await post(collection, documentOf(rules))).id]));
    } catch (problem) {
      setError(problem);
      setBusy("");
    }
  };
  const card = (name, title, about, line, time, gets, begin) => html`
    <button type="button" key=${name} class="card offer" disabled=${busy !== ""} onClick=${() => (rules ? begin(rules) : ask(() => begin))}><${GoalPicture} goal=${name} />
      <span class="stack tight"><span class="title">${title}</span><span class="note">${about}</span>${line && html`<code class="option">${line}${rules && ` --rules ${rules}`}</code>`}</span>
      <span class="time">${busy === name ? "starts …" : time}<small>${gets}</small></span></button>`;
  const choose = (name) => {
    keep(name);
    ask(null);
    asked(name);
  };
  return html`<div class="stack">${asked && html`<${AskRules} onChange=${choose} />`}
    ${card("play", "Play a game", "Against an agent that knows what corners are worth. You have Black.", "", "now", "an easy start", start("play", "plays", (rules) => ({ ...play, rules })))}
    ${goals.map(({ name, title, about, offers: [{ title: which, option, command, settings, time }] }) =>
      card(name, title, about, `evolve ${option}`, time, which, start(name, "jobs", (rules) => jobOf({ command, settings: { ...settings, rules } }))))}
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
  const show = (move) => {
    setPlaying(false);
    setAt(Math.max(0, Math.min(moves.length, move)));
  };
  const keys = (event) => {
    const by = event.target.role === "slider" && stepOf(event);
    if (!by) return;
    event.preventDefault();
    show(at + by);
  };
  const lead = game.discs[at] ?? 0;
  const words = at === moves.length ? `${game.black} ${game.discs_black}, ${game.white} ${game.discs_white}.`
    : Math.abs(lead) < 1 ? "Even." : `${lead > 0 ? "Black" : "White"} should win by about ${number(Math.abs(lead), 0)} discs.`;
  return html`<figure class="stack" onKeyDown=${keys}><${Board} position=${all[at]} name="a game of the example" />
    <${GameGraph} leads=${game.discs.map((lead, move) => (move > at ? undefined : lead))} marks=${[]} at=${at} show=${show} status=${words} />
    <figcaption class="caption"><${PlayButton} playing=${playing} onChange=${setPlaying} />
      <span class="note">Two agents of one evolution, ${goalOf(game.rules)}. Move ${at} of ${moves.length}: ${words}</span></figcaption></figure>`;
}
