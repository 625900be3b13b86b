import { inert, memberName } from "./inert-text.ts";
import { isObject, type JsonObject, type OpenapiReader, type RecursiveSchema } from "./openapi-reader.ts";

/** The type of a named schema, and the names of schemas that TypeScript must resolve first. It resolves schemas inside an object's properties later. */
export interface NamedSchemaType {
  readonly text: string;
  /** Schemas that the type itself or an alternative references. */
  readonly direct: ReadonlySet<string>;
  /** Schemas that the type itself, an alternative, a list or a record references. */
  readonly resolved: ReadonlySet<string>;
}

/** Text of a type, and whether it needs parentheses next to an operator. */
interface Term {
  readonly text: string;
  readonly isCompound: boolean;
}

/** Maximum nesting of schemas; deeper schemas are `unknown`. */
const MAX_DEPTH = 60;

/** Maximum number of schemas in a type, with inlined references; further ones are `unknown`. A short document may refer to exponentially many. */
const MAX_SCHEMAS = 100_000;

/**
 * Returns the TypeScript type of the values that a schema describes; constraints that TypeScript cannot express, such as lengths and patterns, are omitted.
 *
 * Named schemas of the document are `Schemas["Name"]`, other local references are inlined, and remote references are `unknown`.
 */
export const typeOfSchema = (schema: unknown, document: OpenapiReader): string =>
  new TypeGenerator(document).termOf(schema).text;

/** Returns the type of a named schema, for `Schemas` or for the alias of a recursive schema. */
export const typeOfNamedSchema = (
  name: string,
  schema: unknown,
  document: OpenapiReader,
): NamedSchemaType => {
  const generator = new TypeGenerator(document, document.recursive.get(name));
  const { text } = generator.termOf(schema);
  return { text, direct: generator.direct, resolved: generator.resolved };
};

/** Position of a schema in a type. */
type Place = "direct" | "list" | "property";

/** Generates the type of one schema. Tracks the references that it follows, because they may be circular. */
class TypeGenerator {
  readonly direct: Set<string> = new Set();
  readonly resolved: Set<string> = new Set();
  private readonly document: OpenapiReader;
  private readonly own: RecursiveSchema | undefined;
  private readonly within = new Set<string>();
  private place: Place = "direct";
  private depth = 0;
  private count = 0;

  /** @param own the schema whose type is generated, if it is recursive */
  constructor(document: OpenapiReader, own?: RecursiveSchema) {
    this.document = document;
    this.own = own;
  }

  termOf(schema: unknown): Term {
    if (schema === false) return atom("never");
    if (!isObject(schema) || this.depth >= MAX_DEPTH || ++this.count > MAX_SCHEMAS) return unknown;
    this.depth++;
    const parts = [...this.ofCombinations(schema), this.plain(schema)].filter(
      (part) => part.text !== "unknown",
    );
    this.depth--;
    const type = join("&", parts);
    return schema["nullable"] === true ? union([type, atom("null")]) : type; // a keyword of OpenAPI 3.0
  }

  /** Returns the type of the keywords other than `allOf`, `anyOf` and `oneOf`. */
  private plain(schema: JsonObject): Term {
    const { const: value, enum: values, type, $ref: reference } = schema;
    if (typeof reference === "string") return this.ofReference(reference);
    if (Object.hasOwn(schema, "const")) return literal(value);
    if (Array.isArray(values)) return union(values.map(literal));
    const types: unknown[] = Array.isArray(type) ? type : [type ?? impliedType(schema)];
    return union(types.map((name) => this.ofName(name, schema)));
  }

  private ofReference(reference: string): Term {
    const name = this.document.schemaName(reference);
    if (name !== null) return this.ofNamedSchema(name);
    if (this.within.has(reference)) return unknown; // a circular reference without a name
    this.within.add(reference);
    const term = this.termOf(this.document.at(reference));
    this.within.delete(reference);
    return term;
  }

