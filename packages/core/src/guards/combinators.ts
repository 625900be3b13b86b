import { FrameworkError } from "../errors/framework-error.ts";
import type { HttpError } from "../errors/http-error.ts";
import { ForbiddenError } from "../errors/http-errors.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { GUARD_FAILED, type Guard, type GuardObject, refusalOf, type Verdict } from "./guard.ts";

/** Guards as a list or as arguments. */
export type GuardList = readonly Guard[] | readonly [readonly Guard[]];

/** Passes when every guard does; the first refusal is the answer. @throws CORE_GUARD_EMPTY without guards */
export const And = (...list: GuardList): GuardObject => {
  const guards = guardsOf("And", list);
  const from = (index: number, request: HttpRequest): Awaitable<HttpError | null> => {
    const guard = guards[index];
    if (guard === undefined) return null;
    return mapAwaitable(refusalOf(guard, request), (refusal) => refusal ?? from(index + 1, request));
  };
  return { name: named("And", guards), check: (request) => settle(from(0, request)) };
};

/**
 * Passes when one guard does; asks no further then. Refuses with 401 when every guard said 401, else with the last other refusal.
 *
 * @throws CORE_GUARD_EMPTY without guards
 */
export const Or = (...list: GuardList): GuardObject => {
  const guards = guardsOf("Or", list);
  const from = (
    index: number,
    request: HttpRequest,
    worst: HttpError | null,
  ): Awaitable<HttpError | null> => {
    const guard = guards[index];
    if (guard === undefined) return worst;
    return mapAwaitable(refusalOf(guard, request), (refusal) =>
      refusal === null ? null : from(index + 1, request, graver(worst, refusal)),
    );
  };
  return { name: named("Or", guards), check: (request) => settle(from(0, request, null)) };
};

/**
 * Passes when the guard refuses, and refuses with 403 "Access denied" when it passes.
 *
 * A guard that answers 401 does not know who is there, so its 401 stays; `Not(Authenticated)` lets guests pass. A guard that failed refuses
 * either way.
 */
export const Not = (guard: Guard): GuardObject => {
  const passesGuests = typeof guard === "object" && guard.passesGuestsWhenNegated === true;
  const negated = (refusal: HttpError | null): HttpError | null => {
    if (refusal === null) return new ForbiddenError();
    const stays = refusal.code === GUARD_FAILED || (refusal.status === 401 && !passesGuests);
    return stays ? refusal : null;
  };
  return {
    name: named("Not", [guard]),
    check: (request) => settle(mapAwaitable(refusalOf(guard, request), negated)),
  };
};

const guardsOf = (name: string, list: GuardList): readonly Guard[] => {
  const guards = list.flat() as readonly Guard[];
  if (guards.length > 0) return guards;
  throw new FrameworkError(
    "CORE_GUARD_EMPTY",
    `${name}() needs at least one guard; an empty one would decide nothing`,
  );
};

const graver = (worst: HttpError | null, refusal: HttpError): HttpError =>
  worst !== null && refusal.status === 401 ? worst : refusal;

const settle = (refusal: Awaitable<HttpError | null>): Awaitable<Verdict> =>
  isPromise(refusal) ? refusal.then(throwIf) : throwIf(refusal);

const throwIf = (refusal: HttpError | null): Verdict => {
  if (refusal !== null) throw refusal;
  return true;
};

const named = (name: string, guards: readonly Guard[]): string =>
  `${name}(${guards.map((guard) => guard.name || "guard").join(", ")})`;
