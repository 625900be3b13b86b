// The packages' test processes share the compiled code of what they all load: jest's own modules, packages from npm, and the bundle of the workspace.
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";

const folder = join(import.meta.dirname, "../../node_modules/.cache/compiled-code");
const HASH_BYTES = 20;

let known: string | undefined;
/** Names the version and the flags of V8; the flags are set after this module is loaded. */
const tag = (): string => (known ??= cachedDataVersionTag().toString(36));

/** Where the code of a file is: beside a bundled file, with which it goes; `undefined` for sources, which the tests of one package load alone. */
const placeOf = (file: string): string | undefined => {
  if (file.includes("/bundled-sources/") && file.endsWith(".mjs")) return `${file}.${tag()}`;
  if (file.includes("/node_modules/")) return join(folder, `${hash("sha1", file)}.${tag()}`);
  return undefined;
};

/** The code that another process has stored for this text of a file. */
export const readCode = (file: string, text: string): Buffer | undefined => {
  const place = placeOf(file);
  if (place === undefined) return undefined;
  try {
    const stored = readFileSync(place);
    const isOfText = hash("sha1", text, "buffer").equals(stored.subarray(0, HASH_BYTES));
    return isOfText ? stored.subarray(HASH_BYTES) : undefined;
  } catch {
    return undefined; // nothing is stored yet
  }
};

/** Stores code for other processes, in place of that for an older text. */
export const storeCode = (file: string, text: string, code: Uint8Array): void => {
  const place = placeOf(file);
  if (place === undefined) return;
  mkdirSync(folder, { recursive: true });
  const written = `${place}.${process.pid}`;
  writeFileSync(written, Buffer.concat([hash("sha1", text, "buffer"), code]));
  renameSync(written, place); // a reader finds all of it or nothing
};
