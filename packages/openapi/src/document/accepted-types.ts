import {
  targetOf,
  isFileSchema,
  isSchemaObject,
  type JsonSchema,
  type JsonSchemaObject,
} from "./json-schema.ts";

/** JSON types that a handler's return value does not send as JSON: a string is sent as text, `null` as a 204. */
export type PlainType = "string" | "null";

/** Whether a schema has the type, itself or in a reference or an alternative. A schema that allows any value has none, and a file is no string. */
export const hasType = (root: JsonSchemaObject, type: PlainType): boolean => {
  const followed = new Set<string>();
  const names = (schema: JsonSchema | undefined): boolean => {
    if (!isSchemaObject(schema) || isFileSchema(schema)) return false;
    const { $ref: reference, const: value, enum: values, anyOf, oneOf, allOf, type: own } = schema;
    if (typeof reference === "string" && !followed.has(reference)) {
      followed.add(reference);
      if (names(targetOf(root, reference))) return true;
    }
    if (Array.isArray(values)) return values.some((each) => typeNameOf(each) === type);
    if (value !== undefined) return typeNameOf(value) === type;
    if ([own].flat().includes(type)) return true;
    const parts = [anyOf, oneOf, allOf].filter(Array.isArray).flat() as readonly JsonSchema[];
    return parts.some(names);
  };
  return names(root);
};

const typeNameOf = (value: unknown): string => (value === null ? "null" : typeof value);
