import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { bundleFolder, record, runBundler, workspace, workspaceCache } from "./bundled-sources.ts";
import { withProcessLock } from "./process-lock.ts";

/**
 * Bundles all programs that tests start, once per cache. `bundledProgram` then finds them, and bundles a program again only when its sources have changed.
 *
 * Bundling them together takes a quarter of the processor time, because they share most of their sources.
 */
export const bundlePrograms = (
  programs: () => readonly string[] = programsOfTests,
  cache: string = workspaceCache,
): void => {
  const done = join(cache, "programs");
  if (existsSync(done)) return;
  mkdirSync(cache, { recursive: true });
  withProcessLock(join(cache, "programs.lock"), () => {
    if (existsSync(done)) return;
    bundleNew(programs(), cache);
    writeFileSync(done, "");
  });
};

const bundleNew = (programs: readonly string[], cache: string): void => {
  const bases = programs.map((file) => bundleFolder({ [nameOf(file)]: file }, "inside", cache));
  const fresh = programs
    .map((file, index) => ({ file, base: bases[index] ?? "", key: `${index}/${nameOf(file)}` }))
    .filter(({ base }) => !existsSync(join(base, "recorded.json")));
  if (fresh.length === 0) return;
  const folder = mkdtempSync(join(cache, "programs-"));
  try {
    const entries = Object.fromEntries(fresh.map(({ file, key }) => [key, file]));
    const since = Date.now();
    const lists = JSON.parse(runBundler(entries, folder, "inside", "separate")) as Record<string, string[]>;
    for (const { base, key } of fresh) {
      mkdirSync(base, { recursive: true });
      const own = mkdtempSync(join(base, "bundle-"));
      renameSync(dirname(join(folder, key)), own);
      record(own, { files: lists[key] ?? [], since, previous: null });
    }
  } catch {
    // one of the programs cannot be bundled: its error is reported when it is bundled alone
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const nameOf = (file: string): string => basename(file, ".ts");

const patterns = [
  "src/**/*.test-program.ts",
  "src/run/testing/fixtures/{dropping,life,listeners,service}.ts", // of core
];

/** Returns the programs of the packages that start bundled programs. */
const programsOfTests = (): readonly string[] =>
  globSync("packages/*/package.json", { cwd: workspace })
    .filter((path) =>
      /"@framework\/(?:bundled-sources|warm-processes)"/.test(readFileSync(join(workspace, path), "utf8")),
    )
    .flatMap((path) => patterns.map((programs) => join(dirname(path), programs)))
    .flatMap((programs) => globSync(programs, { cwd: workspace }))
    .map((path) => join(workspace, path));
