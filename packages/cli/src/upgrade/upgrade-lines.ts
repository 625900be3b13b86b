import { table } from "../frame/table.ts";
import { type Line, styled } from "../frame/text.ts";
import type { PackageUpgrade, UpgradePlan } from "./upgrade-plan.ts";

/** Describes an upgrade: new versions, ranges that exclude newer ones, and changes. */
export const upgradeLines = ({ upgraded, held, skipped, dryRun }: UpgradePlan): readonly Line[] => [
  ...(upgraded.length === 0
    ? [styled("green", "every package of the framework has the newest compatible version")]
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
