import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { run } from "../run-node.ts";

interface Installed {
  readonly folder: string;
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
}

/**
 * Puts the third-party packages that packages of the workspace need, as installed here, into the storage of a registry that has not started yet: plain npm
 * then installs from this registry only.
 *
 * @param home folder in which the packages are installed
 * @param names packages of the workspace or third-party packages; their dependencies are included
 */
export const storeThirdParty = (storage: string, home: string, names: readonly string[]): void => {
  const found = new Map<string, Installed>();
  for (const name of names) collect(name, home, found);
  const others = [...found.values()].filter(({ manifest: { name } }) => !name.startsWith("@framework/"));
  const byName = Map.groupBy(others, ({ manifest: { name } }) => name);
  for (const [name, versions] of byName) storeDocument(join(storage, name), versions);
};

/** Collects a package and its dependencies by folder; returns whether it is installed. @throws Error if a dependency is not */
const collect = (name: string, from: string, found: Map<string, Installed>): boolean => {
  const folder = installedFolder(name, from);
  if (folder === null || found.has(folder)) return folder !== null;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Installed["manifest"];
  found.set(folder, { folder, manifest });
  const { dependencies = {}, optionalDependencies = {} } = manifest;
  const optional = Object.entries(optionalDependencies).filter(([each]) => collect(each, folder, found)); // other optional packages are for other platforms
  for (const each of Object.keys(dependencies))
    if (!(each in optionalDependencies) && !collect(each, folder, found))
      throw new Error(`${folder} does not have ${each}; run pnpm install`);
  const used = { ...manifest, optionalDependencies: Object.fromEntries(optional) };
  found.set(folder, { folder, manifest: used });
  return true;
};

/** Returns the folder of a package as resolved by Node from another package. */
const installedFolder = (name: string, from: string): string | null => {
  const path = join(from, "node_modules", name);
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(from);
  return above === from ? null : installedFolder(name, above);
};

/** Writes the document of a package, and an uncompressed tarball for each version. */
const storeDocument = (home: string, installed: readonly Installed[]): void => {
  mkdirSync(home, { recursive: true });
  const stored = installed.map(({ folder, manifest }) => {
    const { name, version } = manifest;
    const file = `${basename(name)}-${version}.tgz`;
    const options = ["--hard-dereference", "--exclude=./node_modules", "--transform=s,^\\./,package/,"];
    run(folder, "tar", "--create", `--file=${join(home, file)}`, ...options, ".");
    const bytes = readFileSync(join(home, file));
    const shasum = createHash("sha1").update(bytes).digest("hex");
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const tarball = `http://localhost/${name}/-/${file}`; // the registry replaces the address with its own
    const dist = { shasum, integrity, tarball };
    return { name, version, file, shasum, manifest: { ...manifest, _id: `${name}@${version}`, dist } };
  });
  const [{ name, version } = { name: "", version: "" }] = stored;
  const document = {
    _id: name,
    name,
    "dist-tags": { latest: version },
    versions: Object.fromEntries(stored.map((each) => [each.version, each.manifest])),
    time: {},
    users: {},
    readme: "",
    _rev: "1-0",
    _uplinks: {},
    _distfiles: {},
    _attachments: Object.fromEntries(
      stored.map((each) => [each.file, { shasum: each.shasum, version: each.version }]),
    ),
  };
  writeFileSync(join(home, "package.json"), JSON.stringify(document));
};
