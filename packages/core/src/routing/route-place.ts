/** Source location of a registration in the program. */
export interface Place {
  /** Returns `file:line:column`, or `an unknown place` if the stack has no such location. */
  toString(): string;
}

/**
 * Records the location of the program's call: the first stack frame outside this package and outside `node_modules`, so a route of an installed package is
 * reported at the place where the program registered it. For a program that is itself in `node_modules`, it is the first frame outside this package.
 *
 * Costs one stack capture; the text is formatted on first use.
 */
export const registrationPlace = (): Place => {
  const { stack } = captureStack();
  let text: string | undefined;
  return { toString: () => (text ??= firstOutside(stack())) };
};

const captureStack = (): { stack: () => unknown } => {
  const error = new Error("place");
  return { stack: () => error.stack };
};

const firstOutside = (stack: unknown): string => {
  if (typeof stack !== "string") return UNKNOWN;
  const own = ownDirectory();
  const outside = stack
    .split("\n")
    .map(placeOf)
    .filter((place) => place !== null && (!place.startsWith(own) || isTest(place)));
  return outside.find((place) => place !== null && !isInstalled(place)) ?? outside[0] ?? UNKNOWN;
};

const UNKNOWN = "an unknown place";

/** Parses the place in a stack frame; paths may contain blanks, parentheses and `@`. */
const placeOf = (line: string): string | null => {
  const text = locationOf(line.trim());
  return text === null || !/:\d+:\d+$/.test(text) || text.startsWith("node:") ? null : withoutScheme(text);
};

/** Location of a frame: `at name (file:1:2)` or `at file:1:2` (V8), `name@file:1:2` or `file:1:2` (others). */
const locationOf = (frame: string): string | null => {
  if (!frame.startsWith("at ")) return /^(?:[^@/\\]*@)?(.*)$/.exec(frame)?.[1] ?? null;
  const [, inParentheses] = /^at .*? \((.*)\)$/.exec(frame) ?? [];
  return inParentheses ?? frame.slice("at ".length).replace(/^async /, "");
};

/** The `src` or `dist` folder that this file runs from. */
const ownDirectory = (): string => withoutScheme(new URL("..", import.meta.url).href);

const isInstalled = (place: string): boolean => /[/\\]node_modules[/\\]/.test(place);

/** Whether a place is in a test of this package, which counts as a program. */
const isTest = (place: string): boolean => /\.test\.ts:/.test(place);

const withoutScheme = (place: string): string => {
  if (!place.startsWith("file://")) return place;
  const path = place.slice("file://".length).replace(/^\/(?=[A-Za-z]:)/, "");
  return path.includes("%") ? decodeURIComponent(path) : path;
};
