import type { StandardSchema } from "@framework/core";
import { fileSchema, isSchemaObject, type JsonSchemaObject } from "./json-schema.ts";

/** Input or output type of a schema. */
export type Side = "input" | "output";

/** The member `~standard.jsonSchema` of Standard JSON Schema v1 (standardschema.dev/json-schema). */
type Converter = Readonly<
  Record<Side, (options: { target: "draft-2020-12"; libraryOptions?: Record<string, unknown> }) => unknown>
>;

/**
 * The member `~standard.documents` of a schema that does not validate, because its values are validated elsewhere, such as the input of a command of
 * `@framework/cqrs`.
 */
export interface Documents {
  /** The schema that validates. */
  readonly schema: StandardSchema;
  /** Returns the documented part of its JSON Schema; `null` for all of it. */
  readonly part: ((jsonSchema: unknown) => unknown) | null;
}

/** The documented schema; `null` for a schema that validates itself. */
export const documentsOf = (schema: StandardSchema): Documents | null =>
  (schema["~standard"] as { readonly documents?: Documents }).documents ?? null;

/**
 * Options with which a library converts files: arktype's "File" is a class, which all libraries but zod and valibot's converter
 * convert to any value.
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
 * The JSON Schema of a Standard Schema; `null` when its library provides none or cannot express the type.
 *
 * Parts that JSON Schema cannot express, such as dates and transforms, allow any value if the library can omit them.
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
      // the library throws if it cannot: the next attempt requests less, and `null` means none
    }
  }
  return null;
};

/** The result of a synchronous schema for `undefined`; `null` if it refuses `undefined`, throws, or is asynchronous. */
export const resultOfUndefined = (schema: StandardSchema): { readonly value: unknown } | null => {
  try {
    const result = schema["~standard"].validate(undefined);
    if ("issues" in result || "value" in result) return result.issues === undefined ? result : null;
    result.then(undefined, () => {}); // asynchronous: the document is generated synchronously
  } catch {
    // a validator that expects a value; the app reports the error for the request that causes it
  }
  return null;
};
