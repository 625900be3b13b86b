import { FrameworkError } from "../../errors/framework-error.ts";
import type { Logger } from "../../log/logger.ts";
import { findLost } from "./find-lost.ts";

/** Without debug, the first 100 values are inspected, then every 100th. */
const FIRST_INSPECTED = 100;

/** Checks a value that was written as JSON for content that JSON loses. @throws FrameworkError in debug, with the inspector's code */
export type InspectJson = (value: unknown) => void;

/** Options for the report of values that JSON loses. */
export interface JsonReport {
  /** Whether a loss is an error; otherwise the first one is logged. */
  readonly debug: boolean;
  /** Destination of the line about the first loss. */
  readonly log: Pick<Logger, "warn">;
  /** Code of the errors. @default "CORE_BAD_REPLY" */
  readonly code?: string;
  /**
   * Whether values that JSON writes as `null` also count as lost: `NaN`, infinities, invalid dates, `undefined` in arrays. For data that is read back.
   * @default false
   */
  readonly exact?: boolean;
}

/**
 * Creates a function that checks values sent as JSON for content that JSON loses, such as a `Set` or a promise.
 *
 * In debug every value is inspected, and a loss is an error. Otherwise the first 100 values are inspected, then every 100th, and only the first loss is logged.
 *
 * @param subject the start of the message, such as `a JSON reply of GET /books`
 */
export const jsonInspector = (
  subject: string,
  { debug, log, code = "CORE_BAD_REPLY", exact = false }: JsonReport,
): InspectJson => {
  let values = 0;
  let warned = false;
  return (value) => {
    if ((typeof value !== "object" && !exact) || warned) return;
    if (!debug && ++values > FIRST_INSPECTED && values % FIRST_INSPECTED !== 0) return;
    const loss = lossIn(value, exact);
    if (loss === null) return;
    const message = `${subject} loses a value: ${loss}`;
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
