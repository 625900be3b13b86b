import { expect, test } from "@jest/globals";
import { requestEveryWorker } from "./request-every-worker.ts";
import { startProgram } from "./start-program.ts";

const pidOf = ({ text }: { readonly text: string }): number => Number(text);

test("resolves with the replies of all workers, even if one accepts no connection for a while", async () => {
  await using program = await startProgram(new URL("./workers.test-program.ts", import.meta.url), {
    args: ["--workers", "3"],
    conditions: ["@framework/source"],
  });
  const send = () => program.client.get("/pid", { headers: { connection: "close" } });
  const first = await requestEveryWorker({ workers: 3, send, pidOf });
  const pids = new Set(first.map(pidOf));
  expect(pids.size).toBe(3);

  const [stopped = 0] = pids;
  process.kill(stopped, "SIGSTOP");
  let sent = 0;
  const replies = await requestEveryWorker({
    workers: 3,
    send: async () => {
      if (++sent === 100) process.kill(stopped, "SIGCONT");
      return send();
    },
    pidOf,
  });
  expect(sent).toBeGreaterThanOrEqual(100);
  expect(new Set(replies.map(pidOf))).toEqual(pids);
});

test("fails at the timeout with the number of workers that have replied", async () => {
  const replies = ["7", "8", "no process id"];
  let next = 0;
  const send = async () => ({ text: replies[next++ % 3] ?? "" });
  const pending = requestEveryWorker({ workers: 3, send, pidOf, timeoutMs: 50 });
  await expect(pending).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
  await expect(pending).rejects.toThrow(/waited 50 ms for replies of 3 workers: \d+ replies came from 2/);
});

test("rejects immediately with the error of a failed request", async () => {
  const send = () => Promise.reject<{ text: string }>(new Error("connection reset"));
  await expect(requestEveryWorker({ workers: 2, send, pidOf })).rejects.toThrow("connection reset");
});
