import { compareVersions } from "../doctor/rules/version-range.ts";

/** A version in a changelog. */
export interface ChangelogEntry {
  readonly version: string;
  /** Its text as Markdown. */
  readonly text: string;
}

/** Returns the entries of a changelog above `from`, up to `to`, the newest first; empty entries are skipped. */
export const entriesBetween = (changelog: string, from: string, to: string): readonly ChangelogEntry[] =>
  changelog
    .split(/^(?=## )/m)
    .flatMap((part): ChangelogEntry[] => {
      const [, version = "", text = ""] = /^## \[?v?(\d+\.\d+\.\d+[\w.-]*)[^\n]*\n(.*)$/s.exec(part) ?? [];
      return version === "" || text.trim() === "" ? [] : [{ version, text: text.trim() }];
    })
    .filter(({ version }) => compareVersions(version, from) > 0 && compareVersions(version, to) <= 0)
    .sort((one, other) => compareVersions(other.version, one.version));
