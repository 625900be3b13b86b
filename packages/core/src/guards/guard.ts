import { toError } from "../errors/to-error.ts";
import { HttpError } from "../errors/http-error.ts";
import { ForbiddenError } from "../errors/http-errors.ts";
import { type Awaitable, isPromise } from "../middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";

/** A guard's answer: `true` or nothing lets the request pass, `false` or a text (the refusal's detail) does not. */
export type Verdict = boolean | string | void | undefined;

/** A guard that is an object, and may say more about itself. */
export interface GuardObject {
  check(request: HttpRequest): Awaitable<Verdict>;
  /** Name in explanations. */
  readonly name?: string;
  /** Lets `Not` pass those whom this guard answers with 401: so `Not(Authenticated)` means "guests only". */
  readonly passesGuestsWhenNegated?: boolean;
}

/** Decides who may call: a function or an object with `check`. */
export type Guard = ((request: HttpRequest) => Awaitable<Verdict>) | GuardObject;

/** Code of the 403 that stands for a guard's own failure; the cause goes to the log. */
export const GUARD_FAILED = "CORE_GUARD_FAILED";

/** What `verifyGuards` may show. */
export interface VerifyOptions {
  /** Adds the name of the guard that refused to the reply; for development. @default false */
  readonly explain?: boolean;
}

/**
 * Asks guards in order and stops at the first refusal.
 *
 * `false` is 403 "Access denied", a text 403 with that detail, a thrown 401 or 403 itself (a `GuardError` with any status). Anything else that is
 * thrown fails closed: 403, with the error as its cause.
 *
 * @throws HttpError of the refusal; synchronous guards throw at once
 */
export const verifyGuards = (
  guards: readonly Guard[],
  request: HttpRequest,
  options: VerifyOptions = {},
): Awaitable<void> => verifyFrom(0, guards, request, options);

const verifyFrom = (
  index: number,
  guards: readonly Guard[],
  request: HttpRequest,
  options: VerifyOptions,
): Awaitable<void> => {
  for (let at = index; at < guards.length; at++) {
    const guard = guards[at] as Guard;
    const refusal = refusalOf(guard, request);
    if (isPromise(refusal)) {
      return refusal.then((settled) => {
        throwRefusal(settled, guard, options);
        return verifyFrom(at + 1, guards, request, options);
      });
    }
    throwRefusal(refusal, guard, options);
  }
};

/** Why a guard refuses, `null` when it lets the request pass; never throws. */
export const refusalOf = (guard: Guard, request: HttpRequest): Awaitable<HttpError | null> => {
  try {
    const verdict = typeof guard === "function" ? guard(request) : guard.check(request);
    return isPromise(verdict) ? verdict.then(toRefusal, fromThrown) : toRefusal(verdict);
  } catch (error) {
    return fromThrown(error);
  }
};

const toRefusal = (verdict: Verdict): HttpError | null => {
  if (verdict === true || verdict === undefined) return null;
  // Whatever is not plainly a yes is a no: a guard that answers null, 0 or "" was not written to let anybody in.
  return new ForbiddenError(typeof verdict === "string" && verdict !== "" ? verdict : undefined);
};

const fromThrown = (thrown: unknown): HttpError => {
  if (
    HttpError.is(thrown) &&
    (thrown.name === "GuardError" || thrown.status === 401 || thrown.status === 403)
  ) {
    return thrown;
  }
  return new ForbiddenError(undefined, { cause: toError(thrown), code: GUARD_FAILED });
};

const throwRefusal = (refusal: HttpError | null, guard: Guard, { explain = false }: VerifyOptions): void => {
  if (refusal === null) return;
  const { name } = guard;
  if (!explain || name === undefined || name === "") throw refusal;
  const { status, detail, headers, extras, cause, error, code } = refusal;
  throw new HttpError(status, detail, { ...extras, headers, cause, error, code, guard: name });
};
