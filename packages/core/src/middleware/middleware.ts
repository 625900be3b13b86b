import { LazyPromise } from "./lazy-promise.ts";
import { isWaitingOnce } from "./waiting-once.ts";

/** A value, or a promise of it: synchronous work stays synchronous. */
export type Awaitable<T> = T | Promise<T>;

/** Processes one input, such as a request, message, command or outgoing call. */
export type Handler<In, Out> = (input: In) => Awaitable<Out>;

/**
 * Wraps a handler: calls `next` for the output (again, to retry; not at all, to refuse) and returns an output.
 *
 * `next` returns an output and never throws: each level converts its own errors to outputs.
 */
export type Middleware<In, Out> = (input: In, next: Handler<In, Out>) => Awaitable<Out>;

/** A middleware with further methods, such as an authentication with `skipPath`. */
export interface MiddlewareObject<In, Out> {
  /** Returns the output for an input, usually the output of `next`. */
  handle(input: In, next: Handler<In, Out>): Awaitable<Out>;
}

/** Converts a thrown value to an output. */
export type Rescue<In, Out> = (error: unknown, input: In) => Awaitable<Out>;

/** Whether a value is a promise or another thenable. */
export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Returns a promise for a thenable whose `then` is called more than once: each call may run its work again, such as the query of a query builder. */
export const toPromise = <T>(value: Promise<T>): Promise<T> =>
  value instanceof Promise ? value : Promise.resolve(value);

/**
 * `isPromise` for the outputs of a chain. A separate function, because V8 collects type feedback per function: outputs have one or two shapes, while
 * `isPromise` gets values of many shapes. `docs/memos.md` states the gain.
 */
export const isPromisedOutput = <T>(output: Awaitable<T>): output is Promise<T> =>
  typeof output === "object" && output !== null && typeof (output as { then?: unknown }).then === "function";

/** Applies `map` to a value now, or to a promise's value once it resolves. */
export const mapAwaitable = <T, U>(value: Awaitable<T>, map: (value: T) => Awaitable<U>): Awaitable<U> =>
  isPromise(value) ? value.then(map) : map(value);

/**
 * Converts an output of `next` now, or the value of a promise once it is awaited. For middleware marked with `waitsOnce`.
 *
 * @param input passed to `convert`, so that it need not be a closure
 */
export const mapOutput = <In, Out>(
  output: Awaitable<Out>,
  convert: (output: Out, input: In) => Awaitable<Out>,
  input: In,
): Awaitable<Out> =>
  isPromisedOutput(output) ? new LazyPromise(output, input, convert, null) : convert(output, input);

/**
 * Composes a chain around a handler. The first middleware is the outermost; each level rescues its own errors.
 *
 * @param accept called with each output that a level returns, and its input; not for outputs of `rescue`. It may prepare the output for the levels outside;
 * must not throw
 * @param once whether the caller awaits a returned promise at most once; the promise may then be a `LazyPromise`
 */
export const compose = <In, Out>(
  chain: readonly Middleware<In, Out>[],
  inner: Handler<In, Out>,
  rescue: Rescue<In, Out>,
  accept: (output: Out, input: In) => Out = same,
  once = false,
): Handler<In, Out> => {
  const last = chain.at(-1);
  const isLazy = last === undefined ? once : isWaitingOnce(last);
  const innermost = createLevel((input: In) => inner(input), inner, rescue, accept, isLazy);
  return surround(chain, innermost, rescue, accept, once);
};

/** Adds levels around a composed handler; the parameters are the same as in `compose`. */
export const surround = <In, Out>(
  chain: readonly Middleware<In, Out>[],
  composed: Handler<In, Out>,
  rescue: Rescue<In, Out>,
  accept: (output: Out, input: In) => Out,
  once = false,
): Handler<In, Out> =>
  chain.reduceRight<Handler<In, Out>>((next, middleware, index) => {
    const around = chain[index - 1];
    return createLevel(middleware, next, rescue, accept, around === undefined ? once : isWaitingOnce(around));
  }, composed);

/**
 * One level of the chain; the innermost ignores `next`. One closure per level: this runs on every request.
 *
 * @param isLazy whether the outer level awaits a returned promise at most once; the promise may then be a `LazyPromise`
 */
const createLevel =
  <In, Out>(
    middleware: Middleware<In, Out>,
    next: Handler<In, Out>,
    rescue: Rescue<In, Out>,
    accept: (output: Out, input: In) => Out,
    isLazy: boolean,
  ): Handler<In, Out> =>
  (input) => {
    try {
      const output = middleware(input, next);
      if (!isPromisedOutput(output)) return accept(output, input);
      return isLazy
        ? new LazyPromise(output, input, accept, rescue)
        : output.then(
            (value) => accept(value, input),
            (error: unknown) => rescue(error, input),
          );
    } catch (error) {
      return rescue(error, input);
    }
  };

const same = <T>(value: T): T => value;

/** Returns the function form of a middleware. */
export const toMiddleware = <In, Out>(
  middleware: Middleware<In, Out> | MiddlewareObject<In, Out>,
): Middleware<In, Out> => {
  if (typeof middleware === "function") return middleware;
  const handle: Middleware<In, Out> = (input, next) => middleware.handle(input, next);
  objects.set(handle, Object(middleware) as object); // `Object` keeps objects unchanged, and wraps primitives of untyped programs
  return handle;
};

/** Returns the object that `toMiddleware` converted; `undefined` for a middleware that was a function. */
export const middlewareObject = <In, Out>(
  middleware: Middleware<In, Out>,
): MiddlewareObject<In, Out> | undefined => objects.get(middleware) as MiddlewareObject<In, Out> | undefined; // key and value of an entry have the same types

const objects = new WeakMap<object, object>();
