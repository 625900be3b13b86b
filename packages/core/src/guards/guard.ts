import type { Awaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";

/** What a guard says: `true` or nothing lets the request through, `false` refuses it, a text refuses it with that text. */
export type GuardVerdict = boolean | string | undefined | void;

/** A guard as an object, such as `new RoleGuard(["admin"])`. */
export interface GuardObject {
  /** Shown in development when it refuses; the name of its class by default. */
  readonly name?: string;
  /** Makes `Not(guard)` let those through whom the guard answers with 401: guests. Otherwise a 401 stays a 401 under `Not`. */
  readonly guestsWhenNegated?: boolean;
  check(request: HttpRequest): Awaitable<GuardVerdict>;
}

/** A guard as a function. */
export interface GuardFunction {
  (request: HttpRequest): Awaitable<GuardVerdict>;
  /** As in `GuardObject`. */
  readonly guestsWhenNegated?: boolean;
}

/**
 * Decides who may pass. Guards run after routing and authentication and before the handler; they see the request, with its context, and never a body
 * that was validated.
 *
 * A refusal is a 403, and a thrown GuardError, UnauthorizedError or ForbiddenError is the reply it says. Anything else that a guard throws, or
 * returns, is a refusal too: a guard that fails lets nobody through.
 */
export type Guard = GuardFunction | GuardObject;

/** Tells a guard from what is none. */
export const isGuard = (value: unknown): value is Guard =>
  typeof value === "function" ||
  (typeof value === "object" && value !== null && "check" in value && typeof value.check === "function");
