// Play against any agent, with hints, values and take-back; the whole game by keyboard as well.

import { get, path, post } from "../api.js";
import { Board, Discs } from "../board.js";
import { label } from "../format.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { after, other, positions, squareName, squareNumber } from "../reversi.js";
import { go, to } from "../router.js";
import { Act, IdInput, Check, Download, Problem, Select, useAgent } from "../ui.js";
import { Moves, onSquares, useValues, ValuesList } from "./game.js";

const RULES = [["", "those of the agent"], ["standard", "standard: most discs win"], ["reversed", "reversed: fewest discs win"]];
const RESULTS = { won: "you won", lost: "you lost", draw: "a draw" };

export default function PlayPage({ parts, query }) {
  const [id] = parts;
  return html`<h1>Play</h1>${id ? html`<${Going} key=${id} id=${id} />` : html`<${Begin} query=${query} />`}`;
}

function Begin({ query }) {
  const [given, settings = ""] = (query.get("agent") || "champion-standard").split("?");
  const [agent, setAgent] = useState(given);
  const [how, setHow] = useState(Object.fromEntries(new URLSearchParams(settings)));
  const [side, setSide] = useState(query.get("side") || "black");
  const [rules, setRules] = useState(query.get("rules") || "");
  const moves = query.get("moves") || "";
  const info = useAgent(agent);
  const may = info.data?.settings || [];
  const chosen = new URLSearchParams(Object.entries(how).filter(([name, value]) => value && may.includes(name))).toString();
  const start = async () => {
    const play = await post("plays", { agent: agent + (chosen ? `?${chosen}` : ""), side, moves, ...(rules ? { rules } : {}) });
    go(to(["play", play.id]));
  };
  return html`<div class="panel begin">
    <${IdInput} name="Agent" value=${agent} onChange=${setAgent} />
    ${info.data && html`<p class="quiet">${info.data.name}${info.data.about && `: ${info.data.about}`}</p>`}
    ${info.error && agent && html`<p class="bad" role="status">${info.error.message}</p>`}
    <div class="filters">
      <${Select} name="You play" value=${side} choices=${[["black", "black, the first to move"], ["white", "white"]]} onChange=${setSide} />
      <${Select} name="Rules" value=${rules} choices=${RULES} onChange=${setRules} />
    </div>
    ${may.length > 0 && html`<details open=${chosen !== ""}><summary>How it plays</summary><div class="filters">${may.map((name) => html`
      <span class="control"><label for=${`how-${name}`}>${label(name)}</label><input id=${`how-${name}`} inputmode="decimal" size="7" value=${how[name] || ""}
        placeholder="its own" onInput=${(event) => setHow({ ...how, [name]: event.target.value.trim() })} /></span>`)}</div></details>`}
    ${moves && html`<p>The game begins after ${moves.split(" ").length} moves: ${moves}</p>`}
    <p class="buttons"><${Act} kind="main" act=${start} disabled=${!agent}>Play<//></p>
  </div>`;
}

function Going({ id }) {
  const [play, setPlay] = useState(null);
  const [error, setError] = useState(null);
  const [pending, setPending] = useState(null);
  const [hints, setHints] = useState(true);
  const [wanted, setWanted] = useState(false);
  const busy = useRef(false);
  const load = () => get(path(["plays", id])).then(setPlay, setError);
  useEffect(() => {
    load();
  }, [id]);
  const moves = play?.moves || [];
  const all = useMemo(() => positions(moves), [moves.join(" ")]);
  const mine = play && play.to_move === play.side && !pending;
  const values = useValues(wanted && mine ? play.agent : "", moves, play?.rules);
  if (!play) return html`${error ? html`<${Problem} error=${error} again=${() => { setError(null); load(); }} /><p><a href="#/play">Another game</a></p>` : html`<p class="quiet">Loading …</p>`}`;

  const send = async (move) => {
    if (busy.current) return;
    busy.current = true;
    setError(null);
    try {
      setPlay(await post(path(["plays", id, "moves"]), { move, ply: moves.length }));
    } catch (problem) {
      setError(problem);
      if (problem.status === 409) load();
    }
    setPending(null);
    busy.current = false;
  };
  const onPlay = (square) => {
    const move = squareName(square);
    if (!mine || !play.legal.includes(move)) return;
    setPending(after(all.at(-1), move));
    send(move);
  };
  const position = pending || all.at(-1);
  const again = (side) => async () => go(to(["play", (await post("plays", { agent: play.agent, rules: play.rules, side })).id]));
  return html`<p>You are <strong>${play.side}</strong>, ${play.name} is ${other(play.side)}; ${play.rules === "reversed" ? "fewest discs win" : "most discs win"}.</p>
    <div class="game">
      <div class="table">
        <${Board} position=${position} legal=${mine ? play.legal.map(squareNumber) : []} hints=${hints} values=${wanted && mine ? onSquares(values.data) : {}}
          best=${values.data?.moves[0]?.move} onPlay=${onPlay} name=${`game against ${play.name}`} />
        <p class="live" role="status">${told(play, all, pending)}</p>
        ${error && html`<${Problem} error=${error} />`}
        ${play.problem && html`<p class="problem" role="alert">${play.problem}</p>`}
        <div class="buttons">
          <${Act} act=${() => send("undo")} disabled=${!moves.length || Boolean(pending)}>Take back<//>
          <${Check} name="hints" value=${hints} onChange=${setHints} /><${Check} name="values" value=${wanted} onChange=${setWanted} />
        </div>
      </div>
      <div class="beside">
        <${Discs} cells=${position.cells} toMove=${pending ? other(play.side) : play.to_move} />
        ${play.result && html`<p class="outcome"><strong>${RESULTS[play.result]}</strong>, ${play.discs_black}:${play.discs_white}.</p>`}
        ${wanted && mine && html`<${ValuesList} values=${values} />`}
        <h2>Moves</h2><${Moves} moves=${moves} at=${moves.length} />
        <p class="buttons"><${Download} name="game.ggf" href=${path(["plays", id, "game.ggf"])} about="the game as a GGF record" />
          <${Act} act=${again(other(play.side))}>New game, other colour<//><a class="button" href=${to(["play"], { agent: play.agent, rules: play.rules })}>Another agent</a></p>
      </div>
    </div>`;
}

function told(play, all, pending) {
  if (pending) return `You played ${pending.move}. ${play.name} thinks …`;
  const moves = all.slice(1).map(({ move }, place) => `${all[place].side} ${move === "pass" ? "passed" : `played ${move}`}`).slice(-2).join(", ");
  const now = play.result ? `The game is over: ${RESULTS[play.result]}, black ${play.discs_black}, white ${play.discs_white}.` : play.to_move === play.side ? "Your move." : "";
  return `${moves && `${moves}. `}${now}`;
}
