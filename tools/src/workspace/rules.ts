import { posix } from "node:path";
import { packageOf, readImports, readRuntimeImports } from "./imports.ts";
import type { WorkspacePackage } from "./read-workspace.ts";
import { REPOSITORY } from "./repository.ts";

/** A rule for one package; returns its problems. */
export type Rule = (pkg: WorkspacePackage) => readonly string[];

const SCOPE = "@framework/";
const isTest = (path: string): boolean => /\.test(-\w+)?\.ts$/.test(path);
const isPublished = (pkg: WorkspacePackage): boolean => pkg.manifest.private !== true;

const sources = (pkg: WorkspacePackage): [path: string, code: string][] =>
  [...pkg.files].filter(([path]) => path.endsWith(".ts"));

/** Names of the package's run-time dependencies. */
const runtimeDependencies = ({ manifest }: WorkspacePackage): string[] =>
  Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies });

const allDependencies = (pkg: WorkspacePackage): string[] => [
  ...new Set([...runtimeDependencies(pkg), ...Object.keys(pkg.manifest.devDependencies ?? {})]),
];

/** References equal the dependencies. With a missing reference the compiler would silently check against the sources of the dependency. */
export const referencesFollowDependencies: Rule = (pkg) => {
  if (pkg.references === null) return isPublished(pkg) ? ["tsconfig.json is missing"] : [];
  const wanted = allDependencies(pkg)
    .filter((name) => name.startsWith(SCOPE))
    .map(folderOf);
  const found = pkg.references.map((path) => posix.join(pkg.folder, path));
  return [
    ...wanted
      .filter((path) => !found.includes(path))
      .map((path) => `tsconfig.json has no reference to ${path}`),
    ...found
      .filter((path) => !wanted.includes(path))
      .map((path) => `tsconfig.json refers to ${path}, which is not a dependency`),
  ];
};

const folderOf = (name: string): string => {
  const folder = name.slice(SCOPE.length);
  return ["browser", "bundled-sources", "services", "warm-processes"].includes(folder)
    ? `tools/${folder}`
    : `packages/${folder}`;
};

/** Modules that users load need declared dependencies; tests and their helpers may use all dependencies of the workspace. */
export const importsAreDeclared: Rule = (pkg) => {
  const shipped = reachedFrom(pkg, entriesOf(pkg));
  return sources(pkg).flatMap(([path, code]) => {
    const known = [
      pkg.manifest.name,
      ...(shipped.has(path) ? runtimeDependencies(pkg) : allDependencies(pkg)),
    ];
    return importsOf(code)
      .map(packageOf)
      .filter(
        (name) => name !== null && (name.startsWith(SCOPE) || shipped.has(path)) && !known.includes(name),
      )
      .map((name) => `${path} imports ${name}, which package.json does not declare`);
  });
};

const importsOf = (code: string): string[] => [...readImports(code).static, ...readImports(code).dynamic];

/** Returns the modules that users can load; of a private package all modules except tests. */
const entriesOf = (pkg: WorkspacePackage): string[] =>
  isPublished(pkg)
    ? Object.values(pkg.manifest.exports ?? {}).map((entry) => (entry["@framework/source"] ?? "").slice(2))
    : sources(pkg).flatMap(([path]) => (isTest(path) ? [] : [path]));

const reachedFrom = (pkg: WorkspacePackage, entries: readonly string[]): Set<string> => {
  const reached = new Set(entries);
  for (const path of reached) {
    const near = importsOf(pkg.files.get(path) ?? "").filter((specifier) => specifier.startsWith("."));
    for (const specifier of near) reached.add(posix.join(posix.dirname(path), specifier));
  }
  return reached;
};

/** No module is augmented, because that would change types for every importer. */
export const nothingIsAugmented: Rule = (pkg) =>
  sources(pkg)
    .filter(([, code]) => /^\s*declare (module|global)\b/m.test(code))
    .map(([path]) => `${path} augments another module`);

