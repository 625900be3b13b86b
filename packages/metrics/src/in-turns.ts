import { setImmediate } from "node:timers/promises";

/** Yields values one at a time, each in its own turn of the event loop, so that requests are served between them. */
export async function* inTurns<T>(values: Iterable<T>): AsyncGenerator<T, void> {
  for (const value of values) {
    yield value;
    await setImmediate();
  }
}
