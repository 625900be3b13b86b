import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mediaTypeOf } from "@framework/core/http";
import { type CachedFile, textFile } from "./cached-file.ts";

/** Files of another project that a page loads. This package contains copies. */
export interface Bundle {
  readonly name: string;
  readonly version: string;
  /** Folder of the original package, which exists only in the source tree. */
  readonly origin: () => string;
  /** Folder of the files in that package. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Replacements in the text of the files. */
  readonly replacements: readonly (readonly [text: string, by: string])[];
}

export const swaggerUi: Bundle = {
  name: "swagger-ui",
  version: "5.35.0",
  origin: () => {
    const require = createRequire(import.meta.url);
    return dirname(require.resolve("swagger-ui-dist/package.json"));
  },
  folder: ".",
  files: ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"],
  replacements: [],
};

export const redoc: Bundle = {
  name: "redoc",
  version: "2.5.4",
  origin: () => {
    const require = createRequire(import.meta.url);
    return dirname(require.resolve("redoc/package.json"));
  },
  folder: "bundles",
  files: ["redoc.standalone.js"],
  // Replaces a logo on another host, to which every page view would send a request.
  replacements: [["https://cdn.redoc.ly/redoc/logo-mini.svg", "data:image/gif;base64,R0lGODlhAQABAAAAACw="]],
};

/** Folder of a bundle's copies, created by the build of this package. */
export const copiesOf = ({ name }: Bundle): string =>
  fileURLToPath(new URL(`../assets/${name}`, import.meta.url));

/**
 * Returns a function that reads files of a bundle, each on first request, and caches them: 3 MB for both pages.
 */
export const bundleReader = (bundle: Bundle): ((file: string) => Promise<CachedFile>) => {
  const cached = new Map<string, Promise<CachedFile>>();
  return (file) => {
    const known = cached.get(file);
    if (known !== undefined) return known;
    const reading = read(bundle, file);
    cached.set(file, reading);
    reading.catch(() => cached.delete(file)); // the caller gets the error, and the next call retries
    return reading;
  };
};

const read = async (bundle: Bundle, file: string): Promise<CachedFile> => {
  const copies = copiesOf(bundle);
  const path = join(existsSync(copies) ? copies : join(bundle.origin(), bundle.folder), file);
  const headers = { "cache-control": "max-age=31536000, immutable", "x-content-type-options": "nosniff" };
  const etag = `"${bundle.version}"`;
  if (file.endsWith(".png")) return { bytes: await readFile(path), contentType: "image/png", etag, headers };
  const text = bundle.replacements.reduce(
    (changed, [before, after]) => changed.replaceAll(before, after),
    await readFile(path, "utf8"),
  );
  return textFile(text, mediaTypeOf(file), { etag, headers });
};
