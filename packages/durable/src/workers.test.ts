import { request } from "node:http";
import { bundledProgram } from "@framework/bundled-sources";
import { type Program, startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

interface Worker {
  readonly pid: number;
  readonly lanes: readonly number[];
}

/** Returns the lanes of one worker. Each call opens a new connection, so any worker may reply. */
const fetchLanes = ({ url }: Program): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const call = request(new URL("/lanes", url), { agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("end", () => resolve(JSON.parse(text) as Worker));
      reply.on("error", reject);
    });
    call.on("error", reject).end();
  });

/** The lanes of two workers by process id, once each has two; `null` before. */
const evenShares = async (program: Program): Promise<ReadonlyMap<number, readonly number[]> | null> => {
  const workers = await Promise.all(Array.from({ length: 8 }, () => fetchLanes(program)));
  const lanes = new Map(workers.map((worker) => [worker.pid, worker.lanes]));
  const numbers = [...lanes.values()].flat().toSorted((a, b) => a - b);
  const isEven = lanes.size === 2 && [...lanes.values()].every(({ length }) => length === 2);
  return isEven && numbers.join() === "0,1,2,3" ? lanes : null;
};

test("two workers share the lanes, and the worker that replaces a killed one has its share at once", async () => {
  await using file = await sqliteFile();
  await using program = await startProgram(
    bundledProgram(new URL("./workers.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "2", "--no-logs"],
      env: { DATABASE: file.url, FRAMEWORK_ENV: "production" },
      conditions: ["@framework/source"],
    },
  );
  const before = await waitFor(() => evenShares(program), { subject: "two workers with two lanes each" });
  const [killed = 0] = before.keys();
  process.kill(killed, "SIGKILL");
  const after = await waitFor(
    async () => {
      const lanes = await evenShares(program);
      return lanes !== null && !lanes.has(killed) && lanes;
    },
    { subject: "the replacement to have two lanes" }, // long before the lease of ten minutes ends
  );
  expect([...after.keys()].filter((pid) => before.has(pid))).toHaveLength(1);
  expect((await program.stop("SIGTERM")).code).toBe(0);
}, 180_000);
