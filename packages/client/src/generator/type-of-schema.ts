import { inert, memberName } from "./inert-text.ts";
import { isObject, type JsonObject, type OpenapiReader } from "./openapi-reader.ts";

/** A type's text, and whether it needs parentheses next to an operator. */
interface Printed {
  readonly text: string;
  readonly isCompound: boolean;
}

/** Schemas nested deeper are `unknown`. */
const MAX_DEPTH = 60;

/**
 * The TypeScript type of the values that a schema describes; constraints that TypeScript cannot express, such as lengths and patterns, are omitted.
 *
 * Named schemas of the document are `Schemas["Name"]`, other references are written in place; remote ones are `unknown`.
 */
export const typeOfSchema = (schema: unknown, document: OpenapiReader): string =>
  new Printer(document).print(schema).text;

/** Prints one schema; it remembers the references it is in, since they may be circular. */
class Printer {
  private readonly document: OpenapiReader;
  private readonly within = new Set<string>();
  private depth = 0;

  constructor(document: OpenapiReader) {
    this.document = document;
  }

  print(schema: unknown): Printed {
    if (schema === false) return atom("never");
    if (!isObject(schema) || this.depth >= MAX_DEPTH) return unknown;
    this.depth++;
    const parts = [...this.combined(schema), this.own(schema)].filter((part) => part.text !== "unknown");
    this.depth--;
    const type = joined("&", parts);
    return schema["nullable"] === true ? union([type, atom("null")]) : type; // of OpenAPI 3.0
  }

  /** The type of the keywords other than `anyOf` and similar ones. */
  private own(schema: JsonObject): Printed {
    const { const: value, enum: values, type, $ref: reference } = schema;
    if (typeof reference === "string") return this.referred(reference);
    if (Object.hasOwn(schema, "const")) return literal(value);
    if (Array.isArray(values)) return union(values.map(literal));
    const types: unknown[] = Array.isArray(type) ? type : [type ?? impliedType(schema)];
    return union(types.map((name) => this.ofName(name, schema)));
  }

  private referred(reference: string): Printed {
    const name = this.document.schemaName(reference);
    if (name !== null) return atom(`Schemas[${inert(name)}]`);
    if (this.within.has(reference)) return unknown; // circular, and without a name to refer to
    this.within.add(reference);
    const printed = this.print(this.document.at(reference));
    this.within.delete(reference);
    return printed;
  }

  private combined({ allOf, anyOf, oneOf }: JsonObject): Printed[] {
    const print = (schema: unknown): Printed => this.print(schema);
    return [
      ...(Array.isArray(allOf) ? allOf.map(print) : []),
      ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [union(list.map(print))] : [])),
    ];
  }

  private ofName(name: unknown, schema: JsonObject): Printed {
    if (name === "string" && isFileSchema(schema)) return atom("Blob");
    if (name === "string" || name === "number" || name === "boolean" || name === "null") return atom(name);
    if (name === "integer") return atom("number");
    if (name === "array") return atom(this.arrayType(schema));
    return name === "object" ? atom(this.objectType(schema)) : unknown;
  }

  private arrayType({ prefixItems, items }: JsonObject): string {
    const rest = `${bracketed(this.print(items))}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const first = prefixItems.map((item) => this.print(item).text);
    return `[${[...first, ...(items === false ? [] : [`...${rest}`])].join(", ")}]`;
  }

  private objectType({ properties, required, additionalProperties: others }: JsonObject): string {
    const known = isObject(properties) ? Object.entries(properties) : [];
    if (known.length === 0) return `Record<string, ${this.print(others).text}>`;
    const needed = new Set<unknown>(Array.isArray(required) ? required : []);
    const members = known.map(
      ([name, schema]) => `${memberName(name)}${needed.has(name) ? "" : "?"}: ${this.print(schema).text}`,
    );
    if (isObject(others) || others === true) members.push("[name: string]: unknown"); // TypeScript has no "all others"
    return `{ ${members.join("; ")} }`;
  }
}

const atom = (text: string): Printed => ({ text, isCompound: false });
const unknown: Printed = atom("unknown");

const isFileSchema = ({ format, contentMediaType, contentEncoding }: JsonObject): boolean =>
  format === "binary" || (contentMediaType === "application/octet-stream" && contentEncoding === undefined);

const impliedType = (schema: JsonObject): string | undefined => {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
};

const literal = (value: unknown): Printed => {
  if (typeof value === "string") return atom(inert(value));
  return value === null || typeof value === "number" || typeof value === "boolean"
    ? atom(String(value))
    : unknown;
};

const union = (types: readonly Printed[]): Printed => {
  const possible = types.filter(({ text }) => text !== "never");
  if (possible.some(({ text }) => text === "unknown")) return unknown;
  return possible.length === 0 ? atom("never") : joined("|", possible);
};

const joined = (operator: "|" | "&", types: readonly Printed[]): Printed => {
  const distinct = [...new Map(types.map((type) => [type.text, type])).values()];
  const [first = unknown] = distinct;
  if (distinct.length < 2) return first;
  return { text: distinct.map(bracketed).join(` ${operator} `), isCompound: true };
};

const bracketed = ({ text, isCompound }: Printed): string => (isCompound ? `(${text})` : text);
