import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";

const app = join(import.meta.dirname, "mail-app.test-program.ts");
const main = join(import.meta.dirname, "../main.ts");
const cwd = mkdtempSync(join(tmpdir(), "cli-"));

const run = (path: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, ["--conditions=@framework/source", path, ...words], {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...variables },
  });

/** Runs a command on the app's database; returns its data, with the exit code. */
const framework = (...words: readonly string[]) => {
  const { status, stdout, stderr } = run(main, [...words, "--app", app, "--json"]);
  if (stdout === "") throw new Error(stderr);
  return { status, data: JSON.parse(stdout) as Readonly<Record<string, unknown>> };
};

beforeAll(() => {
  const { status, stderr } = run(app, [], { MAIL_IS_DOWN: "1" });
  if (status !== 0) throw new Error(stderr);
});

test("parked work is listed, inspected, discarded and replayed while no process serves", () => {
  const { data } = framework("parked");
  const items = data["items"] as { id: string; name: string; errorMessage: string }[];
  expect(items.map(({ name, errorMessage }) => [name, errorMessage])).toEqual(
    Array(3).fill(["mail", "there is no mail server"]),
  );
  const [first = { id: "" }, second = { id: "" }] = items;
  expect(framework("parked", "inspect", first.id).data).toMatchObject({ payload: "ann", attempts: 1 });
  expect(framework("parked", "discard", first.id)).toMatchObject({ status: 2 });
  expect(framework("parked", "discard", first.id, "--note", "the customer is gone")).toMatchObject({
    status: 0,
  });
  expect(framework("parked", "replay", second.id).data).toEqual({ replayed: 1, failed: [] });
  expect(framework("parked", "replay", "--name", "mail").data).toEqual({ replayed: 1, failed: [] });
  expect(framework("parked", "inspect", "999")).toMatchObject({
    status: 1,
    data: { error: { code: "CLI_NO_ITEM" } },
  });
});

test("jobs are counted, listed and retried", () => {
  expect(framework("jobs").data).toMatchObject({ jobs: [{ name: "send-mail", ready: 0 }] });
  const failed = framework("jobs", "send-mail", "--state", "failed").data["jobs"] as { id: string }[];
  expect(failed).toHaveLength(2);
  const id = failed[0]?.id ?? "";
  expect(framework("jobs", "send-mail", "retry", id)).toMatchObject({ status: 0, data: { isDone: true } });
  expect(framework("jobs", "send-mail", "get", id).data).toMatchObject({ id, state: "ready" });
  expect(framework("jobs", "send-mails")).toMatchObject({
    status: 1,
    data: { error: { code: "CLI_NO_ITEM" } },
  });
});

test("what was replayed and retried is done by the process that serves", () => {
  expect(run(app, [])).toMatchObject({ status: 0 });
  expect(framework("parked").data).toEqual({ items: [], next: null });
});
