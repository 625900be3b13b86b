import type { Awaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";

/**
 * How long a dependency lives: with the app, with one invocation (a request, a message, a command), or as a new value at each place that asks for it.
 */
export type Scope = "singleton" | "invocation" | "transient";

/**
 * Names a dependency and carries its type. A token is a value: import it where it is needed.
 *
 * Tokens with one name and no factory stand for the same dependency.
 */
export interface Token<T> {
  readonly name: string;
  readonly scope: Scope;
  /** What `create` needs, by the names under which it gets it. */
  readonly inject: Injections;
  /** The token's own factory; `undefined` when the app must register or provide the value. */
  readonly create: Factory<T> | undefined;
  /** Called when the scope of a created value ends. */
  dispose?(value: T): Awaitable<void>;
}

/** A factory as a token keeps it: injected values by name, and the invocation, if there is one. */
export type Factory<T> = (dependencies: never, invocation: never) => Awaitable<T>;

/** Dependencies by the names under which the code that needs them gets them; a string is a name that the app registers. */
export type Injections = Readonly<Record<string, Token<unknown> | string>>;

/** The values of injections: by their token's type, `unknown` for a name in a string; nothing for no injections. */
export type Injected<I extends Injections | undefined> = {
  readonly [K in keyof I]: I[K] extends Token<infer T> ? T : unknown;
};

/** The invocation that a factory sees: always with scope `invocation`, perhaps with `transient`, never with `singleton`. */
export type InvocationIn<S extends Scope> = S extends "invocation"
  ? Invocation
  : S extends "transient"
    ? Invocation | undefined
    : undefined;

/** How a dependency comes into being. */
export interface DependencyOptions<T, I extends Injections, S extends Scope> {
  /** @default "singleton" */
  readonly scope?: S;
  readonly inject?: I;
  /**
   * Makes the value; an asynchronous factory is for `inject` only, `Depends` cannot wait. What only a request has, `isHttpRequest(invocation)` gives.
   */
  readonly create?: (dependencies: Injected<I>, invocation: InvocationIn<S>) => Awaitable<T>;
  /**
   * Ends the value's life: after the reply or the outcome for `invocation`, at stop for `singleton`, with whatever it was made for in case of `transient`;
   * in reverse order of creation. A failure is logged.
   */
  readonly dispose?: (value: T) => Awaitable<void>;
}

/** Another way to make what a token names: a factory, or one with its own end. The scope is the token's. */
export type Provider<T> = ((invocation: Invocation | undefined) => Awaitable<T>) | CustomProvider<T>;

export interface CustomProvider<T> {
  create(invocation: Invocation | undefined): Awaitable<T>;
  dispose?(value: T): Awaitable<void>;
}

/**
 * Makes a token: for a value that the app registers or provides, or with a factory of its own.
 *
 * Without type arguments everything is inferred from `create`.
 *
 * @example
 * const Db = dependency<Database>("db"); // app.registerSingleton(Db, database)
 * const Books = dependency("books", { scope: "invocation", inject: { db: Db }, create: ({ db }) => new Books(db) });
 * app.get("/books", { inject: { books: Books } }, (request, { books }) => books.all());
 */
export const dependency = <T, I extends Injections = Injections, S extends Scope = Scope>(
  name: string,
  { scope, inject, create, dispose }: DependencyOptions<T, I, S> = {},
): Token<T> => {
  const own: Token<T> = { name, scope: scope ?? "singleton", inject: inject ?? {}, create };
  return Object.freeze(dispose === undefined ? own : { ...own, dispose });
};
