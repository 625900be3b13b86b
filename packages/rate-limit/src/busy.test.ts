import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { availableParallelism } from "node:os";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";

/** Keeps every CPU busy with two processes until it is disposed of. */
const busyMachine = async (): Promise<AsyncDisposable> => {
  const spin = "process.stdout.write('x'); for (;;);";
  const spinning = Array.from({ length: 2 * availableParallelism() }, (): ChildProcess =>
    spawn(process.execPath, ["-e", spin], { stdio: ["ignore", "pipe", "ignore"] }),
  );
  await Promise.all(
    spinning.map(async ({ stdout }) => {
      if (stdout !== null) await once(stdout, "data");
    }),
  );
  return {
    async [Symbol.asyncDispose]() {
      const ended = spinning.map((child) => once(child, "exit"));
      for (const child of spinning) child.kill("SIGKILL");
      await Promise.all(ended);
    },
  };
};

/** Sends a request on a new connection, so that any worker may answer. */
const send = (url: string, client: string): Promise<{ readonly status: number; readonly pid: number }> =>
  new Promise((resolve, reject) => {
    const clientRequest = request(url, { agent: false, headers: { "x-client": client } }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("end", () => {
        resolve({ status: reply.statusCode ?? 0, pid: Number(/pid (\d+)/.exec(text)?.[1] ?? 0) });
      });
    });
    clientRequest.on("error", reject);
    clientRequest.end();
  });

const countAdmitted = async (replies: readonly Promise<{ readonly status: number }>[]): Promise<number> =>
  (await Promise.all(replies)).filter(({ status }) => status === 200).length;

test("four workers on a busy machine admit exactly the limit, in a burst and while a worker is replaced", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./busy.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "4", "--no-logs"],
      conditions: ["@framework/source"],
      timeoutMs: 60_000,
    },
  );
  const { pid } = await send(program.url, "first");
  await using _busy = await busyMachine();
  expect(await countAdmitted(Array.from({ length: 120 }, () => send(program.url, "burst")))).toBe(40);

  process.kill(pid, "SIGTERM"); // the worker requests a replacement, then drains
  const seen = new Set<number>();
  let [sent, admitted] = [0, 0];
  const load = async (): Promise<void> => {
    sent++;
    const reply = await send(program.url, "roll");
    if (reply.status === 200) admitted++;
    seen.add((await send(program.url, `pid ${sent}`)).pid);
  };
  await waitFor(async () => {
    await Promise.all(Array.from({ length: 8 }, load));
    return seen.size >= 5 && sent > 60; // the replacement serves, and more requests were sent than the limit admits
  });
  expect(admitted).toBe(40);
});
