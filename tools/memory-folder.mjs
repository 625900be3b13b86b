import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const NEEDED_BYTES = 8 * 2 ** 30; // the servers, databases and installations of a whole run take at most 2 GB
const MEMORY = "/dev/shm";

/**
 * Creates a folder in memory for the temporary files of a run; `undefined` without a file system in memory that is large enough and executable.
 * Tests of databases write and sync many small files: on a disk they take up to a quarter more processor time.
 */
export const memoryFolder = () => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) < NEEDED_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, "framework-run-"));
    chmodSync(folder, 0o755); // a server that runs as another user has a folder in it
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // no file system in memory
  }
  return undefined;
};

const runsPrograms = (folder) => {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    execFileSync(program);
    return true;
  } catch {
    return false; // mounted with `noexec`, as in containers
  } finally {
    rmSync(program);
  }
};
