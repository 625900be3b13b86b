import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { TestProcess } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("messages without a key are stored in the order of the call, even if the channel is closed or full", async () => {
    await using process = new TestProcess({ url, prefetchCount: 1000 });
    await process.declare();
    const send = (from: number, bytes: number) =>
      process.send(Array.from({ length: 60 }, (_, at) => ({ body: String(from + at).padEnd(bytes) })));
    await send(0, 0);
    await send(60, 65_536);
    const { sink } = await process.consume({ prefetch: 1000 });
    await waitFor(() => sink.deliveries.length === 120, { timeoutMs: 60_000 });
    const received = sink.deliveries.map(({ body }) => Number(Buffer.from(body as Uint8Array).toString()));
    expect(received).toEqual(Array.from({ length: 120 }, (_, at) => at));
  });
});
