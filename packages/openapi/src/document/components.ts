import {
  isSchemaObject,
  type JsonSchema,
  type JsonSchemaObject,
  lastToken,
  mapSubschemas,
  nameInId,
  targetOf,
} from "./json-schema.ts";
import type { Side } from "./standard-json-schema.ts";

/** A schema of a library that is added to the document. */
export interface Source {
  readonly schema: JsonSchemaObject;
  readonly side: Side;
  /** Name of the component if the schema is recursive and has no title. */
  readonly name: string;
}

/** Schemas of the document's `components`. */
export interface Components {
  /** Returns the schema for the document, with references to components. */
  place(source: Source): JsonSchema;
  /** Returns the properties of an object's schema, and the names of the required properties; `null` for other schemas. */
  properties(source: Source): Properties | null;
  /** Returns all referenced schemas, sorted by name. */
  schemas(): Readonly<Record<string, JsonSchema>>;
}

/** Properties of an object's schema. */
export interface Properties {
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
}

/**
 * Collects named schemas. Equal schemas share a name. If the schemas of a reply and of a request with the same name differ and the reply's is placed first,
 * the request's is called `…Input`; further schemas are numbered in order.
 */
export const createComponents = (initial: Readonly<Record<string, JsonSchema>>): Components => {
  const placed = new Map<string, JsonSchema>(Object.entries(initial));
  const contents = new Map<string, string>(Object.keys(initial).map((name) => [name, ""]));

  /** Returns the name for a schema's content, and whether it is new. */
  const claim = (wanted: string, side: Side, content: string): readonly [name: string, isNew: boolean] => {
    for (const name of candidates(wanted, side)) {
      const present = contents.get(name);
      if (present === content) return [name, false];
      if (present !== undefined) continue;
      contents.set(name, content);
      return [name, true];
    }
    throw new Error("unreachable: numbers are unbounded");
  };

  const placer = ({ schema: root, side, name: own }: Source) => {
    const names = new Map<unknown, string>();
    const nameOf = (written: string, target: JsonSchema): string => {
      const reference = target === root ? "#" : written;
      const identity = isSchemaObject(target) ? target : reference;
      const known = names.get(identity);
      if (known !== undefined) return known;
      const token = lastToken(reference) || (isSchemaObject(target) && nameInId(target)) || "";
      const isNumber = /^\d+$/.test(token); // valibot names unnamed schemas by number
      const wanted = reference === "#" || isNumber ? (nameInId(root) ?? titleOf(root) ?? own) : token;
      const [name, isNew] = claim(componentName(wanted), side, contentOf(root, reference));
      names.set(identity, name); // before rewriting the content, which may be recursive
      if (isNew) {
        placed.set(name, true);
        placed.set(name, rewrite(target));
      }
      return name;
    };
    const rewrite = (schema: JsonSchema): JsonSchema => {
      if (!isSchemaObject(schema)) return schema;
      const copy: Record<string, unknown> = { ...mapSubschemas(schema, rewrite) };
      for (const [keyword, value] of Object.entries(copy))
        if (localKeywords.has(keyword) || isInfinite(keyword, value)) delete copy[keyword];
      const reference = referenceOf(schema);
      const target = targetOf(root, reference);
      if (target === undefined) return copy;
      delete copy["$dynamicRef"];
      return { ...copy, $ref: `#/components/schemas/${nameOf(String(reference), target)}` };
    };
    return { names, nameOf, rewrite };
  };

  return {
    place(source) {
      const { names, nameOf, rewrite } = placer(source);
      if (nameInId(source.schema) !== null) nameOf("#", source.schema);
      const schema = rewrite(source.schema);
      const own = names.get(source.schema);
      return own === undefined ? schema : { $ref: `#/components/schemas/${own}` };
    },
    properties(source) {
      const { rewrite } = placer(source);
      const object = dereference(source.schema);
      if (object === null || !isSchemaObject(object["properties"])) return null;
      const { properties, required } = object;
      return {
        schemas: new Map(
          Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => [
            name,
            rewrite(schema),
          ]),
        ),
        required: new Set(Array.isArray(required) ? (required as string[]) : []),
      };
    },
    schemas: () => Object.fromEntries([...placed].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};

const candidates = function* (wanted: string, side: Side): Generator<string> {
  yield wanted;
  const further = side === "input" ? `${wanted}Input` : wanted;
  if (side === "input") yield further;
  for (let number = 2; ; number++) yield `${further}${number}`;
};

/** Replaces characters that OpenAPI 3.1 does not allow in the names of components. */
const componentName = (name: string): string => name.replaceAll(/[^\w.-]+/g, "_") || "Schema";

/** Whether a keyword is a bound without effect, such as `max(Infinity)` of zod, which is `null` in JSON. */
const isInfinite = (keyword: string, value: unknown): boolean =>
  (value === null || value === Infinity || value === -Infinity) && /^(?:m|exclusiveM)(?:in|ax)/.test(keyword);

/** Keywords that have a meaning only within the library's own document: names and targets of references. */
const localKeywords = new Set(["$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"]);

const referenceOf = (schema: JsonSchemaObject): unknown => schema["$ref"] ?? schema["$dynamicRef"];

const titleOf = ({ title }: JsonSchemaObject): string | null => (typeof title === "string" ? title : null);

/** Returns the target of a schema's references, which may be circular; `null` for a boolean schema, a missing target or more than 31 references. */
const dereference = (root: JsonSchemaObject): JsonSchemaObject | null => {
  let at: JsonSchema | undefined = root;
  for (let step = 0; step < 32; step++) {
    if (!isSchemaObject(at)) return null;
    if (at["$ref"] === undefined) return at;
    at = targetOf(root, at["$ref"]);
  }
  return null;
};

/** Returns the canonical text of a schema and of all schemas to which it refers. */
const contentOf = (root: JsonSchemaObject, reference: string): string => {
  const reached = new Set([reference]);
  const texts: unknown[] = [];
  const visit = (schema: JsonSchema): JsonSchema => {
    if (!isSchemaObject(schema)) return schema;
    const wanted = referenceOf(schema);
    if (targetOf(root, wanted) !== undefined) reached.add(String(wanted));
    return Object.fromEntries(
      Object.entries(mapSubschemas(schema, visit)).filter(([keyword]) => !localKeywords.has(keyword)),
    );
  };
  for (const pointer of reached) {
    const target = targetOf(root, pointer);
    if (target !== undefined) texts.push(visit(target));
  }
  return JSON.stringify(texts);
};
