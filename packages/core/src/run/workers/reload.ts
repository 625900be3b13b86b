import { type FSWatcher, type Dirent, readdirSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Logger } from "../../log/logger.ts";

/** Milliseconds without a further change before one is reported: one save often causes several events. */
const DEBOUNCE_MS = 100;
/** Maximum number of watched folders; each uses a watch of the operating system. */
const MAX_FOLDERS = 5000;

/** `.env` and files such as `.env.local`, but not an editor's swap, temporary and backup files. */
const ENV_FILE = /^\.env(?:\.(?!(?:sw[a-z]|swpx|tmp|temp|bak|backup|orig|save|un)$)[\w-]+)*$/;

/** Whether a change of this file affects the program: its code, or the variables of a `.env` file. */
export const isSource = (name: string): boolean =>
  name.startsWith(".") ? ENV_FILE.test(name) : /\.(?:[cm]?[jt]s|json)$/.test(name);

/** Whether a folder can contain sources of the program. */
export const isSourceFolder = (name: string): boolean =>
  name !== "node_modules" && name !== "dist" && !name.startsWith(".");

/**
 * Calls `onChange` when sources below `root` have changed, with the path of the last changed file relative to `root`, until the returned function is called.
 *
 * Creates one watcher per folder: a recursive watcher would include `node_modules`, with tens of thousands of files.
 */
export const watchSources = (root: string, log: Logger, onChange: (file: string) => void): (() => void) => {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let isFull = false;

  const reportLater = (path: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(relative(root, path)), DEBOUNCE_MS);
  };

  const forget = (folder: string): void => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };

  const add = (folder: string, isNew: boolean): void => {
    if (closed || watchers.has(folder)) return;
    if (watchers.size >= MAX_FOLDERS) {
      if (!isFull) log.warn("too many folders to watch; changes in some are not seen", { folder });
      isFull = true;
      return;
    }
    const entries = list(folder);
    if (entries === undefined) return;
    try {
      const watcher = watch(folder, (event, name) => {
        if (name === null) return;
        const path = join(folder, name);
        if (isSource(name)) return reportLater(path);
        if (event !== "rename" || !isSourceFolder(name)) return;
        forget(path); // it was created, removed or replaced
        add(path, true);
      });
      watcher.on("error", () => forget(folder)); // the folder was removed
      watchers.set(folder, watcher);
    } catch (error) {
      log.warn("a folder cannot be watched; changes in it are not seen", { folder, error });
      return;
    }
    for (const entry of entries) {
      if (entry.isDirectory() && isSourceFolder(entry.name)) add(join(folder, entry.name), isNew);
      // files created together with a new folder exist before its watch
      else if (isNew && isSource(entry.name)) reportLater(join(folder, entry.name));
    }
  };

  add(root, false);
  return () => {
    closed = true;
    clearTimeout(timer);
    forget(root);
  };
};

/** Entries of a folder; `undefined` for a file or a removed folder. */
const list = (folder: string): Dirent[] | undefined => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
};
