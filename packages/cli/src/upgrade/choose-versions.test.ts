import { expect, test } from "@jest/globals";
import { entriesBetween } from "./changelog.ts";
import { type Choosable, chooseVersions } from "./choose-versions.ts";

/** A package with its versions, each with the range of core that it needs. */
const pkg = (
  name: string,
  current: string,
  versions: Readonly<Record<string, string | null>>,
): Choosable => ({
  name,
  current,
  candidates: Object.entries(versions).map(([version, core]) => ({
    version,
    peerDependencies: core === null ? {} : { core },
  })),
});

const choose = (...packages: readonly Choosable[]): Readonly<Record<string, string>> =>
  Object.fromEntries(chooseVersions(packages).versions);

const core = pkg("core", "1.0.0", { "1.0.0": null, "1.4.0": null, "2.0.0": null, "2.1.0": null });
const cache = pkg("cache", "1.0.0", { "1.0.0": "^1.0.0", "1.1.0": "^1.4.0", "2.0.0": "^2.1.0" });

test("the newest compatible versions are chosen, even across a major version", () => {
  expect(choose(core, cache)).toEqual({ core: "2.1.0", cache: "2.0.0" });
});

test.each<[string, Choosable, Readonly<Record<string, string>>]>([
  [
    "a package without a release for the newest core holds all back",
    pkg("jobs", "1.0.0", { "1.0.0": "^1.0.0", "1.2.0": "^1.0.0" }),
    { core: "1.4.0", cache: "1.1.0", jobs: "1.2.0" },
  ],
  [
    "an installed third-party package holds all back",
    pkg("audit", "3.0.0", { "3.0.0": "^1.0.0" }),
    { core: "1.4.0", cache: "1.1.0", audit: "3.0.0" },
  ],
  [
    "a package that supports several majors holds nothing back",
    pkg("audit", "3.0.0", { "3.0.0": "^1.0.0 || ^2.0.0" }),
    { core: "2.1.0", cache: "2.0.0", audit: "3.0.0" },
  ],
  [
    "a release for a core that does not exist yet is left out",
    pkg("jobs", "1.0.0", { "1.0.0": "^1.0.0 || ^2.0.0", "3.0.0": "^3.0.0" }),
    { core: "2.1.0", cache: "2.0.0", jobs: "1.0.0" },
  ],
])("%s", (_description, third, versions) => {
  expect(choose(core, cache, third)).toEqual(versions);
});

test("a range that excludes the newest version is reported", () => {
  const audit = pkg("audit", "3.0.0", { "3.0.0": "^1.0.0" });
  expect(chooseVersions([core, cache, audit]).conflicts[0]).toEqual({
    name: "audit",
    version: "3.0.0",
    peer: "core",
    range: "^1.0.0",
    found: "2.1.0",
  });
});

test("an existing conflict remains: nothing is downgraded", () => {
  const [old, own] = [
    pkg("core", "1.4.0", { "1.0.0": null, "1.4.0": null }),
    pkg("jobs", "1.0.0", { "1.0.0": "^0.9.0" }),
  ];
  expect(choose(old, own)).toEqual({ core: "1.4.0", jobs: "1.0.0" });
});

test("the changelog entries between two versions are returned, newest first", () => {
  const changelog = `# cache

## 1.10.0

### Minor Changes

- Adds a thing.

## 1.9.0

## 1.2.0

- Old.

## 1.1.0

- Older.
`;
  expect(entriesBetween(changelog, "1.1.0", "1.10.0")).toEqual([
    { version: "1.10.0", text: "### Minor Changes\n\n- Adds a thing." },
    { version: "1.2.0", text: "- Old." },
  ]);
  expect(entriesBetween(changelog, "1.10.0", "1.10.0")).toEqual([]);
  expect(entriesBetween("", "1.0.0", "2.0.0")).toEqual([]);
});
