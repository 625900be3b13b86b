import { isClass } from "../config/wrong-value.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Awaitable } from "../middleware/middleware.ts";

/** Result of a guard: `true` or `undefined` passes, `false` refuses, a string refuses with that text. */
export type GuardVerdict = boolean | string | undefined | void;

/** A guard as an object, such as `new RoleGuard(["admin"])`. */
export interface GuardObject<In extends Invocation = Invocation> {
  /** Shown in the refusal in development. @default the name of its class */
  readonly name?: string;
  /** Whether `Not(guard)` passes unauthenticated callers, that is, callers that the guard refuses with 401. @default false: a 401 stays a 401 under `Not` */
  readonly passesAnonymousWhenNegated?: boolean;
  /** Whether it reads the identified caller (`principalOf`); API documents then list how callers are identified. @default false */
  readonly readsCaller?: boolean;
  /** Decides on an invocation. A property, because TypeScript would accept a method for requests as one for every invocation (bivariance). */
  readonly check: (invocation: In) => Awaitable<GuardVerdict>;
}

/** A guard as a function. */
export interface GuardFunction<In extends Invocation = Invocation> {
  (invocation: In): Awaitable<GuardVerdict>;
  /** As in `GuardObject`. */
  readonly passesAnonymousWhenNegated?: boolean;
  /** As in `GuardObject`. */
  readonly readsCaller?: boolean;
}

/**
 * Authorises a caller. Guards run after routing and authentication and before the handler; they see the invocation's headers, context and
 * parameters, but no validated body.
 *
 * A plain `Guard` works with every protocol. A `Guard<HttpRequest>` sees cookies, the path and all other members of a request; routes accept it, and other
 * entry points reject its type.
 *
 * A refusal is a 403, and a thrown GuardError, UnauthorizedError or ForbiddenError is the reply. Anything else that a guard throws or returns is
 * also a refusal: a guard that fails lets no caller pass.
 */
export type Guard<In extends Invocation = Invocation> = GuardFunction<In> | GuardObject<In>;

/** Whether a value is a guard: a function, or an object with `check`; a class is not one, but its instances may be. */
export const isGuard = (value: unknown): value is Guard =>
  (typeof value === "function" && !isClass(value)) ||
  (typeof value === "object" && value !== null && "check" in value && typeof value.check === "function");
