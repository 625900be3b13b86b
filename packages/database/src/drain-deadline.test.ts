import { readdirSync, readFileSync } from "node:fs";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { databaseInFile } from "./testing.ts";

const startService = async (url: string, workers: number) =>
  await startProgram(bundledProgram(new URL("./draining.test-program.ts", import.meta.url)), {
    env: { DATABASE: JSON.stringify({ url, longReadMs: 1 }), WORKERS: String(workers) },
    conditions: ["@framework/source"],
  });

/** Number of processes with this text in their command line or environment. */
const processesWith = (text: string): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, "utf8");
      return (
        /^\d+$/.test(pid) && Number(pid) !== process.pid && (read("cmdline") + read("environ")).includes(text)
      );
    } catch {
      return false; // the process has ended, or belongs to another user
    }
  }).length;

test("a service with an endless read exits at its drain deadline, and so does its reading process", async () => {
  await using file = databaseInFile();
  await using program = await startService(file.url, 1);
  const before = processesWith(file.url);
  const reply = program.client.get("/endless").then(
    ({ status }) => status,
    () => "closed",
  );
  await waitFor(() => processesWith(file.url) > before, { subject: "the reading process" });
  const from = performance.now();
  expect(await program.stop("SIGTERM")).toEqual({ code: 1, signal: null });
  expect(performance.now() - from).toBeGreaterThan(290);
  expect(performance.now() - from).toBeLessThan(30_000); // the deadline is 0.3 s; the read has no end
  expect(await reply).toBe("closed");
  await waitFor(() => processesWith(file.url) === 0);
});

test("a worker that is blocked by a read is killed at the drain deadline", async () => {
  await using file = databaseInFile();
  await using program = await startService(file.url, 2);
  void program.client.get("/blocking").catch(() => {}); // the connection is closed
  await waitFor(() => program.output().includes("blocked from now on"));
  expect(await program.stop("SIGTERM")).toEqual({ code: 1, signal: null });
  await waitFor(() => processesWith(file.url) === 0);
});
