import { table } from "../frame/table.ts";
import { type Line, styled } from "../frame/text.ts";
import type { PackageUpgrade, UpgradePlan } from "./upgrade-plan.ts";

/** Describes an upgrade: new versions, ranges that exclude newer ones, and changes. @param compared number of packages that could be upgraded */
export const upgradeLines = (
  { upgraded, held, skipped, dryRun }: UpgradePlan,
  compared: number,
): readonly Line[] => [
  ...(upgraded.length === 0
    ? [noUpgrade(compared, skipped.length)]
    : table(
        ["PACKAGE", "FROM", "TO", ""],
        upgraded.map(({ name, from, to, kind }) => [
          name,
          from,
          to,
          kind === "major" ? styled("yellow", kind) : kind,
        ]),
      )),
  ...held.map(({ name, version, peer, range, found }): Line => [
    styled("yellow", "! "),
    `${name} ${version} needs ${peer} ${range}, which excludes ${found}`,
  ]),
  ...skipped.map(({ name, range }) => styled("dim", `${name} is skipped: ${range}`)),
  ...upgraded.flatMap(changes),
  ...(upgraded.length === 0
    ? []
    : ["", dryRun ? "nothing was changed; run framework upgrade to install" : "installed; run your tests"]),
];

const changes = ({ name, changes: entries }: PackageUpgrade): readonly Line[] =>
  entries.flatMap(({ version, text }): readonly Line[] => [
    "",
    styled("bold", `${name} ${version}`),
    ...text.split("\n").map((line) => `  ${line}`),
  ]);

const noUpgrade = (compared: number, skipped: number): Line => {
  if (compared > 0)
    return styled("green", "every package of the framework has the newest compatible version");
  return skipped > 0
    ? "no package of the framework has a range that can be upgraded"
    : "package.json names no package of the framework";
};
