import type { Awaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Injections, Provider, Scope, Token } from "./token.ts";

/** What a container knows of one name: a value as it is, or how to make one. */
export interface Definition {
  readonly name: string;
  readonly scope: Scope;
  readonly inject: Injections;
  /** `undefined` when `value` is the dependency. */
  readonly create: Create | undefined;
  readonly value: unknown;
  readonly dispose: ((value: unknown) => Awaitable<void>) | undefined;
  /** The token that it was defined with; another token with this name and a factory of its own is a mistake. */
  readonly token: Token<unknown> | undefined;
}

/** A factory as the container calls it. */
export type Create = (
  dependencies: Readonly<Record<string, unknown>>,
  invocation: Invocation | undefined,
) => Awaitable<unknown>;

/** A value that the program made, and that the program ends. */
export const valueDefinition = (dependency: Token<unknown> | string, value: unknown): Definition => {
  const [name, token] = typeof dependency === "string" ? [dependency] : [dependency.name, dependency];
  return { name, scope: "singleton", inject: {}, create: undefined, value, dispose: undefined, token };
};

/** What a token with a factory of its own says of itself. */
export const tokenDefinition = (token: Token<unknown>): Definition => ({
  name: token.name,
  scope: token.scope,
  inject: token.inject,
  create: token.create as Create | undefined, // `dependency` held it to the types of `inject` and of the scope's invocation
  value: undefined,
  dispose: token.dispose === undefined ? undefined : (value) => token.dispose?.(value),
  token,
});

/** A token that is made by a provider instead of a factory of its own. */
export const providedDefinition = <T>(token: Token<T>, provider: Provider<T>): Definition => {
  const own = tokenDefinition(token);
  const create: Create = (_, invocation) =>
    typeof provider === "function" ? provider(invocation) : provider.create(invocation);
  if (typeof provider === "function" || provider.dispose === undefined) return { ...own, inject: {}, create };
  return { ...own, inject: {}, create, dispose: (value) => provider.dispose?.(value as T) }; // what `create` made
};
