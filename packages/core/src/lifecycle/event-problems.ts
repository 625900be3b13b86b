import { unknownFields } from "../config/config-record.ts";
import { describeValue, isClass, isOptions } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { nearest } from "../errors/nearest.ts";

/** Returns the problem of the arguments of `onEvent`, or `null`. */
export const eventProblem = (event: unknown, handler: unknown, options: unknown): Problem | null => {
  if (event !== "startup" && event !== "shutdown") return unknownEvent(event);
  const call = `onEvent("${event}", …)`;
  if (typeof handler !== "function" || isClass(handler))
    return badArgument(`${call} takes a function as its second argument, which runs at ${event}`);
  if (!isOptions(options))
    return badArgument(
      `${call} takes an object of options as its third argument, such as { once: "service" }`,
    );
  const [unknown] = unknownFields("the options object of onEvent", options, ["once"]);
  if (unknown !== undefined) return badArgument(unknown);
  const { once } = options;
  return once === undefined || (once === "service" && event === "startup") ? null : badOnce;
};

const badArgument = (message: string): Problem => ({ code: "CORE_BAD_ARGUMENT", message });

const badOnce: Problem = {
  code: "CORE_UNKNOWN_EVENT",
  message: 'onEvent takes { once: "service" } for "startup" only; shutdown handlers run in each worker',
};

/** The problem of an event that does not exist. */
const unknownEvent = (event: unknown): Problem => {
  const name = typeof event === "string" ? event : describeValue(event);
  const [near] = nearest(name, ["startup", "shutdown"]);
  const hint = near === undefined ? 'the events are "startup" and "shutdown"' : `did you mean "${near}"?`;
  return { code: "CORE_UNKNOWN_EVENT", message: `there is no event "${name}"; ${hint}` };
};
