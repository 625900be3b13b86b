import { type Clock, withTimeout } from "@framework/core/feature";
import type { Reading, Source } from "./family.ts";

/** Timeout of a slow source in a scrape, in milliseconds: less than the timeout of the workers' replies. */
const TIMEOUT_MS = 750;
/** Milliseconds after which a hanging reading is abandoned, and the source is read again. */
const ABANDON_MS = 10_000;

/**
 * Reads a slow source, such as a registry whose gauges query a database, with a timeout. A reading that ends after the timeout is dropped: its totals
 * would be older than the totals of the next reading. No second reading starts for 10 s while one is running, so that scrapes add no load to a slow source.
 */
export const slowSource = (source: Source, clock: Pick<Clock, "now" | "after">): Source => {
  let current: { readonly reading: Promise<Reading>; readonly startMs: number } | null = null;
  const begin = (): Promise<Reading> => {
    const reading = (async () => source())();
    const started = { reading, startMs: clock.now() };
    current = started;
    const end = (): void => {
      if (current === started) current = null;
    };
    reading.then(end, end);
    return reading;
  };
  return () => {
    const reading =
      current === null || clock.now() - current.startMs >= ABANDON_MS ? begin() : current.reading;
    return withTimeout(reading, TIMEOUT_MS, clock, () => {
      throw new Error(`a registry did not answer within ${TIMEOUT_MS} ms; its metrics are omitted`);
    });
  };
};
