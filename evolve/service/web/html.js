// Preact and htm in one place: what every module builds its elements with.

import { h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { render };
export {
  useCallback, useEffect, useErrorBoundary, useId, useMemo, useRef, useState,
} from "./vendor/hooks.js";
