import {
  targetOf,
  isFileSchema,
  isSchemaObject,
  type JsonSchema,
  type JsonSchemaObject,
} from "./json-schema.ts";

/** JSON types whose values a handler does not send as JSON: a string is sent as text, `null` as a 204. */
export type PlainType = "string" | "null";

/** Whether a schema allows the type, itself or in a reference or an alternative. A schema that allows any value allows both types; a file is not a string. */
export const hasType = (root: JsonSchemaObject, type: PlainType): boolean => {
  const followed = new Set<string>();
  const allows = (schema: JsonSchema | undefined): boolean => {
    if (schema === undefined || isFileSchema(schema)) return false;
    if (!isSchemaObject(schema) || allowsAny(schema)) return schema !== false;
    const { $ref: reference, const: value, enum: values, anyOf, oneOf, allOf, type: own } = schema;
    if (typeof reference === "string" && !followed.has(reference)) {
      followed.add(reference);
      if (allows(targetOf(root, reference))) return true;
    }
    if (Array.isArray(values)) return values.some((each) => typeNameOf(each) === type);
    if (value !== undefined) return typeNameOf(value) === type;
    if ([own].flat().includes(type)) return true;
    const parts = [anyOf, oneOf, restrictions(allOf)].filter(Array.isArray).flat() as readonly JsonSchema[];
    return parts.some(allows);
  };
  return allows(root);
};

/** Keywords that exclude values. A schema without any of them, such as a schema with only a description, allows any value. */
const restricting: ReadonlySet<string> = new Set(
  (
    "$ref $dynamicRef type const enum format pattern not if anyOf oneOf allOf properties patternProperties additionalProperties propertyNames " +
    "required dependentRequired dependentSchemas unevaluatedProperties minProperties maxProperties items prefixItems contains unevaluatedItems " +
    "minItems maxItems uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength contentEncoding " +
    "contentMediaType contentSchema"
  ).split(" "),
);

/** Whether a schema allows any value. */
const allowsAny = (schema: unknown): boolean =>
  schema === true ||
  (isSchemaObject(schema) && !Object.keys(schema).some((keyword) => restricting.has(keyword)));

/** Returns the parts of `allOf` that exclude values, or all parts if none does. */
const restrictions = (parts: unknown): unknown =>
  Array.isArray(parts) && !parts.every(allowsAny) ? parts.filter((part) => !allowsAny(part)) : parts;

const typeNameOf = (value: unknown): string => (value === null ? "null" : typeof value);
