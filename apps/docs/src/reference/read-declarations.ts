import { join } from "node:path";
import ts from "typescript-api";
import type { PublishedPackage } from "../repository/packages.ts";
import type { DeclaredEntry, DeclaredMember, DeclaredName, Documentation } from "./declared-name.ts";
import { codeOfMember, codeOfName } from "./declaration-code.ts";

/**
 * Reads what the entries of packages export, from the declarations that users get, so the packages must be built. Uses TypeScript 6, because version 7
 * has no JavaScript API. The libraries of the language and of Node are not loaded, because only names, comments and the text of declarations are needed.
 */
export const readDeclarations = (
  root: string,
  packages: readonly PublishedPackage[],
): ReadonlyMap<PublishedPackage, readonly DeclaredEntry[]> => {
  const files = packages.flatMap(({ entries }) => [...entries.values()].map((path) => join(root, path)));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return new Map(
    packages.map((pkg) => [
      pkg,
      Array.from(pkg.entries, ([entry, path]) => {
        const source = program.getSourceFile(join(root, path));
        const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
        if (module === undefined) throw new Error(`there is no ${path}: build the packages first`);
        return { specifier: pkg.name + entry.slice(1), names: namesOf(checker, module) };
      }),
    ]),
  );
};

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
};

const namesOf = (checker: ts.TypeChecker, module: ts.Symbol): readonly DeclaredName[] =>
  checker
    .getExportsOfModule(module)
    .map((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      return nameOf(checker, exported.name, isAlias ? checker.getAliasedSymbol(exported) : exported);
    })
    .sort((a, b) => a.name.localeCompare(b.name));

const nameOf = (checker: ts.TypeChecker, name: string, symbol: ts.Symbol): DeclaredName => ({
  name,
  kind: kindOf(symbol),
  code: codeOfName(symbol),
  ...documentationOf(checker, symbol),
  members: membersOf(checker, symbol),
});

const kindOf = ({ flags }: ts.Symbol): DeclaredName["kind"] => {
  if ((flags & ts.SymbolFlags.Class) !== 0) return "class";
  if ((flags & ts.SymbolFlags.Function) !== 0) return "function";
  if ((flags & ts.SymbolFlags.Variable) !== 0) return "constant";
  return (flags & ts.SymbolFlags.Interface) !== 0 ? "interface" : "type";
};

const documentationOf = (checker: ts.TypeChecker, symbol: ts.Symbol): Documentation => ({
  text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
  tags: symbol
    .getJsDocTags(checker)
    .map(({ name, text }) => ({ tag: name, text: ts.displayPartsToString(text) })),
});

/** Returns the public members of instances and of the value itself. */
const membersOf = (checker: ts.TypeChecker, symbol: ts.Symbol): readonly DeclaredMember[] => {
  const { Class, Interface, TypeAlias, Variable } = ts.SymbolFlags;
  const ofInstance =
    (symbol.flags & (Class | Interface | TypeAlias)) !== 0
      ? checker.getDeclaredTypeOfSymbol(symbol)
      : undefined;
  const ofValue = (symbol.flags & (Class | Variable)) !== 0 ? checker.getTypeOfSymbol(symbol) : undefined;
  const read = (type: ts.Type | undefined, isStatic: boolean): DeclaredMember[] =>
    (type === undefined ? [] : checker.getPropertiesOfType(type))
      .filter((member) => isOwn(member, symbol))
      .map((member) => ({
        name: member.name,
        code: codeOfMember(member),
        isStatic,
        ...documentationOf(checker, member),
      }));
  const isClass = (symbol.flags & Class) !== 0;
  return [...read(ofInstance, false), ...read(ofValue, isClass)];
};

/** Whether a member is public and declared by the type itself; inherited members are described where they are declared. */
const isOwn = (member: ts.Symbol, owner: ts.Symbol): boolean => {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || member.name.startsWith("__@") || member.name === "prototype") return false;
  const { Private, Protected } = ts.ModifierFlags;
  if ((ts.getCombinedModifierFlags(declaration) & (Private | Protected)) !== 0) return false;
  if (
    member.name === "name" &&
    ts.isClassDeclaration(declaration.parent) &&
    declaration.parent.heritageClauses
  )
    return false; // a member of Error
  const isPart = (node: ts.Node): boolean => owner.declarations?.includes(node as ts.Declaration) ?? false;
  return isPart(declaration.parent);
};
