import { MAX_DEPTH } from "../limits.ts";
import type { Capabilities } from "../port/capabilities.ts";

/** Maximum levels of a body by mode: in a structured one, data is one level deeper. */
export const maxDepth: Readonly<Record<Capabilities["envelope"]["mode"], number>> = {
  binary: MAX_DEPTH,
  structured: MAX_DEPTH + 1,
};

/**
 * Whether arrays and objects of a JSON text are nested deeper than `max` levels. Linear time; texts too short for so deep a nesting are not scanned.
 */
export const isDeeperThan = (text: string, max: number): boolean => {
  if (text.length <= 2 * max) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (code === ARRAY || code === OBJECT) {
      if (++depth > max) return true;
    } else if (code === ARRAY_END || code === OBJECT_END) depth--;
  }
  return false;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
