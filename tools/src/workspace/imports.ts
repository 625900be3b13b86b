import { isBuiltin, stripTypeScriptTypes } from "node:module";
import { parseSync, Visitor } from "rolldown/utils";

/** Specifiers of the imports of one module, in order, without duplicates. */
export interface Imports {
  /** `import … from`, `export … from` and `import "x"`, also of types only. */
  readonly static: readonly string[];
  /** `import("x")`, as a call or in a type. A specifier that is computed is left out. */
  readonly dynamic: readonly string[];
}

interface Specifier {
  readonly start: number;
  readonly value: string;
}

/** Returns the imports as written, including types. @throws SyntaxError for code that cannot be parsed */
export const readImports = (code: string): Imports => {
  const { program, module, errors } = parseSync("module.ts", code);
  if (errors[0] !== undefined) throw new SyntaxError(errors[0].message);
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? [])),
  ];
  const calls: Specifier[] = [];
  const visitor = new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string")
        calls.push({ start: source.start, value: source.value });
    },
    TSImportType: ({ source }) => void calls.push(source),
  });
  if (/\bimport\s*\(/.test(code)) visitor.visit(program);
  return { static: inOrder(requests), dynamic: inOrder(calls) };
};

/** Returns the imports that remain at run time, after type stripping. */
export const readRuntimeImports = (code: string): Imports => readImports(stripTypeScriptTypes(code));

const inOrder = (specifiers: readonly Specifier[]): string[] => [
  ...new Set(specifiers.toSorted((a, b) => a.start - b.start).map(({ value }) => value)),
];

/** Returns the package of a bare import (`@framework/core` of `@framework/core/testing`); `null` for a relative or built-in one. */
export const packageOf = (specifier: string): string | null => {
  if (specifier.startsWith(".") || isBuiltin(specifier)) return null;
  const [scope = "", name = ""] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
};
