import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Guard } from "./guard.ts";
import { firstDenial, type GuardOptions } from "./judge.ts";

/**
 * Runs guards in order, for use by hand; synchronous guards are done when it returns.
 *
 * @param options.explain names the guard in the reply, as the body's `guard`; for development. @default false
 * @param options.log where faults of guards go. @default console
 * @throws HttpError of the first guard that refuses: 403 with its text or "Access denied", 401, or the status of its GuardError
 */
export const verifyGuards = (
  guards: readonly Guard[],
  request: HttpRequest,
  options: GuardOptions = {},
): Awaitable<void> => {
  const denial = firstDenial(guards, request, options);
  if (isPromise(denial)) return denial.then(deny);
  deny(denial);
};

const deny = (denial: Error | null): void => {
  if (denial !== null) throw denial;
};
