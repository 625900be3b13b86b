import type { StandardSchema } from "@framework/core";

/** A JSON Schema with keywords. */
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON Schema with keywords. */
export const isSchemaObject = (value: unknown): value is JsonSchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The member `~standard.jsonSchema` of Standard JSON Schema v1. */
type Converter = Readonly<Record<"input" | "output", (options: object) => unknown>>;

/**
 * Returns the JSON Schema of the values that are sent: the input of a schema, which the peer validates. `null` if the library provides none or cannot convert
 * the schema.
 *
 * Types that JSON Schema cannot express become schemas that allow any value, if the library can omit them.
 */
export const jsonSchemaOf = (schema: StandardSchema): JsonSchemaObject | null => {
  const { jsonSchema } = schema["~standard"] as { readonly jsonSchema?: Converter };
  if (jsonSchema === undefined) return null;
  for (const libraryOptions of [undefined, { unrepresentable: "any" }]) {
    try {
      const converted = jsonSchema.input({
        target: "draft-2020-12",
        ...(libraryOptions !== undefined && { libraryOptions }),
      });
      if (isSchemaObject(converted)) return converted;
    } catch {
      // The library cannot convert the schema with these options.
    }
  }
  return null;
};
