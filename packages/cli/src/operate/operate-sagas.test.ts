import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";

const app = join(import.meta.dirname, "orders-app.test-program.ts");
const file = join(mkdtempSync(join(tmpdir(), "cli-")), "orders.db");

/** Runs the app as a serving process until its saga is paused or completed. */
const serve = (variables: Readonly<Record<string, string>>): void => {
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=@framework/source", app], {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...plainEnvironment, ORDERS_DATABASE: file, ...variables },
  });
  if (status !== 0) throw new Error(stderr);
};

const framework = async (...words: readonly string[]) => {
  const { exitCode, out } = await runCli(["sagas", ...words, "--app", app, "--json"]);
  return { status: exitCode, data: JSON.parse(out) as Readonly<Record<string, unknown>> };
};

beforeAll(() => {
  serve({ PAYMENTS: "down" });
  process.env["ORDERS_DATABASE"] = file; // for the app that the commands create in this process
});

afterAll(() => {
  delete process.env["ORDERS_DATABASE"];
});

test("a paused saga is listed, shown and retried while no process serves, and a serving process then completes it", async () => {
  const { data } = await framework("--status", "paused");
  const [found = { id: "", name: "", key: "" }] = data["sagas"] as {
    id: string;
    name: string;
    key: string;
  }[];
  expect([found.name, found.key]).toEqual(["order", "order-7"]);
  const { id } = found;
  expect((await framework("get", id)).data).toMatchObject({ id, status: "paused" });
  expect((await framework("retry", id)).status).toBe(2);
  expect(await framework("retry", id, "--reason", "payments is back")).toMatchObject({ status: 0 });
  serve({});
  expect((await framework("--status", "completed")).data["sagas"]).toHaveLength(1);
  const changes = (await framework("timeline", id)).data["changes"] as {
    event: string;
    note: string | null;
  }[];
  expect(changes.map(({ note }) => note)).toContain("payments is back");
});

test("a paused saga is settled with the output of its step as JSON; other decisions take no output", async () => {
  serve({ PAYMENTS: "down", ORDER: "order-8" });
  const { data } = await framework("--status", "paused");
  const [{ id } = { id: "" }] = data["sagas"] as { id: string }[];
  const reason = ["--reason", "paid in cash"];
  expect((await framework("skip", id, ...reason, "--output", '"cash"')).status).toBe(2);
  expect((await framework("settle", id, ...reason, "--output", "cash")).status).toBe(2);
  expect((await framework("settle", id, ...reason, "--output", '"cash"')).status).toBe(0);
  expect((await framework("get", id)).data).toMatchObject({ steps: [{ status: "done", output: "cash" }] });
});

test("an unknown id, and a decision that the status forbids, are failures", async () => {
  expect(await framework("get", "999999")).toMatchObject({
    status: 1,
    data: { error: { code: "CLI_NO_ITEM" } },
  });
  const [done = { id: "" }] = (await framework()).data["sagas"] as { id: string }[];
  expect((await framework("retry", done.id, "--reason", "again")).status).toBe(1);
});
