import type { Workload } from "../workloads/workloads.ts";

/** Maximum length of a document in characters. */
const MAX_LENGTH = 16_384;

const repeat = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(" ");

/** A document of the maximum length. */
const maximumDocument = (start: string, make: (at: number) => string): string => {
  let text = start;
  for (let at = 0; text.length < MAX_LENGTH; at++) text += make(at);
  return text.slice(0, MAX_LENGTH);
};

const rejection = (message: string, limit?: string): string => {
  const extensions = { error: "Bad Request", detail: message, status: 400, ...(limit && { limit }) };
  return JSON.stringify({ errors: [{ message, extensions }] });
};
const overLimit = (quantity: string, limit: string, maximum: number): string =>
  rejection(`The ${quantity} exceeds the limit of ${maximum}`, limit);

const overDepth = overLimit("depth", "maxDepth", 20);
const overAliases = overLimit("number of aliases and repeated fields", "maxAliases", 15);
const overDirectives = overLimit("number of directives", "maxDirectives", 50);
const overFragments = overLimit("number of fragments", "maxFragments", 50);
const overTokens = overLimit("number of tokens", "maxTokens", 1000);
const overLength = overLimit("length of the document", "maxDocumentLength", MAX_LENGTH);
const tooDeep = rejection("The document is nested too deeply");
const noBatches = rejection("Batches are not enabled");

const attackOf = (name: string, body: string, reply: string, status = 200): Workload => ({
  name,
  title: name,
  type: "application/json",
  connections: 32,
  requests: 200,
  request: { path: "/graphql", body },
  body: reply,
  status,
});
const attack = (name: string, body: unknown, reply: string, status?: number): Workload =>
  attackOf(name, JSON.stringify(body), reply, status);
const document = (name: string, query: string, reply: string): Workload => attack(name, { query }, reply);
const batch = (name: string, size: number): Workload =>
  attack(
    name,
    Array.from({ length: size }, () => ({ query: "{ hello }" })),
    noBatches,
    400,
  );

const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)]);
const fragment = (at: number): string => `fragment F${at} on Query { hello } `;
const doubling = (at: number): string =>
  `fragment F${at} on Book { a: author { ...F${at + 1} } b: author { ...F${at + 1} } } `;

/** Writes every character as a JSON escape. */
const escaped = (text: string): string =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

/** Requests that exceed a limit, slightly or by as much as fits into a document, and other hostile requests. The cost of rejecting each is limited. */
export const attacks: readonly Workload[] = [
  document("depth", `{ books ${"{ author ".repeat(20)} { id } ${"}".repeat(21)}`, overDepth),
  document(
    "depth, longest",
    maximumDocument("{ books ", () => "{ author "),
    overDepth,
  ),
  document("aliases", `{ ${repeat(16, (at) => `a${at}: hello`)} }`, overAliases),
  document(
    "aliases, longest",
    maximumDocument("{ ", (at) => `a${at}: hello `),
    overAliases,
  ),
  document("fragments", `{ ...F0 } ${repeat(51, fragment)}`, overFragments),
  document("fragments, longest", maximumDocument("{ ...F0 } ", fragment), overFragments),
  document("fragments that double", `{ books { ...F0 } } ${repeat(12, doubling)}`, overAliases),
  document(
    "a cycle of fragments",
    `{ ...F0 } ${repeat(49, (at) => `fragment F${at} on Query { ...F${(at + 1) % 49} }`)}`,
    rejection('The fragment "F0" contains itself'),
  ),
  document("directives", `{ hello ${"@skip(if: false) ".repeat(51)} }`, overDirectives),
  document(
    "directives, longest",
    maximumDocument("{ hello ", () => "@skip(if: false) "),
    overDirectives,
  ),
  document("tokens", `{ ${"hello ".repeat(1000)} }`, overTokens),
  document(
    "tokens, longest",
    maximumDocument("{ ", () => "a_longer_name "),
    overTokens,
  ),
  document("comments", `{ hello } ${"#\n".repeat(1001)}`, overTokens),
  document(
    "comments, longest",
    maximumDocument("{ hello } ", () => "# 1234567890\n"),
    overTokens,
  ),
  document("lines", `{ hello ${"\n".repeat(1001)} }`, overTokens),
  document(
    "lines, longest",
    maximumDocument("{ hello ", () => "\n"),
    overTokens,
  ),
  document(
    "lines of a block string, longest",
    maximumDocument('{ hello(name: """', () => "12345678\n"),
    overTokens,
  ),
  document(
    "operations",
    repeat(300, (at) => `query Q${at} { hello }`),
    overTokens,
  ),
  document("arguments", `{ hello(${repeat(400, (at) => `a${at}: 1`)}) }`, overTokens),
  document("lists in a value", `{ hello(name: ${"[".repeat(101)}${"]".repeat(101)}) }`, tooDeep),
  document(
    "objects in a value, longest",
    maximumDocument("{ hello(name: ", () => "{ a: "),
    tooDeep,
  ),
  document("inline fragments", `{ ${"... { ".repeat(101)} hello ${"}".repeat(102)}`, tooDeep),
  document(
    "introspection",
    `{ __schema { types ${"{ fields { type ".repeat(12)} { name } ${"} }".repeat(12)} } }`,
    overDepth,
  ),
  document("length, 50 kB", `{ hello }${" ".repeat(50_000)}`, overLength),
  attackOf("unicode escapes, 12 kB", `{"query":"${escaped(`{ ${"a ".repeat(1001)} }`)}"}`, overTokens),
  attackOf(
    "a duplicate key in the body",
    `{"query":${JSON.stringify(maximumDocument("{ ", () => "a_longer_name "))},"query":"{ hello }"}`,
    overTokens,
  ),
  attack(
    "a document after 10 kB of variables",
    { variables: { name: "x".repeat(10_000) }, query: `{ ${"hello ".repeat(1000)} }` },
    overTokens,
  ),
  attack(
    "deeply nested variables",
    { query: "{ hello }", variables: { name: nested(101) } },
    rejection("The JSON body is nested deeper than 100 levels"),
    400,
  ),
  batch("batch", 11),
  batch("batch, 16 kB", 800),
];

const syntaxError = (message: string, column: number): string => {
  const detail = `Syntax Error: ${message}`;
  const extensions = { error: "Bad Request", detail, status: 400 };
  return JSON.stringify({ errors: [{ message: detail, locations: [{ line: 1, column }], extensions }] });
};
const fieldError = (name: string, column: number): string => {
  const message = `Cannot query field "${name}" on type "Query".`;
  const extensions = { error: "Bad Request", detail: message, status: 400 };
  return JSON.stringify({ errors: [{ message, locations: [{ line: 1, column }], extensions }] });
};
const unclosed = `{ ${repeat(990, (at) => `field${at}`)}`;

/** Rejected requests whose cost is printed but not limited: invalid documents within all limits, and one over a limit with a body of nearly the maximum size. */
export const mistakes: readonly Workload[] = [
  attackOf(
    "over the limit, 60 kB of unicode escapes",
    `{"query":"${escaped(`{ ${"hello ".repeat(1660)} }`)}"}`,
    overTokens,
  ),
  document("an unknown field", "{ hallo }", fieldError("hallo", 3)),
  document(
    "200 operations without operationName",
    repeat(200, (at) => `query Q${at} { hello }`),
    rejection("The document must have exactly one operation, or operationName must name one"),
  ),
  document(
    "990 fields, then an error",
    unclosed,
    syntaxError("Expected Name, found <EOF>.", unclosed.length + 1),
  ),
];
