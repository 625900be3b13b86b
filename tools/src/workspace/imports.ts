import { stripTypeScriptTypes } from "node:module";

/** Specifiers of the imports of one module, in order, without duplicates. */
export interface Imports {
  /** Loaded with the module: `import … from`, `export … from`, `import "x"`. */
  readonly static: readonly string[];
  /** Loaded by a call: `import("x")`. */
  readonly dynamic: readonly string[];
}

// The formatter starts every statement of a module in column 0, so an example in a doc comment does not match.
const STATEMENT = /^(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*["']([^"']+)["']/gm;
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm;
const CALL = /\bimport\(\s*["']([^"']+)["']/g;

/** Returns the imports as written, including types. */
export const readImports = (code: string): Imports => ({
  static: specifiers(code, STATEMENT),
  dynamic: specifiers(code.replaceAll(COMMENT_LINE, ""), CALL),
});

/** Returns the imports that remain at run time, after type stripping. */
export const readRuntimeImports = (code: string): Imports => readImports(stripTypeScriptTypes(code));

const specifiers = (code: string, pattern: RegExp): string[] => [
  ...new Set(Array.from(code.matchAll(pattern), (match) => match[1] ?? "")),
];

/** Returns the package of a bare import (`@framework/core` of `@framework/core/testing`); `null` for a relative or built-in one. */
export const packageOf = (specifier: string): string | null => {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return null;
  const [scope = "", name = ""] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
};
