import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";

const needed = ["dist/index.js", "dist/index.d.ts", "README.md", "LICENSE", "package.json"];

/** Files of an unpacked tarball. */
export const filesOf = (home: string): string[] =>
  globSync("**/*", { cwd: home }).filter((path) => statSync(join(home, path)).isFile());

/** Returns the missing declaration files that the entry points of a package import, directly or indirectly. */
const missingTypes = (files: readonly string[], read: (path: string) => string): string[] => {
  const { exports = {} } = JSON.parse(read("package.json")) as {
    exports?: Record<string, { types?: string }>;
  };
  const reached = new Set(Object.values(exports).flatMap(({ types }) => (types ? [join(types)] : [])));
  for (const path of reached) {
    if (!files.includes(path)) continue;
    const code = read(path).replaceAll(/\/\*[^]*?\*\//g, ""); // examples in comments import files of the user
    for (const [, target = ""] of code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g))
      reached.add(join(dirname(path), target.replace(/\.[jt]s$/, ".d.ts")));
  }
  return [...reached].filter((path) => !files.includes(path));
};

/** Returns the problems of the files in an unpacked tarball: missing, unwanted or too large. */
export const tarballProblems = (home: string, maxBytes: number): string[] => {
  const files = filesOf(home);
  const read = (path: string): string => readFileSync(join(home, path), "utf8");
  const unwanted = files.filter((path) => /\.test|\.tsbuildinfo$|\.map$|^src/.test(path));
  const mapped = files
    .filter((path) => /^dist\/(?!assets\/).*\.(js|ts)$/.test(path))
    .filter((path) => read(path).includes("\n//# sourceMappingURL="));
  const bytes = files.reduce((sum, path) => sum + statSync(join(home, path)).size, 0);
  return [
    ...needed.filter((path) => !files.includes(path)).map((path) => `lacks ${path}`),
    ...unwanted.map((path) => `has ${path}`),
    ...mapped.map((path) => `${path} refers to a source map, which is not shipped`),
    ...missingTypes(files, read).map((path) => `lacks ${path}, which an entry point needs`),
    ...(bytes > maxBytes ? [`has ${bytes} bytes`] : []),
    ...(read("package.json").includes("workspace:") ? ["refers to the workspace"] : []),
  ];
};
