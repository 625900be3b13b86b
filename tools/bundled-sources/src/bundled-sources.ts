import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const own = dirname(import.meta.dirname);
const workspace = dirname(dirname(own));
const workspaceCache = join(workspace, ".cache/bundled-sources");
const bundler = join(own, "bundler.mjs");
const ownPlace = join(own, "own-place.mjs");

/** What is known of the last bundle of some entries. */
interface Recorded {
  readonly folder: string;
  /** The folder before, which a process may still be loading. */
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
 * It is made anew when a source or the lockfile has changed.
 *
 * @throws when a source cannot be bundled; the message has the bundler's output
 */
export const bundledSources = (
  entries: Readonly<Record<string, string>>,
  { cache = workspaceCache, npm = "inside", unread }: BundleOptions = {},
): string => {
  const id = createHash("sha256")
    .update(JSON.stringify([entries, npm]))
    .digest("hex")
    .slice(0, 16);
  const place = join(cache, `${Object.keys(entries)[0]}-${id}`);
  const recorded = read(join(place, "recorded.json"));
  if (recorded !== null && isFresh(recorded, unread)) return join(place, recorded.folder);
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, "bundle-"));
  const files = bundle(entries, folder, npm);
  const stamps = Object.fromEntries(
    [...files, bundler, ownPlace, join(workspace, "pnpm-lock.yaml")].map((file) => [file, stampOf(file)]),
  );
  const next: Recorded = { folder: basename(folder), previous: recorded?.folder ?? null, stamps };
  const written = join(folder, "recorded.json");
  writeFileSync(written, JSON.stringify(next));
  renameSync(written, join(place, "recorded.json")); // other processes find the old record or this one
  if (typeof recorded?.previous === "string")
    rmSync(join(place, recorded.previous), { recursive: true, force: true });
  return folder;
};

const read = (file: string): Recorded | null => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Recorded; // written by this module alone
  } catch {
    return null; // nothing was bundled yet
  }
};

const isFresh = ({ stamps }: Recorded, unread: string | undefined): boolean =>
  Object.entries(stamps).every(
    ([file, stamp]) => (unread !== undefined && file.startsWith(unread)) || stampOf(file) === stamp,
  );

const stampOf = (file: string): string => {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "none" : `${stats.mtimeMs} ${stats.size}`;
};

/** Runs the bundler as a process of its own, because callers are synchronous; returns the files that it bundled. */
const bundle = (
  entries: Readonly<Record<string, string>>,
  folder: string,
  npm: string,
): readonly string[] => {
  const args = [bundler, folder, JSON.stringify(entries), npm];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  if (status !== 0) throw new Error(`cannot bundle ${Object.values(entries).join(", ")}:\n${stderr}`);
  return JSON.parse(stdout) as string[];
};
