import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";

const app = join(import.meta.dirname, "views-app.test-program.ts");
const file = join(mkdtempSync(join(tmpdir(), "cli-")), "views.db");

/** Runs the app as a serving process until its views have read all events. */
const serve = (variables: Readonly<Record<string, string>>): void => {
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=@framework/source", app], {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...plainEnvironment, VIEWS_DATABASE: file, SHELF_VERSIONS: "2", ...variables },
  });
  if (status !== 0) throw new Error(stderr);
};

const framework = async (...words: readonly string[]) => {
  const { exitCode, out } = await runCli(["projections", ...words, "--app", app, "--json"]);
  return { status: exitCode, data: JSON.parse(out) as Readonly<Record<string, unknown>> };
};

const states = async () =>
  ((await framework()).data["projections"] as { version: number; status: string }[]).map(
    ({ version, status }) => [version, status],
  );

beforeAll(() => {
  serve({ SHELF_VERSIONS: "1", BORROW: "book-1" });
  process.env["VIEWS_DATABASE"] = file; // for the app that the commands create in this process
  process.env["SHELF_VERSIONS"] = "2";
});

afterAll(() => {
  delete process.env["VIEWS_DATABASE"];
  delete process.env["SHELF_VERSIONS"];
});

test("a rebuilt version is made live while no process serves, and a cancelled one is rebuilt", async () => {
  serve({});
  expect(await states()).toEqual([
    [1, "live"],
    [2, "building"],
  ]);
  expect(await framework("cancel", "shelf")).toMatchObject({ status: 0 });
  expect(await framework("go-live", "shelf")).toMatchObject({ status: 1, data: { isDone: false } });
  expect(await framework("rebuild", "shelf", "2")).toMatchObject({ status: 0 });
  serve({});
  expect(await framework("go-live", "shelf", "2")).toEqual({
    status: 0,
    data: { name: "shelf", version: 2, action: "go-live", isDone: true },
  });
  expect(await states()).toEqual([
    [1, "retired"],
    [2, "live"],
  ]);
  expect(await framework("resume", "shelf")).toMatchObject({ status: 1, data: { isDone: false } });
});

test("without --json there is a table, and a reason for a refused action", async () => {
  const { out } = await runCli(["projections", "--app", app]);
  expect(out.split("\n").filter((line) => line.includes("shelf"))).toHaveLength(2);
  expect(await runCli(["projections", "resume", "shelf", "--app", app])).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining("shelf has not stopped"),
  });
});

test.each([[["go-live"]], [["go-live", "shelf", "two"]], [["live", "shelf"]]])(
  "projections %j is a usage error",
  async (words) => {
    expect(await framework(...words)).toMatchObject({ status: 2, data: { error: { code: "CLI_USAGE" } } });
  },
);

test("a projection that the app does not have is refused", async () => {
  expect(await framework("go-live", "shelves")).toMatchObject({
    status: 1,
    data: { error: { code: "EVENTS_UNKNOWN_PROJECTION" } },
  });
});
