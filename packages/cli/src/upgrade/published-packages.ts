import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNpm, type RunNpmOptions } from "../npm/run-npm.ts";
import type { Candidate } from "./choose-versions.ts";
import { readTarball } from "./tarball.ts";

/** A published version of a package. */
export interface PublishedPackage extends Candidate {
  readonly name: string;
  /** Its changelog; empty if it has none. */
  readonly changelog: string;
}

/** Path of the changelog in packages of the framework. */
const CHANGELOG = "dist/CHANGELOG.md";

/** Output of `npm pack` for each tarball. */
interface PackedTarball {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
}

/**
 * Fetches versions of packages, as `@framework/core@latest`, with one run of npm. A later installation finds them in npm's cache.
 *
 * @throws CLI_NPM_FAILED
 */
export const fetchPackages = async (
  specs: readonly string[],
  options: RunNpmOptions,
): Promise<readonly PublishedPackage[]> => {
  if (specs.length === 0) return [];
  using folder = mkdtempDisposableSync(join(tmpdir(), "framework-upgrade-"));
  const out = await runNpm(["pack", ...specs, "--json", "--pack-destination", folder.path], options);
  return (JSON.parse(out) as readonly PackedTarball[]).map(({ name, version, filename }) => {
    const files = readTarball(readFileSync(join(folder.path, filename)), ["package.json", CHANGELOG]);
    const { peerDependencies = {} } = JSON.parse(files.get("package.json") ?? "{}") as Partial<Candidate>;
    return { name, version, peerDependencies, changelog: files.get(CHANGELOG) ?? "" };
  });
};

/** Returns every released version of a package from `from` on. @throws CLI_NPM_FAILED */
export const releasedVersions = async (
  name: string,
  from: string,
  options: RunNpmOptions,
): Promise<readonly Candidate[]> => {
  const words = ["view", `${name}@>=${from}`, "version", "peerDependencies", "--json"];
  const out = await runNpm(words, options);
  const found = JSON.parse(out === "" ? "[]" : out) as ViewedVersion | readonly ViewedVersion[];
  return [found].flat().flatMap((each) => {
    if (typeof each === "string") return [{ version: each, peerDependencies: {} }];
    const { version, peerDependencies = {} } = each;
    return version === undefined ? [] : [{ version, peerDependencies }];
  });
};

/** Output of `npm view` for a version: its two fields, or only the version if it has no peers; several versions are a list. */
type ViewedVersion = string | Partial<Candidate>;
