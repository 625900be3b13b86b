import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { bringUp } from "./bring-up.ts";
import { findProgram } from "./programs.ts";
import type { Service } from "./services.ts";
import { installPrograms } from "./system-packages.ts";

const stopped: string[] = [];
const service = (name: string, parts: Partial<Service> = {}): Service => ({
  name,
  variable: `${name.toUpperCase()}_URL`,
  programs: {},
  start: async () => {
    const stop = async (): Promise<void> => void stopped.push(name);
    return { url: `${name}://started`, stop, [Symbol.asyncDispose]: stop };
  },
  check: async () => {},
  ...parts,
});

const path = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = path;
  stopped.length = 0;
});

/** Prepends shell scripts to PATH. */
const withPrograms = (scripts: Readonly<Record<string, string>>) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "programs-"));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder.path, name), 0o755);
  }
  process.env["PATH"] = `${folder.path}${delimiter}${path}`;
  return folder;
};

test("a server whose variable is set is used and not stopped", async () => {
  const [outcome] = await bringUp([service("one")], { env: { ONE_URL: "one://given" } });
  expect(outcome).toMatchObject({ url: "one://given", detail: "from ONE_URL" });
  await outcome?.stop();
  expect(stopped).toEqual([]);
});

test("a set variable with an unreachable address is reported, not replaced", async () => {
  const refuses = service("one", { check: () => Promise.reject(new Error("connection refused")) });
  const [outcome] = await bringUp([refuses], { env: { ONE_URL: "one://given" } });
  expect(outcome).toMatchObject({ url: null, detail: "ONE_URL is set, but connection refused" });
});

test("missing servers are started; a failed start is reported and does not affect the others", async () => {
  const fails = service("two", {
    start: () => Promise.reject(new Error("the program two is not installed")),
  });
  const outcomes = await bringUp([service("one"), fails], { env: {} });
  expect(outcomes.map(({ url, detail }) => [url, detail])).toEqual([
    ["one://started", "started here"],
    [null, "the program two is not installed"],
  ]);
  await Promise.all(outcomes.map(({ stop }) => stop()));
  expect(stopped).toEqual(["one"]);
});

test("Docker Compose is used when a daemon runs, on its own port, and taken down at the end", async () => {
  using folder = withPrograms({ docker: `echo "$@ port=$REDIS_PORT" >> "$(dirname "$0")/calls"` });
  const [outcome] = await bringUp([service("redis")], { env: {} });
  expect(outcome?.detail).toBe("docker");
  await outcome?.stop();
  const calls = readFileSync(join(folder.path, "calls"), "utf8").trim().split("\n");
  const port = new URL(outcome?.url ?? "").port;
  expect(calls.map((call) => call.replaceAll(/-p \S+ -f \S+ /g, ""))).toEqual([
    "info port=",
    `compose up --detach --wait --quiet-pull redis port=${port}`,
    `compose down --volumes --timeout 2 port=${port}`,
  ]);
});

test("a Docker client without a daemon counts as no Docker", async () => {
  using _folder = withPrograms({ docker: "exit 1" });
  const [outcome] = await bringUp([service("redis")], { env: {} });
  expect(outcome?.detail).toBe("started here");
});

test("an installed program is found, and nothing is installed", () => {
  expect(findProgram("sh")).toMatch(/\/sh$/);
  expect(installPrograms({ sh: "dash" })).toEqual({ missing: [], reason: null });
});

test("a file of a package is looked up by its path", () => {
  using folder = withPrograms({ "apt-get": "exit 1", present: "" });
  const [present, absent] = [join(folder.path, "present"), join(folder.path, "absent")];
  expect(installPrograms({ [present]: "one-package" }, { root: true })).toEqual({
    missing: [],
    reason: null,
  });
  expect(installPrograms({ [absent]: "one-package" }, { root: true }).missing).toEqual([absent]);
});

const absentPrograms = { "no-such-a": "one-package", "no-such-b": "one-package" };

test("as root apt installs the packages of missing programs, once each", () => {
  using folder = withPrograms({ "apt-get": `echo "$@" >> "$(dirname "$0")/calls"` });
  expect(installPrograms(absentPrograms, { root: true })).toEqual({ missing: [], reason: null });
  expect(readFileSync(join(folder.path, "calls"), "utf8")).toMatch(
    /update\n.*install -y --no-install-recommends one-package\n$/,
  );
});

test("without root nothing is installed, and the reason has the command", () => {
  using _folder = withPrograms({ "apt-get": "exit 1", sudo: "exit 0" });
  expect(installPrograms(absentPrograms, { root: false, ci: false })).toEqual({
    missing: ["no-such-a", "no-such-b"],
    reason: "install one-package: sudo apt-get install -y one-package",
  });
});

test("in CI sudo without a password is used", () => {
  using folder = withPrograms({ "apt-get": "exit 1", sudo: `echo "$@" >> "$(dirname "$0")/calls"` });
  expect(installPrograms(absentPrograms, { root: false, ci: true }).reason).toBe(null);
  expect(readFileSync(join(folder.path, "calls"), "utf8")).toContain(
    "env DEBIAN_FRONTEND=noninteractive apt-get",
  );
});

test("a failed installation is reported", () => {
  using _folder = withPrograms({ "apt-get": "exit 1" });
  expect(installPrograms(absentPrograms, { root: true }).reason).toBe(
    "apt-get could not install one-package",
  );
});
