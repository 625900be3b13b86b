import { FrameworkError } from "../errors/framework-error.ts";
import type { HttpError } from "../errors/http-error.ts";
import type { Invocation } from "../invocation/invocation.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import { type Guard, isGuard } from "./guard.ts";
import {
  type Denial,
  addGuardName,
  firstDenial,
  forbidden,
  guardName,
  type GuardOptions,
  isFault,
  evaluateGuard,
  guardWithEvaluator,
} from "./evaluate-guards.ts";

/** Guards as arguments, lists, or both. */
export type GuardList<In extends Invocation = Invocation> = readonly (Guard<In> | readonly Guard<In>[])[];

/**
 * Returns a guard that passes when every guard passes. The first refusal becomes the reply, and the remaining guards do not run.
 *
 * @throws CORE_GUARD_EMPTY without guards, CORE_GUARD_INVALID for another value
 */
export function And<In extends Invocation>(...guards: GuardList<In>): Guard<In> {
  const all = requireGuards("And", guards);
  return guardWithEvaluator(
    nameOf("And", all),
    (invocation, options) => firstDenial(all, invocation, options),
    all.some(readsCaller),
  );
}

/**
 * Returns a guard that passes when any guard passes; the remaining guards do not run. Otherwise it refuses with the error of a guard that failed, else with the
 * last refusal that is not a 401; with 401 only if every guard refuses with 401.
 *
 * @throws CORE_GUARD_EMPTY without guards, CORE_GUARD_INVALID for another value
 */
export function Or<In extends Invocation>(...guards: GuardList<In>): Guard<In> {
  const alternatives = requireGuards("Or", guards);
  const name = nameOf("Or", alternatives);
  return guardWithEvaluator(
    name,
    (invocation, options) =>
      mapAwaitable(lastDenial(alternatives, invocation, options), (denial) =>
        denial === null ? null : addGuardName(denial, name, options),
      ),
    alternatives.some(readsCaller),
  );
}

/**
 * Returns a guard that passes when the given one refuses, and otherwise refuses with "Access denied".
 *
 * A 401 stays a 401, because the caller is unknown, except with `passesAnonymousWhenNegated`: `Not(Authenticated)` passes only anonymous callers. A guard that
 * fails always refuses, negated or not.
 *
 * @throws CORE_GUARD_INVALID for another value
 */
export function Not<In extends Invocation>(guard: Guard<In>): Guard<In> {
  const [inner] = requireGuards("Not", [guard]);
  if (Array.isArray(guard))
    throw new FrameworkError(
      "CORE_GUARD_INVALID",
      "Not(...) takes one guard: write Not(And(...)) or Not(Or(...))",
    );
  const name = nameOf("Not", [guard]);
  const negate = (denial: Denial, options: GuardOptions): Denial => {
    if (denial === null) return forbidden(name, options);
    if (isFault(denial)) return denial;
    return denial.status === 401 && guard.passesAnonymousWhenNegated !== true ? denial : null;
  };
  return guardWithEvaluator(
    name,
    (invocation, options) =>
      mapAwaitable(evaluateGuard(inner, invocation, options), (denial) => negate(denial, options)),
    readsCaller(guard) && guard.passesAnonymousWhenNegated !== true, // anonymous callers need not identify themselves
  );
}

/** Runs guards until one passes. */
const lastDenial = <In extends Invocation>(
  guards: readonly Guard<In>[],
  invocation: In,
  options: GuardOptions,
  from = 0,
  before: Denial = null,
): Awaitable<Denial> => {
  let denial = before;
  for (let index = from; index < guards.length; index++) {
    const next = evaluateGuard(guards[index], invocation, options);
    if (isPromise(next)) {
      const earlier = denial;
      return next.then((settled) =>
        settled === null
          ? null
          : lastDenial(guards, invocation, options, index + 1, stronger(earlier, settled)),
      );
    }
    if (next === null) return null;
    denial = stronger(denial, next);
  }
  return denial;
};

/** Returns the refusal that takes precedence: a fault, else the later one that is not a 401. */
const stronger = (earlier: Denial, later: HttpError): HttpError => {
  if (earlier === null) return later;
  return isFault(earlier) || later.status === 401 ? earlier : later;
};

const requireGuards = <In extends Invocation>(name: string, list: GuardList<In>): readonly Guard<In>[] => {
  const guards = list.flat() as readonly Guard<In>[]; // `flat` loses the type of a read-only list; each is checked below
  if (guards.length === 0) {
    throw new FrameworkError("CORE_GUARD_EMPTY", `${name}() needs at least one guard`);
  }
  for (const guard of guards as readonly unknown[]) {
    if (isGuard(guard)) continue;
    const message = `${name}(...) got ${guard === null ? "null" : typeof guard} instead of a guard: a function, or an object with check(request); a class needs new`;
    throw new FrameworkError("CORE_GUARD_INVALID", message);
  }
  return guards;
};

const readsCaller = (guard: Guard<never>): boolean => guard.readsCaller === true;

const nameOf = (name: string, guards: readonly Guard<never>[]): string =>
  `${name}(${guards.map(guardName).join(", ")})`;
