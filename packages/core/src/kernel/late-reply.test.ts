import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { Feature } from "../feature/feature.ts";
import { mapAwaitable } from "../middleware/middleware.ts";
import { awaitLateReply, type LateReply } from "../request/late-reply.ts";
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

/** A feature with two middlewares, which wait for the late reply and record it. */
const waiting = (recorded: LateReply[], readsBody: boolean): Feature => ({
  name: "waiting",
  install: (host) => {
    for (const options of [{ readsBody: false }, { readsBody }])
      host.http.use("cache", (request, next) => {
        const late = awaitLateReply(request, options);
        return mapAwaitable(next(request), (reply) => {
          recorded.push(late);
          return reply;
        });
      });
    return {};
  },
});

test.each([
  [false, 1],
  [true, 0],
])(
  "every waiting middleware gets the late reply; if one reads its body: %p, the body is freed %i times",
  async (readsBody, expected) => {
    const recorded: LateReply[] = [];
    const app = new (App.with(waiting(recorded, readsBody)))();
    const go = Promise.withResolvers<void>();
    let freed = 0;
    app.put("/slow", { timeoutSecs: 0.02 }, async () => {
      await go.promise;
      return Response.stream(new ReadableStream<Uint8Array>({ cancel: () => void freed++ }), { status: 201 });
    });
    const reply = await app.fetch(new Request("http://localhost/slow", { method: "PUT" }));
    go.resolve();
    const late = await Promise.all(recorded.map(async ({ promise }) => await promise));
    await new Promise((resolve) => setImmediate(resolve));
    expect([reply.status, late.map((each) => each?.status), freed]).toEqual([504, [201, 201], expected]);
  },
);
