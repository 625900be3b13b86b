import type { StandardSchema } from "./standard-schema.ts";

/** Maximum length of a chain of references, which bounds cycles. */
const MAX_REFERENCES = 32;

type JsonSchema = Readonly<Record<string, unknown>>;

/** The member `~standard.jsonSchema` of Standard JSON Schema v1 (standardschema.dev/json-schema). */
interface Converter {
  input(options: { target: "draft-2020-12"; libraryOptions?: object }): unknown;
}

/** The properties that a schema accepts as a list but not as a string. */
export interface ListNames {
  /** Whether the set is empty. */
  readonly isEmpty: boolean;
  /** Whether the property with this name is in the set. */
  has(name: string): boolean;
}

/**
 * Returns the properties that a schema accepts as a list but not as a string, according to its own JSON Schema: named properties, and all other properties of a
 * record of lists; none without a JSON Schema. In a union, one alternative with a list is enough: the issue shows whether that alternative applies.
 */
export const listNamesOf = (schema: StandardSchema): ListNames => {
  const root = inputOf(schema);
  const found: ListResults = { lists: new Set(), named: new Set(), others: false };
  if (root !== null) collect(root, root, found, new Set());
  const { lists, named, others } = found;
  return {
    isEmpty: lists.size === 0 && !others,
    has: (name) => lists.has(name) || (others && !named.has(name)),
  };
};

/** Results of the visited schemas. */
interface ListResults {
  readonly lists: Set<string>;
  /** All properties that the schemas name. */
  readonly named: Set<string>;
  /** Whether all other properties are lists. */
  others: boolean;
}

const inputOf = (schema: StandardSchema): JsonSchema | null => {
  // At start, untyped programs can pass any value; another check reports it.
  const standard = (schema as Partial<StandardSchema> | null)?.["~standard"];
  const { jsonSchema } = (standard ?? {}) as { readonly jsonSchema?: Converter };
  if (typeof jsonSchema?.input !== "function") return null;
  for (const libraryOptions of [{}, { libraryOptions: { unrepresentable: "any" } }]) {
    try {
      const converted = jsonSchema.input({ target: "draft-2020-12", ...libraryOptions });
      if (isSchema(converted)) return converted;
    } catch {
      // the library throws for a type that JSON Schema lacks; the second attempt allows any value for such a type
    }
  }
  return null;
};

/** Adds the properties of a schema to `found`. `seen` contains the visited schemas, since a recursive schema refers to itself. */
const collect = (root: JsonSchema, schema: JsonSchema, found: ListResults, seen: Set<JsonSchema>): void => {
  const target = dereference(root, schema);
  if (target === null || seen.has(target)) return;
  seen.add(target);
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const part of partsOf(target[keyword])) collect(root, part, found, seen);
  const { properties, additionalProperties } = target;
  if (isSchema(additionalProperties) && isList(root, additionalProperties, new Set())) found.others = true;
  if (!isSchema(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    found.named.add(name);
    if (isSchema(property) && isList(root, property, new Set())) found.lists.add(name);
  }
};

/** Whether a schema accepts lists but no strings. */
const isList = (root: JsonSchema, schema: JsonSchema, seen: Set<JsonSchema>): boolean => {
  const target = dereference(root, schema);
  if (target === null || seen.has(target)) return false;
  seen.add(target);
  const { type } = target;
  if (type !== undefined) return [type].flat().includes("array") && !mayBeString(target);
  const choices = [...partsOf(target["anyOf"]), ...partsOf(target["oneOf"])];
  const lists = choices.filter((choice) => isList(root, choice, seen));
  return lists.length > 0 && choices.every((choice) => lists.includes(choice) || !mayBeString(choice));
};

/** Whether a schema may accept a string; true for a schema without a type, such as a reference. */
const mayBeString = ({ type }: JsonSchema): boolean => type === undefined || [type].flat().includes("string");

const partsOf = (list: unknown): readonly JsonSchema[] => (Array.isArray(list) ? list.filter(isSchema) : []);

const dereference = (root: JsonSchema, schema: JsonSchema): JsonSchema | null => {
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
