import { join } from "node:path";
import ts from "typescript-api";
import type { WorkspacePackage } from "../workspace/read-workspace.ts";

/**
 * Returns the names for which an editor shows no documentation: exported names, and public members of exported classes, interfaces and
 * objects, of all entries of the packages. Documentation of a base class or interface counts. Reads the declarations, as an editor does, so the packages
 * must be built.
 */
export const undocumented = (root: string, packages: readonly WorkspacePackage[]): string[] => {
  const entries = packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.exports ?? {}).map((entry) => join(root, folder, entry["types"] ?? "")),
  );
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const missing = entries.flatMap((file) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    return module === undefined ? [`${file} exports nothing`] : missingIn(checker, module);
  });
  return [...new Set(missing)].map((text) => text.replace(`${root}/`, ""));
};

/** TypeScript 6, whose API is in JavaScript, without the libraries of the language and of Node: only names and comments are read. */
const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
};

const missingIn = (checker: ts.TypeChecker, module: ts.Symbol): string[] =>
  checker.getExportsOfModule(module).flatMap((exported) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    const members = typesOf(checker, symbol).flatMap((type) => checker.getPropertiesOfType(type));
    return [symbol, ...members.filter(isShown)]
      .filter((each) => each.getDocumentationComment(checker).length === 0)
      .map((each) => `${locationOf(each)} ${each === symbol ? "" : `${symbol.name}.`}${each.name}`);
  });

/** Returns the types whose members users see: the type of instances, and the type of the value itself. */
const typesOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Type[] => {
  const { Class, Interface, TypeAlias, Variable } = ts.SymbolFlags;
  const instance = (symbol.flags & (Class | Interface | TypeAlias)) !== 0;
  const value = (symbol.flags & (Class | Variable)) !== 0;
  return [
    ...(instance ? [checker.getDeclaredTypeOfSymbol(symbol)] : []),
    ...(value ? [checker.getTypeOfSymbol(symbol)] : []),
  ];
};

/** Whether a member is a public member of a package, but not of an inline type or the `name` of an error. */
const isShown = (member: ts.Symbol): boolean => {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || member.name.startsWith("__@") || ts.isTypeLiteralNode(declaration.parent))
    return false;
  const { Private, Protected } = ts.ModifierFlags;
  const modifiers = ts.getCombinedModifierFlags(declaration);
  if ((modifiers & (Private | Protected)) !== 0 || (member.name === "name" && isDerived(declaration.parent)))
    return false;
  return /\/packages\/[\w-]+\/dist\//.test(declaration.getSourceFile().fileName);
};

/** Whether a class extends another class. */
const isDerived = (node: ts.Node): boolean =>
  ts.isClassDeclaration(node) &&
  (node.heritageClauses ?? []).some(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);

const locationOf = ({ declarations: [declaration] = [] }: ts.Symbol): string => {
  if (declaration === undefined) return "";
  const source = declaration.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(declaration.getStart()).line + 1}`;
};