/** A file of more than 250 lines states the reason in its first line. */
export const longFilesGiveReasons: Rule = (pkg) =>
  sources(pkg)
    .filter(
      ([path, code]) => !isTest(path) && code.trimEnd().split("\n").length > 250 && !/^\/[/*]/.test(code),
    )
    .map(([path]) => `${path} has more than 250 lines without a reason in the first line`);

/** Every placeholder of the generator's template was filled in. */
export const templateIsFilledIn: Rule = (pkg) =>
  [...pkg.files]
    .filter(([path, text]) => /__(name|file|[fF]eature)__/.test(path + text))
    .map(([path]) => `${path} contains a placeholder of the package template`);

/** Core has no dependencies, and its entry point can be loaded without the modules of Node. */
export const coreHasNoDependencies: Rule = (pkg) => {
  if (pkg.manifest.name !== `${SCOPE}core`) return [];
  const dependencies = runtimeDependencies(pkg).map((name) => `core depends on ${name}`);
  return [...dependencies, ...builtinsReachedFrom(pkg, "src/index.ts")];
};

const builtinsReachedFrom = (pkg: WorkspacePackage, entry: string): string[] => {
  const seen = new Set([entry]);
  const problems: string[] = [];
  for (const path of seen) {
    for (const specifier of readRuntimeImports(pkg.files.get(path) ?? "").static) {
      if (specifier.startsWith(".")) seen.add(posix.join(posix.dirname(path), specifier));
      else problems.push(`${path}, loaded with ${entry}, imports ${specifier}`);
    }
  }
  return problems;
};

/** Manifests of published packages have the same fields. */
export const manifestIsComplete: Rule = (pkg) => {
  const { manifest, folder } = pkg;
  const wanted: [ok: boolean, problem: string][] = [
    [manifest.name === `${SCOPE}${posix.basename(folder)}`, `name is not ${SCOPE}${posix.basename(folder)}`],
    [/^\d+\.\d+\.\d+/.test(manifest.version ?? ""), "version is not a semantic version"],
    [(manifest.description ?? "") !== "", "description is missing"],
    [(manifest.keywords ?? []).length > 0, "keywords are missing"],
    [
      manifest.homepage === `${REPOSITORY}/tree/main/${folder}#readme`,
      "homepage is not the page of the README",
    ],
    [manifest.bugs === `${REPOSITORY}/issues`, "bugs is not the page of issues"],
    [
      manifest.repository?.url === `git+${REPOSITORY}.git` && manifest.repository.directory === folder,
      "repository is not the URL and the folder of the package",
    ],
    [manifest.license === "MIT", "license is not MIT"],
    [manifest.type === "module", "type is not module"],
    [manifest.sideEffects === false, "sideEffects is not false"],
    [!("main" in manifest) && !("types" in manifest), "main and types must be absent; use exports"],
    [manifest.engines?.["node"] === ">=24", "engines.node is not >=24"],
    [pkg.files.has("README.md"), "README.md is missing"],
    ...["dist", "!**/*.test*", "!**/*.map", "!dist/.tsbuildinfo"].map((entry): [boolean, string] => [
      manifest.files?.includes(entry) ?? false,
      `files lacks ${entry}`,
    ]),
    ...["build", "test"].map((script): [boolean, string] => [
      manifest.scripts?.[script] !== undefined,
      `script ${script} is missing`,
    ]),
  ];
  if (!isPublished(pkg)) return [];
  return [
    ...wanted.filter(([ok]) => !ok).map(([, problem]) => problem),
    ...badExports(pkg),
    ...badRanges(pkg),
  ];
};

const badExports = ({ manifest, files }: WorkspacePackage): string[] =>
  Object.entries(manifest.exports ?? { ".": {} }).flatMap(([entry, conditions]) => {
    const source = conditions["@framework/source"] ?? "";
    const built = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
    const wanted = { "@framework/source": source, types: `${built}.d.ts`, default: `${built}.js` };
    if (!files.has(source.slice(2))) return [`exports["${entry}"] refers to a missing file: "${source}"`];
    return JSON.stringify(conditions) === JSON.stringify(wanted)
      ? []
      : [`exports["${entry}"] must be ${JSON.stringify(wanted)}`];
  });

/** Ranges of siblings are `workspace:^`. Core is a peer, and also a development dependency, because turbo does not follow peers. */
const badRanges = ({ manifest }: WorkspacePackage): string[] => {
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = manifest;
  const siblings = [dependencies, peerDependencies, devDependencies]
    .flatMap((group) => Object.entries(group))
    .filter(([name]) => name.startsWith(SCOPE));
  const isPlain = `${SCOPE}core` in dependencies && manifest.name !== `${SCOPE}framework`;
  return [
    ...siblings.filter(([, range]) => range !== "workspace:^").map(([name]) => `${name} is not workspace:^`),
    ...Object.keys(peerDependencies)
      .filter((name) => name.startsWith(SCOPE) && !(name in devDependencies))
      .map((name) => `${name} is a peer but no development dependency`),
    ...(isPlain ? [`${SCOPE}core is a dependency, not a peer: users would get a second copy`] : []),
  ];
};
