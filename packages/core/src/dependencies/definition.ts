import type { Awaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Injections, Provider, Scope, Token } from "./token.ts";

/** The container's entry for one name: a ready value, or a factory. */
export interface Definition {
  readonly name: string;
  readonly scope: Scope;
  readonly inject: Injections;
  /** `undefined` for a ready `value`. */
  readonly create: Create | undefined;
  readonly value: unknown;
  readonly dispose: ((value: unknown) => Awaitable<void>) | undefined;
  /** The defining token; another token with this name and its own factory is a mistake. */
  readonly token: Token<unknown> | undefined;
}

/** A factory as the container calls it. */
export type Create = (
  dependencies: Readonly<Record<string, unknown>>,
  invocation: Invocation | undefined,
) => Awaitable<unknown>;

/** Defines a ready value, which the program created and disposes of. */
export const valueDefinition = (dependency: Token<unknown> | string, value: unknown): Definition => {
  const [name, token] = typeof dependency === "string" ? [dependency] : [dependency.name, dependency];
  return { name, scope: "singleton", inject: {}, create: undefined, value, dispose: undefined, token };
};

/** Defines a token by its own factory. */
export const tokenDefinition = (token: Token<unknown>): Definition => ({
  name: token.name,
  scope: token.scope,
  inject: token.inject,
  create: token.create as Create | undefined, // `dependency` checked its parameters against `inject` and the scope's invocation
  value: undefined,
  dispose: token.dispose === undefined ? undefined : (value) => token.dispose?.(value),
  token,
});

/** Defines a token by a provider instead of its own factory. */
export const providedDefinition = <T>(token: Token<T>, provider: Provider<T>): Definition => {
  const own = tokenDefinition(token);
  const create: Create = (_, invocation) =>
    typeof provider === "function" ? provider(invocation) : provider.create(invocation);
  if (typeof provider === "function" || provider.dispose === undefined) return { ...own, inject: {}, create };
  return { ...own, inject: {}, create, dispose: (value) => provider.dispose?.(value as T) }; // `create` returned it
};
