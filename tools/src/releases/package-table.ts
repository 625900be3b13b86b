import { gunzipSync } from "node:zlib";
import type { PublishedManifest, Registry } from "./registry.ts";

/** A row of the table of packages. */
export interface Row {
  readonly name: string;
  /** Kilobytes of the unpacked tarball. */
  readonly kilobytes: number;
  /** Third-party packages that are installed with it, with their ranges. */
  readonly dependencies: string;
  /** Packages that the program has to install itself. */
  readonly peers: string;
}

/** The newest version of a package. */
export interface Published {
  readonly name: string;
  readonly manifest: PublishedManifest;
  /** Bytes of the unpacked tarball. */
  readonly bytes: number;
}

/** Reads the newest version of a package. @throws Error for an unknown package */
export const readPublished = async (registry: Registry, name: string): Promise<Published> => {
  const packument = await registry.packument(name);
  const manifest = packument?.versions[packument["dist-tags"]["latest"] ?? ""];
  if (manifest === undefined) throw new Error(`${name} is not published`);
  const tarball = await registry.tarball(manifest.dist.tarball);
  return { name, manifest, bytes: gunzipSync(tarball).length };
};

const SCOPE = "@framework/";

const rowOf = ({ name, manifest, bytes }: Published): Row => {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const siblings = Object.keys(dependencies).filter((dependency) => dependency.startsWith(SCOPE));
  const others = Object.entries(dependencies).filter(([dependency]) => !dependency.startsWith(SCOPE));
  const ours = siblings.length > 3 ? [`${siblings.length} of the framework`] : siblings.map(short);
  const peers = Object.keys(peerDependencies)
    .toSorted()
    .map((peer) => short(peer) + (peerDependenciesMeta[peer]?.optional === true ? " (optional)" : ""));
  return {
    name,
    kilobytes: Math.round(bytes / 1000),
    dependencies:
      [...ours, ...others.map(([dependency, range]) => `${dependency} ${range}`)].join(", ") || "–",
    peers: peers.join(", ") || "–",
  };
};

const short = (name: string): string => name.replace(SCOPE, "");

const HEAD = `# Packages

The packages that a release publishes. The table is written by \`pnpm package-table\`, and compared with the published packages by a test: dependencies exactly, sizes within 50 % or 50 KB.
Dependencies are installed with the package; peers are chosen by the program, and npm installs those that are not optional.

| Package | KB, unpacked | Dependencies | Peers |
| --- | ---: | --- | --- |
`;

/** Returns the document with the table. */
export const packageTable = (packages: readonly Published[]): string =>
  HEAD +
  packages
    .map(rowOf)
    .map(
      ({ name, kilobytes, dependencies, peers }) =>
        `| \`${name}\` | ${kilobytes} | ${dependencies} | ${peers} |\n`,
    )
    .join("");

/** Reads the rows of the document. */
export const readTable = (text: string): Row[] =>
  Array.from(
    text.matchAll(/^\| `(@framework\/[\w-]+)` *\| *(\d+) *\| (.*?) *\| (.*?) *\|$/gm),
    ([, name = "", kilobytes, dependencies = "", peers = ""]) => ({
      name,
      kilobytes: Number(kilobytes),
      dependencies,
      peers,
    }),
  );

/** Returns the differences between a table and the published packages; `pnpm package-table` corrects them. */
export const tableProblems = (table: readonly Row[], packages: readonly Published[]): string[] => {
  const rows = packages.map(rowOf);
  const stale = table
    .filter(({ name }) => !rows.some((row) => row.name === name))
    .map(({ name }) => `${name} is not published`);
  const problems = rows.flatMap((row) => {
    const found = table.find(({ name }) => name === row.name);
    if (found === undefined) return [`${row.name} has no row`];
    const texts = (["dependencies", "peers"] as const)
      .filter((column) => found[column] !== row[column])
      .map((column) => `${row.name}: ${column} are ${row[column]}`);
    const difference = Math.abs(found.kilobytes - row.kilobytes);
    return difference > Math.max(50, row.kilobytes / 2)
      ? [...texts, `${row.name} has ${row.kilobytes} KB`]
      : texts;
  });
  return [...stale, ...problems].map((problem) => `PACKAGES.md: ${problem}; run pnpm package-table`);
};
