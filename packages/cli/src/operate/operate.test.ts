import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";
import { parkedCommand } from "./parked-command.ts";

const app = join(import.meta.dirname, "mail-app.test-program.ts");
const folder = mkdtempSync(join(tmpdir(), "cli-"));
const file = join(folder, "mail.db");

/** Runs the app as a serving process until its work is done. */
const serve = (variables: Readonly<Record<string, string>>): void => {
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=@framework/source", app], {
    encoding: "utf8",
    timeout: 120_000,
    env: { ...plainEnvironment, MAIL_DATABASE: file, ...variables },
  });
  if (status !== 0) throw new Error(stderr);
};

/** Runs a command on the app's database; returns its data, with the exit code. */
const framework = async (...words: readonly string[]) => {
  const { exitCode, out } = await runCli([...words, "--app", app, "--json"]);
  return { status: exitCode, data: JSON.parse(out) as Readonly<Record<string, unknown>> };
};

beforeAll(() => {
  serve({ MAIL_IS_DOWN: "1" });
  process.env["MAIL_DATABASE"] = file; // for the app that the commands create in this process
});

afterAll(() => {
  delete process.env["MAIL_DATABASE"];
});

test("parked work is listed, inspected, discarded and replayed while no process serves", async () => {
  const { data } = await framework("parked");
  const items = data["items"] as { id: string; name: string; errorMessage: string }[];
  expect(items.map(({ name, errorMessage }) => [name, errorMessage])).toEqual(
    Array(3).fill(["mail", "there is no mail server"]),
  );
  const [first = { id: "" }, second = { id: "" }] = items;
  expect((await framework("parked", "inspect", first.id)).data).toMatchObject({
    payload: "ann",
    attempts: 1,
  });
  expect(await framework("parked", "discard", first.id)).toMatchObject({ status: 2 });
  expect(await framework("parked", "discard", first.id, "--note", "the customer is gone")).toMatchObject({
    status: 0,
  });
  expect((await framework("parked", "replay", second.id)).data).toEqual({ replayed: 1, failed: [] });
  const all = await runCli(["parked", "replay", "--name", "mail", "--app", app], { isTerminal: true });
  expect([all.out, all.err]).toEqual([
    "1 item was returned to its queue\n",
    `\r\u001b[2K${"░".repeat(24)} 0 of 1 items\r\u001b[2K`,
  ]);
  expect(await framework("parked", "inspect", "999")).toMatchObject({
    status: 1,
    data: { error: { code: "CLI_NO_ITEM" } },
  });
});

test("jobs are counted, listed and retried", async () => {
  expect((await framework("jobs")).data).toMatchObject({ jobs: [{ name: "send-mail", ready: 0 }] });
  const failed = (await framework("jobs", "send-mail", "--state", "failed")).data["jobs"] as { id: string }[];
  expect(failed).toHaveLength(2);
  const id = failed[0]?.id ?? "";
  expect(await framework("jobs", "send-mail", "retry", id)).toMatchObject({
    status: 0,
    data: { isDone: true },
  });
  expect((await framework("jobs", "send-mail", "get", id)).data).toMatchObject({ id, state: "ready" });
  expect(await framework("jobs", "send-mails")).toMatchObject({
    status: 1,
    data: { error: { code: "CLI_NO_ITEM" } },
  });
});

test("the serving process does the replayed and retried work", async () => {
  serve({});
  expect((await framework("parked")).data).toEqual({ items: [], next: null });
});

test("replay processes all pages of parked work, or at most --limit items", async () => {
  const many = join(folder, "many.db");
  serve({ MAIL_IS_DOWN: "1", MAIL_DATABASE: many, MAIL_MORE: "147" });
  process.env["MAIL_DATABASE"] = many;
  expect((await framework("parked", "replay", "--limit", "20")).data).toEqual({ replayed: 20, failed: [] });
  expect((await framework("parked", "replay", "--per-second", "10000")).data).toEqual({
    replayed: 130,
    failed: [],
  });
  expect((await framework("parked")).data).toEqual({ items: [], next: null });
});

test("the example of parked replay replays the messages of one subscription", async () => {
  const orders = join(folder, "orders.db");
  serve({ MAIL_IS_DOWN: "1", MAIL_DATABASE: orders, MAIL_ORDERS: "2" });
  process.env["MAIL_DATABASE"] = orders;
  const example = parkedCommand.examples.find((each) => each.includes("--name")) ?? "";
  const words = Array.from(example.matchAll(/'([^']+)'|\S+/g), ([word, quoted]) => quoted ?? word);
  expect((await framework(...words)).data).toEqual({ replayed: 2, failed: [] });
  const { items } = (await framework("parked")).data as { items: { name: string }[] };
  expect(items.map(({ name }) => name)).toEqual(["mail", "mail", "mail"]);
});
