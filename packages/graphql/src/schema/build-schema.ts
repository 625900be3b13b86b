import { FrameworkError, isGuard } from "@framework/core";
import { isPlainObject, nearest, unknownFields } from "@framework/core/feature";
import {
  buildSchema as buildFromSdl,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  validateSchema,
} from "graphql";
import type { GraphqlContext } from "../context/graphql-context.ts";
import { withPartDirectives } from "../graphql-js/in-parts.ts";
import { readDefaults } from "../graphql-js/read-defaults.ts";
import { copySchema } from "./copy-schema.ts";
import {
  type Field,
  FIELD_OPTIONS,
  type FieldOptions,
  type Resolve,
  type Resolvers,
  type TypeResolvers,
} from "./field-options.ts";
import { guardField } from "./guard-field.ts";

type AnyField = GraphQLField<unknown, GraphqlContext>;
type Entry = Resolve<GraphqlContext> | Field<GraphqlContext>;

/**
 * Builds the executable schema; a given `GraphQLSchema` is copied, not changed.
 *
 * @param incremental whether to add `@defer` and `@stream`
 * @throws GRAPHQL_BAD_SCHEMA with all mistakes; for SDL that cannot be read, only with that mistake
 */
export const buildSchema = (
  source: string | GraphQLSchema,
  resolvers: Resolvers,
  incremental: boolean = false,
): GraphQLSchema => {
  const given = typeof source === "string" ? parseSdl(source) : copySchema(source);
  const schema = incremental ? withPartDirectives(given) : given;
  const problems = validateSchema(schema).map(({ message }) => message);
  if (!incremental) problems.push(...unusableDirectives(schema));
  problems.push(...addResolvers(schema, resolvers));
  readDefaults(schema);
  problems.push(...optionMistakes(schema), ...unguardedTypes(schema));
  if (problems.length > 0) throw badSchema(problems.join("; "));
  guardSchema(schema);
  return schema;
};

/** Reports `@defer` and `@stream`: graphql refuses to execute operations without parts if the schema has them. */
const unusableDirectives = (schema: GraphQLSchema): string[] =>
  ["defer", "stream"]
    .filter((name) => schema.getDirective(name) != null)
    .map((name) => `the directive @${name} has no effect without \`incremental\`; set that, or remove it`);

const parseSdl = (sdl: string): GraphQLSchema => {
  try {
    return buildFromSdl(sdl);
  } catch (error) {
    throw badSchema((error as Error).message, error);
  }
};

const badSchema = (message: string, cause?: unknown): FrameworkError =>
  new FrameworkError("GRAPHQL_BAD_SCHEMA", `graphql: ${message}`, { cause });

const addResolvers = (schema: GraphQLSchema, resolvers: Resolvers): string[] =>
  Object.entries(resolvers).flatMap(([name, entries]) => {
    const type = schema.getType(name);
    if (type === undefined) return [unknownMember(`type "${name}"`, name, Object.keys(schema.getTypeMap()))];
    if (isSpecifiedScalarType(type) || isIntrospectionType(type))
      return [`"${name}" is part of GraphQL and cannot have resolvers; define your own type`];
    if (isScalarType(type)) return addScalar(type, entries);
    if (typeof entries !== "object" || entries === null || Array.isArray(entries))
      return [`the resolvers of "${name}" must be an object with its fields, not ${kindOf(entries)}`];
    return Object.entries(entries as TypeResolvers<GraphqlContext>).flatMap(([key, entry]) =>
      addMember(type, key, entry),
    );
  });

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
};

/** Members of a scalar in SDL that its resolver replaces; without a resolver, values are unchanged. */
const scalarMembers = [
  "coerceOutputValue",
  "coerceInputValue",
  "coerceInputLiteral",
  "valueToLiteral",
  "serialize",
  "parseValue",
  "parseLiteral",
] as const;

const addScalar = (type: GraphQLScalarType, scalar: unknown): string[] => {
  if (!isScalarType(scalar)) return [`the resolver of the scalar "${type.name}" must be a GraphQLScalarType`];
  for (const member of scalarMembers) Reflect.set(type, member, Reflect.get(scalar, member));
  if (scalar.specifiedByURL != null) type.specifiedByURL = scalar.specifiedByURL;
  return [];
};

