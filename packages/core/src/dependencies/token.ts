import { unknownFields } from "../config/config-record.ts";
import { describeValue, isClass } from "../config/wrong-value.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";

/**
 * Lifetime of a dependency: the app, one invocation (a request, a message, a command), or a new value at each injection.
 */
export type Scope = "singleton" | "invocation" | "transient";

/**
 * Names a dependency and carries its type. A token is a value: import it where it is needed.
 *
 * Tokens with the same name and no factory denote the same dependency.
 */
export interface Token<T> {
  /** Name in messages, unique in an app. */
  readonly name: string;
  /** Lifetime of its values. */
  readonly scope: Scope;
  /** Dependencies of `create`, keyed by argument name. */
  readonly inject: Injections;
  /** The token's own factory; `undefined` when the app must register or provide the value. */
  readonly create: Factory<T> | undefined;
  /** Called when the scope of a created value ends. */
  dispose?(value: T): Awaitable<void>;
}

/** A token's factory: gets injected values by name, and the invocation, if there is one. */
export type Factory<T> = (dependencies: never, invocation: never) => Awaitable<T>;

/** Dependencies keyed by argument name; a string is a name that the app registers. */
export type Injections = Readonly<Record<string, Token<unknown> | string>>;

/** The values of injections: the token's type, `unknown` for a string name; empty without injections. */
export type InjectedValues<I extends Injections | undefined> = {
  readonly [K in keyof I]: I[K] extends Token<infer T> ? T : unknown;
};

/** The injected values of a handler; possibly none if the type of `inject` is unknown, as in a parameter of type `RouteOptions`. */
export type DependenciesOf<Inject extends Injections | undefined> = [Inject] extends [
  infer I extends Injections, // a separate parameter, so that Inject is not inferred from the handler
]
  ? InjectedValues<I>
  : InjectedValues<Injections> | undefined;

/** The invocation that a factory sees: always with scope `invocation`, perhaps with `transient`, never with `singleton`. */
export type InvocationIn<S extends Scope> = S extends "invocation"
  ? Invocation
  : S extends "transient"
    ? Invocation | undefined
    : undefined;

/** Scope, factory and disposal of a dependency. */
export interface DependencyOptions<T, I extends Injections, S extends Scope> {
  /** @default "singleton" */
  readonly scope?: S;
  readonly inject?: I;
  /**
   * Creates the value. An asynchronous factory works with `inject` only: `Depends` cannot wait. `isHttpRequest(invocation)` narrows to a request.
   */
  readonly create?: (dependencies: InjectedValues<I>, invocation: InvocationIn<S>) => Awaitable<T>;
  /**
   * Disposes of the value: for `invocation` after the reply to a request, or before the caller of other work gets its outcome; for `singleton` at stop; for
   * `transient` together with its dependent; in reverse order of creation. A failure is logged.
   */
  readonly dispose?: (value: T) => Awaitable<void>;
}

/** An alternative factory for a token, with or without its own `dispose`. The scope is the token's. */
export type Provider<T> = ((invocation: Invocation | undefined) => Awaitable<T>) | CustomProvider<T>;

/** A factory with its own `dispose`. */
export interface CustomProvider<T> {
  create(invocation: Invocation | undefined): Awaitable<T>;
  dispose?(value: T): Awaitable<void>;
}

/**
 * Creates a token: for a value that the app registers or provides, or with its own factory.
 *
 * Without type arguments everything is inferred from `create`.
 *
 * @example
 * const Db = dependency<Database>("db"); // app.registerSingleton(Db, database)
 * const Books = dependency("books", { scope: "invocation", inject: { db: Db }, create: ({ db }) => new Books(db) });
 * app.get("/books", { inject: { books: Books } }, (request, { books }) => books.all());
 * @throws CORE_BAD_ARGUMENT unless the name is a string, the options are an object without unknown names, the scope is one of the three, and `create` and
 * `dispose` are functions
 */
export const dependency = <T, I extends Injections = Injections, S extends Scope = Scope>(
  name: string,
  options: DependencyOptions<T, I, S> = {},
): Token<T> => {
  if (typeof name !== "string" || typeof options !== "object" || options === null)
    throw new FrameworkError(
      "CORE_BAD_ARGUMENT",
      'dependency takes a name and an object of options, such as dependency("books", { create: () => new Books() })',
    );
  const { scope, inject, create, dispose } = options;
  const [problem] = unknownFields(`the options object of dependency("${name}")`, options, optionNames);
  if (problem !== undefined) throw new FrameworkError("CORE_BAD_ARGUMENT", problem);
  if (scope !== undefined && !scopes.includes(scope))
    throw new FrameworkError(
      "CORE_BAD_ARGUMENT",
      `dependency("${name}"): scope must be one of ${scopes.join(", ")}, not ${describeValue(scope)}`,
    );
  for (const [role, value] of Object.entries({ create, dispose }))
    if (value !== undefined && (typeof value !== "function" || isClass(value)))
      throw new FrameworkError(
        "CORE_BAD_ARGUMENT",
        `dependency("${name}"): ${role} must be a function, not ${isClass(value) ? "a class, which needs new, as in { create: () => new Books() }" : describeValue(value)}`,
      );
  const own: Token<T> = { name, scope: scope ?? "singleton", inject: inject ?? {}, create };
  return Object.freeze(dispose === undefined ? own : { ...own, dispose });
};

const optionNames: readonly string[] = ["scope", "inject", "create", "dispose"];
const scopes: readonly Scope[] = ["singleton", "invocation", "transient"];
