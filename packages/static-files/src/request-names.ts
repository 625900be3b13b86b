import { pathSegments } from "@framework/core/feature";

/** What a path asks for: the names from the served folder down, and whether it has the form of a folder, with `/` at its end. */
export interface RequestNames {
  readonly names: readonly string[];
  readonly isFolder: boolean;
}

/** What decides on names. */
export interface NameRules {
  readonly dotFiles: boolean;
  /** `process.platform`: Windows gives more characters and names a meaning. */
  readonly platform: string;
}

/**
 * Reads a canonical path whose first `depth` segments are the prefix; `null` when a segment cannot be the name of a served file.
 *
 * Each segment is one name: what was sent as `%2F` never separates names.
 */
export const requestNames = (path: string, depth: number, rules: NameRules): RequestNames | null => {
  const segments = pathSegments(path).slice(depth);
  const isFolder = segments.at(-1) === "";
  const names = isFolder ? segments.slice(0, -1) : segments;
  return names.every((name) => isServedName(name, rules)) ? { names, isFolder } : null;
};

/** Whether a name may be asked for and shown. */
export const isServedName = (name: string, { dotFiles, platform }: NameRules): boolean => {
  if (name === "" || name === "." || name === ".." || /[/\\\p{Cc}]/u.test(name)) return false;
  if (!dotFiles && name.startsWith(".")) return false;
  return platform !== "win32" || isPlainOnWindows(name);
};

/** Streams and drives (`:`), wildcards, short names (`~1`), ends that the system cuts off, and devices, which exist in every folder. */
const isPlainOnWindows = (name: string): boolean =>
  !/[:*?"<>|]|~\d|[. ]$/.test(name) &&
  !/^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:[ .]|$)/i.test(name);
