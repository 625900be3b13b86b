import type { Invocation } from "../invocation/invocation.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { Guard } from "./guard.ts";
import { firstDenial, type GuardOptions } from "./judge.ts";

/**
 * Runs guards in order, for use by hand and at doors other than HTTP; synchronous guards are done when it returns.
 *
 * @param options.explain names the guard in the reply, as the body's `guard`; for development. @default false
 * @param options.log receives faults of guards. @default console
 * @throws HttpError of the first guard that refuses: 403 with its text or "Access denied", 401, or the status of its GuardError
 */
export const verifyGuards = <In extends Invocation>(
  guards: readonly Guard<In>[],
  invocation: In,
  options: GuardOptions = {},
): Awaitable<void> => {
  const denial = firstDenial(guards, invocation, options);
  if (isPromise(denial)) return denial.then(refuse);
  refuse(denial);
};

const refuse = (denial: Error | null): void => {
  if (denial !== null) throw denial;
};
