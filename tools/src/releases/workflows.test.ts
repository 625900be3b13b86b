import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { checkCommands } from "../readme-blocks/check-commands.ts";
import { root } from "../root.ts";
import { readWorkspace } from "../workspace/read-workspace.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const jobsOf = (name: string): Readonly<Record<string, Job>> =>
  parse(read(`.github/workflows/${name}.yml`)).jobs;
const workflows = { ci: jobsOf("ci"), docs: jobsOf("docs"), release: jobsOf("release") };
const steps = Object.values(workflows).flatMap((jobs) => Object.values(jobs).flatMap((job) => job.steps));
const { scripts, config, engines } = JSON.parse(read("package.json"));

test("every command of a workflow exists: scripts, tasks of turbo, packages", () => {
  const packages = readWorkspace(root).map(({ manifest }) => manifest.name);
  const known = {
    scripts: Object.keys(scripts),
    programs: [],
    tasks: Object.keys(JSON.parse(read("turbo.json")).tasks),
    packages,
    scriptsOf: {},
    bins: [],
    exists: () => false,
  };
  const commands = [
    ...steps.flatMap(({ run }) => run ?? []),
    ...steps
      .flatMap((step) => [step.with?.["version"], step.with?.["publish"]])
      .filter((one) => one?.startsWith("pnpm ")),
  ];
  expect(commands.length).toBeGreaterThan(6);
  const blocks = commands.map(
    (code) => ({ document: code, line: 0, language: "sh", runs: false, code }) as never,
  );
  expect(blocks.flatMap((block) => checkCommands(block, known))).toEqual([]);
  const filtered = commands.flatMap((command) =>
    [...(command?.matchAll(/--filter=(@[\w/-]+)/g) ?? [])].map(([, name]) => name),
  );
  expect(packages).toEqual(expect.arrayContaining(filtered));
});

test("the tests run on the oldest and the newest supported Node and on three systems, and on Bun and Deno", () => {
  const { matrix } = workflows.ci["test"]?.strategy ?? { matrix: {} };
  const oldest = /\d+/.exec(engines.node)?.[0];
  expect(matrix["node"]).toEqual([oldest, config.node.split(".")[0]]);
  const systems = (matrix["os"] ?? []).map((image) => image.split("-")[0]);
  expect(systems).toEqual(["ubuntu", "macos", "windows"]);
  const runtimes = workflows.ci["runtimes"]?.strategy?.matrix;
  expect(runtimes).toEqual({ os: matrix["os"], runtime: ["bun", "deno"] });
});

test("jobs with a fixed Node version use the version of package.json", () => {
  const versions = steps.flatMap((step) => step.with?.["node-version"] ?? []);
  const fixed = versions.filter((version) => !version.includes("matrix."));
  expect(new Set(fixed)).toEqual(new Set([config.node]));
});

test("a release publishes what the rehearsal publishes, after every check, with provenance and without a stored token", () => {
  const { needs, permissions, steps: releaseSteps } = workflows.release["release"] as Job;
  expect(needs).toBe("verify");
  expect(workflows.release["verify"]?.steps.at(-1)?.run).toBe("npm test");
  expect(permissions?.["id-token"]).toBe("write");
  const publishStep = releaseSteps.find(({ uses }) => uses?.startsWith("changesets/action@"));
  expect(publishStep?.with).toMatchObject({ version: "pnpm bump", publish: "pnpm release" });
  expect([scripts.bump.split(" && ")[0], scripts.release]).toEqual([
    "changeset version",
    "node tools/src/releases/ship-changelogs.ts && changeset publish",
  ]);
  expect(publishStep?.env?.["NPM_CONFIG_PROVENANCE"]).toBe("true");
  expect(read(".github/workflows/release.yml")).not.toMatch(/secrets\.(?!GITHUB_TOKEN)/);
});

test("workflows grant no permissions by default, except that ci may read contents", () => {
  const paths = globSync(".github/workflows/*.yml", { cwd: root });
  expect(paths.length).toBeGreaterThanOrEqual(Object.keys(workflows).length);
  for (const path of paths) {
    const { permissions } = parse(read(path));
    expect([path, permissions]).toEqual([path, path.endsWith("ci.yml") ? { contents: "read" } : {}]);
  }
});
