import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testClient, waitFor } from "@framework/testing";
import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { logging, logOf } from "./index.ts";

test("lines for standard output or error are collected by a test client, redacted, and not printed", async () => {
  const program = fileURLToPath(new URL("./quiet-tests.test-program.ts", import.meta.url));
  const args = ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning", program];
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  const linesPerClient = [
    ["warn", "disk is slow", ["ms", 7], ["password", "[redacted]"]],
    ["error", "GET / failed: disk is full", ["error", {}]],
    ["error", "", ["status", 500]],
  ];
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([...linesPerClient, ...linesPerClient]);
});

test("lines for any other destination are written to it", async () => {
  const text: string[] = [];
  const app = new (App.with(logging))().enableLogging({
    destination: { write: (lines) => text.push(lines) },
  });
  app.get("/", (request) => {
    logOf(request).info("seen");
    return "";
  });
  await using client = testClient(app, { logs: false });
  await client.get("/");
  await waitFor(() => text.join("").includes("seen"));
  expect(client.logs).toEqual([]);
});
