import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";

/** Version of `@graphql-yoga/render-graphiql`, which bundles GraphiQL in one script. */
export const GRAPHIQL_VERSION = "5.24.1";

/** Files of the page by name: media type, and the export of the original package with the text. */
export const bundleFiles = {
  "graphiql.js": ["text/javascript; charset=utf-8", "js"],
  "graphiql.css": ["text/css; charset=utf-8", "css"],
  "editor.worker.js": ["text/javascript; charset=utf-8", "editorWorkerService"],
  "json.worker.js": ["text/javascript; charset=utf-8", "jsonWorker"],
  "graphql.worker.js": ["text/javascript; charset=utf-8", "graphqlWorker"],
} as const;

/** Name of a file of the page. */
export type BundleFile = keyof typeof bundleFiles;

/** Folder of the Brotli-compressed copies that the build of this package makes. */
export const copies: string = fileURLToPath(new URL("../assets/graphiql", import.meta.url));

/** Encodings of a file; files are stored as `br`. */
export type Coding = "br" | "identity";

const bundles = new Map<string, Promise<Uint8Array>>();

/** Returns a file in one encoding, read on first use and cached: 2 MB for all files compressed, 9 MB uncompressed. */
export const readBundle = (file: BundleFile, coding: Coding): Promise<Uint8Array> => {
  const key = `${coding} ${file}`;
  const known = bundles.get(key);
  if (known !== undefined) return known;
  const reading = coding === "br" ? readCompressed(file) : readBundle(file, "br").then(decompress);
  bundles.set(key, reading);
  reading.catch(() => bundles.delete(key)); // the caller gets the error, and the next request retries
  return reading;
};

const decompress: (bytes: Uint8Array) => Promise<Uint8Array> = promisify(brotliDecompress);

const readCompressed = async (file: BundleFile): Promise<Uint8Array> =>
  existsSync(copies) ? readFile(join(copies, `${file}.br`)) : compressOrigin(file, 1);

/** Compresses a file of the original package with Brotli. @param quality 1, the fastest, to 11 */
export const compressOrigin = async (file: BundleFile, quality: number): Promise<Uint8Array> =>
  promisify(brotliCompress)(await readOrigin(file), {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });

/** Returns a file of the original package, which is installed only in the source tree. */
const readOrigin = async (file: BundleFile): Promise<Uint8Array> => {
  const path = createRequire(import.meta.url).resolve("@graphql-yoga/render-graphiql/graphiql");
  const origin = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  return new TextEncoder().encode(String(origin[bundleFiles[file][1]]));
};
