import type { Problem } from "@framework/core";
import { isIdentifier } from "../service/grpc-service.ts";
import { isSchemaObject, type JsonSchemaObject } from "./json-schema-of.ts";
import type { FieldLayout, FieldType, MessageLayout, MessageLayouts } from "./message-layout.ts";
import { messageName, protoFieldName } from "./proto-name.ts";

/** A schema without `null`, and whether it allowed null. */
interface SchemaWithoutNull {
  readonly schema: JsonSchemaObject;
  readonly nullable: boolean;
}

/**
 * Converts JSON Schemas to messages. A message is named after its schema (`title` or `id`, or its name in `$defs`), otherwise after the field or method that
 * uses it first. Two different messages cannot share a name.
 */
export class LayoutMessages {
  readonly problems: Problem[] = [];
  private readonly layouts: Map<string, MessageLayout> = new Map();
  /** Message name of each schema: a schema without a name may contain itself. */
  private readonly namesBySchema: Map<JsonSchemaObject, string> = new Map();
  /** JSON of the schemas by message name, to detect different schemas of the same name. */
  private readonly jsonByName: Map<string, string> = new Map();

  get messages(): MessageLayouts {
    return this.layouts;
  }

  /** Adds a message of a method and returns the message's name. */
  add(schema: JsonSchemaObject, name: string, place: string): string {
    const target = this.follow(schema, schema, place);
    return this.message(schema, target.schema, target.name ?? nameOf(schema) ?? name, place);
  }

  private message(root: JsonSchemaObject, schema: JsonSchemaObject, name: string, place: string): string {
    const isNamed = schema["type"] === "object" && isSchemaObject(schema["properties"] ?? {});
    if (!isNamed || valuesOfMap(schema) !== null)
      // the keys of a map would not be sent
      return this.refuse(place, "must be an object with named properties", name);
    const known = this.namesBySchema.get(schema);
    if (known !== undefined) return known;
    const json = JSON.stringify(schema);
    const before = this.jsonByName.get(name);
    if (before !== undefined) {
      if (before === json) return name;
      return this.refuse(
        place,
        `differs from another message with the name ${name}; give one of them a \`title\``,
        name,
      );
    }
    this.jsonByName.set(name, json);
    this.namesBySchema.set(schema, name);
    const fields: FieldLayout[] = [];
    this.layouts.set(name, { name, fields }); // before its fields, which may refer to it
    const required = new Set((schema["required"] as readonly string[] | undefined) ?? []);
    for (const [field, inner] of Object.entries((schema["properties"] ?? {}) as JsonSchemaObject)) {
      const layout = this.field(root, field, inner, required.has(field), {
        name,
        place: `${place}.${field}`,
      });
      if (fields.some(({ protoName }) => protoName === layout.protoName))
        this.refuse(
          `${place}.${field}`,
          `has the same name as another field in a .proto: ${layout.protoName}`,
          name,
        );
      fields.push(layout);
    }
    return name;
  }

  private field(
    root: JsonSchemaObject,
    name: string,
    given: unknown,
    required: boolean,
    at: { readonly name: string; readonly place: string },
  ): FieldLayout {
    const { place } = at;
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
      this.refuse(place, "has a name that is invalid in a .proto; use letters, digits and _", name);
    const { schema, nullable } = withoutNull(isSchemaObject(given) ? given : {});
    const protoName = protoFieldName(name);
    const inner = `${at.name}${messageName(protoName)}`;
    const target = this.follow(root, schema, place);
    const base = { name, protoName, nullable: nullable && required };
    if (target.schema["type"] === "array") {
      const items = withoutNull(isSchemaObject(target.schema["items"]) ? target.schema["items"] : {});
      if (items.nullable) this.refuse(place, "is a list that may contain null; omit such items", name);
      const type = this.type(root, items.schema, `${inner}Item`, `${place}[]`);
      return { ...base, type, form: "repeated", optional: !required || nullable };
    }
    const values = valuesOfMap(target.schema);
    if (values !== null) {
      const type = this.type(root, values, `${inner}Value`, `${place}.*`);
      return { ...base, type, form: "map", optional: !required || nullable };
    }
    const type = this.type(root, schema, inner, place);
    return { ...base, type, form: "single", optional: !required || nullable };
  }

