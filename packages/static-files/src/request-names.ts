import { pathSegments } from "@framework/core/feature";

/** A parsed path: the names below the served folder, and whether the path ends with `/`. */
export interface RequestNames {
  readonly names: readonly string[];
  readonly isFolder: boolean;
}

/** Rules for names. */
export interface NameRules {
  readonly dotFiles: boolean;
  /** `process.platform`; Windows reserves more characters and names. */
  readonly platform: string;
}

/**
 * Reads a canonical path whose first `depth` segments are the prefix; `null` when a segment cannot be the name of a served file.
 *
 * Each segment is one name: `%2F` never separates names.
 */
export const requestNames = (path: string, depth: number, rules: NameRules): RequestNames | null => {
  const segments = pathSegments(path).slice(depth);
  const isFolder = segments.at(-1) === "";
  const names = isFolder ? segments.slice(0, -1) : segments;
  return names.every((name) => isServedName(name, rules)) ? { names, isFolder } : null;
};

/** Whether a name may be requested and listed. */
export const isServedName = (name: string, { dotFiles, platform }: NameRules): boolean => {
  if (name === "" || name === "." || name === ".." || /[/\\\p{Cc}]/u.test(name)) return false;
  if (!dotFiles && name.startsWith(".")) return false;
  return platform !== "win32" || isPlainOnWindows(name);
};

/** Rejects streams and drives (`:`), wildcards, short names (`~1`), trailing characters that Windows removes, and device names, which exist in every folder. */
const isPlainOnWindows = (name: string): boolean =>
  !/[:*?"<>|]|~\d|[. ]$/.test(name) &&
  !/^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:[ .]|$)/i.test(name);
