// Numbers, times and names as people read them; evolve/number_text.py has the same forms.

const NONE = "–";
const MINUS = "\u2212";

const dateFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
/** A whole number; from 10 000 on with a space, which does not break, between thousands. */
const whole = (value) => String(Math.round(value)).replace(/^\d{5,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u00a0"));

export function number(value, decimals) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  const places = decimals ?? (Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  const text = places === 0 ? whole(size) : size.toFixed(places);
  return (value < 0 && /[1-9]/.test(text) ? MINUS : "") + text;
}

export function signed(value, decimals) {
  const text = number(value, decimals);
  return value > 0 ? `+${text}` : text;
}

export function percent(share, decimals = 1) {
  return typeof share === "number" ? `${(100 * share).toFixed(decimals)} %` : NONE;
}

export function interval(value, low, high, show = number) {
  if (typeof low !== "number" && typeof high !== "number") return show(value);
  return `${show(value)} (${show(low)} to ${show(high)})`;
}

/** The half width of an interval, ± as people write it; nothing where there is none. */
export function margin(low, high) {
  return typeof low === "number" && typeof high === "number" ? `± ${number((high - low) / 2, 0)}` : "";
}

/** Whether games are too few to say anything: FEWEST_PAIRS of evolve/fitness/statistics.py, on both sides. */
export const isFew = (games) => games < 10;

/** What stands where so few games tell neither an interval nor who is stronger. */
export const tooFew = (games) => `${number(games)} games: too few to say`;

/** A whole Elo with its interval: 752 ± 26 Elo. */
export const eloText = (elo, low, high) => [number(elo, 0), margin(low, high), "Elo"].filter(Boolean).join(" ");

/** Who leads by how many discs at the end, under any rules: Black 3 ahead. A lead within its error is none. */
export function inWords(lead, error = 0) {
  const whole = Math.abs(lead) > error ? Math.round(Math.abs(lead)) : 0;
  return whole ? `${lead > 0 ? "Black" : "White"} ${whole} ahead` : "Even";
}

/** The state of a trial, of which tables have Optuna's name, as people read it. */
export const stateText = (state) => ({ COMPLETE: "finished", FAIL: "failed" })[state] ?? state.toLowerCase();

/** A run's Elo with its interval: its champion's (`sure`), or before that the smoothed strength of its bests. */
export function eloOf(run) {
  const sure = typeof run.elo === "number";
  const name = sure ? "elo" : "elo_so_far";
  return { value: run[name], low: run[`${name}_low`], high: run[`${name}_high`], sure };
}

/** What a sweep's winner gains over the defaults, beside its own Elo. */
export const gainOf = ({ gain, gain_low: low, gain_high: high }) => [signed(gain, 0), margin(low, high), "Elo over its default settings"].filter(Boolean).join(" ");

/** How good a run's champion is, as [label, value]; null where nothing is known. */
export function strengthOf(run) {
  const { value, low, high, sure } = eloOf(run);
  if (typeof value === "number") return [sure ? "on the ladder" : "strength of the bests", eloText(value, low, high)];
  if (typeof run.gain === "number") return ["over its default settings", [signed(run.gain, 0), margin(run.gain_low, run.gain_high), "Elo"].filter(Boolean).join(" ")];
  return typeof run.score === "number" ? ["score", interval(run.score, run.score_low, run.score_high)] : null;
}

export function duration(seconds) {
  if (typeof seconds !== "number") return NONE;
  if (seconds < 10) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 90) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

export function date(seconds) {
  return typeof seconds === "number" ? dateFormat.format(new Date(1000 * seconds)) : NONE;
}

/** How much of a run there is; its job knows first, where it counts in the same unit. */
export function amount({ done: kept, target, unit }, job) {
  const done = job && job.progress.total === target ? job.progress.done : kept;
  return done !== null && `${number(done)}${target === null ? "" : ` of ${number(target)}`} ${unit || ""}`;
}

/** An error as people read it: what is wrong, and what helps. */
export function troubleOf(text) {
  return /No space left on device/.test(text) ? "The disk is full. Make room, then resume." : text;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A run in words: its kind, its rules, and how much of it there is. */
export function aboutOf({ noun, command, rules, study }, much) {
  const kind = study ? "" : (noun || "run").replace(/^an? /, "");
  const [, which] = (command || "").split(" ");
  return [capital([kind, which !== "of" && which].filter(Boolean).join(" ")), rules && `${rules} rules`, much].filter(Boolean).join(" · ");
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const hourFormat = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** A time as people say it: today or yesterday with the hour, else the day. */
export function when(seconds) {
  if (typeof seconds !== "number") return NONE;
  const [time, today] = [new Date(1000 * seconds), new Date()];
  const days = Math.round((today.setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 86_400_000);
  return days === 0 || days === 1 ? `${days ? "Yesterday" : "Today"} ${hourFormat.format(time)}` : dayFormat.format(time);
}

export const lastOf = (run) => Math.max(0, (run.done ?? 1) - 1);

export function label(name) {
  return name.replaceAll("_", " ");
}

/** What a course is of and over, in words. */
export const courseTitle = ({ metric, over }) => `${metric === "rating" ? "Strength" : capital(label(metric))} over ${label(over).replace(/([cs]h)?s?$/, (_, end) => (end ? `${end}es` : "s"))}`;

/** Any value of a table's cell or of a setting. */
export function cell(value) {
  if (value === null || value === undefined || value === "") return NONE;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return value.length ? value.map(plain).join(", ") : NONE;
  if (typeof value === "object") {
    return Object.entries(value).map(([key, part]) => `${key}=${plain(part)}`).join("  ") || NONE;
  }
  return String(value);
}

function plain(value) {
  return typeof value === "number" ? number(value) : partOf(value, ":");
}

/** A value in a mapping as a form takes it: a list, a range LOW:HIGH[:log|:STEP][=DEFAULT], choices A|B. */
export function partOf(value, between) {
  if (Array.isArray(value)) return value.join(between);
  if (value === null || typeof value !== "object") return String(value);
  const { choices, low, high, log, step, default: usual } = value;
  const text = choices?.join("|") ?? [low, high, ...(log ? ["log"] : step ? [step] : [])].join(":");
  return usual === undefined ? text : `${text}=${usual}`;
}

/** Of a study: the comparison of two that is surest, and who wins it; how far apart the two are. */
export const verdictOf = (rows) => rows.find((row) => row.verdict);
export const winnerOf = (row) => row.winner && `${capital(row.winner === row.setting ? row.label : row.against_label)} is better`;
export const isElo = ({ metric }) => /(^|_)(elo|rating)(_low|_high)?$/.test(metric);
export const gapOf = (row) => (isElo(row) ? `${number(Math.abs(row.mean), 0)} Elo` : number(Math.abs(row.mean), 3));
