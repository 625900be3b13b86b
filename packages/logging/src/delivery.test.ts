import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

const file = bundledProgram(new URL("./logged.test-program.ts", import.meta.url));
const conditions = ["@framework/source"];

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("workers write one whole line per request into one pipe, up to the last request", async () => {
  await using program = await startProgram(file, {
    args: ["--workers", "2", "--env", "production"],
    conditions,
  });
  const paths = Array.from({ length: 1000 }, (_, at) => `/pid?${at}`);
  const pids = new Set<string>();
  for (let at = 0; at < paths.length; at += 50)
    await Promise.all(
      paths.slice(at, at + 50).map(async (path) => pids.add((await program.client.get(path)).text)),
    );
  await program.stop("SIGTERM");
  const requests = linesOf(program.output()).filter(({ method }) => method !== undefined);
  expect(requests).toHaveLength(1000);
  expect(requests.every(({ path, status }) => path === "/pid" && status === 200)).toBe(true);
  expect(pids.size).toBeGreaterThan(1);
});

test("process.exit loses no lines", async () => {
  await using program = await startProgram(file, { args: ["--workers", "1"], conditions });
  await program.client.get("/exit").catch(() => null);
  await program.stop("SIGTERM");
  expect(linesOf(program.output()).at(-1)).toMatchObject({ message: "last line", level: "info" });
});

/** A service whose output is not read until requested. */
const startUnread = async (...args: string[]) => {
  const child = spawn(process.execPath, ["--conditions=@framework/source", file, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const url = /"url":"([^"]+)"/.exec(text)?.[1];
    if (url !== undefined) resolve(url);
  });
  const url = await listening;
  child.stdout.pause();
  const output = async (): Promise<string> => {
    child.stdout.resume();
    child.kill("SIGTERM");
    await once(child, "close");
    return text;
  };
  return { url, output };
};

const isFloodLine = ({ message }: Record<string, unknown>) => message === "flood";

test("lines of workers that share a full pipe are not interleaved", async () => {
  const { url, output } = await startUnread("--workers", "2", "--env", "production");
  const requestFlood = async (): Promise<number> => {
    const reply = await fetch(`${url}/flood?lines=100`, { headers: { connection: "close" } });
    return Number(await reply.text());
  };
  const pids = await requestEveryWorker({ workers: 2, send: requestFlood, pidOf: (pid) => pid });
  expect(linesOf(await output()).filter(isFloodLine)).toHaveLength(100 * pids.length);
});

test("a stalled reader does not delay requests, and dropped lines are counted", async () => {
  const { url, output } = await startUnread("--workers", "1", "--env", "development");
  for (let count = 0; count < 8; count++) expect(await (await fetch(`${url}/flood`)).text()).toMatch(/^\d+$/);
  const lines = linesOf(await output());
  const written = lines.filter((line) => isFloodLine(line) || line["path"] === "/flood").length;
  const lost = lines.reduce((sum, { dropped }) => sum + (typeof dropped === "number" ? dropped : 0), 0);
  expect(lost).toBeGreaterThan(0);
  expect(written + lost).toBe(16_008);
});
