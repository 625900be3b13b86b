import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Response } from "@framework/core";

/** Files of the page with their media types, by path. */
const files: Readonly<Record<string, readonly [file: string, contentType: string]>> = {
  "/": ["page.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
};

/** Folder of the built files. */
const builtFolder = fileURLToPath(new URL("../assets", import.meta.url));
/** Folder of the page's sources, in the source tree only. */
const sourceFolder = fileURLToPath(new URL("../../page", import.meta.url));

const cache = new Map<string, Promise<Uint8Array>>();

/** Forbids inline code, and calls to other origins. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Header fields of every reply of the dev page. */
export const pageFields: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Returns a file of the page; `null` for another path. The files contain no data of the service, so they need no token. */
export const sendPageFile = async (path: string): Promise<Response | null> => {
  const entry = Object.hasOwn(files, path) ? files[path] : undefined;
  if (entry === undefined) return null;
  const [file, contentType] = entry;
  return new Response(await readPageFile(file), { contentType, headers: pageFields });
};

/** Reads a file, and caches its bytes. */
const readPageFile = (file: string): Promise<Uint8Array> => {
  const known = cache.get(file);
  if (known !== undefined) return known;
  const reading = readFrom(file);
  cache.set(file, reading);
  reading.catch(() => cache.delete(file)); // the caller gets the error; the next request retries
  return reading;
};

const readFrom = async (file: string): Promise<Uint8Array> => {
  if (existsSync(builtFolder)) return readFile(join(builtFolder, file));
  if (file !== "page.js") return readFile(join(sourceFolder, file));
  const bundler = fileURLToPath(new URL("../../build-page.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [bundler, "--print"], {
    encoding: "buffer",
  });
  return stdout;
};
