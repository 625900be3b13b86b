import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Maximum number of bytes in a `.env` file, and in the file of a `_FILE` variable. */
export const MAX_FILE_BYTES = 65_536;

/** The text of a file, or the reason why it cannot be used; `isAbsent` if there is no such file. */
export type FileText = { readonly text: string } | { readonly problem: string; readonly isAbsent: boolean };

/** Avoids blocking on a pipe; Windows has no such flag. */
const withoutBlocking = (constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0;

/** Reads a whole UTF-8 file of at most `MAX_FILE_BYTES`; only regular files, since others may block or never end. */
export const readFileText = (path: string): FileText => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | withoutBlocking);
    if (!fstatSync(descriptor).isFile()) return refusal("is not a regular file");
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    const size = fill(descriptor, bytes);
    if (size > MAX_FILE_BYTES) return refusal(`is larger than ${MAX_FILE_BYTES} bytes`);
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, size)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return refusal("is not UTF-8");
    if (code === "ENOENT" || code === "ENOTDIR") return { problem: "does not exist", isAbsent: true };
    return refusal(`cannot be read (${code ?? message})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

const fill = (descriptor: number, bytes: Buffer): number => {
  let size = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, size, bytes.length - size, null);
    size += read;
    if (read === 0 || size === bytes.length) return size;
  }
};

const refusal = (problem: string): FileText => ({ problem, isAbsent: false });
