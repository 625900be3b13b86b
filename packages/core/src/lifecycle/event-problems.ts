import type { Problem } from "../errors/configuration-error.ts";
import { nearest } from "../errors/nearest.ts";

/** The problem of `once` for another event than startup. */
export const badOnce: Problem = {
  code: "CORE_UNKNOWN_EVENT",
  message: 'onEvent takes { once: "service" } for "startup" only; shutdown handlers run in each worker',
};

/** The problem of an event that does not exist. */
export const unknownEvent = (event: unknown): Problem => {
  const [near] = nearest(String(event), ["startup", "shutdown"]);
  const hint = near === undefined ? 'there are "startup" and "shutdown"' : `did you mean "${near}"?`;
  return { code: "CORE_UNKNOWN_EVENT", message: `there is no event "${String(event)}"; ${hint}` };
};
