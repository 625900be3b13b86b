import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

/** Kind of content of an installed package; manifests count as code, licences as documents. */
export type Part = "code" | "types" | "documents";

/** A project outside the workspace with core installed from its tarball. */
export interface Installation extends Disposable {
  readonly folder: string;
  /** Installed packages, including core. */
  readonly packages: readonly string[];
  /** Bytes of code, types and documents. */
  readonly parts: Readonly<Record<Part, number>>;
  /** Bytes by file extension, in descending order. */
  readonly kinds: readonly (readonly [kind: string, bytes: number])[];
}

const core = join(import.meta.dirname, "../../packages/core");

/** Packs the build of core, installs the tarball with plain npm in an empty project, and copies the programs there. */
export const installCore = (): Installation => {
  const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
  const run = (program: string, args: readonly string[], cwd: string): void => {
    execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  };
  run("pnpm", ["pack", "--pack-destination", folder], core);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", `./${tarball}`], folder);
  cpSync(join(import.meta.dirname, "programs"), folder, { recursive: true });
  const modules = join(folder, "node_modules");
  const kinds = measureSizes(modules);
  return {
    folder,
    packages: globSync("**/package.json", { cwd: modules }),
    parts: {
      code: total(kinds, "code"),
      types: total(kinds, "types"),
      documents: total(kinds, "documents"),
    },
    kinds,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const total = (kinds: Installation["kinds"], part: Part): number =>
  kinds.reduce((sum, [kind, bytes]) => sum + (partOf(kind) === part ? bytes : 0), 0);

const partOf = (kind: string): Part =>
  kind === ".d.ts" ? "types" : kind === ".md" || kind === "other" ? "documents" : "code";

/** Measures the bytes of the installed files by extension, without npm's lockfile. */
const measureSizes = (modules: string): (readonly [kind: string, bytes: number])[] => {
  const found = new Map<string, number>();
  for (const name of globSync("*/**", { cwd: modules })) {
    const stat = statSync(join(modules, name));
    if (!stat.isFile()) continue;
    const kind = name.endsWith(".d.ts") ? ".d.ts" : extname(name) || "other";
    found.set(kind, (found.get(kind) ?? 0) + stat.size);
  }
  return [...found].sort(([, a], [, b]) => b - a);
};
