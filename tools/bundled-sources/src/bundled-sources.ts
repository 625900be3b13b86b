import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { oneAtATime } from "./one-at-a-time.ts";

const own = dirname(import.meta.dirname);
/** The workspace's folder. */
export const workspace: string = dirname(dirname(own));
/** Folder of the workspace's bundles. */
export const workspaceCache: string = join(workspace, ".cache/bundled-sources");
const bundler = join(own, "bundler.mjs");
const ownPlace = join(own, "own-place.mjs");

/** The record of the last bundle of some entries. */
interface Recorded {
  readonly folder: string;
  /** The previous folder, which a process may still be loading. */
  readonly previous: string | null;
  /** Time of change and size of each bundled file. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** Settings of `bundledSources`. */
export interface BundleOptions {
  /** Folder of the bundles. @default one in the workspace */
  readonly cache?: string;
  /**
   * Whether ES modules from npm are bundled too; `"outside"` imports them from where they are, as CommonJS always is. @default "inside"
   */
  readonly npm?: "inside" | "outside";
  /** Beginning of the paths of sources whose changes do not matter to the caller. @default none */
  readonly unread?: string;
}

/**
 * Bundles the entries, by name, into a folder of files `NAME.mjs` that share their modules; returns that folder.
 *
 * It is rebuilt when a source or the lockfile has changed.
 *
 * @throws when a source cannot be bundled; the message has the bundler's output
 */
export const bundledSources = (
  entries: Readonly<Record<string, string>>,
  { cache = workspaceCache, npm = "inside", unread }: BundleOptions = {},
): string => {
  const place = placeOf(entries, npm, cache);
  const known = (): string | null => {
    const recorded = read(place);
    return recorded !== null && isFresh(recorded, unread) ? join(place, recorded.folder) : null;
  };
  const found = known();
  if (found !== null) return found;
  mkdirSync(place, { recursive: true });
  return oneAtATime(join(place, "lock"), () => known() ?? bundledAnew(entries, place, npm));
};

const bundledAnew = (entries: Readonly<Record<string, string>>, place: string, npm: string): string => {
  const folder = mkdtempSync(join(place, "bundle-"));
  const since = Date.now();
  const files = JSON.parse(runBundler(entries, folder, npm)) as string[];
  const recorded = read(place);
  record(folder, { files, since, previous: recorded?.folder ?? null });
  if (typeof recorded?.previous === "string")
    rmSync(join(place, recorded.previous), { recursive: true, force: true });
  return folder;
};

/** The folder of the bundles of some entries, each in a separate folder, with the record of the last one. */
export const placeOf = (entries: Readonly<Record<string, string>>, npm: string, cache: string): string => {
  const id = createHash("sha256")
    .update(JSON.stringify([entries, npm]))
    .digest("hex")
    .slice(0, 16);
  return join(cache, `${Object.keys(entries)[0]}-${id}`);
};

/** A new bundle. */
interface Made {
  readonly files: readonly string[];
  /** When the bundler began. */
  readonly since: number;
  readonly previous: string | null;
}

/** Records a folder with a new bundle as the last one. A file that has changed since the bundler began may be bundled as it was before. */
export const record = (folder: string, { files, since, previous }: Made): void => {
  const stamps = Object.fromEntries(
    [...files, bundler, ownPlace, join(workspace, "pnpm-lock.yaml")].map((file) => [
      file,
      stampOf(file, since) ?? "changed",
    ]),
  );
  const next: Recorded = { folder: basename(folder), previous, stamps };
  const written = join(folder, "recorded.json");
  writeFileSync(written, JSON.stringify(next));
  renameSync(written, join(dirname(folder), "recorded.json")); // other processes find the old record or this one
};

const read = (place: string): Recorded | null => {
  try {
    return JSON.parse(readFileSync(join(place, "recorded.json"), "utf8")) as Recorded; // written by this module alone
  } catch {
    return null; // nothing was bundled yet
  }
};

const isFresh = ({ stamps }: Recorded, unread: string | undefined): boolean =>
  Object.entries(stamps).every(
    ([file, stamp]) => (unread !== undefined && file.startsWith(unread)) || stampOf(file) === stamp,
  );

/** Time of change and size of a file; `null` for a change after `since`. */
const stampOf = (file: string, since = Infinity): string | null => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "none";
  return Math.floor(stats.mtimeMs) > since ? null : `${stats.mtimeMs} ${stats.size}`;
};

/** Runs the bundler in a separate process, because callers are synchronous; returns what it prints. */
export const runBundler = (
  entries: Readonly<Record<string, string>>,
  folder: string,
  ...how: readonly string[]
): string => {
  const args = [bundler, folder, JSON.stringify(entries), ...how];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  if (status !== 0) throw new Error(`cannot bundle ${Object.values(entries).join(", ")}:\n${stderr}`);
  return stdout;
};
