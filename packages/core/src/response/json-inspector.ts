import { FrameworkError } from "../errors/framework-error.ts";
import type { Logger } from "../log/logger.ts";
import { findLost } from "./find-lost.ts";

/** In production, the first values of a place are all inspected, then every n-th. */
const INSPECTED = 100;

/** Checks a value that was written as JSON for content that JSON lost. @throws FrameworkError under debug, with the inspector's code */
export type InspectJson = (value: unknown) => void;

/** How values that JSON loses are reported. */
export interface JsonReport {
  /** Whether a loss is an error; otherwise the first one is logged. */
  readonly debug: boolean;
  /** Where the first loss is logged. */
  readonly log: Pick<Logger, "warn">;
  /** Code of the errors. @default "CORE_BAD_REPLY" */
  readonly code?: string;
  /** Whether `NaN`, infinities, invalid dates and `undefined` in arrays are losses too, which JSON writes as `null`: for data that the program reads back. @default false */
  readonly exact?: boolean;
}

/**
 * Creates a function that checks values sent as JSON for content that JSON loses, such as a `Set` or a promise.
 *
 * Under debug every value is inspected, and a loss is an error. Otherwise the first 100 values are inspected, then every 100th, and only the first loss is
 * logged.
 *
 * @param what the start of the message, such as `a JSON reply of GET /books`
 */
export const jsonInspector = (
  what: string,
  { debug, log, code = "CORE_BAD_REPLY", exact = false }: JsonReport,
): InspectJson => {
  let values = 0;
  let warned = false;
  return (value) => {
    if ((typeof value !== "object" && !exact) || warned) return;
    if (!debug && ++values > INSPECTED && values % INSPECTED !== 0) return;
    const loss = lossIn(value, exact);
    if (loss === null) return;
    const message = `${what} loses a value: ${loss}`;
    if (debug) throw new FrameworkError(code, message);
    warned = true;
    log.warn(message);
  };
};

const lossIn = (source: unknown, exact: boolean): string | null => {
  try {
    return findLost(source, exact);
  } catch {
    return null; // a getter or toJSON that fails at its second call; the value was written by the first
  }
};
