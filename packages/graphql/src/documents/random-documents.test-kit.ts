import fc from "fast-check";

const maybe = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.option(text, { nil: "", freq: 3 });
const value = fc.constantFrom("1", '"x"', "$a", "$b", "null", "{ name: 1, name: 2 }", "[1]", "ODD");
const argumentList = fc
  .array(fc.tuple(fc.constantFrom("first", "id", "name", "level", "tree", "if", "odd"), value), {
    minLength: 1,
    maxLength: 2,
  })
  .map((pairs) => `(${pairs.map(([name, each]) => `${name}: ${each}`).join(" ")})`);
const directive = fc
  .tuple(fc.constantFrom("@skip", "@include", "@defer", "@stream", "@odd"), maybe(argumentList))
  .map((parts) => ` ${parts.join("")} `);
const KNOWN_FIELDS =
  "hello now book books node id title author name similar leaf secret add waits ticks types";
const OTHER_FIELDS = "odd __typename __schema fields type";
const fieldName = fc.constantFrom(...`${KNOWN_FIELDS} ${OTHER_FIELDS}`.split(" "));
const typeName = fc.constantFrom("Query", "Book", "Author", "Node", "Odd", "Int", "Tree", "Mutation");
const { set } = fc.letrec<{ set: string; selection: string }>((tie) => ({
  selection: fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          maybe(fc.constantFrom("a: ", "b: ", "id: ")),
          fieldName,
          maybe(argumentList),
          maybe(directive),
          fc.oneof({ maxDepth: 4 }, fc.constant(""), tie("set")),
        )
        .map((parts) => parts.join("")),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("...F", "...G", "... F"), maybe(directive))
        .map((parts) => parts.join("")),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(maybe(typeName.map((name) => `on ${name}`)), maybe(directive), tie("set"))
        .map((parts) => `... ${parts.join(" ")}`),
    },
  ),
  set: fc.array(tie("selection"), { minLength: 1, maxLength: 3 }).map((parts) => ` { ${parts.join(" ")} } `),
}));
const variable = fc
  .tuple(
    fc.constantFrom("$a", "$b"),
    fc.constantFrom("Int", "ID!", "Tree", "Book", "Odd", "[Int]"),
    maybe(fc.constantFrom(" = 1", ' = "x"', " = ODD")),
  )
  .map(([name, type, initial]) => `${name}: ${type}${initial}`);
const operation = fc.oneof(
  set,
  fc
    .tuple(
      fc.constantFrom("query", "mutation", "subscription"),
      maybe(fc.constantFrom(" A", " B")),
      maybe(fc.array(variable, { minLength: 1, maxLength: 2 }).map((each) => `(${each.join(" ")})`)),
      maybe(directive),
      set,
    )
    .map((parts) => parts.join("")),
);
const fragment = fc
  .tuple(fc.constantFrom("F", "G"), typeName, maybe(directive), set)
  .map(([name, type, each, selections]) => `fragment ${name} on ${type} ${each} ${selections}`);
/** Random documents for the library's schema that can be parsed; most are invalid. */
export const document: fc.Arbitrary<string> = fc
  .tuple(fc.array(operation, { minLength: 1, maxLength: 2 }), maybe(fragment), maybe(fragment))
  .map(([operations, ...fragments]) => [...operations, ...fragments].join("\n"));
