import { isSchemaObject, type JsonSchema, type JsonSchemaObject, mapSubschemas } from "./json-schema.ts";

/**
 * Returns the schema of a request body: with `readOnly` only for optional members. OpenAPI ignores `required` for readOnly members of a request, and Swagger UI
 * and Redoc omit them, but the app rejects a request without them, because `readonly()` of zod describes the parsed value.
 */
export const requestSchema = (schema: JsonSchemaObject): JsonSchemaObject => {
  const { readOnly: _, ...copy } = mapSubschemas(schema, requestPart);
  const { properties, required } = schema;
  const isOptional = (name: string): boolean => !(Array.isArray(required) && required.includes(name));
  return {
    ...copy,
    ...withMembers("$defs", schema["$defs"], requestPart),
    ...withMembers("definitions", schema["definitions"], requestPart),
    ...withMembers("properties", properties, (member, name) =>
      isOptional(name) ? withReadOnlyOf(member, requestPart(member)) : requestPart(member),
    ),
  };
};

const requestPart = (schema: JsonSchema): JsonSchema =>
  isSchemaObject(schema) ? requestSchema(schema) : schema;

const withReadOnlyOf = (original: JsonSchema, changed: JsonSchema): JsonSchema =>
  isSchemaObject(original) && isSchemaObject(changed) && "readOnly" in original
    ? { ...changed, readOnly: original["readOnly"] }
    : changed;

const withMembers = (
  keyword: string,
  members: unknown,
  change: (member: JsonSchema, name: string) => JsonSchema,
): JsonSchemaObject =>
  isSchemaObject(members)
    ? {
        [keyword]: Object.fromEntries(
          Object.entries(members).map(([name, member]) => [name, change(member as JsonSchema, name)]),
        ),
      }
    : {};
