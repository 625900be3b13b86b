import type { StandardSchema } from "./standard-schema.ts";

/** References in a chain; bounds circles of them. */
const MAX_REFERENCES = 32;

type JsonSchema = Readonly<Record<string, unknown>>;

/** The member `~standard.jsonSchema` of Standard JSON Schema v1 (standardschema.dev/json-schema). */
interface Converter {
  input(options: { target: "draft-2020-12"; libraryOptions?: object }): unknown;
}

/**
 * Names of the properties that a schema accepts as a list and in no other form, except `null`, by the schema's own JSON Schema. Empty without a JSON
 * Schema, and for a property that also accepts a text. Of alternatives, such as those of a discriminated union, one that has a list is enough: the issue says
 * whether that one was chosen.
 */
export const listNamesOf = (schema: StandardSchema): ReadonlySet<string> => {
  const root = inputOf(schema);
  const names = new Set<string>();
  if (root !== null) collect(root, root, names, new Set());
  return names;
};

const inputOf = (schema: StandardSchema): JsonSchema | null => {
  // At start, any value of a program without types gets here, beside the check that reports it.
  const standard = (schema as Partial<StandardSchema> | null)?.["~standard"];
  const { jsonSchema } = (standard ?? {}) as { readonly jsonSchema?: Converter };
  if (typeof jsonSchema?.input !== "function") return null;
  for (const libraryOptions of [{}, { libraryOptions: { unrepresentable: "any" } }]) {
    try {
      const converted = jsonSchema.input({ target: "draft-2020-12", ...libraryOptions });
      if (isSchema(converted)) return converted;
    } catch {
      // the library throws for a type that JSON Schema lacks: the next attempt requests less, and `null` means no JSON Schema
    }
  }
  return null;
};

/** `seen` has the schemas that were visited: a recursive one refers to itself. */
const collect = (root: JsonSchema, schema: JsonSchema, names: Set<string>, seen: Set<JsonSchema>): void => {
  const target = dereferenced(root, schema);
  if (target === null || seen.has(target)) return;
  seen.add(target);
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const part of partsOf(target[keyword])) collect(root, part, names, seen);
  const { properties } = target;
  if (!isSchema(properties)) return;
  for (const [name, property] of Object.entries(properties))
    if (isSchema(property) && isList(root, property, new Set())) names.add(name);
};

const isList = (root: JsonSchema, schema: JsonSchema, seen: Set<JsonSchema>): boolean => {
  const target = dereferenced(root, schema);
  if (target === null || seen.has(target)) return false;
  seen.add(target);
  const { type } = target;
  if (type !== undefined)
    return type === "array" || (Array.isArray(type) && type.includes("array") && type.every(isListOrNull));
  const choices = [...partsOf(target["anyOf"]), ...partsOf(target["oneOf"])].filter(
    (choice) => choice["type"] !== "null",
  );
  return choices.length > 0 && choices.every((choice) => isList(root, choice, seen));
};

const isListOrNull = (type: unknown): boolean => type === "array" || type === "null";

const partsOf = (list: unknown): readonly JsonSchema[] => (Array.isArray(list) ? list.filter(isSchema) : []);

const dereferenced = (root: JsonSchema, schema: JsonSchema): JsonSchema | null => {
  let at: unknown = schema;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    if (!isSchema(at)) return null;
    const reference = at["$ref"];
    if (typeof reference !== "string") return at;
    if (!reference.startsWith("#")) return null;
    at = reference
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((parent, key) => (isSchema(parent) ? parent[key] : undefined), root);
  }
  return null;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
