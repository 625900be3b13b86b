import { statSync } from "node:fs";

/** Whether a path is an existing folder. Everything else, such as a pipe, counts as a file. */
export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
