import { FrameworkError } from "../errors/framework-error.ts";
import type { HttpError } from "../errors/http-error.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { type Guard, isGuard } from "./guard.ts";
import {
  type Denial,
  explained,
  firstDenial,
  forbidden,
  guardName,
  type GuardOptions,
  isFault,
  judge,
  judgingGuard,
} from "./judge.ts";

/** Guards as arguments, as one list, or both. */
export type GuardList = readonly (Guard | readonly Guard[])[];

/**
 * Passes who passes every guard; the first refusal is the reply, and the guards after it are not asked.
 *
 * @throws CORE_GUARD_EMPTY without guards, CORE_GUARD_INVALID for what is no guard
 */
export function And(...guards: GuardList): Guard {
  const all = checkedGuards("And", guards);
  return judgingGuard(nameOf("And", all), (request, options) => firstDenial(all, request, options));
}

/**
 * Passes who passes any guard; the guards after that one are not asked. Refuses with 401 only if every guard did, else as the last that said 403.
 *
 * @throws CORE_GUARD_EMPTY without guards, CORE_GUARD_INVALID for what is no guard
 */
export function Or(...guards: GuardList): Guard {
  const any = checkedGuards("Or", guards);
  const name = nameOf("Or", any);
  return judgingGuard(name, (request, options) =>
    mapAwaitable(lastDenial(any, request, options), (denial) =>
      denial === null ? null : explained(denial, name, options),
    ),
  );
}

/**
 * Passes whom the guard refuses, and refuses with "Access denied" whom it passes.
 *
 * A 401 stays a 401, for nobody knows who asks, except for guards with `guestsWhenNegated`: `Not(Authenticated)` is for guests only. A guard that
 * fails passes nobody, negated or not.
 *
 * @throws CORE_GUARD_INVALID for what is no guard
 */
export function Not(guard: Guard): Guard {
  const [inner] = checkedGuards("Not", [guard]);
  const name = nameOf("Not", [guard]);
  const negated = (denial: Denial, options: GuardOptions): Denial => {
    if (denial === null) return forbidden(name, options);
    if (isFault(denial)) return denial;
    return denial.status === 401 && guard.guestsWhenNegated !== true ? denial : null;
  };
  return judgingGuard(name, (request, options) =>
    mapAwaitable(judge(inner, request, options), (denial) => negated(denial, options)),
  );
}

/** Asks guards until one passes. */
const lastDenial = (
  guards: readonly Guard[],
  request: HttpRequest,
  options: GuardOptions,
  from = 0,
  before: Denial = null,
): Awaitable<Denial> => {
  let denial = before;
  for (let index = from; index < guards.length; index++) {
    const next = judge(guards[index], request, options);
    if (isPromise(next)) {
      const earlier = denial;
      return next.then((settled) =>
        settled === null ? null : lastDenial(guards, request, options, index + 1, heavier(earlier, settled)),
      );
    }
    if (next === null) return null;
    denial = heavier(denial, next);
  }
  return denial;
};

/** Of two refusals the one that counts: a fault, else the later one that is no 401. */
const heavier = (earlier: Denial, later: HttpError): HttpError => {
  if (earlier === null) return later;
  return isFault(earlier) || later.status === 401 ? earlier : later;
};

const checkedGuards = (name: string, list: GuardList): readonly Guard[] => {
  const guards = list.flat() as readonly Guard[]; // `flat` loses the type of a read-only list; each is checked below
  if (guards.length === 0) {
    throw new FrameworkError("CORE_GUARD_EMPTY", `${name}() needs at least one guard`);
  }
  for (const guard of guards) {
    if (isGuard(guard)) continue;
    const message = `${name}(...) got ${guard === null ? "null" : typeof guard} instead of a guard: a function, or an object with check(request)`;
    throw new FrameworkError("CORE_GUARD_INVALID", message);
  }
  return guards;
};

const nameOf = (name: string, guards: readonly Guard[]): string =>
  `${name}(${guards.map(guardName).join(", ")})`;
