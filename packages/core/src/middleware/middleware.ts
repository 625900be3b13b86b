/** A value, or a promise of it: synchronous work stays synchronous. */
export type Awaitable<T> = T | Promise<T>;

/** Answers one input: a request, a message, a command, an outgoing call. */
export type Handler<In, Out> = (input: In) => Awaitable<Out>;

/**
 * Wraps a handler: looks at the input, calls `next` for the output (again, to retry; not at all, to refuse) and returns an output.
 *
 * `next` gives an output, never an exception: an error became an output at the level where it was thrown.
 */
export type Middleware<In, Out> = (input: In, next: Handler<In, Out>) => Awaitable<Out>;

/** A middleware that carries methods of its own, such as an authentication with `skipPath`. */
export interface MiddlewareObject<In, Out> {
  handle(input: In, next: Handler<In, Out>): Awaitable<Out>;
}

/** Turns whatever was thrown into an output. */
export type Rescue<In, Out> = (error: unknown, input: In) => Awaitable<Out>;

/** Tells a promise (or any thenable) from a plain value. */
export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Applies `map` at once to a value, later to a promise's value. */
export const mapAwaitable = <T, U>(value: Awaitable<T>, map: (value: T) => Awaitable<U>): Awaitable<U> =>
  isPromise(value) ? value.then(map) : map(value);

/** Builds the onion once: the first middleware is the outermost and runs first; each level answers for its own errors. */
export const compose = <In, Out>(
  chain: readonly Middleware<In, Out>[],
  inner: Handler<In, Out>,
  rescue: Rescue<In, Out>,
): Handler<In, Out> =>
  chain.reduceRight<Handler<In, Out>>(
    (next, middleware) => rescued(middleware, next, rescue),
    rescued((input) => inner(input), inner, rescue),
  );

/** One level of the onion, the innermost with a middleware that does not ask on: a closure each, since every request passes through all of them. */
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

/** The function behind either form of middleware. */
export const toMiddleware = <In, Out>(
  middleware: Middleware<In, Out> | MiddlewareObject<In, Out>,
): Middleware<In, Out> => {
  if (typeof middleware === "function") return middleware;
  const handle: Middleware<In, Out> = (input, next) => middleware.handle(input, next);
  objects.set(handle, middleware);
  return handle;
};

/** The object that a middleware was made of, `undefined` when it was a function from the beginning. */
export const middlewareObject = <In, Out>(
  middleware: Middleware<In, Out>,
): MiddlewareObject<In, Out> | undefined => objects.get(middleware) as MiddlewareObject<In, Out> | undefined; // both sides of an entry have the same types

const objects = new WeakMap<object, object>();
