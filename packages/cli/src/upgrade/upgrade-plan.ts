import type { ChangelogEntry } from "./changelog.ts";
import type { Conflict } from "./choose-versions.ts";
import type { NamedPackage } from "./project-packages.ts";

/** A package that becomes newer. */
export interface Upgraded {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "major" | "minor" | "patch";
  /** What its changelog says about the versions between, the newest first. */
  readonly changes: readonly ChangelogEntry[];
}

/** What an upgrade does, or would do. */
export interface UpgradePlan {
  readonly upgraded: readonly Upgraded[];
  /** Packages whose newest version does not fit, with the range that excludes it. */
  readonly held: readonly Conflict[];
  /** Packages whose ranges name no versions. */
  readonly skipped: readonly NamedPackage[];
  readonly dryRun: boolean;
}