const addMember = (type: GraphQLNamedType, key: string, entry: unknown): string[] => {
  if (isEnumType(type)) return addEnumValue(type, key, entry);
  if ((key === "__resolveType" && isAbstractType(type)) || (key === "__isTypeOf" && isObjectType(type))) {
    if (typeof entry !== "function")
      return [`the resolver of "${type.name}.${key}" must be a function, not ${kindOf(entry)}`];
    Reflect.set(type, key.slice("__".length), entry);
    return [];
  }
  if (!isObjectType(type) && !isInterfaceType(type))
    return [`the type "${type.name}" has no fields to resolve`];
  const fields = type.getFields();
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field === undefined) return [unknownMember(`field "${type.name}.${key}"`, key, Object.keys(fields))];
  const name = `${type.name}.${key}`;
  if (isInterfaceType(type) && (typeof entry === "function" || (entry as Field<GraphqlContext>)?.resolve))
    return [`the field "${name}" of an interface is never resolved; move its resolver to the types`];
  return addField(field, entry as Entry, name);
};

/** Reports guards of an interface's field without guards of the same field in its types: GraphQL executes only fields of object types. */
const unguardedTypes = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isInterfaceType)
    .flatMap((parent) =>
      Object.values(parent.getFields())
        .filter((field) => hasGuards(optionsOf(field)))
        .flatMap(({ name }) =>
          schema
            .getPossibleTypes(parent)
            .filter((type) => !hasGuards(optionsOf(type.getFields()[name] ?? { extensions: {} })))
            .map(
              (type) =>
                `the guards of "${parent.name}.${name}" guard nothing; move them to "${type.name}.${name}"`,
            ),
        ),
    );

const hasGuards = ({ guards = [] }: FieldOptions): boolean => Array.isArray(guards) && guards.length > 0; // `optionMistakes` reports other values

const addField = (field: AnyField, entry: Entry, name: string): string[] => {
  const given: Field<GraphqlContext> = typeof entry === "function" ? { resolve: entry } : entry;
  if (typeof given !== "object" || given === null)
    return [`the resolver of "${name}" must be a function, or made by field()`];
  const { resolve, subscribe, ...options } = given;
  for (const each of [resolve, subscribe])
    if (each !== undefined && typeof each !== "function")
      return [`the resolver of "${name}" must be a function, not ${kindOf(each)}`];
  // `guardField` passes the dependencies as the last argument.
  if (resolve !== undefined) field.resolve = resolve as unknown as NonNullable<AnyField["resolve"]>;
  if (subscribe !== undefined) field.subscribe = subscribe as unknown as NonNullable<AnyField["subscribe"]>;
  field.extensions = { ...field.extensions, [FIELD_OPTIONS]: options };
  return [];
};

/** Reports mistakes in the options of fields, from resolvers and from the extensions of a `GraphQLSchema`: guards with a mistake would guard nothing. */
const optionMistakes = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) =>
        mistakesIn(`the options of "${type.name}.${field.name}"`, optionsOf(field)),
      ),
    );

const mistakesIn = (place: string, options: unknown): string[] => {
  if (!isPlainObject(options)) return [`${place} must be an object, such as { guards: [isOwner] }`];
  const { guards = [], cost = 1 } = options as Readonly<Record<string, unknown>>;
  const areGuards = Array.isArray(guards) && guards.every(isGuard);
  const isCost = typeof cost === "number" && cost >= 0;
  return [
    ...unknownFields(place, options, ["guards", "inject", "cost"]),
    ...(areGuards ? [] : [`${place}: guards must be a list of guards`]),
    ...(isCost ? [] : [`${place}: cost must be a number of at least 0`]),
  ];
};

const addEnumValue = (type: GraphQLEnumType, key: string, value: unknown): string[] => {
  const found = type.getValue(key);
  if (found === undefined || found === null)
    return [
      unknownMember(
        `value "${type.name}.${key}"`,
        key,
        type.getValues().map(({ name }) => name),
      ),
    ];
  found.value = value;
  return [];
};

const unknownMember = (subject: string, name: string, known: readonly string[]): string => {
  const [near] = nearest(name, known);
  return `the schema has no ${subject}, which has a resolver${near === undefined ? "" : `; did you mean "${near}"?`}`;
};

/** Returns the options of a field from its extensions; `{}` if there are none. */
export const optionsOf = ({ extensions }: { readonly extensions: AnyField["extensions"] }): FieldOptions =>
  (extensions[FIELD_OPTIONS] as FieldOptions | undefined) ?? {};

const guardSchema = (schema: GraphQLSchema): void => {
  const operations = new Map(
    (["mutation", "subscription"] as const).map((each) => [schema.getRootType(each), each]),
  );
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields()))
      guardField(
        field as AnyField,
        `${type.name}.${field.name}`,
        optionsOf(field),
        operations.get(type) ?? null,
      );
  }
};

/** Returns every field of the object types, with its options. */
export const fieldsWithOptions = (
  schema: GraphQLSchema,
): readonly (readonly [place: string, options: FieldOptions])[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).map(
          (field) => [`${type.name}.${field.name}`, optionsOf(field)] as const,
        )
      : [],
  );
