import type { Command } from "../frame/command.ts";

export const upgradeCommand: Command = {
  name: "upgrade",
  summary: "upgrade all packages of the framework to the newest compatible versions",
  description: [
    "Versions are compatible if the peer ranges of all packages in package.json allow them; major upgrades are included. Ranges in package.json keep their operators; the package manager of the lock file then installs the packages.",
    "The changelogs between the versions are printed; --dry-run prints them and changes nothing. If the installation fails, package.json and the lock file are restored.",
  ],
  arguments: [],
  options: [{ name: "dry-run", kind: "flag", summary: "print versions and changes, change nothing" }],
  examples: ["upgrade --dry-run", "upgrade"],
  fails: "npm cannot reach the registry, or the installation fails; package.json is then restored",
  load: async () => (await import("./upgrade-project.ts")).upgradeProject,
};
