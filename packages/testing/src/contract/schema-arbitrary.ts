import type { Arbitrary } from "fast-check";
import { anyText } from "./any-text.ts";
import { isJson, type Json } from "./json-object.ts";
import type { FastCheck } from "./peers.ts";

/** Context of one generated value. */
export interface GenerationContext {
  readonly fc: FastCheck;
  /** Resolves a reference such as `#/components/schemas/Book`. */
  readonly resolve: (reference: string) => unknown;
  /** References that may still be followed; bounds recursive schemas. */
  readonly depth: number;
}

/** Generates values that conform to a JSON Schema and shrink to simple ones. Unknown keywords are ignored. */
export const schemaArbitrary = (schema: unknown, context: GenerationContext): Arbitrary<unknown> => {
  const { fc } = context;
  if (!isJson(schema)) return fc.jsonValue({ maxDepth: 2 });
  const { $ref: reference, const: value, enum: values, type } = schema;
  if (typeof reference === "string") return dereferenced(reference, context);
  if ("const" in schema) return fc.constant(value);
  if (schema["format"] === "binary") return text(schema, context); // a file, whose `anyOf` lists media types
  if (Array.isArray(values) && values.length > 0) return fc.constantFrom(...values);
  const choices = [schema["anyOf"], schema["oneOf"]].find(Array.isArray);
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => schemaArbitrary(choice, context)));
  if (Array.isArray(schema["allOf"])) return schemaArbitrary(merged(schema, context), context);
  const types: readonly unknown[] = Array.isArray(type)
    ? type
    : [type ?? ("properties" in schema ? "object" : null)];
  return fc.oneof(
    ...types.map((name) => ofType(type === undefined && name === null ? "any" : name, schema, context)),
  );
};

const dereferenced = (reference: string, context: GenerationContext): Arbitrary<unknown> =>
  context.depth <= 0
    ? context.fc.constant(null)
    : schemaArbitrary(context.resolve(reference), { ...context, depth: context.depth - 1 });

/** Merges the objects of `allOf` into one. */
const merged = ({ allOf, ...own }: Json, { resolve }: GenerationContext): Json =>
  [...(Array.isArray(allOf) ? allOf : []), own].reduce<Json>((sum, part: unknown) => {
    const target = isJson(part) && typeof part["$ref"] === "string" ? resolve(part["$ref"]) : part;
    if (!isJson(target)) return sum;
    return {
      ...sum,
      ...target,
      properties: {
        ...(sum["properties"] as Json | undefined),
        ...(target["properties"] as Json | undefined),
      },
      required: [...listOf(sum["required"]), ...listOf(target["required"])],
    };
  }, {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const ofType = (type: unknown, schema: Json, context: GenerationContext): Arbitrary<unknown> => {
  const { fc } = context;
  switch (type) {
    case "string":
      return text(schema, context);
    case "integer":
    case "number":
      return number(schema, type, context);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return array(schema, context);
    case "object":
      return object(schema, context);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

const bound = (schema: Json, keyword: string, initial: number): number => {
  const value = schema[keyword];
  return typeof value === "number" ? value : initial;
};

const text = (schema: Json, { fc }: GenerationContext): Arbitrary<string> => {
  const { pattern, format } = schema;
  const minLength = bound(schema, "minLength", 0);
  const maxLength = Math.max(
    minLength,
    Math.min(bound(schema, "maxLength", minLength + 20), minLength + 200),
  );
  const formatted = typeof format === "string" ? byFormat(format, fc) : null;
  if (formatted !== null) return formatted;
  if (typeof pattern === "string") {
    try {
      return fc.stringMatching(new RegExp(pattern, "u"));
    } catch {
      // fast-check does not support part of the pattern: any text, which may not conform
    }
  }
  return anyText(fc, { minLength, maxLength });
};

const byFormat = (format: string, fc: FastCheck): Arbitrary<string> | null => {
  const instant = fc
    .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString());
  switch (format) {
    case "date-time":
      return instant;
    case "date":
      return instant.map((date) => date.slice(0, 10));
    case "email":
      return fc
        .tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{1,8}\.com$/))
        .map((parts) => parts.join("@"));
    case "uuid":
      return fc.uuid();
    case "uri":
    case "url":
      return fc.webUrl();
    case "duration":
      return fc.nat(1000).map((hours) => `P1DT${hours}H`);
    case "ipv4":
      return fc.ipV4();
    case "ipv6":
      return fc.ipV6();
    default:
      return null;
  }
};

const number = (schema: Json, type: "integer" | "number", { fc }: GenerationContext): Arbitrary<number> => {
  const [above, below] = [
    bound(schema, "exclusiveMinimum", -Infinity),
    bound(schema, "exclusiveMaximum", Infinity),
  ];
  const low = Math.max(bound(schema, "minimum", -Infinity), above);
  const high = Math.min(bound(schema, "maximum", Infinity), below);
  const min = low === -Infinity ? Math.min(-1e9, 2 * high) : low;
  const max = high === Infinity ? Math.max(1e9, 2 * low) : high;
  const excluded = { minExcluded: min === above, maxExcluded: max === below };
  if (type === "number" && schema["multipleOf"] === undefined)
    return min < max
      ? fc.double({ min, max, ...excluded, noNaN: true }).filter((each) => each !== below) // -0 is below 0, but JSON has no -0
      : fc.constant(min);
  const unit = Math.abs(bound(schema, "multipleOf", 1)) || 1;
  const [from, to] = [Math.ceil(min / unit), Math.floor(max / unit)];
  const first = excluded.minExcluded && from * unit === min ? from + 1 : from;
  const last = excluded.maxExcluded && to * unit === max ? to - 1 : to;
  return fc.integer({ min: first, max: Math.max(first, last) }).map((count) => count * unit);
};

const array = (schema: Json, context: GenerationContext): Arbitrary<unknown[]> => {
  const { fc, depth } = context;
  const first = listOf(schema["prefixItems"]).map((item) => schemaArbitrary(item, context));
  const minLength = Math.max(0, bound(schema, "minItems", 0) - first.length);
  const maxLength = Math.max(
    minLength,
    Math.min(bound(schema, "maxItems", 4) - first.length, depth > 0 ? minLength + 3 : minLength),
  );
  if (schema["items"] === false || maxLength === 0) return fc.tuple(...first);
  const item = schemaArbitrary(schema["items"], context);
  const rest =
    schema["uniqueItems"] === true
      ? fc.uniqueArray(item, { minLength, maxLength, selector: (one) => JSON.stringify(one) })
      : fc.array(item, { minLength, maxLength });
  return fc.tuple(fc.tuple(...first), rest).map(([head, tail]) => [...head, ...tail]);
};

const object = (schema: Json, context: GenerationContext): Arbitrary<unknown> => {
  const { fc, depth } = context;
  const { properties, additionalProperties } = schema;
  const required = listOf(schema["required"]).map(String);
  const further = Object.fromEntries(required.map((name) => [name, additionalProperties])); // such as the keys of a record
  const known = Object.entries({ ...further, ...(isJson(properties) ? properties : {}) }).filter(
    ([name]) => depth > 0 || required.includes(name),
  );
  const members = Object.fromEntries(known.map(([name, member]) => [name, schemaArbitrary(member, context)]));
  const named = fc.record(members, { requiredKeys: required.filter((name) => Object.hasOwn(members, name)) });
  if (!isJson(additionalProperties) || depth <= 0) return named;
  const others = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    schemaArbitrary(additionalProperties, context),
    { maxKeys: 3 },
  );
  return fc.tuple(others, named).map(([more, own]) => ({ ...more, ...own }));
};
