import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Version of `@graphql-yoga/render-graphiql`, which bundles GraphiQL in one script. */
export const GRAPHIQL_VERSION = "5.24.1";

/** Files of the page by their name, with their media type and the member of the origin that has their text. */
export const bundleFiles = {
  "graphiql.js": ["text/javascript; charset=utf-8", "js"],
  "graphiql.css": ["text/css; charset=utf-8", "css"],
  "editor.worker.js": ["text/javascript; charset=utf-8", "editorWorkerService"],
  "json.worker.js": ["text/javascript; charset=utf-8", "jsonWorker"],
  "graphql.worker.js": ["text/javascript; charset=utf-8", "graphqlWorker"],
} as const;

/** Name of a file of the page. */
export type BundleFile = keyof typeof bundleFiles;

/** Folder of the copies that the build of this package makes. */
export const copies: string = fileURLToPath(new URL("../assets/graphiql", import.meta.url));

const read = new Map<BundleFile, Promise<Uint8Array>>();

/** Returns a file, read on its first request and kept: 9 MB for all. */
export const readBundle = (file: BundleFile): Promise<Uint8Array> => {
  const known = read.get(file);
  if (known !== undefined) return known;
  const reading = existsSync(copies) ? readFile(join(copies, file)) : readOrigin(file);
  read.set(file, reading);
  reading.catch(() => read.delete(file)); // the caller gets the error; the next request tries again
  return reading;
};

/** Returns a file from the package of the originals, which is present in the source tree only. */
export const readOrigin = async (file: BundleFile): Promise<Uint8Array> => {
  const path = createRequire(import.meta.url).resolve("@graphql-yoga/render-graphiql/graphiql");
  const origin = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  return new TextEncoder().encode(String(origin[bundleFiles[file][1]]));
};
