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
  handle(input: In, next: Handler<In, Out>): Awaitable<Out>;
}

/** Converts a thrown value to an output. */
export type Rescue<In, Out> = (error: unknown, input: In) => Awaitable<Out>;

/** Whether a value is a promise or another thenable. */
export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Applies `map` to a value now, or to a promise's value once it resolves. */
export const mapAwaitable = <T, U>(value: Awaitable<T>, map: (value: T) => Awaitable<U>): Awaitable<U> =>
  isPromise(value) ? value.then(map) : map(value);

/** Composes a chain around a handler. The first middleware is the outermost; each level rescues its own errors. */
export const compose = <In, Out>(
  chain: readonly Middleware<In, Out>[],
  inner: Handler<In, Out>,
  rescue: Rescue<In, Out>,
): Handler<In, Out> =>
  chain.reduceRight<Handler<In, Out>>(
    (next, middleware) => rescued(middleware, next, rescue),
    rescued((input) => inner(input), inner, rescue),
  );

/** One level of the chain; the innermost ignores `next`. One closure per level: this runs on every request. */
const rescued =
  <In, Out>(
    middleware: Middleware<In, Out>,
    next: Handler<In, Out>,
    rescue: Rescue<In, Out>,
  ): Handler<In, Out> =>
  (input) => {
    try {
      const output = middleware(input, next);
      return isPromise(output) ? output.then(undefined, (error: unknown) => rescue(error, input)) : output;
    } catch (error) {
      return rescue(error, input);
    }
  };

/** Returns the function form of a middleware. */
export const toMiddleware = <In, Out>(
  middleware: Middleware<In, Out> | MiddlewareObject<In, Out>,
): Middleware<In, Out> => {
  if (typeof middleware === "function") return middleware;
  const handle: Middleware<In, Out> = (input, next) => middleware.handle(input, next);
  objects.set(handle, middleware);
  return handle;
};

/** Returns the object that `toMiddleware` converted; `undefined` for a middleware that was a function. */
export const middlewareObject = <In, Out>(
  middleware: Middleware<In, Out>,
): MiddlewareObject<In, Out> | undefined => objects.get(middleware) as MiddlewareObject<In, Out> | undefined; // key and value of an entry have the same types

const objects = new WeakMap<object, object>();
