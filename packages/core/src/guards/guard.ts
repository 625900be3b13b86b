import type { Invocation } from "../invocation/invocation.ts";
import type { Awaitable } from "../middleware/middleware.ts";

/** Result of a guard: `true` or nothing lets the caller pass, `false` refuses, a text refuses with that text. */
export type GuardVerdict = boolean | string | undefined | void;

/** A guard as an object, such as `new RoleGuard(["admin"])`. */
export interface GuardObject<In extends Invocation = Invocation> {
  /** Shown in development when it refuses; the name of its class by default. */
  readonly name?: string;
  /** Makes `Not(guard)` let those callers pass that the guard answers with 401: guests. Otherwise a 401 stays a 401 under `Not`. */
  readonly guestsWhenNegated?: boolean;
  /** Declared as a property, because TypeScript would let a method for requests pass as one for every invocation. */
  readonly check: (invocation: In) => Awaitable<GuardVerdict>;
}

/** A guard as a function. */
export interface GuardFunction<In extends Invocation = Invocation> {
  (invocation: In): Awaitable<GuardVerdict>;
  /** As in `GuardObject`. */
  readonly guestsWhenNegated?: boolean;
}

/**
 * Decides who may pass. Guards run after routing and authentication and before the handler; they see the invocation, with its headers, context and
 * parameters, and never a body that was validated.
 *
 * A plain `Guard` works at every door. A `Guard<HttpRequest>` sees cookies, the path and all else that a request has; routes take it, and other
 * doors refuse it by its type.
 *
 * A refusal is a 403, and a thrown GuardError, UnauthorizedError or ForbiddenError is the reply. Anything else that a guard throws or returns is a
 * refusal too: a guard that fails lets no caller pass.
 */
export type Guard<In extends Invocation = Invocation> = GuardFunction<In> | GuardObject<In>;

/** Whether a value is a guard: a function, or an object with `check`. */
export const isGuard = (value: unknown): value is Guard =>
  typeof value === "function" ||
  (typeof value === "object" && value !== null && "check" in value && typeof value.check === "function");
