import type { StandardSchema } from "@framework/core";
import { isSchemaObject, type JsonSchemaObject } from "./json-schema.ts";

/** Input or output type of a schema. */
export type Side = "input" | "output";

/** The member `~standard.jsonSchema` of Standard JSON Schema v1 (standardschema.dev/json-schema). */
type Converter = Readonly<
  Record<Side, (options: { target: "draft-2020-12"; libraryOptions?: Record<string, unknown> }) => unknown>
>;

/**
 * The JSON Schema of a Standard Schema; `null` when its library provides none or cannot express the type.
 *
 * Parts that JSON Schema cannot express, such as dates and transforms, allow any value if the library can omit them.
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
      // the library throws if it cannot: the next attempt requests less, and `null` means none
    }
  }
  return null;
};
