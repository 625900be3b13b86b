import { type Clock, within } from "@framework/core/feature";
import type { Reading, Source } from "./family.ts";

/** Milliseconds that a scrape waits for a slow source: less than the scraping worker waits for the others. */
const PATIENCE_MS = 750;
/** Milliseconds after which a reading without an end is abandoned, and the source is read anew. */
const ABANDON_MS = 10_000;

/**
 * Reads a slow source, such as a registry whose gauges ask a database, with a time limit. A late reading is dropped: its totals would be older than those of
 * the next one. No second one begins beside it for 10 s, so that scrapes add no load to what is slow.
 */
export const slowSource = (source: Source, clock: Pick<Clock, "now" | "after">): Source => {
  let current: { readonly reading: Promise<Reading>; readonly begun: number } | null = null;
  const begin = (): Promise<Reading> => {
    const reading = (async () => source())();
    const begun = { reading, begun: clock.now() };
    current = begun;
    const end = (): void => {
      if (current === begun) current = null;
    };
    reading.then(end, end);
    return reading;
  };
  return () => {
    const reading = current === null || clock.now() - current.begun >= ABANDON_MS ? begin() : current.reading;
    return within(reading, PATIENCE_MS, clock, () => {
      throw new Error(`a registry did not answer within ${PATIENCE_MS} ms; its metrics are omitted`);
    });
  };
};
