import { FrameworkError } from "../errors/framework-error.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { findLost } from "../response/find-lost.ts";
import { type Response, takeSource } from "../response/response.ts";

/** In production, the first values of a place are all inspected, and then one of this many. */
const INSPECTED = 100;

/** Searches a value that was written as JSON for what JSON lost. @throws CORE_BAD_REPLY under debug */
export type InspectJson = (value: unknown) => void;

/**
 * Creates the search of values that a place sends as JSON, for what JSON loses, such as a `Set` or a promise.
 *
 * Under debug every value is inspected, and a loss is an error. Otherwise the first 100 and then one of 100 are, and the first loss is logged, once.
 *
 * @param what the start of the message, such as `a JSON reply of GET /books`
 */
export const jsonInspector = (
  what: string,
  { debug, log }: Pick<AppSettings, "debug" | "log">,
): InspectJson => {
  let values = 0;
  let warned = false;
  return (value) => {
    if (typeof value !== "object" || warned) return;
    if (!debug && ++values > INSPECTED && values % INSPECTED !== 0) return;
    const loss = lossIn(value);
    if (loss === null) return;
    const message = `${what} loses a value: ${loss}`;
    if (debug) throw new FrameworkError("CORE_BAD_REPLY", message);
    warned = true;
    log.warn(message);
  };
};

/** Creates the inspection of a place's replies: of their JSON, and of each event that they stream. @param place such as `GET /books` */
export const inspectReply = (
  place: string,
  settings: Pick<AppSettings, "debug" | "log">,
): ((reply: Response) => Response) => {
  const inspect = jsonInspector(`a JSON reply of ${place}`, settings);
  const inspectEvent = jsonInspector(`an event of ${place}`, settings);
  return (reply) => {
    const source = takeSource(reply);
    if (typeof source === "object") inspect(source);
    else if (typeof source === "function") (source as (inspect: InspectJson) => void)(inspectEvent);
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
