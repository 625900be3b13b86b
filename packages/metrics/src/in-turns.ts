import { setImmediate } from "node:timers/promises";

/** Yields each value in a separate turn of the event loop, so that requests are served between them. */
export async function* inTurns<T>(values: Iterable<T>): AsyncGenerator<T, void> {
  for (const value of values) {
    yield value;
    await setImmediate();
  }
}

/** Series per turn of the event loop: about a millisecond of work. */
const SLICE = 500;

/** Yields a list in slices of 500 items, each in a separate turn of the event loop. */
export const inSlices = <T>(items: readonly T[]): AsyncGenerator<readonly T[], void> =>
  inTurns(slicesOf(items));

function* slicesOf<T>(items: readonly T[]): Generator<readonly T[], void> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}
