import { ConfigurationError, type Problem, type RouteInfo, type StandardSchema } from "@framework/core";
import { fileSchema } from "./json-schema.ts";
import { documentsOf, type Side } from "./standard-json-schema.ts";

/** Returns the JSON Schema (draft 2020-12) of a library's schema: of its input for requests, of its output for replies. */
export type SchemaConverter = (schema: StandardSchema, side: Side) => unknown;

/** Converters by the name of a library, its `~standard.vendor`. */
export type SchemaConverters = Readonly<Record<string, SchemaConverter>>;

/** Whether a value is an object of converters. */
export const isConverters = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((converter) => typeof converter === "function");

/**
 * Returns the routes with schemas that all have Standard JSON Schema: schemas of other libraries get a converter from `given`, and valibot's schemas by default
 * the converter of `@valibot/to-json-schema`.
 *
 * @throws ConfigurationError OPENAPI_NO_JSON_SCHEMA with each route whose schema has no converter
 */
export const withJsonSchemas = async (
  routes: readonly RouteInfo[],
  given: SchemaConverters,
): Promise<readonly RouteInfo[]> => {
  const converters = await convertersFor(routes.flatMap(schemasOf), given);
  const problems: Problem[] = [];
  const converted = routes.map((route) => {
    const missing = schemasOf(route)
      .filter(needsConverter)
      .map(vendorOf)
      .find((vendor) => !Object.hasOwn(converters, vendor));
    if (missing !== undefined) problems.push(problemOf(route, missing));
    return withConverters(route, converters);
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return converted;
};

/** Returns the converters for schemas: all of `given`, and valibot's own if it is needed. */
export const convertersFor = async (
  schemas: readonly StandardSchema[],
  given: SchemaConverters,
): Promise<SchemaConverters> => {
  const vendors = new Set(schemas.filter(needsConverter).map(vendorOf));
  const loaded = vendors.has("valibot") && !Object.hasOwn(given, "valibot") ? await loadValibot() : {};
  return { ...loaded, ...given };
};

const schemasOf = ({ options }: RouteInfo): StandardSchema[] =>
  [options.params, options.query, options.body, ...Object.values(options.responses ?? {})].filter(
    (schema) => schema !== undefined,
  );

const needsConverter = (schema: StandardSchema): boolean => !("jsonSchema" in schema["~standard"]);

const vendorOf = (schema: StandardSchema): string => schema["~standard"].vendor;

const remedies: Readonly<Record<string, string>> = {
  valibot: "npm install @valibot/to-json-schema",
  zod: 'use the schemas of "zod" 4, or, for schemas of "zod/mini", pass enableOpenapi({ jsonSchema: { zod: (schema, side) => z.toJSONSchema(schema, { io: side }) } })',
};

const problemOf = ({ method, path }: RouteInfo, vendor: string): Problem => {
  const remedy = Object.hasOwn(remedies, vendor)
    ? remedies[vendor]
    : `use a version with Standard JSON Schema, or pass enableOpenapi({ jsonSchema: { ${JSON.stringify(vendor)}: (schema, side) => … } })`;
  const message = `${method} ${path}: the API document cannot show schemas of ${vendor}; ${remedy}, or hide the route with hidden: true`;
  return { code: "OPENAPI_NO_JSON_SCHEMA", message };
};

/** Returns the schema with Standard JSON Schema, if its library or a converter provides it. */
export const withConverter = <S extends StandardSchema | undefined>(
  schema: S,
  converters: SchemaConverters,
): S => {
  if (schema === undefined || !needsConverter(schema)) return schema;
  const convert = converters[vendorOf(schema)];
  if (convert === undefined) return schema;
  const part = documentsOf(schema)?.part ?? ((converted: unknown) => converted);
  const jsonSchema = {
    input: () => part(convert(schema, "input")),
    output: () => part(convert(schema, "output")),
  };
  return { "~standard": { ...schema["~standard"], jsonSchema } } as unknown as S; // the same schema with an additional member
};

const withConverters = (route: RouteInfo, converters: SchemaConverters): RouteInfo => {
  const convert = <S extends StandardSchema | undefined>(schema: S): S => withConverter(schema, converters);
  const { params, query, body, responses } = route.options;
  const options = {
    ...route.options,
    ...(params !== undefined && { params: convert(params) }),
    ...(query !== undefined && { query: convert(query) }),
    ...(body !== undefined && { body: convert(body) }),
    ...(responses !== undefined && {
      responses: Object.fromEntries(
        Object.entries(responses).flatMap(([status, schema]) =>
          schema === undefined ? [] : [[status, convert(schema)]],
        ),
      ),
    }),
  };
  return { ...route, options };
};

/** Returns the converter of valibot's own package, an optional peer dependency; `{}` if it is not installed. */
const loadValibot = async (): Promise<SchemaConverters> => {
  try {
    const { toJsonSchema } = await import("@valibot/to-json-schema");
    return { valibot: (schema, side) => toJsonSchema(schema as never, { ...valibotConfig, typeMode: side }) }; // the vendor shows that it is a schema of valibot
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return {};
    throw error;
  }
};

/** JSON Schemas of the outputs of valibot's transformations, which its converter cannot express. */
const outputs: Readonly<Record<string, object>> = {
  to_number: { type: "number" },
  to_boolean: { type: "boolean" },
  to_string: { type: "string" },
  to_bigint: {},
  to_date: {},
  transform: {},
  raw_transform: {},
};

const valibotConfig: NonNullable<Parameters<(typeof import("@valibot/to-json-schema"))["toJsonSchema"]>[1]> =
  {
    target: "draft-2020-12",
    errorMode: "ignore",
    overrideSchema: ({ valibotSchema: { type } }) => (type === "file" || type === "blob" ? fileSchema : null),
    overrideAction: ({ valibotAction: { type } }) => outputs[type] ?? null,
  };