  private ofNamedSchema(name: string): Term {
    if (this.place === "direct") this.direct.add(name);
    if (this.place !== "property") this.resolved.add(name);
    const recursive = this.document.recursive.get(name);
    if (recursive === undefined) return atom(`Schemas[${inert(name)}]`);
    const isDirectlyRecursive =
      this.place === "direct" && recursive.isDirectlyRecursive && this.own?.isDirectlyRecursive === true;
    return isDirectlyRecursive ? unknown : atom(recursive.alias);
  }

  /** Returns the types of the schemas inside a list, a record or the properties of an object. */
  private inside(place: Place, schemas: readonly unknown[]): Term[] {
    const outer = this.place;
    if (outer !== "property") this.place = place;
    const terms = schemas.map((schema) => this.termOf(schema));
    this.place = outer;
    return terms;
  }

  private ofCombinations({ allOf, anyOf, oneOf }: JsonObject): Term[] {
    const termOf = (schema: unknown): Term => this.termOf(schema);
    return [
      ...(Array.isArray(allOf) ? allOf.map(termOf) : []),
      ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [union(list.map(termOf))] : [])),
    ];
  }

  private ofName(name: unknown, schema: JsonObject): Term {
    if (name === "string" && isFileSchema(schema)) return atom("Blob");
    if (name === "string" || name === "number" || name === "boolean" || name === "null") return atom(name);
    if (name === "integer") return atom("number");
    if (name === "array") return atom(this.arrayType(schema));
    return name === "object" ? atom(this.objectType(schema)) : unknown;
  }

  private arrayType({ prefixItems, items }: JsonObject): string {
    const [rest = unknown, ...first] = this.inside("list", [items, ...listOf(prefixItems)]);
    const list = `${parenthesize(rest)}[]`;
    if (!Array.isArray(prefixItems)) return list;
    return `[${[...first.map(({ text }) => text), ...(items === false ? [] : [`...${list}`])].join(", ")}]`;
  }

  private objectType({ properties, required, additionalProperties: others }: JsonObject): string {
    const known = isObject(properties) ? Object.entries(properties) : [];
    if (known.length === 0) return this.recordType(others);
    const needed = new Set<unknown>(listOf(required));
    const types = this.inside("property", Object.values(properties as JsonObject));
    const members = known.map(
      ([name], index) => `${memberName(name)}${needed.has(name) ? "" : "?"}: ${types[index]?.text}`,
    );
    if (isObject(others) || others === true) members.push("[name: string]: unknown"); // an index signature must include the types of all members
    return `{ ${members.join("; ")} }`;
  }

  /** Returns the type of a record. TypeScript resolves `Record` eagerly, so a recursive alias has an index signature. */
  private recordType(others: unknown): string {
    const [{ text } = unknown] = this.inside("list", [others]);
    return this.own === undefined ? `Record<string, ${text}>` : `{ [name: string]: ${text} }`;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const atom = (text: string): Term => ({ text, isCompound: false });
const unknown: Term = atom("unknown");

const isFileSchema = ({ format, contentMediaType, contentEncoding }: JsonObject): boolean =>
  format === "binary" || (contentMediaType === "application/octet-stream" && contentEncoding === undefined);

const impliedType = (schema: JsonObject): string | undefined => {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
};

const literal = (value: unknown): Term => {
  if (typeof value === "string") return atom(inert(value));
  if (typeof value === "number") return atom(Number.isFinite(value) ? String(value) : "number");
  return value === null || typeof value === "boolean" ? atom(String(value)) : unknown;
};

const union = (types: readonly Term[]): Term => {
  const possible = types.filter(({ text }) => text !== "never");
  if (possible.some(({ text }) => text === "unknown")) return unknown;
  return possible.length === 0 ? atom("never") : join("|", possible);
};

const join = (operator: "|" | "&", types: readonly Term[]): Term => {
  const distinct = [...new Map(types.map((type) => [type.text, type])).values()];
  const [first = unknown] = distinct;
  if (distinct.length < 2) return first;
  return { text: distinct.map(parenthesize).join(` ${operator} `), isCompound: true };
};

const parenthesize = ({ text, isCompound }: Term): string => (isCompound ? `(${text})` : text);
