import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { counterApp } from "../counters.test-kit.ts";
import { command } from "../index.ts";

withServer("postgres", (server) => {
  test("a running queued command that an operator cancels is a transient failure, not a bug", async () => {
    await using storage = await databaseInSchema(server);
    const Endless = command("Endless", { input: z.string(), mode: "queued" });
    const app = counterApp(storage);
    const failures: unknown[] = [];
    app.cqrs.onError(({ kind, error }) => void failures.push([kind, (error as { code?: unknown }).code]));
    const called = Promise.withResolvers<void>();
    app.cqrs.handle(Endless, () => {
      called.resolve();
      return new Promise(() => {});
    });
    await app.start({ log: { info() {}, warn() {}, error() {} } });
    const { id } = await app.cqrs.enqueue(Endless, "a");
    await called.promise;
    const queue = app.durable.kernel.queues().find(({ name }) => name === "cqrs.commands");
    expect(await queue?.cancel(id.slice(0, id.indexOf("-")))).toBe(true);
    await waitFor(() => failures.length > 0);
    await app.stop({ timeoutSecs: 0.1 });
    expect(failures).toEqual([["transient", "DURABLE_CANCELLED"]]);
  });
});
