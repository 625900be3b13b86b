// Contract tests for the route option `idempotency`, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { HttpError, Response } from "@framework/core";
import { portContract, type PortContract } from "@framework/core/testing";
import { testClient, waitFor } from "@framework/testing";
import type { TestDatabase } from "@framework/database/testing";
import { newShop, order, shopAt } from "./keyed-shop.test-kit.ts";

export const routeKeys: PortContract<TestDatabase> = portContract<TestDatabase>("keys of routes", {
  "a repeated request gets status, body and relevant header fields of the first reply": async (storage) => {
    const shop = newShop(shopAt(storage), (call) =>
      Response.created({ order: call }, `/orders/${call}`, {
        headers: { "x-shop": "7", "set-cookie": "a=b", "x-request-id": "r" },
      }),
    );
    await using client = testClient(shop.app);
    const first = await order(client, '"k"');
    assert.deepEqual([first.status, first.headers.get("set-cookie")], [201, "a=b"]);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    const second = await order(client, "k");
    assert.deepEqual([second.status, second.text], [201, first.text]);
    for (const name of ["content-type", "location", "x-shop"])
      assert.equal(second.headers.get(name), first.headers.get(name));
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    assert.deepEqual([second.headers.get("set-cookie"), second.headers.get("x-request-id")], [null, null]);
    assert.equal(shop.calls(), 1);
    assert.deepEqual((await order(client, "other")).json(), { order: 2 });
  },

  "a stored reply is returned by a later process": async (storage) => {
    const first = newShop(shopAt(storage));
    await (async () => {
      await using client = testClient(first.app);
      await order(client, "k");
    })();
    const second = newShop(shopAt(storage));
    await using client = testClient(second.app);
    assert.deepEqual((await order(client, "k")).json(), { order: 1 });
    assert.equal(second.calls(), 0);
  },

  "a request with a key in use gets 409, with the key of another request 422, and with a missing or malformed key 400":
    async (storage) => {
      const gate = Promise.withResolvers<void>();
      const entered = Promise.withResolvers<void>();
      const shop = newShop(shopAt(storage), async (call) => {
        entered.resolve();
        await gate.promise;
        return { order: call };
      });
      await using client = testClient(shop.app);
      const first = order(client, "k");
      await entered.promise;
      const running = await order(client, "k");
      assert.deepEqual([running.status, running.headers.get("retry-after")], [409, "1"]);
      gate.resolve();
      await first;
      assert.equal((await order(client, "k", "Dune")).status, 422);
      const elsewhere = await client.post("/orders?gift=1", {
        json: { book: "Emma" },
        headers: { "idempotency-key": "k" },
      });
      assert.equal(elsewhere.status, 422);
      assert.equal((await client.post("/payments")).status, 400);
      assert.equal((await client.post("/payments", { headers: { "idempotency-key": '"' } })).status, 400);
      assert.equal((await client.post("/payments", { headers: { "idempotency-key": "k" } })).text, "paid");
    },

  "without a key, every request runs the handler": async (storage) => {
    const shop = newShop(shopAt(storage));
    await using client = testClient(shop.app);
    await order(client, null);
    await order(client, null);
    assert.equal(shop.calls(), 2);
  },

  "after a refusal or failure the key can be used again, and any other error is stored": async (storage) => {
    const handlers = [
      () => Promise.reject(new TypeError("bug")),
      () => Promise.reject(new HttpError(503, "Later")),
      () => Promise.reject(new HttpError(409, "Taken")),
      () => Promise.reject(new HttpError(404, "No such book")),
    ];
    const shop = newShop(shopAt(storage), (call) => handlers[call - 1]?.() ?? assert.fail());
    await using client = testClient(shop.app);
    const invalid = await client.post("/orders", { json: {}, headers: { "idempotency-key": "v" } });
    assert.equal(invalid.status, 422);
    const statuses: number[] = [];
    for (let call = 0; call < 6; call++) statuses.push((await order(client, "k")).status);
    assert.deepEqual(statuses, [500, 503, 409, 404, 404, 404]);
    assert.equal(shop.calls(), 4);
  },

  "a reply above maxStoredBytes, or of unknown length, is not stored, and its handler does not run again":
    async (storage) => {
      const shop = newShop(shopAt(storage, { maxStoredBytes: 1024 }), (call, body) =>
        (body as { readonly book: string }).book === "stream"
          ? Response.stream(
              (async function* () {
                yield "part";
              })(),
            )
          : Response.text("x".repeat(call === 1 ? 1024 : 1025)),
      );
      await using client = testClient(shop.app);
      await order(client, "fits");
      assert.equal((await order(client, "fits")).text.length, 1024);
      assert.equal((await order(client, "large")).text.length, 1025);
      const again = await order(client, "large");
      assert.deepEqual([again.status, again.json<{ completed: boolean }>().completed], [409, true]);
      assert.equal((await order(client, "s", "stream")).text, "part");
      const streamed = await order(client, "s", "stream");
      assert.equal(streamed.status, 409);
      assert.match(streamed.text, /not kept: it was too large, or a stream/);
      assert.equal(shop.calls(), 3);
    },

  "after a reply whose body fails while it is read, the key becomes free": async (storage) => {
    const broken = (): globalThis.Response => {
      const source = new ReadableStream({
        pull: (controller) => controller.error(new Error("the upstream broke")),
      });
      return new globalThis.Response(source, { headers: { "content-length": "10" } });
    };
    const shop = newShop(shopAt(storage), (call) => (call === 1 ? broken() : { order: call }));
    await using client = testClient(shop.app);
    assert.equal((await order(client, "k")).status, 500);
    await waitFor(async () => (await order(client, "k")).status === 200);
    assert.deepEqual((await order(client, "k")).json(), { order: 2 });
  },

  "a key belongs to its caller": async (storage) => {
    const shop = newShop(shopAt(storage, { callerOf: ({ headers }) => headers.get("x-device") ?? "" }));
    await using client = testClient(shop.app);
    await order(client, "k", "Emma", { "x-device": "1" });
    assert.deepEqual((await order(client, "k", "Emma", { "x-device": "2" })).json(), { order: 2 });
    assert.deepEqual((await order(client, "k", "Emma", { "x-device": "1" })).json(), { order: 1 });
  },

  "a stored reply is returned only to the same caller, identified by principal or credentials": async (
    storage,
  ) => {
    const app = shopAt(storage);
    app.use((request, next) => {
      request.context.set("user", request.getHeader("x-user"));
      const iss = request.getHeader("x-issuer");
      if (iss !== null) request.context.set("jwt_claims", { sub: "1", exp: 0, iss });
      return next(request);
    });
    const shop = newShop(app);
    await using client = testClient(shop.app);
    const callers: readonly Readonly<Record<string, string>>[] = [
      {},
      { "x-user": "ann" },
      { "x-user": "bob" },
      { authorization: "Token 1" },
      { authorization: "Token 2" },
      { "x-issuer": "a" },
      { "x-issuer": "b" },
      { "x-issuer": "b", "x-user": "ann" },
    ];
    const orders = async (): Promise<unknown[]> => {
      const replies = [];
      for (const headers of callers) replies.push((await order(client, "k", "Emma", headers)).json());
      return replies;
    };
    const first = await orders();
    assert.deepEqual(
      first,
      callers.map((_headers, index) => ({ order: index + 1 })),
    );
    assert.deepEqual(await orders(), first);
  },

  "concurrent requests with one key in two processes run the handler once": async (storage) => {
    const shops = [newShop(shopAt(storage)), newShop(shopAt(storage))] as const;
    await using here = testClient(shops[0].app);
    await using there = testClient(shops[1].app);
    await Promise.all([order(here, "warm"), order(there, "up")]);
    for (let round = 1; round <= 5; round++) {
      const before = shops[0].calls() + shops[1].calls();
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => order(index % 2 === 0 ? here : there, `round-${round}`)),
      );
      assert.equal(shops[0].calls() + shops[1].calls() - before, 1);
      for (const { status } of replies) assert.ok(status === 201 || status === 409, String(status));
    }
  },
});
