import { isJson, type Json } from "./contract-document.ts";

type Resolve = (reference: string) => unknown;

/**
 * What a JSON value violates of a schema (JSON Schema 2020-12), with the place, or `null` when it fits. Formats are descriptions only, and keywords that are
 * not known allow everything.
 */
export const schemaViolation = (
  schema: unknown,
  value: unknown,
  resolve: Resolve,
  place = "the body",
): string | null => {
  if (schema === false) return `${place} must not be there`;
  if (!isJson(schema)) return null;
  const check = (other: unknown, at = value, where = place) => schemaViolation(other, at, resolve, where);
  const { $ref: reference } = schema;
  if (typeof reference === "string") {
    const problem = check(resolve(reference));
    if (problem !== null) return problem;
  }
  if (value === null && schema["nullable"] === true) return null;
  const kind = kindOf(value);
  return (
    typeProblem(schema, value, kind, place) ??
    combinedProblem(schema, check, place) ??
    (kind === "string" ? textProblem(schema, value as string, place) : null) ??
    (kind === "number" || kind === "integer" ? numberProblem(schema, value as number, place) : null) ??
    (kind === "array" ? arrayProblem(schema, value as unknown[], check, place) : null) ??
    (kind === "object" ? objectProblem(schema, value as Json, check, place) : null)
  );
};

type Check = (schema: unknown, at?: unknown, where?: string) => string | null;

/** The name of a value's type in JSON Schema. */
const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

const typeProblem = (schema: Json, value: unknown, kind: string, place: string): string | null => {
  const { type, enum: values } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [kind] : [type];
  if (!types.includes(kind) && !(kind === "integer" && types.includes("number")))
    return `${place} must be ${types.join(" or ")}, not ${kind}`;
  if ("const" in schema && !isSame(schema["const"], value))
    return `${place} must be ${JSON.stringify(schema["const"])}`;
  if (Array.isArray(values) && !values.some((one) => isSame(one, value)))
    return `${place} must be one of ${JSON.stringify(values)}`;
  return null;
};

const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/** Text that is the same for the same JSON, whatever the order of its members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    isJson(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const combinedProblem = (
  { allOf, anyOf, oneOf, not, ...rest }: Json,
  check: Check,
  place: string,
): string | null => {
  for (const schema of listOf(allOf)) {
    const problem = check(schema);
    if (problem !== null) return problem;
  }
  const problems = listOf(anyOf).map((schema) => check(schema));
  if (problems.length > 0 && !problems.includes(null))
    return `${place} fits none of anyOf: ${problems.join("; or ")}`;
  const ones = listOf(oneOf).map((schema) => check(schema));
  const fitting = ones.filter((problem) => problem === null).length;
  if (ones.length > 0 && fitting !== 1)
    return fitting === 0
      ? `${place} fits none of oneOf: ${ones.join("; or ")}`
      : `${place} fits ${fitting} of oneOf`;
  if (not !== undefined && check(not) === null) return `${place} fits what it must not be`;
  return "if" in rest ? check(check(rest["if"]) === null ? rest["then"] : rest["else"]) : null;
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Rows of "keyword, value's figure, whether it must be at least or at most". */
const boundsProblem = (
  schema: Json,
  rows: readonly (readonly [string, number, (a: number, b: number) => boolean])[],
  place: string,
) => {
  for (const [keyword, figure, holds] of rows) {
    const bound = schema[keyword];
    if (typeof bound === "number" && !holds(figure, bound)) return `${place} breaks ${keyword} ${bound}`;
  }
  return null;
};

const atLeast = (a: number, b: number): boolean => a >= b;
const atMost = (a: number, b: number): boolean => a <= b;

const textProblem = (schema: Json, text: string, place: string): string | null => {
  const length = Array.from(text).length; // code points, as JSON Schema counts
  const { pattern } = schema;
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(text))
    return `${place} breaks pattern ${pattern}`;
  return boundsProblem(
    schema,
    [
      ["minLength", length, atLeast],
      ["maxLength", length, atMost],
    ],
    place,
  );
};

const numberProblem = (schema: Json, figure: number, place: string): string | null =>
  boundsProblem(
    schema,
    [
      ["minimum", figure, atLeast],
      ["maximum", figure, atMost],
      ["exclusiveMinimum", figure, (a, b) => a > b],
      ["exclusiveMaximum", figure, (a, b) => a < b],
      ["multipleOf", figure, (a, b) => Math.abs(a / b - Math.round(a / b)) < 1e-9],
    ],
    place,
  );

const arrayProblem = (
  schema: Json,
  items: readonly unknown[],
  check: Check,
  place: string,
): string | null => {
  const { prefixItems, uniqueItems } = schema;
  const first = listOf(prefixItems);
  for (const [index, item] of items.entries()) {
    const problem = check(index < first.length ? first[index] : schema["items"], item, `${place}[${index}]`);
    if (problem !== null) return problem;
  }
  if (uniqueItems === true && new Set(items.map(canonical)).size < items.length)
    return `${place} repeats an item`;
  return boundsProblem(
    schema,
    [
      ["minItems", items.length, atLeast],
      ["maxItems", items.length, atMost],
    ],
    place,
  );
};

const objectProblem = (schema: Json, object: Json, check: Check, place: string): string | null => {
  const { properties, patternProperties, additionalProperties, propertyNames, required } = schema;
  for (const name of listOf(required))
    if (!Object.hasOwn(object, String(name))) return `${place}.${String(name)} is missing`;
  const patterns = Object.entries(isJson(patternProperties) ? patternProperties : {});
  for (const [name, value] of Object.entries(object)) {
    const matching = patterns
      .filter(([pattern]) => new RegExp(pattern, "u").test(name))
      .map(([, other]) => other);
    const known = isJson(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const schemas = [...known, ...matching];
    for (const one of schemas.length === 0 ? [additionalProperties] : schemas) {
      const problem = check(one, value, `${place}.${name}`);
      if (problem !== null) return problem;
    }
    const problem = check(propertyNames, name, `the name ${JSON.stringify(name)} in ${place}`);
    if (problem !== null) return problem;
  }
  const { length } = Object.keys(object);
  return boundsProblem(
    schema,
    [
      ["minProperties", length, atLeast],
      ["maxProperties", length, atMost],
    ],
    place,
  );
};
