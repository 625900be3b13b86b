import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate file system, which a test can fill to the last byte. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Fills it. */
  fill(): void;
  /** Undoes `fill`. */
  free(): void;
}

/** Mounts a RAM disk of a size in MiB; `null` if this process has no permission. */
export const smallDisk = (mebibytes: number): SmallDisk | null => {
  const path = mkdtempSync(join(tmpdir(), "small-disk-"));
  const options = `size=${mebibytes}m,mode=777`;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]).status !== 0) {
    rmdirSync(path);
    return null;
  }
  const ballast = join(path, "ballast");
  return {
    path,
    fill: () => writeUntilFull(ballast),
    free: () => rmSync(ballast),
    [Symbol.dispose]() {
      execFileSync("umount", ["-l", path]);
      rmdirSync(path);
    },
  };
};

const writeUntilFull = (file: string): void => {
  const fd = openSync(file, "a");
  try {
    for (let size = 65_536; size > 0;) {
      try {
        writeSync(fd, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2); // until not even one byte fits
      }
    }
  } finally {
    closeSync(fd);
  }
};
