import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readTable } from "../releases/package-table.ts";
import { root } from "../root.ts";
import { readWorkspace } from "./read-workspace.ts";

const published = readWorkspace(root).filter(({ manifest }) => manifest.private !== true);

/** Returns the names in a cell, without ranges. */
const namesIn = (cell: string): string[] =>
  cell === "–" ? [] : cell.split(", ").map((entry) => entry.replace(/ .*/, ""));

test("PACKAGES.md has a row for every published package, with its dependencies; `pnpm package-table` writes it", () => {
  const table = readTable(readFileSync(join(root, "PACKAGES.md"), "utf8"));
  const rows = table.map((row) => ({
    name: row.name,
    dependencies: namesIn(row.dependencies),
    peers: namesIn(row.peers),
  }));
  const short = (names: object): string[] =>
    Object.keys(names).map((name) => name.replace("@framework/", ""));
  const expected = published.map(({ manifest: { name, dependencies = {}, peerDependencies = {} } }) => ({
    name,
    dependencies:
      name === "@framework/framework" ? [`${Object.keys(dependencies).length}`] : short(dependencies), // the table has only their number
    peers: short(peerDependencies).toSorted(),
  }));
  expect(rows.map((row) => ({ ...row, peers: row.peers.toSorted() }))).toEqual(expected);
});

/** Packages whose features are not in the App with every feature: sagas on DBOS replace the sagas of `saga`. */
const alternatives = ["@framework/saga-dbos"];

/** To correct a failure, add an entry to features.ts, a dependency to package.json and a reference to tsconfig.json of packages/framework. */
test("the App with every feature has the feature of every package, in packages/framework/src/features.ts", () => {
  const all = published.find(({ manifest }) => manifest.name === "@framework/framework");
  const withFeature = published
    .filter(({ files }) =>
      [...files].some(
        ([path, code]) => !path.includes(".test") && /^export const \w+: (?:Route)?Feature</m.test(code),
      ),
    )
    .map(({ manifest }) => manifest.name)
    .filter((name) => !alternatives.includes(name) && name !== "@framework/core");
  expect(withFeature.length).toBeGreaterThan(25);
  const features = all?.files.get("src/features.ts") ?? "";
  expect(withFeature.filter((name) => !features.includes(`"${name}"`))).toEqual([]);
});
