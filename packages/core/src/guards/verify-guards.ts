import { FrameworkError } from "../errors/framework-error.ts";
import type { Invocation } from "../invocation/invocation.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { Guard } from "./guard.ts";
import { firstDenial, type GuardOptions } from "./evaluate-guards.ts";

/**
 * Runs guards in order, for direct use and for protocols other than HTTP. Returns synchronously when all guards are synchronous.
 *
 * @param options.explain adds the guard's name to the reply body as `guard`, for development. @default false
 * @param options.log receives faults of guards. @default console
 * @throws CORE_GUARD_INVALID unless the guards are a list; HttpError of the first refusal: 403 with its text or "Access denied", 401, or the status of its
 * GuardError
 */
export const verifyGuards = <In extends Invocation>(
  guards: readonly Guard<In>[],
  invocation: In,
  options: GuardOptions = {},
): Awaitable<void> => {
  if (!Array.isArray(guards))
    throw new FrameworkError("CORE_GUARD_INVALID", "verifyGuards takes a list of guards");
  const denial = firstDenial(guards, invocation, options);
  if (isPromise(denial)) return denial.then(refuse);
  refuse(denial);
};

const refuse = (denial: Error | null): void => {
  if (denial !== null) throw denial;
};
