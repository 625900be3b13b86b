import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { grpcClient } from "./client.ts";
import { structService } from "./index.ts";

const service = structService("test.Workers", ["Which"]);

test("all workers serve the one port, and SIGTERM loses no call in flight", async () => {
  const args = ["--workers", "3"];
  const file = new URL("./workers.test-program.ts", import.meta.url);
  await using program = await startProgram(file, { args, conditions: ["@framework/source"] });
  const { port } = (await (await fetch(new URL("/port", program.url))).json()) as { port: number };
  const clients = Array.from({ length: 12 }, (_, at) =>
    // A connection of its own for each: equal ones share.
    grpcClient(service, `127.0.0.1:${port}`, { maxMessageSize: 100_000 + at, timeoutMs: 60_000 }),
  );
  const which = async (): Promise<readonly unknown[]> =>
    Promise.all(clients.map(async (client) => (await client["Which"]?.({}))?.["pid"]));
  expect(new Set(await which()).size).toBeGreaterThan(1);
  const inFlight = which();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const exit = program.stop();
  expect(new Set(await inFlight).size).toBeGreaterThan(1);
  for (const client of clients) client.close();
  expect((await exit).code).toBe(0);
});
