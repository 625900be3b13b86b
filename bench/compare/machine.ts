import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem } from "node:os";
import { contenders } from "./contenders.ts";
import type { Options } from "./options.ts";
import { scenarios } from "./scenarios.ts";
import { workloads } from "../workloads/workloads.ts";

/** Describes the machine for the report, except for values known only after the run. */
export const machineFacts = (): { cpu: string; cores: number; memoryBytes: number; system: string } => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryBytes: totalmem(),
  system: `${process.platform} ${release()} ${process.arch}`,
});

/** Returns the versions of Node and of every measured server and plugin. */
export const versionsOf = ({
  servers,
  parts,
}: Pick<Options, "servers" | "parts">): Record<string, string> => {
  const versions: Record<string, string> = { node: process.versions.node, v8: process.versions.v8 };
  for (const { name, package: dependency } of contenders) {
    if (dependency !== undefined && servers.has(name)) versions[dependency] = versionOf(dependency);
  }
  for (const { name, packages = [] } of scenarios) {
    if (!workloads.some((one) => one.scenario === name && parts.has(one.name))) continue;
    for (const dependency of packages) versions[dependency] = versionOf(dependency);
  }
  return versions;
};

/** Reads the manifest from disk, since not every package exports it. */
const versionOf = (dependency: string): string => {
  const folders = createRequire(import.meta.url).resolve.paths(dependency) ?? [];
  for (const folder of folders) {
    try {
      const text = readFileSync(`${folder}/${dependency}/package.json`, "utf8");
      return (JSON.parse(text) as { readonly version: string }).version;
    } catch {
      continue; // try the parent folder
    }
  }
  return "unknown";
};

/** Reads the ticks of all cores since boot: steal and total. Null if the system does not report them. */
const readTicks = (): { readonly stolen: number; readonly all: number } | null => {
  try {
    const fields =
      readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.trim().split(/\s+/).slice(1, 9) ?? [];
    const numbers = fields.map(Number);
    return { stolen: numbers[7] ?? 0, all: numbers.reduce((a, b) => a + b, 0) };
  } catch {
    return null; // not Linux
  }
};

/** Starts measuring steal time; the returned function returns its share since then. */
export const measureSteal = (): (() => number | null) => {
  const before = readTicks();
  return () => {
    const after = readTicks();
    if (before === null || after === null || after.all === before.all) return null;
    return (after.stolen - before.stolen) / (after.all - before.all);
  };
};
