import type { Arbitrary } from "fast-check";
import type { ContractBody, ContractOperation } from "./contract-document.ts";
import { formType, formText, urlencodedText } from "./form-text.ts";
import { isJson, type Json } from "./json-object.ts";
import { queryTexts, simpleText } from "./parameter-text.ts";
import { type GenerationContext, schemaArbitrary } from "./schema-arbitrary.ts";

/** One generated request. */
export interface ContractCase {
  readonly params: Readonly<Record<string, string>>;
  /** Percent-encoded `name=value` strings. */
  readonly query: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly type: string | null; readonly text: string } | null;
}

/** Generates requests of an operation. Each parameter and the body are independently valid, unusual, malformed or absent. */
export const caseArbitrary = (
  operation: ContractOperation,
  context: GenerationContext,
): Arbitrary<ContractCase> => {
  const { fc } = context;
  const parametersIn = (location: string) =>
    operation.parameters.filter((parameter) => parameter["in"] === location);
  return fc.record({
    params: fc.record(
      Object.fromEntries(
        parametersIn("path").map((parameter) => [String(parameter["name"]), segment(parameter, context)]),
      ),
    ),
    query: fc
      .tuple(...parametersIn("query").map((parameter) => queryFields(parameter, context)))
      .map((lists) => lists.flat()),
    headers: fc
      .tuple(...parametersIn("header").map((parameter) => field(parameter, context)))
      .map((lists) => lists.flat()),
    body:
      operation.body === null || !takesBody(operation.method)
        ? fc.constant(null)
        : bodies(operation.body, context),
  });
};

/** Whether a web Request with this method can have a body. */
const takesBody = (method: string): boolean => method !== "GET" && method !== "HEAD";

/** Strings that often break parsers and stores. */
const unusualStrings = [
  "0",
  "-1",
  "1e400",
  "9007199254740993",
  "true",
  "null",
  "NaN",
  " ",
  "'",
  "%",
  "..x",
  "é\u{1F600}",
  "constructor",
  "__proto__",
  "x".repeat(300),
];

/** Generates path segments; they are never empty or a dot segment, which would change the path. */
const segment = (parameter: Json, context: GenerationContext): Arbitrary<string> => {
  const { fc } = context;
  const valid = schemaArbitrary(parameter["schema"], context)
    .map((value) => simpleText(parameter, value))
    .filter((text) => !["", ".", ".."].includes(text));
  return fc.oneof(
    { weight: 3, arbitrary: valid },
    { weight: 1, arbitrary: fc.constantFrom(...unusualStrings) },
  );
};

const queryFields = (parameter: Json, context: GenerationContext): Arbitrary<readonly string[]> => {
  const { fc } = context;
  const toTexts = (value: unknown) => queryTexts(parameter, value);
  const valid = schemaArbitrary(parameter["schema"], context);
  const unusual = fc
    .tuple(valid, fc.nat(1000), fc.constantFrom(...unusualStrings))
    .map(([value, place, text]) => (isJson(value) ? withMember(value, place, text) : text));
  return fc.oneof(
    { weight: 4, arbitrary: valid.map(toTexts) },
    { weight: parameter["required"] === true ? 1 : 3, arbitrary: fc.constant<readonly []>([]) },
    { weight: 1, arbitrary: unusual.map(toTexts) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...unusualStrings), { minLength: 2, maxLength: 3 }).map(toTexts),
    },
  );
};

/** Replaces the member at an index, modulo the number of members. */
const withMember = (value: Json, index: number, text: string): Json => {
  const names = Object.keys(value);
  const name = names[index % names.length];
  return name === undefined ? value : { ...value, [name]: text };
};

/** Generates a required header field. Optional ones are omitted, because they often change the meaning of a request, as conditions and ranges do. */
const field = (
  parameter: Json,
  context: GenerationContext,
): Arbitrary<readonly (readonly [string, string])[]> => {
  const { fc } = context;
  const { name, required, schema } = parameter;
  if (required !== true) return fc.constant([]);
  const toFields = (value: unknown) => [[String(name), fieldText(simpleText(parameter, value))] as const];
  return fc.oneof(
    { weight: 4, arbitrary: schemaArbitrary(schema, context).map(toFields) },
    { weight: 1, arbitrary: fc.constant<readonly []>([]) },
    { weight: 1, arbitrary: fc.constantFrom(...unusualStrings).map(toFields) },
  );
};

/** Replaces characters that are invalid in fields, and spaces that would be trimmed. */
const fieldText = (text: string): string => text.replaceAll(/[^ -~]|^ +| +$/gu, "x");

const bodies = (body: ContractBody, context: GenerationContext): Arbitrary<ContractCase["body"]> => {
  const { schema, kind } = body;
  const { fc, resolve } = context;
  const valid = schemaArbitrary(schema, context);
  const type = kind === "multipart" ? formType : body.type;
  const serialize = (value: unknown): string => {
    if (kind === "json") return JSON.stringify(value) ?? "null";
    return kind === "multipart" ? formText(value, schema, resolve) : urlencodedText(value);
  };
  const reserialize = (text: string): string => (kind === "json" ? text : serialize(parseJson(text)));
  return fc.oneof(
    { weight: 6, arbitrary: valid.map((value) => ({ type, text: serialize(value) })) },
    {
      weight: 6,
      arbitrary: changedValues(valid, context).map((text) => ({ type, text: reserialize(text) })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...malformed).map((text) => ({ type, text })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("text/plain", "application/xml", "json", null)
        .map((other) => ({ type: other, text: "{}" })),
    },
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

/** Parses JSON; `null` for other text. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the whole value was removed
  }
};

const malformed = [
  "",
  "{",
  '{"a":1}x',
  "nul",
  '{"a":1e999}',
  "[".repeat(2000),
  `${"[".repeat(200)}${"]".repeat(200)}`,
  '"\\ud800"',
];

/** Generates valid values with one part replaced or removed, as JSON. */
const changedValues = (valid: Arbitrary<unknown>, { fc }: GenerationContext): Arbitrary<string> =>
  fc
    .tuple(valid, fc.nat(1000), fc.constantFrom(...replacements))
    .map(([value, place, replacement]) => replacePart(value, place, replacement));

/** Replacements as JSON; `undefined` removes a member. */
const replacements = [
  undefined,
  "null",
  '""',
  "0",
  "-1",
  "1.5",
  "1e300",
  "true",
  "[]",
  "{}",
  '["x"]',
  '{"__proto__":{"x":1}}',
  JSON.stringify("x".repeat(600)),
  '"\\u0000"',
];

/** Replaces the part at an index, modulo the number of parts. */
const replacePart = (value: unknown, index: number, replacement: string | undefined): string => {
  const target = index % countParts(value);
  let seen = -1;
  const print = (part: unknown): string | undefined => {
    seen++;
    if (seen === target) return replacement;
    if (Array.isArray(part)) return `[${part.flatMap((item) => print(item) ?? []).join()}]`;
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    const members = Object.entries(part).flatMap(([name, member]) => {
      const text = print(member);
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
    });
    return `{${members.join()}}`;
  };
  return print(value) ?? "";
};

const countParts = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + countParts(member), 1)
    : 1;
