import { setTimeout as pause } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type GrpcClient, grpcClient } from "./client.ts";
import type { GrpcError, ShapesOf } from "./index.ts";
import { all } from "./grpc-app.test-kit.ts";
import { type LoadSchemas, loadService } from "./load-service.test-kit.ts";

const CONNECTIONS = 6;

type Client = GrpcClient<ShapesOf<LoadSchemas>>;

async function* numbers(): AsyncGenerator<{ readonly n: number }> {
  for (let n = 1; n <= 5; n++) {
    yield { n };
    await pause(4);
  }
}

/** One call of each kind; each checks its complete response. */
const calls: readonly ((client: Client) => Promise<void>)[] = [
  async (client) => expect(await client.One({ n: 7 })).toEqual({ n: 7 }),
  async (client) => expect(await all(client.Count({ n: 5 }))).toHaveLength(5),
  async (client) => expect(await client.Sum(numbers())).toEqual({ n: 15 }),
  async (client) => expect(await all(client.Echo(numbers()))).toHaveLength(5),
];

test.each([1, 3])(
  "after SIGTERM every started call completes under load, with %i workers",
  async (workers) => {
    const file = bundledProgram(new URL("./load.test-program.ts", import.meta.url));
    const options = { args: ["--workers", `${workers}`], conditions: ["@framework/source"] };
    await using program = await startProgram(file, options);
    const { port } = (await (await fetch(new URL("/port", program.url))).json()) as { port: number };
    const clients = Array.from({ length: CONNECTIONS }, (_, at) =>
      // Distinct options, because clients with equal options share a connection.
      grpcClient(loadService, `127.0.0.1:${port}`, { maxMessageSize: 100_000 + at, timeoutMs: 0 }),
    );
    let completed = 0;
    const failed: GrpcError[] = [];
    const enough = Promise.withResolvers<void>();
    const repeat = async (client: Client, call: (typeof calls)[number]): Promise<void> => {
      for (;;) {
        const error = await call(client).then(
          () => null,
          (thrown: unknown) => thrown as GrpcError,
        );
        if (error !== null) return void failed.push(error);
        if (++completed === 300) enough.resolve();
      }
    };
    const loops = clients.flatMap((client) => calls.map((call) => repeat(client, call)));
    await enough.promise;
    const exit = program.stop();
    await Promise.all(loops);
    for (const client of clients) client.close();
    expect((await exit).code).toBe(0);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(["UNAVAILABLE"]));
    const counts = [...program.output().matchAll(/handlers (\d+) (\d+)/g)];
    const sum = (column: 1 | 2): number => counts.reduce((total, row) => total + Number(row[column]), 0);
    expect(counts).toHaveLength(workers);
    expect(counts.filter(([, began]) => Number(began) > 0).length > 1).toBe(workers > 1);
    expect([sum(1), sum(2)]).toEqual([completed, completed]);
  },
);
