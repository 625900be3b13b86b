import type { StandardSchema } from "@framework/core";

/**
 * Returns a schema for route options. It documents `schema` but accepts any value, because the pipeline of the command or query validates.
 *
 * It inherits from `schema`, so that converters of the schema's library can read it. The API document converts `~standard.documents.schema`, because its own
 * converters take only the whole, validating schema; `part` then selects the members.
 *
 * @param includes members to document. @default all
 */
export const documentedSchema = (schema: StandardSchema, includes: Members | null = null): StandardSchema => {
  const own = schema["~standard"];
  const { jsonSchema } = own as { readonly jsonSchema?: JsonSchemaConverter };
  const part = includes === null ? null : (converted: unknown) => withMembers(converted, includes);
  const partOf = part ?? ((converted: unknown) => converted);
  const standard = {
    ...own,
    validate: (value: unknown) => ({ value }),
    documents: { schema, part },
    ...(jsonSchema !== undefined && {
      jsonSchema: {
        input: (options: unknown) => partOf(jsonSchema.input(options)),
        output: (options: unknown) => partOf(jsonSchema.output(options)),
      },
    }),
  };
  return Object.create(schema, { "~standard": { value: standard, enumerable: true } }) as StandardSchema;
};

/** Selects members of an object to document. */
export type Members = (name: string) => boolean;

/** Whether an object of the schema can have a member that `includes` accepts; `true` if that is unknown. */
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
    return null; // JSON Schema cannot express it; the API document reports that
  }
};

type JsonSchemaConverter = Readonly<Record<"input" | "output", (options: unknown) => unknown>>;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Maximum nesting of references and alternatives, in case of cycles. */
const MAX_DEPTH = 32;

/** Removes members that `includes` does not accept from the JSON Schema of an object, or of alternatives or an intersection of objects. */
const withMembers = (root: unknown, includes: Members): unknown => {
  const partOf = (schema: unknown, depth: number): unknown => {
    if (!isSchema(schema) || depth > MAX_DEPTH) return schema;
    const { $ref: reference, ...siblings } = schema;
    const target = typeof reference === "string" ? definitionAt(root, reference) : undefined;
    if (target !== undefined) {
      const part = partOf(target, depth + 1);
      if (part === target) return schema; // keeps the named schema
      return { ...siblings, ...(part as JsonSchema) };
    }
    const { properties, required } = schema;
    const changed: Record<string, unknown> = {};
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const { [keyword]: parts } = schema;
      if (!Array.isArray(parts)) continue;
      const own = parts.map((each) => partOf(each, depth + 1));
      if (own.some((each, index) => each !== parts[index])) changed[keyword] = own;
    }
    if (isSchema(properties) && !Object.keys(properties).every(includes))
      changed["properties"] = Object.fromEntries(
        Object.entries(properties).filter(([name]) => includes(name)),
      );
    if (Array.isArray(required) && !required.every(includes)) changed["required"] = required.filter(includes);
    return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
  };
  return partOf(root, 0);
};

/** Resolves a reference such as `#/$defs/Order`. */
const definitionAt = (root: unknown, reference: string): JsonSchema | undefined => {
  const [, keyword = "", name = ""] = /^#\/(\$defs|definitions)\/([^/%~]+)$/.exec(reference) ?? [];
  const { [keyword]: definitions } = root as JsonSchema;
  const target = isSchema(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isSchema(target) ? target : undefined;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
