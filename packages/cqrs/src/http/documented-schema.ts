import type { StandardSchema } from "@framework/core";

/** Which members of an object a schema documents. @default all */
export type Members = (name: string) => boolean;

/**
 * Returns a schema for a route's options that documents what `schema` documents, and accepts every value: the pipeline of the command or query validates, once.
 *
 * It inherits from `schema`, so that a converter of its library can read it.
 *
 * @param includes members to document, for schemas with Standard JSON Schema
 */
export const documentedSchema = (schema: StandardSchema, includes: Members = () => true): StandardSchema => {
  const own = schema["~standard"];
  const { jsonSchema } = own as { readonly jsonSchema?: JsonSchemaConverter };
  const standard = {
    ...own,
    validate: (value: unknown) => ({ value }),
    ...(jsonSchema !== undefined && {
      jsonSchema: {
        input: (options: unknown) => withMembers(jsonSchema.input(options), includes),
        output: (options: unknown) => withMembers(jsonSchema.output(options), includes),
      },
    }),
  };
  return Object.create(schema, { "~standard": { value: standard, enumerable: true } }) as StandardSchema;
};

/** Whether an object of the schema can have a member that `includes` names; also when the schema cannot tell. */
export const hasMembers = (schema: StandardSchema, includes: Members): boolean => {
  const { jsonSchema } = schema["~standard"] as { readonly jsonSchema?: JsonSchemaConverter };
  const converted = jsonSchema === undefined ? null : convertedBy(jsonSchema);
  if (converted === null || converted.properties === undefined || converted.additionalProperties) return true;
  return Object.keys(converted.properties).some(includes);
};

interface ObjectSchema {
  readonly properties?: object;
  readonly additionalProperties?: unknown;
}

const convertedBy = (jsonSchema: JsonSchemaConverter): ObjectSchema | null => {
  try {
    const converted = jsonSchema.input({ target: "draft-2020-12" });
    return typeof converted === "object" ? converted : null;
  } catch {
    return null; // JSON Schema cannot express it; the API document says so
  }
};

type JsonSchemaConverter = Readonly<Record<"input" | "output", (options: unknown) => unknown>>;

/** Leaves only some members in the JSON Schema of an object. */
const withMembers = (converted: unknown, includes: Members): unknown => {
  if (typeof converted !== "object" || converted === null || !("properties" in converted)) return converted;
  const { properties, required } = converted as {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  return {
    ...converted,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => includes(name))),
    ...(required !== undefined && { required: required.filter(includes) }),
  };
};
