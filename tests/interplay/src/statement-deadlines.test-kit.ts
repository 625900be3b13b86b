import { App, type Awaitable } from "@framework/core";
import { database, type DatabaseError } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { grpc, type GrpcError, grpcService } from "@framework/grpc";
import { grpcClient } from "@framework/grpc/client";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { z } from "zod";

/** An endless statement, and a query that counts its running instances. */
export interface EndlessStatement {
  /** Creates a separate database for a test. */
  readonly open: () => Awaitable<TestDatabase>;
  /** A statement that never ends. */
  readonly statement: string;
  /** A query for the number of such statements in progress; `null` if the database cannot count them. */
  readonly countRunning: string | null;
}

const empty = z.object({});
const reports = grpcService("test.Reports", { methods: { Make: { request: empty, response: empty } } });

/** Registers tests of calls that end while one of their statements runs. */
export const testStatementDeadlines = (
  test: typeof jestTest,
  { open, statement, countRunning }: EndlessStatement,
): void => {
  test.each([
    ["passed deadline", "DEADLINE_EXCEEDED"],
    ["cancellation", "CANCELLED"],
  ] as const)("a %s cancels the statement that the handler of the call runs", async (_, status) => {
    await using storage = await open();
    const started = Promise.withResolvers<void>();
    const rejected = Promise.withResolvers<GrpcError | DatabaseError>();
    const app = new (App.with(database, grpc))();
    app.enableDatabase({ url: storage.url }).enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(reports, {
      Make: {
        timeoutSecs: status === "CANCELLED" ? 0 : 1, // the server's deadline, because a client may cancel the call at its own deadline before the server notices
        handle: async (_request, { signal }) => {
          const read = app.db.until(signal).query(statement);
          started.resolve();
          await read.catch(rejected.resolve);
          return {};
        },
      },
    });
    const program = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
    using client = grpcClient(reports, `127.0.0.1:${app.grpcAddress?.port}`);
    const stop = new AbortController();
    const make = (): Promise<string | null> =>
      client.Make({}, { signal: stop.signal, timeoutMs: 0 }).then(
        () => null,
        (error: GrpcError) => error.status,
      );
    let call = make();
    // On a busy machine the deadline may pass before the call has reached its handler.
    while ((await Promise.race([started.promise.then(() => "started"), call])) !== "started") call = make();
    if (countRunning !== null && status === "CANCELLED")
      await waitFor(async () => Number(await app.db.fetchValue(countRunning)) === 1);
    if (status === "CANCELLED") stop.abort();
    expect(await call).toBe(status);
    expect(await rejected.promise).toMatchObject({ status });
    if (countRunning !== null) await waitFor(async () => Number(await app.db.fetchValue(countRunning)) === 0);
    expect(await app.db.fetchValue("SELECT 7")).toBe(7);
    await program.close();
  });
};
