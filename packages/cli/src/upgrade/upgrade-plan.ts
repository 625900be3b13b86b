import type { ChangelogEntry } from "./changelog.ts";
import type { Conflict } from "./choose-versions.ts";
import type { NamedPackage } from "./project-packages.ts";

/** A package that is upgraded. */
export interface Upgraded {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "major" | "minor" | "patch";
  /** Its changelog between the versions, the newest first. */
  readonly changes: readonly ChangelogEntry[];
}

/** Result or plan of an upgrade. */
export interface UpgradePlan {
  readonly upgraded: readonly Upgraded[];
  /** Packages whose newest version is not compatible, with the range that excludes it. */
  readonly held: readonly Conflict[];
  /** Packages whose ranges contain no version. */
  readonly skipped: readonly NamedPackage[];
  readonly dryRun: boolean;
}
