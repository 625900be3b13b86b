import { gunzipSync } from "node:zlib";

const BLOCK = 512;
/** Maximum size of an unpacked tarball. */
const MAX_BYTES = 256 * 1_048_576;

/** Returns the texts of files in a package's tarball by path; paths omit the top-level folder. */
export const readTarball = (tarball: Uint8Array, paths: readonly string[]): ReadonlyMap<string, string> => {
  const bytes = gunzipSync(tarball, { maxOutputLength: MAX_BYTES });
  const found = new Map<string, string>();
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const field = (from: number, length: number): string =>
      bytes.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    const path = field(0, 100).replace(/^[^/]*\//, "");
    const start = at + BLOCK;
    if (paths.includes(path)) found.set(path, bytes.toString("utf8", start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
};
