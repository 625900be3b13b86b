import type { ChangelogEntry } from "./changelog.ts";
import type { Conflict } from "./choose-versions.ts";
import type { NamedPackage } from "./project-packages.ts";

/** A package that is upgraded. */
export interface PackageUpgrade {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "major" | "minor" | "patch";
  /** Its changelog between the versions, the newest first. */
  readonly changes: readonly ChangelogEntry[];
}

/** Result or plan of an upgrade. */
export interface UpgradePlan {
  readonly upgraded: readonly PackageUpgrade[];
  /** Peer ranges that exclude a newer version of the peer. */
  readonly held: readonly Conflict[];
  /** Packages with another kind of range, such as `workspace:^` or a folder. */
  readonly skipped: readonly NamedPackage[];
  readonly dryRun: boolean;
}
