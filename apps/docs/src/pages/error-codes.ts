import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ErrorCatalogue } from "@framework/core/feature";
import type { PublishedPackage } from "../repository/packages.ts";

/** One error code of a package, with its cause and its remedy. */
export interface ErrorCode {
  readonly code: string;
  readonly package: PublishedPackage;
  readonly status: number | undefined;
  readonly summary: string;
  readonly action: string;
}

/** Reads the catalogues of all packages: plain data in `error-codes.ts`, which imports nothing but types. */
export const readErrorCodes = async (
  root: string,
  packages: readonly PublishedPackage[],
): Promise<readonly ErrorCode[]> => {
  const codes: ErrorCode[] = [];
  for (const pkg of packages) {
    for (const path of globSync(`${pkg.folder}/src/**/error-codes.ts`, { cwd: root })) {
      const module = (await import(pathToFileURL(join(root, path)).href)) as Record<string, ErrorCatalogue>;
      for (const [code, { status, summary, action }] of Object.values(module).flatMap(Object.entries)) {
        codes.push({ code, package: pkg, status, summary, action });
      }
    }
  }
  return codes.sort((a, b) => a.code.localeCompare(b.code));
};
