import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { Feature } from "../feature/feature.ts";
import { mapAwaitable } from "../middleware/middleware.ts";
import { awaitLateReply, type LateReply } from "../request/late-reply.ts";
import { Response } from "../response/response.ts";

test("a reply after its deadline cancels the source of its body", async () => {
  const app = new App();
  const gate = Promise.withResolvers<void>();
  let cancellations = 0;
  const source = new ReadableStream<Uint8Array>({
    cancel: () => {
      cancellations++;
    },
  });
  app.get("/slow", { timeoutSecs: 0.02 }, async () => {
    await gate.promise;
    return Response.stream(source);
  });
  const reply = await app.fetch(new Request("http://localhost/slow"));
  expect([reply.status, cancellations]).toEqual([504, 0]);
  gate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(cancellations).toBe(1);
});

/** A feature with two middlewares, which wait for the late reply and record it. */
const waiting = (lateReplies: LateReply[], readsBody: boolean): Feature => ({
  name: "waiting",
  install: (host) => {
    for (const options of [{ readsBody: false }, { readsBody }])
      host.http.use("cache", (request, next) => {
        const late = awaitLateReply(request, options);
        return mapAwaitable(next(request), (reply) => {
          lateReplies.push(late);
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
  "every waiting middleware gets the late reply; with readsBody %p, its body is cancelled %i times",
  async (readsBody, expected) => {
    const lateReplies: LateReply[] = [];
    const app = new (App.with(waiting(lateReplies, readsBody)))();
    const gate = Promise.withResolvers<void>();
    let cancellations = 0;
    app.put("/slow", { timeoutSecs: 0.02 }, async () => {
      await gate.promise;
      return Response.stream(new ReadableStream<Uint8Array>({ cancel: () => void cancellations++ }), {
        status: 201,
      });
    });
    const reply = await app.fetch(new Request("http://localhost/slow", { method: "PUT" }));
    gate.resolve();
    const late = await Promise.all(lateReplies.map(async ({ promise }) => await promise));
    await new Promise((resolve) => setImmediate(resolve));
    expect([reply.status, late.map((each) => each?.status), cancellations]).toEqual([
      504,
      [201, 201],
      expected,
    ]);
  },
);
