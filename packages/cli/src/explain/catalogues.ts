import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ErrorCatalogue, ErrorEntry } from "@framework/core/feature";
import type { InstalledPackage } from "./installed-packages.ts";

/** An error code with the package that it belongs to. */
export interface CataloguedCode {
  readonly code: string;
  readonly package: InstalledPackage;
  readonly entry: ErrorEntry;
}

/** The codes of packages, and the packages whose modules could not be loaded, with the reason. */
export interface Catalogues {
  readonly codes: readonly CataloguedCode[];
  readonly unreadable: readonly string[];
}

/** Reads the error catalogues that packages export. */
export const readCatalogues = async (packages: readonly InstalledPackage[]): Promise<Catalogues> => {
  const codes: CataloguedCode[] = [];
  const unreadable: string[] = [];
  for (const pkg of packages) {
    try {
      codes.push(...(await codesOf(pkg)));
    } catch (error) {
      const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
      unreadable.push(`${pkg.name}: ${reason}`);
    }
  }
  return { codes: codes.sort((a, b) => a.code.localeCompare(b.code)), unreadable };
};

/** Finds one code. Packages whose names match the code's prefix are read first, the others only if none of these has the code. */
export const findCode = async (
  packages: readonly InstalledPackage[],
  code: string,
): Promise<{ found: CataloguedCode | null; known: readonly string[]; unreadable: readonly string[] }> => {
  const isLikely = ({ name }: InstalledPackage): boolean => code.startsWith(`${prefixOf(name)}_`);
  const likely = await readCatalogues(packages.filter(isLikely));
  const early = likely.codes.find((each) => each.code === code);
  if (early !== undefined) return { found: early, known: [], unreadable: [] };
  const others = await readCatalogues(packages.filter((pkg) => !isLikely(pkg)));
  const all = [...likely.codes, ...others.codes];
  return {
    found: all.find((each) => each.code === code) ?? null,
    known: all.map((each) => each.code),
    unreadable: [...likely.unreadable, ...others.unreadable],
  };
};

const prefixOf = (name: string): string =>
  name
    .slice(name.indexOf("/") + 1)
    .replaceAll("-", "_")
    .toUpperCase();

const codesOf = async (pkg: InstalledPackage): Promise<readonly CataloguedCode[]> => {
  const own = pkg.manifest.framework?.errors;
  if (own !== undefined) return codesIn(pkg, join(pkg.folder, own));
  const entries = [".", "./feature"].filter((entry) => pkg.manifest.exports?.[entry] !== undefined);
  const resolve = createRequire(join(pkg.folder, "package.json"));
  for (const entry of entries) {
    const codes = await codesIn(pkg, resolve.resolve(pkg.name + entry.slice(1)));
    if (codes.length > 0) return codes;
  }
  return [];
};

const codesIn = async (pkg: InstalledPackage, path: string): Promise<readonly CataloguedCode[]> => {
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  return Object.entries(module)
    .filter(([name, value]) => name.endsWith("Errors") && isCatalogue(value))
    .flatMap(([, catalogue]) =>
      Object.entries(catalogue as ErrorCatalogue).map(([code, entry]) => ({ code, package: pkg, entry })),
    );
};

const isCatalogue = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every(
    (entry: Partial<ErrorEntry> | null) =>
      typeof entry?.summary === "string" && typeof entry.action === "string",
  );
