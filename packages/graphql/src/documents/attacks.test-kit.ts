const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(" ");

const doubling = (at: number): string =>
  `fragment F${at} on Book { a: author { books { ...F${at + 1} } } b: author { books { ...F${at + 1} } } }`;

/** A document that is refused, and text that the reply contains. */
export interface Attack {
  readonly name: string;
  readonly query: string;
  readonly replyText: string;
}

const attack = (name: string, query: string, replyText: string): Attack => ({ name, query, replyText });

/** Documents of at most 16 KiB that are refused because of their text. */
export const attacks: readonly Attack[] = [
  attack("depth", `{ books ${"{ author { books ".repeat(400)}`, "maxDepth"),
  attack("aliases", `{ ${many(900, (at) => `a${at}: now`)} }`, "maxAliases"),
  attack(
    "aliases of fragments",
    `{ ...F } ${many(50, (at) => `fragment F${at} on Query { a: now ...F${at + 1} }`)}`,
    "maxAliases",
  ),
  attack("fragments that double", `{ books { ...F0 } } ${many(12, doubling)}`, "maxAliases"),
  attack("fragments", `{ ...F0 } ${many(400, (at) => `fragment F${at} on Query { now }`)}`, "maxFragments"),
  attack(
    "a cycle of fragments",
    `{ ...F0 } ${many(49, (at) => `fragment F${at} on Query { ...F${(at + 1) % 49} }`)}`,
    "contains itself",
  ),
  attack("directives on one field", `{ now ${"@skip(if: false) ".repeat(900)} }`, "maxDirectives"),
  attack("tokens", `{ ${"now ".repeat(4000)} }`, "maxTokens"),
  attack("long names", `{ ${many(1001, (at) => `a_longer_name${at % 10}`)} }`, "maxTokens"),
  attack("comments", `{ now } ${"#\n".repeat(8000)} }`, "maxTokens"),
  attack("long comments", `{ now } ${"# 12345678901\n".repeat(1100)} }`, "maxTokens"),
  attack("lines", `{${"\n".repeat(16_000)} a b c d e f g h i j k l }`, "maxTokens"),
  attack("a block string of many lines", `{ hello(name: """${"a\n".repeat(8000)}""") }`, "maxTokens"),
  attack(
    "operations",
    many(400, (at) => `query Q${at} { now }`),
    "maxTokens",
  ),
  attack("arguments", `{ hello(${many(1000, (at) => `a${at}: 1`)}) }`, "maxTokens"),
  attack("lists in a value", `{ hello(name: ${"[".repeat(900)}${"]".repeat(90)}) }`, "nested too deeply"),
  attack("objects in a value", `{ leaf(tree: ${"{ nested: ".repeat(300)}`, "nested too deeply"),
  attack("inline fragments", `{ ${"... { ".repeat(400)} now`, "nested too deeply"),
  attack(
    "introspection",
    `{ __schema { types ${"{ fields { type ".repeat(12)} { name } ${"} }".repeat(12)} } }`,
    "maxDepth",
  ),
  attack("invalid characters", "\u0000".repeat(3000), "maxTokens"),
];

/** Documents within the text limits that the parser or validation refuses. */
export const mistakes: readonly Attack[] = [
  attack("unused fragments", `{ now } ${many(49, (at) => `fragment F${at} on Query { now }`)}`, "never used"),
  attack("lines within the limit", `{${"\r".repeat(990)} a b c d e f g h i j k l }`, "Cannot query field"),
  attack("an unterminated block string", `{ hello(name: """${'\\"""'.repeat(4000)}`, "Unterminated string"),
  attack("an unterminated string", `{ hello(name: "${"a".repeat(16_000)}`, "Unterminated string"),
  attack(
    "operations within the limit",
    many(190, (at) => `query Q${at} { now }`),
    "exactly one operation",
  ),
  attack("introspection", "{ __schema { types { name } } }", "Introspection is disabled"),
  attack("unknown fields", `{ ${many(900, (at) => `field${at}`)} }`, "Cannot query field"),
];
