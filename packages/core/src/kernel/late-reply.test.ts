import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { Response } from "../response/response.ts";

test("a reply after its deadline frees the source of its body", async () => {
  const app = new App();
  const go = Promise.withResolvers<void>();
  let freed = 0;
  const source = new ReadableStream<Uint8Array>({
    cancel: () => {
      freed++;
    },
  });
  app.get("/slow", { timeoutSecs: 0.02 }, async () => {
    await go.promise;
    return Response.stream(source);
  });
  const reply = await app.fetch(new Request("http://localhost/slow"));
  expect([reply.status, freed]).toEqual([504, 0]);
  go.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(freed).toBe(1);
});
