import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mediaTypeOf } from "@framework/core/http";
import { type CachedFile, textFile } from "./cached-file.ts";

/** Files of another project that a page loads; this package brings copies of them. */
export interface Bundle {
  readonly name: string;
  readonly version: string;
  /** The package that the copies are made from: there in the source tree, not where this package is installed. */
  readonly origin: () => string;
  /** Where the files are in it. */
  readonly folder: string;
  readonly files: readonly string[];
  /** What is changed in the files' text when they are served. */
  readonly replaced: readonly (readonly [text: string, by: string])[];
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
  replaced: [],
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
  // A logo of another host, with which every reader of the page would call there.
  replaced: [["https://cdn.redoc.ly/redoc/logo-mini.svg", "data:image/gif;base64,R0lGODlhAQABAAAAACw="]],
};

/** Where a bundle's copies are, which the build of this package makes. */
export const copiesOf = ({ name }: Bundle): string =>
  fileURLToPath(new URL(`../assets/${name}`, import.meta.url));

/**
 * Gives a file of a bundle, read when it is first asked for and kept from then on: at most the bundle's few files, 3 MB for both pages.
 */
export const bundleReader = (bundle: Bundle): ((file: string) => Promise<CachedFile>) => {
  const kept = new Map<string, Promise<CachedFile>>();
  return (file) => {
    const known = kept.get(file);
    if (known !== undefined) return known;
    const reading = read(bundle, file);
    kept.set(file, reading);
    reading.catch(() => kept.delete(file)); // the caller gets the error, and the next one a new attempt
    return reading;
  };
};

const read = async (bundle: Bundle, file: string): Promise<CachedFile> => {
  const copies = copiesOf(bundle);
  const path = join(existsSync(copies) ? copies : join(bundle.origin(), bundle.folder), file);
  const headers = { "cache-control": "max-age=31536000, immutable", "x-content-type-options": "nosniff" };
  const etag = `"${bundle.version}"`;
  if (file.endsWith(".png")) return { bytes: await readFile(path), contentType: "image/png", etag, headers };
  const text = bundle.replaced.reduce(
    (changed, [before, after]) => changed.replaceAll(before, after),
    await readFile(path, "utf8"),
  );
  return textFile(text, mediaTypeOf(file), { etag, headers });
};
