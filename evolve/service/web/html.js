// Preact and htm in one place: what every module builds its elements with.

import { h, render, Fragment } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { render, Fragment };
export {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "./vendor/hooks.js";
