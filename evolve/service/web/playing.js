// What plays by itself: moves of a game, generations of a run.

import { useEffect, useState } from "./html.js";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A step at a time from `at` to `last`, then from the start again if `again`: [playing, setPlaying]. */
export function usePlaying(at, setAt, last, again = false, { from = 0, step = 1, pause = 1000, begin = again } = {}) {
  const [playing, setPlaying] = useState(begin && !calm());
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      if (at < last) setAt(Math.min(last, at + step));
      else if (again) setAt(from);
      else setPlaying(false);
    }, at < last ? pause : 4 * pause);
    return () => clearTimeout(timer);
  }, [playing, at, last]);
  const play = (on) => {
    if (on && at >= last) setAt(from);
    setPlaying(on);
  };
  return [playing, play];
}
