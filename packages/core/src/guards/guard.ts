import type { Awaitable } from "../middleware.ts";
import { ForbiddenError } from "../errors/http-errors.ts";
import { isPromise } from "../middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";

export type Verdict = boolean | string | void | undefined;
export type Guard = ((request: HttpRequest) => Awaitable<Verdict>) | { check(request: HttpRequest): Awaitable<Verdict> };

export const verifyGuards = (guards: readonly Guard[], request: HttpRequest, _options?: { explain?: boolean }): Awaitable<void> => {
  const at = (index: number): Awaitable<void> => {
    const guard = guards[index];
    if (guard === undefined) return;
    const verdict = typeof guard === "function" ? guard(request) : guard.check(request);
    const settle = (value: Verdict) => {
      if (value === false) throw new ForbiddenError();
      if (typeof value === "string") throw new ForbiddenError(value);
      return at(index + 1);
    };
    return isPromise(verdict) ? verdict.then(settle) : settle(verdict);
  };
  return at(0);
};
