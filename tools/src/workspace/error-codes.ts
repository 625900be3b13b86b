import { runInNewContext } from "node:vm";
import type { WorkspacePackage } from "./read-workspace.ts";

interface Entry {
  readonly status?: number;
  readonly summary: string;
  readonly action: string;
}

/** A rule for one package, given the codes of all packages; returns the problems, none if it is satisfied. */
export type CodeRule = (pkg: WorkspacePackage, known: ReadonlySet<string>) => readonly string[];

const isTest = (path: string): boolean => /\.test(-[\w-]+)?\.ts$|\/testing\//.test(path);
const isCatalogue = (path: string): boolean => path.endsWith("/error-codes.ts");

/** Returns the error codes of a package: the object literal of its `error-codes.ts`. */
export const catalogueOf = ({ files }: WorkspacePackage): Readonly<Record<string, Entry>> => {
  const [, code = ""] = [...files].find(([path]) => isCatalogue(path)) ?? [];
  const [, literal = "{}"] = /^export const \w+Errors\b[^=]*= (\{.*\});$/ms.exec(code) ?? [];
  return runInNewContext(`(${literal})`) as Record<string, Entry>; // plain data by its type, ErrorCatalogue
};

/** Returns the error codes that the sources of a package contain as strings, except in tests and the catalogue. */
const codesIn = ({ files }: WorkspacePackage, prefix: string): ReadonlySet<string> =>
  new Set(
    [...files].flatMap(([path, code]) =>
      path.endsWith(".ts") && !isTest(path) && !isCatalogue(path)
        ? Array.from(code.matchAll(new RegExp(`"(${prefix}_[A-Z_]+)"`, "g")), ([, found = ""]) => found)
        : [],
    ),
  );

/** Returns the prefix of codes: the name of the package, or the first word of its codes if they do not start with that name, as in `EVENTS_CONFLICT` of `event-sourcing`. */
const prefixOf = (pkg: WorkspacePackage): string => {
  const name = pkg.folder.replace("packages/", "").replaceAll("-", "_").toUpperCase();
  const [first = `${name}_`] = Object.keys(catalogueOf(pkg));
  return first.startsWith(`${name}_`) ? name : first.slice(0, first.indexOf("_"));
};

/** A package uses exactly the codes of its catalogue, and exports the catalogue. */
export const usedCodesAreCatalogued: CodeRule = (pkg) => {
  const listed = Object.keys(catalogueOf(pkg));
  const used = codesIn(pkg, prefixOf(pkg));
  const entries = [...pkg.files].filter(([path]) => /^src\/(index|feature)\.ts$/.test(path));
  const isExported = entries.some(([, code]) => code.includes("/error-codes.ts"));
  return [
    ...[...used].filter((code) => !listed.includes(code)).map((code) => `${code} is not in error-codes.ts`),
    ...listed.filter((code) => !used.has(code)).map((code) => `${code} of error-codes.ts is not used`),
    ...(listed.length > 0 && !isExported
      ? ["neither index.ts nor feature.ts exports the codes of error-codes.ts"]
      : []),
  ];
};

/** Codes of other packages exist in their catalogues. */
export const foreignCodesExist: CodeRule = (pkg, known) => {
  const prefixes = new Set(Array.from(known, (code) => code.split("_")[0] ?? ""));
  const used = [...prefixes].flatMap((prefix) => [...codesIn(pkg, prefix)]);
  return used.filter((code) => !known.has(code)).map((code) => `${code} is not in any error-codes.ts`);
};

/** The table in the README, or in a page of docs, has a row for each code, with the text of the catalogue. */
export const readmeListsCodes: CodeRule = (pkg, known) => {
  const rows = documentedRows(pkg);
  const catalogue = catalogueOf(pkg);
  const unknown = [...rows.keys()].filter((code) => !(code in catalogue) && !known.has(code));
  return [
    ...unknown.map((code) => `the documents list ${code}, which does not exist`),
    ...Object.entries(catalogue).flatMap(([code, entry]) => {
      const row = `| \`${code}\` | ${whenOf(entry)} | ${entry.action} |`;
      return rows.get(code) === row ? [] : [`the documents lack the row ${row}`];
    }),
  ];
};

const whenOf = ({ status, summary }: Entry): string =>
  status === undefined ? summary : `${status}: ${summary}`;

/** Returns the rows `CODE | when | what to do` of the README and the pages in docs, without the padding of cells. */
const documentedRows = ({ files }: WorkspacePackage): ReadonlyMap<string, string> =>
  new Map(
    [...files].flatMap(([path, text]) =>
      path.endsWith(".md")
        ? Array.from(
            text.matchAll(/^\| `([A-Z][A-Z0-9]*_[A-Z_]+)` .*\|$/gm),
            ([row, code = ""]) => [code, row.replaceAll(/ +\|/g, " |")] as const,
          )
        : [],
    ),
  );
