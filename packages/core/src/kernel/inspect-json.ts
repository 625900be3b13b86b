import { FrameworkError } from "../errors/framework-error.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { findLost } from "../response/find-lost.ts";
import { type Response, takeSource } from "../response/response.ts";

/** In production, the first replies of a place are all inspected, and then one of this many. */
const INSPECTED = 100;

/**
 * Creates the check of a place's JSON replies for values that JSON loses, such as a `Set` or a promise.
 *
 * Under debug every reply is inspected, and a loss is an error. Otherwise the first 100 and then one of 100 are, and the first loss is logged, once.
 *
 * @param place the start of the message, such as `GET /books`
 * @throws CORE_BAD_REPLY under debug
 */
export const inspectJson = (
  place: string,
  { debug, log }: Pick<AppSettings, "debug" | "log">,
): ((reply: Response) => Response) => {
  let replies = 0;
  let warned = false;
  const inspect = (source: unknown): void => {
    const loss = lossIn(source);
    if (loss === null) return;
    const message = `a JSON reply of ${place} loses a value: ${loss}`;
    if (debug) throw new FrameworkError("CORE_BAD_REPLY", message);
    warned = true;
    log.warn(message);
  };
  return (reply) => {
    const source = takeSource(reply);
    if (typeof source !== "object" || warned) return reply;
    if (debug || ++replies <= INSPECTED || replies % INSPECTED === 0) inspect(source);
    return reply;
  };
};

const lossIn = (source: unknown): string | null => {
  try {
    return findLost(source);
  } catch {
    return null; // a getter or toJSON that fails at its second call; the reply was written by the first
  }
};
