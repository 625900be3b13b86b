/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = boolean | JsonSchemaObject;

/** A schema with keywords. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
}

export const isSchemaObject = (value: unknown): value is JsonSchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords whose value is one schema. */
const single = new Set([
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords whose value is a list of schemas. */
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value is a map of schemas. */
const maps = new Set(["dependentSchemas", "patternProperties", "properties"]);

/** Returns a copy of a schema with `change` applied to each direct subschema; values such as `const` and `default` are not changed. */
export const mapSubschemas = (
  schema: JsonSchemaObject,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchemaObject =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapValue(keyword, value, change)]),
  );

const mapValue = (keyword: string, value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown => {
  const changeSchema = (item: unknown): unknown =>
    typeof item === "boolean" || isSchemaObject(item) ? change(item) : item;
  if (single.has(keyword)) return changeSchema(value);
  if (lists.has(keyword) && Array.isArray(value)) return value.map(changeSchema);
  if (maps.has(keyword) && isSchemaObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, changeSchema(item)]));
  return value;
};

/** Resolves a local reference (`#`, `#/$defs/Book`; RFC 6901); `undefined` unless its target is a schema. */
const atPointer = (root: JsonSchemaObject, reference: string): JsonSchema | undefined => {
  let at: unknown = root;
  for (const token of reference.slice(1).split("/").slice(1)) {
    const key = unescapeToken(token);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === "boolean" || isSchemaObject(at) ? at : undefined;
};

/** Resolves a reference by pointer, `$anchor` or `$id`; `undefined` unless its target is a schema of this root. */
export const targetOf = (root: JsonSchemaObject, reference: unknown): JsonSchema | undefined => {
  if (typeof reference !== "string") return undefined;
  const at = reference.indexOf("#");
  const id = at === -1 ? reference : reference.slice(0, at);
  const fragment = at === -1 ? "" : reference.slice(at + 1);
  const resource = id === "" ? root : schemaWith(root, ["$id"], id);
  if (resource === undefined || fragment === "") return resource;
  return fragment.startsWith("/")
    ? atPointer(resource, `#${fragment}`)
    : schemaWith(resource, ["$anchor", "$dynamicAnchor"], fragment);
};

/** Returns the first schema in a root that has this text under one of the keywords. */
const schemaWith = (
  root: JsonSchemaObject,
  keywords: readonly string[],
  text: string,
): JsonSchemaObject | undefined => {
  let found: JsonSchemaObject | undefined;
  const visit = (schema: JsonSchema): JsonSchema => {
    if (found !== undefined || !isSchemaObject(schema)) return schema;
    if (keywords.some((keyword) => schema[keyword] === text)) found = schema;
    for (const keyword of ["$defs", "definitions"]) {
      const { [keyword]: definitions } = schema;
      if (isSchemaObject(definitions))
        for (const each of Object.values(definitions)) visit(each as JsonSchema);
    }
    return mapSubschemas(schema, visit);
  };
  visit(root);
  return found;
};

/** Returns the last token of a reference: the schema's name in its library. */
export const lastToken = (reference: string): string => unescapeToken(reference.split(/[/#]/).at(-1) ?? "");

/** Returns the name in a schema's `$id`: `Book` of `Book`, `https://shop.test/schemas/Book.json` and `https://shop.test/Book/`; `null` if it has none. */
export const nameInId = ({ $id: id }: JsonSchemaObject): string | null => {
  if (typeof id !== "string") return null;
  const path = id.replace(/[?#].*$/, "").replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, "");
  const name = lastToken(path.replace(/(?<!\/)\/+$/, "")).replace(/(?:\.schema)?\.json$/, "");
  return name === "" ? null : name;
};

const unescapeToken = (token: string): string => {
  const plain = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain; // not percent-encoded: the token is literal
  }
};

/** Schema of a file. */
export const fileSchema: JsonSchemaObject = { type: "string", format: "binary" };

/** Whether a schema describes a file: a string with the format `binary`. */
export const isFileSchema = (schema: unknown): boolean =>
  isSchemaObject(schema) && schema["type"] === "string" && schema["format"] === "binary";

/** Whether a schema, or a schema that it contains or refers to, describes a file. */
export const containsFile = (root: JsonSchemaObject): boolean => {
  const followed = new Set<unknown>();
  let found = false;
  const visit = (schema: JsonSchema): JsonSchema => {
    if (found || !isSchemaObject(schema)) return schema;
    found = isFileSchema(schema);
    const { $ref: reference } = schema;
    if (typeof reference === "string" && !followed.has(reference)) {
      followed.add(reference);
      visit(targetOf(root, reference) ?? true);
    }
    return mapSubschemas(schema, visit);
  };
  visit(root);
  return found;
};

/** Whether a schema requires members: itself, in a part of `allOf`, in every alternative, or in the schema that it refers to. */
export const requiresMembers = (root: JsonSchemaObject): boolean => {
  const requires = (schema: unknown, step = 0): boolean => {
    if (!isSchemaObject(schema) || step > MAX_DEPTH) return false;
    const { required, anyOf, oneOf, allOf, $ref } = schema;
    if (Array.isArray(required) && required.length > 0) return true;
    const below = (part: unknown): boolean => requires(part, step + 1);
    if (Array.isArray(allOf) && allOf.some(below)) return true;
    if ([anyOf, oneOf].some((parts) => Array.isArray(parts) && parts.every(below))) return true;
    return $ref !== undefined && below(targetOf(root, $ref));
  };
  return requires(root);
};

/** Maximum depth of alternatives and references, which may be circular. */
const MAX_DEPTH = 32;
