import { HttpError } from "../errors/http-error.ts";
import { ForbiddenError, GuardError } from "../errors/http-errors.ts";
import type { Logger } from "../log/logger.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Guard, GuardVerdict } from "./guard.ts";

/** How guards are run. */
export interface GuardOptions {
  readonly explain?: boolean;
  readonly log?: Pick<Logger, "error">;
}

/** The reply that refuses a request, or `null` for a request that may pass. */
export type Denial = HttpError | null;

/** Judges one request. Never throws. */
export type Judge = (request: HttpRequest, options: GuardOptions) => Awaitable<Denial>;

/** Code of the denial that stands for a guard which failed to decide. */
const FAULT = "CORE_GUARD_FAILED";

/** Whether a denial came from a fault: it is no decision, so it must not be negated into one. */
export const isFault = (denial: HttpError): boolean => denial.code === FAULT;

/** Asks one guard. Never throws: a guard that fails has refused. */
export const judge = (
  guard: Guard | undefined,
  request: HttpRequest,
  options: GuardOptions,
): Awaitable<Denial> => {
  try {
    if (guard === undefined) throw new TypeError("undefined is not a guard");
    const own = judges.get(guard);
    if (own !== undefined) return own(request, options);
    const verdict = typeof guard === "function" ? guard(request) : guard.check(request);
    if (!isPromise(verdict)) return denialOf(verdict, guard, options);
    return verdict.then(
      (settled) => denialOf(settled, guard, options),
      (error: unknown) => denialOfThrown(error, guard, request, options),
    );
  } catch (error) {
    return denialOfThrown(error, guard, request, options);
  }
};

/** Asks guards in order until one refuses. */
export const firstDenial = (
  guards: readonly Guard[],
  request: HttpRequest,
  options: GuardOptions,
  from = 0,
): Awaitable<Denial> => {
  for (let index = from; index < guards.length; index++) {
    const denial = judge(guards[index], request, options);
    if (isPromise(denial)) {
      return denial.then((settled) => settled ?? firstDenial(guards, request, options, index + 1));
    }
    if (denial !== null) return denial;
  }
  return null;
};

/** What guards that are made of guards do instead of `check`, which could not tell a fault from a decision. */
const judges = new WeakMap<Guard, Judge>();

/** Makes a guard that judges by itself. */
export const judgingGuard = (name: string, own: Judge): Guard => {
  const guard: Guard = {
    name,
    check(request) {
      const passed = (denial: Denial): void => {
        if (denial !== null) throw denial;
      };
      const denial = own(request, {});
      return isPromise(denial) ? denial.then(passed) : passed(denial);
    },
  };
  judges.set(guard, own);
  return guard;
};

/** Name of a guard for people. */
export const guardName = (guard: Guard | null | undefined): string => {
  if (typeof guard?.name === "string" && guard.name !== "") return guard.name;
  const { constructor } = guard ?? {}; // absent where there is no prototype
  const className: unknown = typeof guard === "object" ? constructor?.name : undefined;
  return typeof className === "string" && className !== "Object" ? className : ANONYMOUS;
};

const ANONYMOUS = "anonymous guard";

/** What a reply says about who refused: nothing where there is no name to say. */
const blame = (name: string, { explain }: GuardOptions): { readonly guard?: string } =>
  explain === true && name !== ANONYMOUS ? { guard: name } : {};

/** The refusal "Access denied", or with a text. */
export const forbidden = (name: string, options: GuardOptions, text?: string): HttpError =>
  new ForbiddenError(text, blame(name, options));

/** Writes into a refusal who refused, when asked to. */
export const explained = (denial: HttpError, name: string, options: GuardOptions): HttpError => {
  // A program may throw one frozen error again and again: it then stays as it is.
  if (options.explain === true) Reflect.set(denial, "extras", { ...denial.extras, ...blame(name, options) });
  return denial;
};

const denialOf = (verdict: GuardVerdict, guard: Guard, options: GuardOptions): Denial => {
  if (verdict === true || verdict === undefined) return null;
  return forbidden(guardName(guard), options, typeof verdict === "string" ? verdict || undefined : undefined);
};

const denialOfThrown = (
  error: unknown,
  guard: Guard | undefined,
  request: HttpRequest,
  options: GuardOptions,
): HttpError => {
  const name = guardName(guard);
  if (isRefusal(error)) return explained(error, name, options);
  const { log = console } = options;
  const { method, path } = request;
  log.error(`guard "${name}" failed, so the request is refused`, { error, guard: name, method, path });
  return new ForbiddenError(undefined, {
    cause: error,
    code: FAULT,
    ...blame(name, options),
  });
};

/** Whether what a guard threw is a decision: a GuardError of any status, 401 or 403. */
const isRefusal = (error: unknown): error is HttpError =>
  HttpError.is(error) &&
  (error instanceof GuardError ||
    error.name === "GuardError" ||
    error.status === 401 ||
    error.status === 403);