  private type(root: JsonSchemaObject, given: JsonSchemaObject, name: string, place: string): FieldType {
    const { schema, name: target } = this.follow(root, given, place);
    const scalar = scalarOf(schema);
    if (scalar !== null) return scalar;
    if (schema["type"] === "array") {
      this.refuse(place, "is a list within a list; put the inner list in an object", name);
      return { kind: "json" };
    }
    if (schema["type"] === "object" && isSchemaObject(schema["properties"]) && valuesOfMap(schema) === null) {
      return {
        kind: "message",
        message: this.message(root, schema, target ?? nameOf(schema) ?? name, place),
      };
    }
    return { kind: "json" }; // unions, records within lists, and schemas that allow any value
  }

  /** Resolves a local reference; `name` is the name of its target. */
  private follow(
    root: JsonSchemaObject,
    schema: JsonSchemaObject,
    place: string,
  ): { readonly schema: JsonSchemaObject; readonly name: string | null } {
    const { $ref: reference } = schema;
    if (typeof reference !== "string") return { schema, name: null };
    if (reference === "#") return { schema: root, name: nameOf(root) };
    const key = reference.replace(/^#\/(?:\$defs|definitions)\//, "");
    const target = ((root["$defs"] ?? root["definitions"] ?? {}) as JsonSchemaObject)[key];
    if (isSchemaObject(target)) return { schema: target, name: nameOf(target) ?? identifier(key) };
    this.refuse(place, `refers to ${reference}, which the schema does not define`, "");
    return { schema: {}, name: null };
  }

  private refuse(place: string, message: string, name: string): string {
    this.problems.push({ code: "GRPC_UNMAPPABLE", message: `${place} ${message}` });
    return name;
  }
}

/** Returns the schema of the values of an object that has only arbitrary keys; `null` for other schemas. */
const valuesOfMap = ({
  type,
  properties,
  additionalProperties: values,
}: JsonSchemaObject): JsonSchemaObject | null =>
  type === "object" && isSchemaObject(values) && Object.keys(properties ?? {}).length === 0 ? values : null;

/** Name of a schema from its `title` or `id`; `null` if it has neither. */
const nameOf = (schema: JsonSchemaObject): string | null =>
  identifier(schema["title"]) ?? identifier(schema["id"]);

const identifier = (value: unknown): string | null =>
  typeof value === "string" && isIdentifier(value) ? messageName(value) : null;

/** Unwraps `anyOf: [T, null]` and `type: [T, "null"]` to a nullable T. */
const withoutNull = (schema: JsonSchemaObject): SchemaWithoutNull => {
  const { type, anyOf } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    const others = type.filter((each) => each !== "null");
    return { schema: { ...schema, type: others.length === 1 ? others[0] : others }, nullable: true };
  }
  if (!Array.isArray(anyOf)) return { schema, nullable: false };
  const others = anyOf.filter((each) => !isSchemaObject(each) || each["type"] !== "null");
  if (others.length === anyOf.length) return { schema, nullable: false };
  const [only] = others;
  const single = others.length === 1 && isSchemaObject(only);
  return { schema: single ? only : { ...schema, anyOf: others }, nullable: true };
};

const scalarOf = (schema: JsonSchemaObject): FieldType | null => {
  const { type, enum: values, const: constant } = schema;
  const allowed = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  if (allowed.length > 0 && allowed.every((value) => typeof value === "string")) return scalar("string");
  if (allowed.length > 0 && allowed.every((value) => typeof value === "boolean")) return scalar("bool");
  if (type === "string") return scalar("string");
  if (type === "boolean") return scalar("bool");
  if (type === "integer") return scalar("int64");
  return type === "number" ? scalar("double") : null;
};

const scalar = (name: "string" | "bool" | "int64" | "double"): FieldType => ({
  kind: "scalar",
  scalar: name,
});
