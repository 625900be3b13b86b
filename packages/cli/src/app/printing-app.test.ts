import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";

const main = join(import.meta.dirname, "../main.ts");

/** Writes an app that prints at its import, at its start, and in handlers, which also log. */
const printingApp = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, `../../../${name}/src/index.ts`));
  writeFileSync(
    join(folder, "app.ts"),
    `import { App, Response } from ${source("core")};
import { logging, logOf } from ${source("logging")};
console.log("printed by the import");
export const createApp = () => {
  console.log("printed by createApp");
  const app = new (App.with(logging))().enableLogging();
  app.onEvent("startup", () => console.log("printed by the start"));
  app.post("/echo", async (request) => {
    console.log("printed by the handler");
    const body = await request.text();
    logOf(request).info("logged by the handler: " + body);
    return body;
  });
  app.get("/bytes", () => Response.binary(new Uint8Array([255, 254, 13, 10, 0])));
  return app;
};`,
  );
  return join(folder, "app.ts");
};

const app = printingApp();

/** Runs a command in a separate process, without a terminal. */
const runCommand = (words: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", main, ...words],
    { input, timeout: 120_000, env: plainEnvironment },
  );
  return { status, stdout, stderr: String(stderr) };
};

const printedBy = (...places: readonly string[]): RegExp =>
  new RegExp(places.map((place) => `printed by ${place}`).join("[^]*"));

test("stdout has only the body; output and logs of the app are on stderr", () => {
  const words = ["request", "POST", "/echo", "-d", "@-", "--app", app];
  const { status, stdout, stderr } = runCommand(words, "a,b\r\n\t1");
  expect([status, String(stdout)]).toEqual([0, "a,b\r\n\t1"]);
  expect(stderr).toMatch(printedBy("the import", "createApp", "the start", "the handler"));
  expect(stderr).toContain('"message":"logged by the handler: a,b');
});

test("with --json stdout is one JSON value", () => {
  const replied = runCommand(["request", "POST", "/echo", "-d", "x", "--json", "--app", app]);
  expect(JSON.parse(String(replied.stdout))).toMatchObject({ status: 200, body: "x" });
  const explained = runCommand(["explain", "POST", "/echo", "-d", "secret-x", "--json", "--app", app]);
  expect(JSON.parse(String(explained.stdout))).toMatchObject({ status: 200, route: "/echo" });
  expect(explained.stderr).toContain("logged by the handler: (hidden)");
  const listed = runCommand(["routes", app, "--json"]);
  expect(JSON.parse(String(listed.stdout))).toMatchObject({ routes: expect.any(Array) });
});

test("a binary body is printed unchanged", () => {
  const { stdout } = runCommand(["request", "GET", "/bytes", "--app", app]);
  expect([...stdout]).toEqual([255, 254, 13, 10, 0]);
});

test("a result that cannot be written is a failure", () => {
  const fullDevice = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", main, "routes", app],
    { stdio: ["ignore", fullDevice, "pipe"], timeout: 120_000, env: plainEnvironment },
  );
  closeSync(fullDevice);
  expect([status, String(stderr)]).toEqual([
    1,
    expect.stringContaining("error: the result cannot be written: ENOSPC"),
  ]);
});
