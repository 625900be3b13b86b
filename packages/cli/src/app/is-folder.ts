import { statSync } from "node:fs";

/** Whether a path is that of a folder that exists. Other files count as files, such as pipes. */
export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
