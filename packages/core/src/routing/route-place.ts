/** A place in the program that registered something. */
export interface Place {
  /** Returns `file:line:column`, or `an unknown place` when the runtime has no stack. */
  toString(): string;
}

/**
 * Records the program's call that led here: the first stack frame outside this package.
 *
 * Costs one stack capture; the text is formatted on first use.
 */
export const registrationPlace = (): Place => {
  const { stack } = captured();
  let text: string | undefined;
  return { toString: () => (text ??= firstOutside(stack())) };
};

const captured = (): { stack: () => unknown } => {
  const error = new Error("place");
  return { stack: () => error.stack };
};

const firstOutside = (stack: unknown): string => {
  if (typeof stack !== "string") return unknown;
  const own = ownDirectory();
  for (const line of stack.split("\n")) {
    const place = placeOf(line);
    if (place !== null && (!place.startsWith(own) || isTest(place))) return place;
  }
  return unknown;
};

const unknown = "an unknown place";

/** Parses a frame's place: `at name (file:1:2)`, `at file:1:2` (V8) or `name@file:1:2` (others). */
const placeOf = (line: string): string | null => {
  const [place] = /[^\s(@]+:\d+:\d+(?=\)?$)/.exec(line) ?? [];
  return place === undefined || place.startsWith("node:") ? null : withoutScheme(place);
};

/** The `src` or `dist` folder that this file runs from. */
const ownDirectory = (): string => withoutScheme(new URL("..", import.meta.url).href);

/** Tests are in the same folder but count as a program. */
const isTest = (place: string): boolean => /\.test\.ts:/.test(place);

const withoutScheme = (place: string): string => {
  if (!place.startsWith("file://")) return place;
  const path = place.slice("file://".length).replace(/^\/(?=[A-Za-z]:)/, "");
  return path.includes("%") ? decodeURIComponent(path) : path;
};
