import { ConfigurationError, type DependenciesOf, type Guard, type Injections } from "@framework/core";
import { isPlainObject } from "@framework/core/feature";
import type { GraphQLResolveInfo, GraphQLScalarType } from "graphql";
import type { GraphqlContext } from "../context/graphql-context.ts";

/** Options of a field. */
export interface FieldOptions<Inject extends Injections | undefined = Injections | undefined> {
  /** Guards, which run in order before the resolver; they get the field's arguments as `params`. For a subscription they run once, at its start. */
  readonly guards?: readonly Guard[];
  /** Dependencies, passed to the resolver as its last argument. Dependencies of scope `invocation` live as long as the operation. */
  readonly inject?: Inject;
  /** Cost of the field itself, for `maxComplexity`; at least 0. @default 1 */
  readonly cost?: number;
}

/** Resolves a field: returns its value or a promise of it. */
export type Resolve<Context, Source = never, Args = never, Dependencies = never> = (
  source: Source,
  args: Args,
  context: Context,
  info: GraphQLResolveInfo,
  dependencies: Dependencies,
) => unknown;

/** The resolver of a field with options; its dependencies, if any, are the last argument. */
export type FieldResolve<Context, Source, Args, Inject extends Injections | undefined> = [
  NonNullable<Inject>,
] extends [never] // two function types: with an optional parameter, `clock = Depends(Clock)` would not get the type of its default
  ? (source: Source, args: Args, context: Context, info: GraphQLResolveInfo) => unknown
  : Resolve<Context, Source, Args, DependenciesOf<Inject>>;

/** A field with options, created by `field` or `subscription`. */
export interface Field<Context> extends FieldOptions {
  /** Resolves the field. @default the member of the source with its name */
  readonly resolve?: Resolve<Context>;
  /** Returns the events of a field of the subscription type, as an async iterable. */
  readonly subscribe?: Resolve<Context>;
}

/** Resolvers of one type by field; for an interface or union also `__resolveType`, for an enum its values by name. */
export type TypeResolvers<Context> = Readonly<
  Record<string, Resolve<Context> | Field<Context> | string | number | boolean>
>;

/** Resolvers of a schema in SDL, by type and field; for a scalar its `GraphQLScalarType`. */
export type Resolvers<Context = GraphqlContext> = Readonly<
  Record<string, TypeResolvers<Context> | GraphQLScalarType>
>;

/**
 * Returns a resolver with guards, dependencies or a cost.
 *
 * @throws ConfigurationError GRAPHQL_BAD_SCHEMA for options that are not an object
 * @example
 * const resolvers = {
 *   Query: { book: field({ guards: [Authenticated()], inject: { books: Books } }, (_, { id }: { id: string }, context, info, { books }) => books.find(id)) },
 * };
 */
export const field = <
  const Inject extends Injections | undefined = undefined,
  Source = unknown,
  Args = Readonly<Record<string, unknown>>,
  Context extends object = GraphqlContext,
>(
  options: FieldOptions<Inject>,
  resolve: FieldResolve<Context, Source, Args, Inject>,
): Field<Context> => ({ ...requireObject("field", options), resolve: resolve as Resolve<Context> });

/** Checks that the options are an object: guards passed directly would be ignored. @throws ConfigurationError */
const requireObject = <Options extends object>(
  maker: string,
  options: Options,
  remedy = "; the function follows it",
): Options => {
  if (isPlainObject(options)) return options;
  const message = `graphql: the first argument of ${maker}() must be an object of options, such as { guards: [isOwner] } or {}${remedy}`;
  throw new ConfigurationError([{ code: "GRAPHQL_BAD_SCHEMA", message }]);
};

/**
 * Returns a field of the subscription type: `subscribe` returns its events; each event is the field's value, unless `resolve` maps it.
 *
 * @throws ConfigurationError GRAPHQL_BAD_SCHEMA for options that are not an object
 */
export const subscription = <
  const Inject extends Injections | undefined = undefined,
  Args = Readonly<Record<string, unknown>>,
  Context extends object = GraphqlContext,
>(
  options: FieldOptions<Inject>,
  subscribe: FieldResolve<Context, unknown, Args, Inject>,
  resolve: (event: never, args: Args, context: Context, info: GraphQLResolveInfo) => unknown = (event) =>
    event,
): Field<Context> => ({
  ...requireObject("subscription", options),
  subscribe: subscribe as Resolve<Context>,
  resolve: resolve as Resolve<Context>,
});

/** Key of the options in the `extensions` of a field. */
export const FIELD_OPTIONS = "framework";

/**
 * Returns the `extensions` of a field in a `GraphQLSchema`: `{ type, resolve, extensions: fieldOptions({ guards }) }`.
 *
 * @throws ConfigurationError GRAPHQL_BAD_SCHEMA for options that are not an object
 */
export const fieldOptions = (options: FieldOptions): { readonly [FIELD_OPTIONS]: FieldOptions } => ({
  [FIELD_OPTIONS]: requireObject("fieldOptions", options, ""),
});
