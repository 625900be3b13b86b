import { createHash } from "node:crypto";
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getLocation,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
  type Source,
  validate,
} from "graphql";
import { CLIENT_RUNTIME } from "./client-runtime.ts";
import { InputTypes } from "./input-types.ts";
import { reservedWords } from "./reserved-words.ts";
import { SelectionTypes } from "./selection-type.ts";

/**
 * Generates a TypeScript module of operations: for each operation its text, its id as a trusted document, and the types of its variables and data. The same
 * schema and sources give the same text.
 *
 * @throws Error for an operation whose name is missing, duplicate or cannot be exported, and for a document that is malformed or does not fit the schema
 */
export const generateOperations = (schema: GraphQLSchema, sources: readonly Source[]): string => {
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: sources.flatMap((source) => parse(source).definitions),
  };
  const errors = validate(schema, document).map((error) => error.toString());
  if (errors.length > 0) throw new Error(errors.join("\n\n"));
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  for (const operation of operations) checkName(operation);
  const fragments = new Map(
    document.definitions.flatMap((node): [string, FragmentDefinitionNode][] =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );
  const texts = separateOperations(document);
  const inputs = new InputTypes(schema);
  const selections = new SelectionTypes(schema, fragments);
  const declarations = operations.map((operation) => {
    const name = nameOf(operation);
    const root = schema.getRootType(operation.operation);
    const text = print(texts[name] ?? document);
    return [
      `export const ${name}: Operation<`,
      `  ${root == null ? "never" : selections.ofObject(root, [{ node: operation.selectionSet, condition: "" }])},`,
      `  ${inputs.ofVariables(operation)}`,
      `> = { name: ${JSON.stringify(name)}, id: ${JSON.stringify(idOf(text))}, text: ${JSON.stringify(text)} };`,
    ].join("\n");
  });
  const names = operations.map(nameOf).join(", ");
  return [
    "// Written by framework-graphql. Do not edit: run it again.",
    ...inputs.declarations,
    ...declarations,
    `/** All texts by id, for \`documents\` of the service. */\nexport const documents: Readonly<Record<string, string>> = Object.fromEntries(\n  [${names}].map(({ id, text }) => [id, text]),\n);`,
    CLIENT_RUNTIME,
  ].join("\n\n");
};

/** Reserved words, and names that the generated module itself uses. */
const takenNames: ReadonlySet<string> = new Set([
  ...reservedWords,
  ..."createClient documents globalThis JSON Object".split(" "),
]);

const checkName = (operation: OperationDefinitionNode): void => {
  const name = nameOf(operation);
  if (!takenNames.has(name)) return;
  const { loc } = operation;
  const place = loc === undefined ? "" : `${loc.source.name}:${getLocation(loc.source, loc.start).line}: `;
  throw new Error(`${place}an operation cannot have the name "${name}" in a module; choose another`);
};

const nameOf = ({ name, loc }: OperationDefinitionNode): string => {
  if (name !== undefined) return name.value;
  throw new Error(`an operation in ${loc?.source.name ?? "a file"} has no name`);
};

const idOf = (text: string): string => createHash("sha256").update(text).digest("hex");
