import type { Arbitrary } from "fast-check";
import type { ContractBody, ContractOperation } from "./contract-document.ts";
import { formType, formText, urlencodedText } from "./form-text.ts";
import { isJson, type Json } from "./json-object.ts";
import { queryTexts, simpleText } from "./parameter-text.ts";
import { type Making, schemaArbitrary } from "./schema-arbitrary.ts";

/** One generated request. */
export interface ContractCase {
  readonly params: Readonly<Record<string, string>>;
  /** Percent-encoded `name=value` strings. */
  readonly query: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly type: string | null; readonly text: string } | null;
}

/** Requests of an operation: most are valid, the others differ in one place. */
export const caseArbitrary = (operation: ContractOperation, making: Making): Arbitrary<ContractCase> => {
  const { fc } = making;
  const of = (place: string) => operation.parameters.filter((parameter) => parameter["in"] === place);
  return fc.record({
    params: fc.record(
      Object.fromEntries(
        of("path").map((parameter) => [String(parameter["name"]), segment(parameter, making)]),
      ),
    ),
    query: fc
      .tuple(...of("query").map((parameter) => queried(parameter, making)))
      .map((lists) => lists.flat()),
    headers: fc
      .tuple(...of("header").map((parameter) => field(parameter, making)))
      .map((lists) => lists.flat()),
    body:
      operation.body === null || !takesBody(operation.method)
        ? fc.constant(null)
        : bodies(operation.body, making),
  });
};

/** A web Request with these methods cannot have a body. */
const takesBody = (method: string): boolean => method !== "GET" && method !== "HEAD";

/** Strings that often break parsers and stores. */
const odd = [
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

/** A segment is never empty or a dot segment, which would change the path. */
const segment = (parameter: Json, making: Making): Arbitrary<string> => {
  const { fc } = making;
  const fitting = schemaArbitrary(parameter["schema"], making)
    .map((value) => simpleText(parameter, value))
    .filter((text) => !["", ".", ".."].includes(text));
  return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
};

const queried = (parameter: Json, making: Making): Arbitrary<readonly string[]> => {
  const { fc } = making;
  const sent = (value: unknown) => queryTexts(parameter, value);
  const fitting = schemaArbitrary(parameter["schema"], making);
  const oddly = fc
    .tuple(fitting, fc.nat(1000), fc.constantFrom(...odd))
    .map(([value, place, text]) => (isJson(value) ? withMember(value, place, text) : text));
  return fc.oneof(
    { weight: 4, arbitrary: fitting.map(sent) },
    { weight: parameter["required"] === true ? 1 : 3, arbitrary: fc.constant<readonly []>([]) },
    { weight: 1, arbitrary: oddly.map(sent) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...odd), { minLength: 2, maxLength: 3 }).map(sent) },
  );
};

/** Replaces the member with the index `place`, modulo the number of members. */
const withMember = (value: Json, place: number, text: string): Json => {
  const names = Object.keys(value);
  const name = names[place % names.length];
  return name === undefined ? value : { ...value, [name]: text };
};

/** A required header field. Optional ones are omitted, because they often change the meaning of a request, as conditions and ranges do. */
const field = (parameter: Json, making: Making): Arbitrary<readonly (readonly [string, string])[]> => {
  const { fc } = making;
  const { name, required, schema } = parameter;
  if (required !== true) return fc.constant([]);
  const sent = (value: unknown) => [[String(name), fieldText(simpleText(parameter, value))] as const];
  return fc.oneof(
    { weight: 4, arbitrary: schemaArbitrary(schema, making).map(sent) },
    { weight: 1, arbitrary: fc.constant<readonly []>([]) },
    { weight: 1, arbitrary: fc.constantFrom(...odd).map(sent) },
  );
};

/** Replaces characters that are invalid in fields, and spaces that would be trimmed. */
const fieldText = (text: string): string => text.replaceAll(/[^ -~]|^ +| +$/gu, "x");

const bodies = (body: ContractBody, making: Making): Arbitrary<ContractCase["body"]> => {
  const { schema, kind } = body;
  const { fc, resolve } = making;
  const fitting = schemaArbitrary(schema, making);
  const type = kind === "multipart" ? formType : body.type;
  const written = (value: unknown): string => {
    if (kind === "json") return JSON.stringify(value) ?? "null";
    return kind === "multipart" ? formText(value, schema, resolve) : urlencodedText(value);
  };
  const rewritten = (text: string): string => (kind === "json" ? text : written(parsed(text)));
  return fc.oneof(
    { weight: 6, arbitrary: fitting.map((value) => ({ type, text: written(value) })) },
    { weight: 6, arbitrary: changed(fitting, making).map((text) => ({ type, text: rewritten(text) })) },
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
const parsed = (text: string): unknown => {
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

/** A valid value with one part replaced or removed, as JSON. */
const changed = (fitting: Arbitrary<unknown>, { fc }: Making): Arbitrary<string> =>
  fc
    .tuple(fitting, fc.nat(1000), fc.constantFrom(...replacements))
    .map(([value, place, replacement]) => replaced(value, place, replacement));

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

/** Replaces the part with the index `place`, modulo the number of parts. */
const replaced = (value: unknown, place: number, replacement: string | undefined): string => {
  const target = place % countPlaces(value);
  let seen = -1;
  const print = (at: unknown): string | undefined => {
    seen++;
    if (seen === target) return replacement;
    if (Array.isArray(at)) return `[${at.flatMap((item) => print(item) ?? []).join()}]`;
    if (typeof at !== "object" || at === null) return JSON.stringify(at);
    const members = Object.entries(at).flatMap(([name, member]) => {
      const text = print(member);
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
    });
    return `{${members.join()}}`;
  };
  return print(value) ?? "";
};

const countPlaces = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + countPlaces(member), 1)
    : 1;
