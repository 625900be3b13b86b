import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { withProcessLock } from "./process-lock.ts";

const own = dirname(import.meta.dirname);
/** Folder of the workspace. */
export const workspace: string = dirname(dirname(own));
/** Folder of the bundles of the workspace. */
export const workspaceCache: string = join(workspace, ".cache/bundled-sources");
const bundler = join(own, "bundler.mjs");
const importMetaPlugin = join(own, "import-meta.mjs");

/** The record of the last bundle of some entries. */
interface Recorded {
  readonly folder: string;
  /** Previous folder: a process may still be loading it. */
  readonly previous: string | null;
  /** Modification time and size of each bundled file. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** Options of `bundledSources`. */
export interface BundleOptions {
  /** Folder of the bundles. @default one in the workspace */
  readonly cache?: string;
  /**
   * `"inside"` also bundles ES modules from npm; `"outside"` imports them by their path, like CommonJS, which is never bundled. @default "inside"
   */
  readonly npm?: "inside" | "outside";
  /** Prefix of the paths of sources whose changes do not cause a new bundle. @default none */
  readonly ignoredPrefix?: string;
}

/**
 * Bundles the entries, by name, into a folder of files `NAME.mjs` with common chunks; returns that folder.
 *
 * The bundle is rebuilt when a source or the lockfile has changed.
 *
 * @throws when a source cannot be bundled; the message has the bundler's output
 */
export const bundledSources = (
  entries: Readonly<Record<string, string>>,
  { cache = workspaceCache, npm = "inside", ignoredPrefix }: BundleOptions = {},
): string => {
  const base = bundleFolder(entries, npm, cache);
  const known = (): string | null => {
    const recorded = read(base);
    return recorded !== null && isFresh(recorded, ignoredPrefix) ? join(base, recorded.folder) : null;
  };
  const found = known();
  if (found !== null) return found;
  mkdirSync(base, { recursive: true });
  return withProcessLock(join(base, "lock"), () => known() ?? bundleAgain(entries, base, npm));
};

const bundleAgain = (entries: Readonly<Record<string, string>>, base: string, npm: string): string => {
  const folder = mkdtempSync(join(base, "bundle-"));
  const since = Date.now();
  const files = JSON.parse(runBundler(entries, folder, npm)) as string[];
  const recorded = read(base);
  record(folder, { files, since, previous: recorded?.folder ?? null });
  if (typeof recorded?.previous === "string")
    rmSync(join(base, recorded.previous), { recursive: true, force: true });
  return folder;
};

/** Returns the folder for the bundles of these entries: each bundle has a subfolder, and `recorded.json` describes the last one. */
export const bundleFolder = (
  entries: Readonly<Record<string, string>>,
  npm: string,
  cache: string,
): string => {
  const id = createHash("sha256")
    .update(JSON.stringify([entries, npm]))
    .digest("hex")
    .slice(0, 16);
  return join(cache, `${Object.keys(entries)[0]}-${id}`);
};

/** A new bundle. */
interface NewBundle {
  readonly files: readonly string[];
  /** Start of the bundler, in Unix milliseconds. */
  readonly since: number;
  readonly previous: string | null;
}

/** Records a folder as the last bundle. A file that has changed since the bundler began counts as changed, because the bundle may contain its previous version. */
export const record = (folder: string, { files, since, previous }: NewBundle): void => {
  const stamps = Object.fromEntries(
    [...files, bundler, importMetaPlugin, join(workspace, "pnpm-lock.yaml")].map((file) => [
      file,
      stampOf(file, since) ?? "changed",
    ]),
  );
  const next: Recorded = { folder: basename(folder), previous, stamps };
  const written = join(folder, "recorded.json");
  writeFileSync(written, JSON.stringify(next));
  renameSync(written, join(dirname(folder), "recorded.json")); // atomic for other processes
};

const read = (base: string): Recorded | null => {
  try {
    return JSON.parse(readFileSync(join(base, "recorded.json"), "utf8")) as Recorded; // written by this module alone
  } catch {
    return null; // nothing was bundled yet
  }
};

const isFresh = ({ stamps }: Recorded, ignoredPrefix: string | undefined): boolean =>
  Object.entries(stamps).every(
    ([file, stamp]) =>
      (ignoredPrefix !== undefined && file.startsWith(ignoredPrefix)) || stampOf(file) === stamp,
  );

/** Returns the modification time and size of a file; `null` if it was modified after `since`. */
const stampOf = (file: string, since = Infinity): string | null => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "none";
  return Math.floor(stats.mtimeMs) > since ? null : `${stats.mtimeMs} ${stats.size}`;
};

/** Runs the bundler in a separate process, because callers are synchronous; returns its output. */
export const runBundler = (
  entries: Readonly<Record<string, string>>,
  folder: string,
  ...more: readonly string[]
): string => {
  const args = [bundler, folder, JSON.stringify(entries), ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  if (status !== 0) throw new Error(`cannot bundle ${Object.values(entries).join(", ")}:\n${stderr}`);
  return stdout;
};
