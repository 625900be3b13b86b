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
  ask: async () => {},
  ...parts,
});

const path = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = path;
  stopped.length = 0;
});

/** Puts programs in front of PATH, each a shell script. */
const withPrograms = (scripts: Readonly<Record<string, string>>) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "programs-"));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder.path, name), 0o755);
  }
  process.env["PATH"] = `${folder.path}${delimiter}${path}`;
  return folder;
};

test("a server whose variable is set is used as it is, and never stopped", async () => {
  const [outcome] = await bringUp([service("one")], { env: { ONE_URL: "one://given" } });
  expect(outcome).toMatchObject({ url: "one://given", how: "from ONE_URL" });
  await outcome?.stop();
  expect(stopped).toEqual([]);
});

test("a set variable that leads nowhere is said, not replaced", async () => {
  const refuses = service("one", { ask: () => Promise.reject(new Error("connection refused")) });
  const [outcome] = await bringUp([refuses], { env: { ONE_URL: "one://given" } });
  expect(outcome).toMatchObject({ url: null, how: "ONE_URL is set, but connection refused" });
});

test("what is not there is started, and what cannot be started names its reason without stopping the others", async () => {
  const fails = service("two", {
    start: () => Promise.reject(new Error("the program two is not installed")),
  });
  const outcomes = await bringUp([service("one"), fails], { env: {} });
  expect(outcomes.map(({ url, how }) => [url, how])).toEqual([
    ["one://started", "started here"],
    [null, "the program two is not installed"],
  ]);
  await Promise.all(outcomes.map(({ stop }) => stop()));
  expect(stopped).toEqual(["one"]);
});

test("Docker Compose is used where a daemon answers, on a port of its own, and taken down again", async () => {
  using folder = withPrograms({ docker: `echo "$@ port=$REDIS_PORT" >> "$(dirname "$0")/calls"` });
  const [outcome] = await bringUp([service("redis")], { env: {} });
  expect(outcome?.how).toBe("docker");
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
  expect(outcome?.how).toBe("started here");
});

test("a program that is there is found and nothing is installed for it", () => {
  expect(findProgram("sh")).toMatch(/\/sh$/);
  expect(installPrograms({ sh: "dash" })).toEqual({ missing: [], reason: null });
});

test("a file that a package brings is looked for at its path", () => {
  using folder = withPrograms({ "apt-get": "exit 1", present: "" });
  const [present, absent] = [join(folder.path, "present"), join(folder.path, "absent")];
  expect(installPrograms({ [present]: "one-package" }, { root: true })).toEqual({
    missing: [],
    reason: null,
  });
  expect(installPrograms({ [absent]: "one-package" }, { root: true }).missing).toEqual([absent]);
});

const wanted = { "no-such-a": "one-package", "no-such-b": "one-package" };

test("packages of missing programs are asked of apt once each by root", () => {
  using folder = withPrograms({ "apt-get": `echo "$@" >> "$(dirname "$0")/calls"` });
  expect(installPrograms(wanted, { root: true })).toEqual({ missing: [], reason: null });
  expect(readFileSync(join(folder.path, "calls"), "utf8")).toMatch(
    /update\n.*install -y --no-install-recommends one-package\n$/,
  );
});

test("another user's machine stays as it is, and the reason says what to type", () => {
  using _folder = withPrograms({ "apt-get": "exit 1", sudo: "exit 0" });
  expect(installPrograms(wanted, { root: false, ci: false })).toEqual({
    missing: ["no-such-a", "no-such-b"],
    reason: "install one-package: sudo apt-get install -y one-package",
  });
});

test("a sudo without a password serves in CI", () => {
  using folder = withPrograms({ "apt-get": "exit 1", sudo: `echo "$@" >> "$(dirname "$0")/calls"` });
  expect(installPrograms(wanted, { root: false, ci: true }).reason).toBe(null);
  expect(readFileSync(join(folder.path, "calls"), "utf8")).toContain(
    "env DEBIAN_FRONTEND=noninteractive apt-get",
  );
});

test("an installation that fails is said", () => {
  using _folder = withPrograms({ "apt-get": "exit 1" });
  expect(installPrograms(wanted, { root: true }).reason).toBe("apt-get could not install one-package");
});
