import { expect, test } from "@jest/globals";
import { askEveryWorker } from "./ask-every-worker.ts";
import { startProgram } from "./start-program.ts";

const pidOf = ({ text }: { readonly text: string }): number => Number(text);

test("resolves with the answers of all workers, even if one accepts no connection for a while", async () => {
  await using program = await startProgram(new URL("./workers.test-program.ts", import.meta.url), {
    args: ["--workers", "3"],
    conditions: ["@framework/source"],
  });
  const ask = () => program.client.get("/pid", { headers: { connection: "close" } });
  const first = await askEveryWorker({ workers: 3, ask, pidOf });
  const pids = new Set(first.map(pidOf));
  expect(pids.size).toBe(3);

  const [stopped = 0] = pids;
  process.kill(stopped, "SIGSTOP");
  let asked = 0;
  const answers = await askEveryWorker({
    workers: 3,
    ask: async () => {
      if (++asked === 100) process.kill(stopped, "SIGCONT");
      return ask();
    },
    pidOf,
  });
  expect(asked).toBeGreaterThanOrEqual(100);
  expect(new Set(answers.map(pidOf))).toEqual(pids);
});

test("fails at the timeout with the number of workers that have answered", async () => {
  const replies = ["7", "8", "no process id"];
  let next = 0;
  const ask = async () => ({ text: replies[next++ % 3] ?? "" });
  const asked = askEveryWorker({ workers: 3, ask, pidOf, timeoutMs: 50 });
  await expect(asked).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
  await expect(asked).rejects.toThrow(/waited 50 ms for answers of 3 workers: \d+ answers came from 2/);
});

test("rejects at once with the error of a failed request", async () => {
  const ask = () => Promise.reject<{ text: string }>(new Error("connection reset"));
  await expect(askEveryWorker({ workers: 2, ask, pidOf })).rejects.toThrow("connection reset");
});
