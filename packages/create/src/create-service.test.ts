import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { scratchFolder } from "./scratch-folder.test-kit.ts";
import { createService } from "./create-service.ts";
import { serviceFiles } from "./service-files.ts";
import { isServiceName } from "./service-name.ts";
import { variants } from "./variant.ts";

const fixedSecret = (): string => "s".repeat(43);

test("the minimal service has seven files, and core as its only dependency", () => {
  using scratch = scratchFolder();
  const { folder, files } = createService("notes", { variant: "minimal", cwd: scratch.path });
  expect(files).toEqual([
    ".gitignore",
    "README.md",
    "package.json",
    "src/app.test.ts",
    "src/app.ts",
    "src/main.ts",
    "tsconfig.json",
  ]);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect([manifest.name, Object.keys(manifest.dependencies)]).toEqual(["notes", ["@framework/core"]]);
});

test("every dependency in package.json has a version", () => {
  for (const variant of variants) {
    const { dependencies, devDependencies } = JSON.parse(
      serviceFiles("notes", variant, fixedSecret).get("package.json") ?? "",
    );
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/\S/)]);
  }
});

test("no file contains the template's name, and every link of the README is a file", () => {
  for (const variant of variants) {
    const files = serviceFiles("notes", variant, fixedSecret);
    for (const [path, text] of files) expect(path + text).not.toMatch(/my-service|dot-|-test\.ts/);
    const links = [...(files.get("README.md") ?? "").matchAll(/\]\((?!https?:)([^)]+)\)/g)];
    expect(links.length).toBeGreaterThan(0);
    const paths = [...files.keys()];
    for (const [, link = ""] of links)
      expect([link, paths.some((path) => path === link || path.startsWith(`${link}/`))]).toEqual([
        link,
        true,
      ]);
  }
});

test("two services have different secrets, readable only by their owner", () => {
  using scratch = scratchFolder();
  const envs = ["one", "two"].map((name) => {
    const { folder } = createService(name, { cwd: scratch.path });
    expect(statSync(join(folder, ".env")).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toMatch(/^\.env$/m);
    expect(readFileSync(join(folder, ".dockerignore"), "utf8")).toMatch(/^\.env$/m);
    return readFileSync(join(folder, ".env"), "utf8");
  });
  const secrets = envs.flatMap((env) =>
    [...env.matchAll(/^(?:AUTH_SECRET|POSTGRES_PASSWORD)=([\w-]{43})$/gm)].map(([, secret]) => secret),
  );
  expect(new Set(secrets).size).toBe(4);
});

test("write-env creates .env with the same variables and new secrets, and keeps an existing one", () => {
  using scratch = scratchFolder();
  const { folder } = createService("notes", { cwd: scratch.path });
  const file = join(folder, ".env");
  const first = readFileSync(file, "utf8");
  const [program = "", script = ""] =
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).scripts["write-env"]?.split(" ") ?? [];
  expect(program).toBe("node");
  const run = () => spawnSync(process.execPath, [script], { cwd: folder, encoding: "utf8" });
  expect(run()).toMatchObject({
    status: 1,
    stderr: ".env exists already; remove it to create new secrets\n",
  });
  expect(readFileSync(file, "utf8")).toBe(first);
  rmSync(file);
  expect(run()).toMatchObject({ status: 0, stderr: "" });
  const secrets = /(?<=^(?:AUTH_SECRET|POSTGRES_PASSWORD)=)[\w-]{43}$/gm;
  const second = readFileSync(file, "utf8");
  expect(new Set([first, second].flatMap((env) => env.match(secrets) ?? [])).size).toBe(4);
  expect(second.replaceAll(secrets, "")).toBe(first.replaceAll(secrets, ""));
  expect(statSync(file).mode & 0o077).toBe(0);
});

test("a folder with files and a file of that name are refused and unchanged; a new Git repository is accepted", () => {
  using scratch = scratchFolder();
  mkdirSync(join(scratch.path, "taken"));
  writeFileSync(join(scratch.path, "taken/mine.txt"), "mine");
  writeFileSync(join(scratch.path, "file"), "");
  expect(() => createService("taken", { cwd: scratch.path })).toThrow(/taken is not empty \(mine\.txt\)/);
  expect(readdirSync(join(scratch.path, "taken"))).toEqual(["mine.txt"]);
  expect(() => createService("file", { cwd: scratch.path })).toThrow(/is a file/);
  mkdirSync(join(scratch.path, "fresh/.git"), { recursive: true });
  expect(createService(".", { cwd: join(scratch.path, "fresh"), variant: "minimal" }).name).toBe("fresh");
  expect(() => createService(".", { cwd: join(scratch.path, "fresh") })).toThrow(/not empty/);
});

test.each([
  "",
  "..",
  "../up",
  "/etc",
  "a/b",
  "A",
  "1st",
  "a_b",
  "a--b",
  "-a",
  "a-",
  "null",
  "on",
  "e0",
  "e-12",
  "a b",
  "a".repeat(41),
  "é",
  "a\n",
])("the name %j is refused, and nothing is written", (name) => {
  using scratch = scratchFolder();
  const inner = join(scratch.path, "inner");
  mkdirSync(inner);
  expect(() => createService(name, { cwd: inner })).toThrow(
    expect.objectContaining({ code: "CREATE_BAD_NAME" }),
  );
  expect([readdirSync(scratch.path), readdirSync(inner)]).toEqual([["inner"], []]);
});

test.each(["yes", "e5"])("the error of the name %s says that YAML parses it as another type", (name) => {
  expect(() => createService(name)).toThrow(
    `"${name}" cannot name a service: YAML parses it as another type than a string`,
  );
});

test("a name that is not a string, such as a missing argument of a script, is refused", () => {
  for (const name of [undefined, null, 7, ["a"]] as unknown as string[])
    expect(() => createService(name)).toThrow(expect.objectContaining({ code: "CREATE_BAD_NAME" }));
});

test("every accepted name is a string in YAML", () => {
  const words = fc.oneof(
    fc.stringMatching(/^[a-z0-9-]{1,6}$/),
    fc.stringMatching(/^[a-z]-?[0-9]{1,3}$/),
    fc.constantFrom("e", "inf", "nan", "true", "yes", "off", "null", "a1e3"),
  );
  fc.assert(
    fc.property(words.filter(isServiceName), (name) => {
      const yaml = serviceFiles(name, "full", fixedSecret).get("deploy/kubernetes.yaml") ?? "";
      const names = parseAllDocuments(yaml, { version: "1.1" }).map(
        (document) => document.toJS().metadata.name,
      );
      expect(names).toEqual([name, name, name]);
    }),
    { numRuns: 60 },
  );
});

test("an unknown variant or option is refused before anything is written", () => {
  using scratch = scratchFolder();
  for (const [options, message] of [
    [{ variant: "ful" }, 'variant must be full or minimal, not "ful"'],
    [
      { varient: "full" },
      'the options object of createService has no field "varient"; did you mean "variant"?',
    ],
  ] as const)
    expect(() => createService("shop", { ...(options as object), cwd: scratch.path })).toThrow(
      expect.objectContaining({ code: "CREATE_USAGE", message }),
    );
  expect(readdirSync(scratch.path)).toEqual([]);
});
