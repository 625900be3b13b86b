import { type Awaitable, type Guard, type Injections, verifyGuards } from "@framework/core";
import { createInvocation, mapAwaitable } from "@framework/core/feature";
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type OperationTypeNode,
} from "graphql";
import { marked, markedSource, throwResolverError } from "./resolver-errors.ts";
import { ownScopeOf, scopeOf, stopIfAborted } from "../context/create-context.ts";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { normalizeError } from "../graphql-js/normalize-error.ts";
import type { FieldOptions } from "./field-options.ts";

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;
type ResolverWithDependencies = (
  ...args: readonly [...Parameters<Resolver>, dependencies: unknown]
) => unknown;

/** Wraps a field's resolver in its guards and dependencies. A field without resolver, guards and dependencies is unchanged. */
export const guardField = (
  field: GraphQLField<unknown, GraphqlContext>,
  name: string,
  options: FieldOptions,
  operation: OperationTypeNode | null,
): void => {
  if (operation === "subscription") {
    if (field.subscribe !== undefined)
      field.subscribe = closeIfEnded(guardedResolver(field.subscribe, name, options, markedSource));
    if (field.resolve !== undefined) field.resolve = guardedResolver(field.resolve, name, {});
    return;
  }
  const { guards = [], inject } = options;
  if (field.resolve === undefined && guards.length === 0 && inject === undefined) return;
  const guarded = guardedResolver(field.resolve ?? defaultFieldResolver, name, options);
  field.resolve = operation === "mutation" ? unlessAborted(guarded) : guarded;
};

/** Prevents further mutation fields after an operation was aborted, also with graphql 16, which has no signal. */
const unlessAborted =
  (resolve: Resolver): Resolver =>
  (source, args, context, info) => {
    stopIfAborted(context);
    return resolve(source, args, context, info);
  };

const guardedResolver = (
  resolve: Resolver,
  name: string,
  { guards = [], inject }: FieldOptions,
  mark: typeof marked = marked,
): Resolver => {
  const resolver = withMarkedErrors(
    inject === undefined ? withDepends(resolve) : withDependencies(resolve, inject),
    mark,
  );
  if (guards.length === 0) return resolver;
  return (source, args, context, info) =>
    mapAwaitable(verify(guards, name, args, context), () => resolver(source, args, context, info));
};

/** Runs a field's guards, with the caller of the operation and the arguments of the field. */
const verify = (
  guards: readonly Guard[],
  name: string,
  params: Readonly<Record<string, unknown>>,
  operation: GraphqlContext,
): Awaitable<void> => {
  const { guardOptions } = scopeOf(operation);
  const { headers, context, signal } = operation.invocation;
  return verifyGuards(
    guards,
    createInvocation({ kind: "graphql", name, headers, params, context, signal }),
    guardOptions,
  );
};

const withDependencies = (resolve: Resolver, inject: Injections): Resolver => {
  const resolver = resolve as ResolverWithDependencies;
  return (source, args, context, info) =>
    scopeOf(context).open.call(inject, (dependencies) => resolver(source, args, context, info, dependencies));
};

/** Enables `Depends` in the default arguments of a resolver, in the scope of its operation. Outside the app's endpoint there is no scope. */
const withDepends = (resolve: Resolver): Resolver => {
  const resolver = resolve as ResolverWithDependencies;
  return (source, args, context, info) => {
    const scope = ownScopeOf(context);
    if (scope === null) return resolve(source, args, context, info);
    return scope.open.call(undefined, () => resolver(source, args, context, info, undefined));
  };
};

/** Closes the source that a resolver returns after the subscription has ended: GraphQL drops it without closing it. */
const closeIfEnded =
  (resolve: Resolver): Resolver =>
  (source, args, context, info) => {
    const events = resolve(source, args, context, info);
    if (!(events instanceof Promise)) return events;
    return events.then(async (source: unknown) => {
      if (context.signal.aborted) await closeEvents(source);
      return source;
    });
  };

const closeEvents = async (events: unknown): Promise<void> => {
  if (typeof events !== "object" || events === null || !(Symbol.asyncIterator in events)) return;
  try {
    await (events as AsyncIterable<unknown>)[Symbol.asyncIterator]().return?.();
  } catch {
    // the subscription has ended, so no client waits for this failure
  }
};

/** Marks the errors of resolvers: clients see their GraphQLErrors, but not the errors of a scalar's output. */
const withMarkedErrors =
  (resolve: Resolver, mark: typeof marked): Resolver =>
  (source, args, context, info) => {
    try {
      return mark(resolve(source, args, context, info), info.returnType);
    } catch (error) {
      return throwResolverError(normalizeError(error));
    }
  };
