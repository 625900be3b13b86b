import { child, OpenapiReader, type RecursiveSchema } from "./openapi-reader.ts";
import { type NamedSchemaType, typeOfNamedSchema } from "./type-of-schema.ts";

/**
 * Finds the recursive schemas of a document. Each needs a type alias: TypeScript resolves a member of an interface eagerly, so `A: Schemas["A"][]` is an
 * error, and `type A_ = A_[]` is not. Schemas that refer to themselves inside the properties of an object need no alias.
 */
export const withRecursiveSchemas = (document: OpenapiReader): OpenapiReader => {
  const schemas = Object.entries(child(child(document.root, "components"), "schemas"));
  const types = new Map(schemas.map(([name, schema]) => [name, typeOfNamedSchema(name, schema, document)]));
  const taken = new Set<string>();
  const recursive = new Map<string, RecursiveSchema>();
  for (const name of [...types.keys()].toSorted()) {
    if (!reachesItself(name, types, "resolved")) continue;
    recursive.set(name, {
      alias: aliasOf(name, taken),
      isDirectlyRecursive: reachesItself(name, types, "direct"),
    });
  }
  return new OpenapiReader(document.root, recursive);
};

const reachesItself = (
  name: string,
  types: ReadonlyMap<string, NamedSchemaType>,
  kind: "direct" | "resolved",
): boolean => {
  const reached = new Set(types.get(name)?.[kind]);
  for (const each of reached) for (const reference of types.get(each)?.[kind] ?? []) reached.add(reference);
  return reached.has(name);
};

/** Returns an unused identifier. It ends with an underscore, as no import or declaration of a generated module does. */
const aliasOf = (name: string, taken: Set<string>): string => {
  const plain = name.replace(/[^\w$]/g, "_").replace(/^(?=\d|$)/, "_");
  for (let number = 1; ; number++) {
    const alias = `${plain}${number === 1 ? "" : number}_`;
    if (taken.has(alias)) continue;
    taken.add(alias);
    return alias;
  }
};
