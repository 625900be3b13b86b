import type { StandardSchema } from "@framework/core";
import { isSchemaObject, type JsonSchemaObject } from "./json-schema.ts";

/** Which of a schema's types: what is sent to it, or what it makes of that. */
export type Side = "input" | "output";

/** What a schema with Standard JSON Schema v1 (standardschema.dev/json-schema) carries under `~standard.jsonSchema`. */
type Converter = Readonly<
  Record<Side, (options: { target: "draft-2020-12"; libraryOptions?: Record<string, unknown> }) => unknown>
>;

/**
 * The JSON Schema of a Standard Schema; `null` when its library gives none, or when it cannot say the type in JSON Schema.
 *
 * Parts that JSON Schema cannot say, as dates and transforms, become "anything" where the library can leave them out.
 */
export const jsonSchemaOf = (schema: StandardSchema, side: Side): JsonSchemaObject | null => {
  const { jsonSchema } = schema["~standard"] as { readonly jsonSchema?: Converter };
  if (jsonSchema === undefined) return null;
  for (const libraryOptions of [undefined, { unrepresentable: "any" }]) {
    try {
      const converted = jsonSchema[side]({
        target: "draft-2020-12",
        ...(libraryOptions === undefined ? {} : { libraryOptions }),
      });
      if (isSchemaObject(converted)) return converted;
    } catch {
      // the library refuses by throwing: the next attempt asks for less, and `null` says that there is nothing
    }
  }
  return null;
};
