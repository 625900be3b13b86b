import { isFileSchema, isSchemaObject, type JsonSchemaObject, lastToken } from "../document/json-schema.ts";

/** A type's text, and whether it needs parentheses next to an operator. */
interface Printed {
  readonly text: string;
  readonly isCompound: boolean;
}

/** The TypeScript type of the values that a schema describes; constraints that TypeScript cannot express, such as lengths and patterns, are omitted. */
export const typeOfSchema = (schema: unknown): string => print(schema).text;

const print = (schema: unknown): Printed => {
  if (schema === false) return atom("never");
  if (!isSchemaObject(schema)) return unknown;
  const type = joined(
    "&",
    [...combined(schema), own(schema)].filter((part) => part.text !== "unknown"),
  );
  return schema["nullable"] === true ? union([type, atom("null")]) : type; // of OpenAPI 3.0
};

const atom = (text: string): Printed => ({ text, isCompound: false });
const unknown: Printed = atom("unknown");

/** The type of the keywords other than `anyOf` and similar ones. */
const own = (schema: JsonSchemaObject): Printed => {
  const { const: value, enum: values, type, $ref: reference } = schema;
  if (typeof reference === "string") return atom(`Schemas[${JSON.stringify(lastToken(reference))}]`);
  if ("const" in schema) return literal(value);
  if (Array.isArray(values)) return union(values.map(literal));
  const types: unknown[] = Array.isArray(type) ? type : [type ?? impliedType(schema)];
  return union(types.map((name) => ofName(name, schema)));
};

const combined = ({ allOf, anyOf, oneOf }: JsonSchemaObject): Printed[] => [
  ...(Array.isArray(allOf) ? allOf.map(print) : []),
  ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [union(list.map(print))] : [])),
];

const impliedType = (schema: JsonSchemaObject): string | undefined => {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
};

const ofName = (name: unknown, schema: JsonSchemaObject): Printed => {
  if (name === "string" && isFileSchema(schema)) return atom("Blob");
  if (name === "string" || name === "number" || name === "boolean" || name === "null") return atom(name);
  if (name === "integer") return atom("number");
  if (name === "array") return atom(arrayType(schema));
  return name === "object" ? atom(objectType(schema)) : unknown;
};

const arrayType = ({ prefixItems, items }: JsonSchemaObject): string => {
  const rest = `${bracketed(print(items))}[]`;
  if (!Array.isArray(prefixItems)) return rest;
  return `[${[...prefixItems.map(typeOfSchema), ...(items === false ? [] : [`...${rest}`])].join(", ")}]`;
};

const objectType = ({ properties, required, additionalProperties: others }: JsonSchemaObject): string => {
  const known = isSchemaObject(properties) ? Object.entries(properties) : [];
  if (known.length === 0) return `Record<string, ${typeOfSchema(others)}>`;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const members = known.map(
    ([name, schema]) => `${memberName(name)}${needed.has(name) ? "" : "?"}: ${typeOfSchema(schema)}`,
  );
  if (isSchemaObject(others) || others === true) members.push("[name: string]: unknown"); // TypeScript has no "all others"
  return `{ ${members.join("; ")} }`;
};

/** A member's name in a type, quoted unless it is an identifier. */
export const memberName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

const literal = (value: unknown): Printed =>
  value === null || ["string", "number", "boolean"].includes(typeof value)
    ? atom(JSON.stringify(value))
    : unknown;

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
