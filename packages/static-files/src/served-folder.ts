import { constants, statSync } from "node:fs";
import { type FileHandle, lstat, open, opendir, readlink, realpath, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { FrameworkError, HttpError, type Problem } from "@framework/core";
import { OpenedFile } from "./opened-file.ts";

/** The entry at a path: an open file or a folder; `null` if it is not served. */
export type ServedEntry = OpenedFile | "folder" | null;

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Opening a pipe must not block, and a link created after the check must not be followed; not every system supports both flags. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Maximum attempts to open a path whose entry is replaced between check and open, as deployments do. */
const MAX_ATTEMPTS = 5;

const absentCodes: ReadonlySet<unknown> = new Set([
  "EACCES",
  "EINVAL",
  "ELOOP",
  "ENAMETOOLONG",
  "ENODEV",
  "ENOENT",
  "ENOTDIR",
  "ENXIO",
  "EPERM",
  "ERR_INVALID_ARG_VALUE",
]);

/** A folder whose files are opened by name; an entry outside of it is never returned, except for the limitation of `isAt`. */
export class ServedFolder {
  /** Number of open files. */
  openFiles = 0;
  /** Path of the folder; resolved by `open`. */
  path: string;
  private readonly pathOf: PathOfOpened;
  /** Whether the system reports the path of an open file. */
  private reportsPaths = false;

  constructor(directory: string, pathOf: PathOfOpened = pathInProc) {
    this.path = resolve(directory);
    this.pathOf = pathOf;
  }

  /** Checks the path synchronously, so the problem is reported with the app's other problems; `null` if it is a folder. */
  problem(): Problem | null {
    try {
      if (statSync(this.path).isDirectory()) return null;
    } catch {
      // reported below
    }
    return noFolder(this.path);
  }

  /** Resolves the path. @throws STATIC_FILES_NO_DIRECTORY */
  async open(): Promise<void> {
    const real = await realpath(this.path).catch(() => null);
    if (real === null || !(await stat(real)).isDirectory()) {
      const { code, message } = noFolder(this.path);
      throw new FrameworkError(code, message);
    }
    this.path = real;
    const handle = await open(real, constants.O_RDONLY).catch(() => null); // not every system can open folders
    this.reportsPaths = handle !== null && (await this.pathOf(handle)) === real;
    await handle?.close();
  }

  /**
   * Opens the entry at a path of names.
   *
   * Links are resolved first, and a target outside is not opened. The opened file is then compared with the resolved path, because an entry may be
   * replaced in between.
   *
   * @throws HttpError 503 when the process has too many files open
   */
  async find(names: readonly string[]): Promise<ServedEntry> {
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const realPath = await this.resolveInside(names);
        const found = realPath === null ? null : await this.openFile(realPath);
        if (found !== "replaced") return found;
      }
      return null;
    } catch (error) {
      return absent(error);
    }
  }

  /**
   * Returns the entries of a folder, at most `limit`, unordered; `null` when there is no such folder. Links to the outside are omitted.
   *
   * @throws HttpError 503 when the process has too many files open
   */
  async list(
    names: readonly string[],
    limit: number,
    isShown: (name: string) => boolean,
  ): Promise<readonly FolderEntry[] | null> {
    try {
      const realPath = await this.resolveInside(names);
      if (realPath === null) return null;
      const entries: FolderEntry[] = [];
      for await (const entry of await opendir(realPath)) {
        if (entries.length === limit) break;
        if (!isShown(entry.name)) continue;
        const target = entry.isSymbolicLink() ? await this.linkTarget([...names, entry.name]) : entry;
        if (target?.isDirectory() === true) entries.push({ name: entry.name, isFolder: true });
        else if (target?.isFile() === true) entries.push({ name: entry.name, isFolder: false });
      }
      return (await this.resolveInside(names)) === realPath ? entries : null;
    } catch (error) {
      return absent(error);
    }
  }

  /** Returns the resolved path of names; `null` if it is outside, or if a name has another spelling. */
  private async resolveInside(names: readonly string[]): Promise<string | null> {
    const requested = join(this.path, ...names);
    const real = await realpath(requested);
    const isInside =
      real === this.path || real.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep);
    if (!isInside || (isOtherSpelling(requested, real) && !(await this.hasLink(names)))) return null;
    return real;
  }

  private async hasLink(names: readonly string[]): Promise<boolean> {
    for (let depth = 1; depth <= names.length; depth++) {
      if ((await lstat(join(this.path, ...names.slice(0, depth)))).isSymbolicLink()) return true;
    }
    return false;
  }

  /**
   * Whether an open file is the one at a resolved path. The path that the system reports is not subject to races. Without it, the path is resolved
   * again, which detects every replacement except several at the same moment.
   */
  private async isAt(handle: FileHandle, realPath: string): Promise<boolean> {
    if (this.reportsPaths) {
      const path = await this.pathOf(handle);
      return path === realPath || path === `${realPath} (deleted)`;
    }
    if ((await realpath(realPath)) !== realPath) return false;
    const [opened, seen] = await Promise.all([
      handle.stat({ bigint: true }),
      lstat(realPath, { bigint: true }),
    ]);
    return opened.dev === seen.dev && opened.ino === seen.ino;
  }

  private async linkTarget(names: readonly string[]) {
    const realPath = await this.resolveInside(names).catch(() => null); // a dangling link is not listed
    return realPath === null ? null : lstat(realPath);
  }

  private async openFile(realPath: string): Promise<ServedEntry | "replaced"> {
    const handle = await open(realPath, flags).catch(folderOrThrow);
    if (handle === "folder") return "folder";
    let isKept = false;
    try {
      const [opened, isSame] = await Promise.all([
        handle.stat({ bigint: true }),
        this.isAt(handle, realPath),
      ]);
      if (!isSame) return "replaced";
      if (!opened.isFile()) return opened.isDirectory() ? "folder" : null;
      isKept = true;
      this.openFiles++;
      return new OpenedFile(handle, opened, () => void this.openFiles--);
    } finally {
      if (!isKept) await handle.close();
    }
  }
}

const noFolder = (path: string): Problem => ({
  code: "STATIC_FILES_NO_DIRECTORY",
  message: `static-files: ${path} is not a folder; create it, or correct StaticFilesConfig.directory`,
});

/** Returns the path of an open file; `null` if the system does not report it. */
export type PathOfOpened = (handle: FileHandle) => Promise<string | null>;

const pathInProc: PathOfOpened = ({ fd }) => readlink(`/proc/self/fd/${fd}`).catch(() => null);

/**
 * Whether a path differs from the real one only in case or Unicode form. Some file systems accept that, but a guard that compares the path's text
 * would miss it.
 */
export const isOtherSpelling = (requested: string, real: string): boolean =>
  requested !== real && foldCase(requested) === foldCase(real);

const foldCase = (path: string): string => path.normalize("NFKC").toLowerCase();

const folderOrThrow = (error: unknown): FileHandle | "folder" => {
  if (codeOf(error) === "EISDIR") return "folder";
  throw error;
};

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

const absent = (error: unknown): null => {
  const code = codeOf(error);
  if (absentCodes.has(code)) return null;
  if (code !== "EMFILE" && code !== "ENFILE") throw error;
  throw new HttpError(503, "Too many files are open; try again", {
    headers: { "retry-after": "1" },
    cause: error,
  });
};
