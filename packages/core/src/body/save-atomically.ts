import { nodeBuiltin } from "../runtime/node-builtins.ts";

/**
 * Writes a file atomically: it appears complete or not at all, even when the disk is full or the process dies. Exception: without `overwrite`, on a file system
 * without hard links, the file is visible while it is written.
 *
 * @throws Node's error, such as EEXIST for an existing file without `overwrite`; CORE_NEEDS_NODE
 */
export const saveAtomically = async (
  bytes: Uint8Array,
  path: string | URL,
  overwrite: boolean,
): Promise<void> => {
  const files = nodeBuiltin("node:fs/promises");
  const { dirname, join } = nodeBuiltin("node:path");
  const target = typeof path === "string" ? path : nodeBuiltin("node:url").fileURLToPath(path);
  const part = join(dirname(target), `.upload-${crypto.randomUUID()}.part`);
  try {
    await files.writeFile(part, bytes, { flag: "wx" });
    if (overwrite) return await files.rename(part, target);
    await files.link(part, target); // unlike a rename it never replaces a file
  } catch (error) {
    if (overwrite || !meansNoHardLinks(error)) throw error;
    await saveDirectly(bytes, target);
  } finally {
    await files.rm(part, { force: true });
  }
};

/** Whether the error of `link` means that the file system has no hard links, such as FAT. */
const meansNoHardLinks = (error: unknown): boolean =>
  ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(String((error as { code?: unknown } | null)?.code)) &&
  (error as { syscall?: unknown }).syscall === "link";

/** Fallback for file systems without hard links: removes the file on failure, but it is visible while it is written. */
const saveDirectly = async (bytes: Uint8Array, target: string): Promise<void> => {
  const { open, rm } = nodeBuiltin("node:fs/promises");
  const file = await open(target, "wx");
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await file.close();
  }
};
