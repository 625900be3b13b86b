import type { StandardSchema } from "@framework/core";
import { fileSchema, isSchemaObject, type JsonSchemaObject } from "./json-schema.ts";

/** The input or the output type of a schema. */
export type Side = "input" | "output";

/** The member `~standard.jsonSchema` of Standard JSON Schema v1 (standardschema.dev/json-schema). */
type Converter = Readonly<
  Record<Side, (options: { target: "draft-2020-12"; libraryOptions?: Record<string, unknown> }) => unknown>
>;

/**
 * The member `~standard.documents` of a schema that only documents its values, because they are validated elsewhere, such as the input of a command of
 * `@framework/cqrs`.
 */
export interface Documents {
  /** The schema that validates. */
  readonly schema: StandardSchema;
  /** Returns the documented part of its JSON Schema; `null` for all of it. */
  readonly part: ((jsonSchema: unknown) => unknown) | null;
}

/** Returns the documented schema; `null` for a schema that validates its values. */
export const documentsOf = (schema: StandardSchema): Documents | null =>
  (schema["~standard"] as { readonly documents?: Documents }).documents ?? null;

/**
 * Library options for the conversion of files. In arktype a file is a class, which it would convert to any value; zod and valibot's converter need no
 * option.
 */
const optionsOf: Readonly<Record<string, Record<string, unknown>>> = {
  arktype: {
    fallback: {
      proto: ({ proto, base }: { readonly proto: { readonly name: string }; readonly base: object }) =>
        proto.name === "File" || proto.name === "Blob" ? fileSchema : base,
    },
  },
};

/**
 * Returns the JSON Schema of a Standard Schema; `null` if its library provides none or cannot express the type.
 *
 * Types that JSON Schema cannot express, such as dates and transforms, become schemas that allow any value, if the library can omit them.
 */
export const jsonSchemaOf = (schema: StandardSchema, side: Side): JsonSchemaObject | null => {
  const { jsonSchema, vendor } = schema["~standard"] as { readonly jsonSchema?: Converter; vendor: string };
  if (jsonSchema === undefined) return null;
  const own = Object.hasOwn(optionsOf, vendor) ? optionsOf[vendor] : undefined;
  for (const libraryOptions of [own, { ...own, unrepresentable: "any" }]) {
    try {
      const converted = jsonSchema[side]({
        target: "draft-2020-12",
        ...(libraryOptions === undefined ? {} : { libraryOptions }),
      });
      if (isSchemaObject(converted)) return converted;
    } catch {
      // The library cannot convert the schema with these options.
    }
  }
  return null;
};

/** Returns the result of a synchronous schema for `undefined`; `null` if it refuses `undefined`, throws, or is asynchronous. */
export const resultOfUndefined = (schema: StandardSchema): { readonly value: unknown } | null => {
  try {
    const result = schema["~standard"].validate(undefined);
    if ("issues" in result || "value" in result) return result.issues === undefined ? result : null;
    result.then(undefined, () => {}); // asynchronous schemas are not awaited: the document is generated synchronously
  } catch {
    // A validator that expects a value may throw; the app reports the error for the request that causes it.
  }
  return null;
};
