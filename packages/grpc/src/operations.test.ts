import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { aBook, all, catalog, failure, type GrpcApp, serveApp } from "./grpc-app.test-kit.ts";
import { grpc, GrpcError } from "./index.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

const address = "127.0.0.1:0";

/** A feature that records ended calls: method, status and error. */
const recordOperations = () => {
  const ended: (readonly [method: string, status: unknown, error: string | null])[] = [];
  const feature: Feature = {
    name: "recordOperations",
    install: ({ insight }) => {
      insight.onOperation({
        kinds: ["grpc"],
        start: () => null,
        end: ({ role, name, attributes, error }) => {
          if (role !== "server") return;
          const method = name.slice(name.indexOf("/") + 1);
          ended.push([method, attributes["rpc.grpc.status_code"], GrpcError.is(error) ? error.status : null]);
        },
      });
      return {};
    },
  };
  return { feature, ended };
};

test("the operation of a call has the status of the call", async () => {
  const { feature, ended } = recordOperations();
  const app = new (App.with(feature, grpc))().enableGrpc({ address });
  app.addGrpcService(catalog, {
    GetBook: ({ id }) => {
      if (id === 2) throw new GrpcError("NOT_FOUND", "no such book");
      return id === 3 ? Promise.reject(new GrpcError("INTERNAL", "broken")) : Promise.resolve(aBook(id));
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  await client.GetBook({ id: 1 });
  await failure(client.GetBook({ id: 2 }));
  await failure(client.GetBook({ id: 3 }));
  expect(ended).toEqual([
    ["GetBook", 0, null],
    ["GetBook", 5, null],
    ["GetBook", 13, "INTERNAL"],
  ]);
});

test("a call that its own handler aborts ends once, with the status of the abort", async () => {
  const { feature, ended } = recordOperations();
  const app = new (App.with(feature, grpc))().enableGrpc({ address });
  const stop = new GrpcError("ABORTED", "stopped by the handler");
  app.addGrpcService(catalog, {
    GetBook: ({ id }, call) => {
      call.abort(stop);
      return id === 1 ? aBook(id) : Promise.resolve(aBook(id));
    },
    async *ListBooks({ count }, call) {
      yield aBook(count);
      call.abort(stop);
      yield aBook(count);
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  const expected = { status: "ABORTED", message: "stopped by the handler" };
  for (const id of [1, 2]) expect(await failure(client.GetBook({ id }))).toMatchObject(expected);
  expect(await failure(all(client.ListBooks({ count: 1 })))).toMatchObject(expected);
  expect(ended).toEqual([
    ["GetBook", 10, null],
    ["GetBook", 10, null],
    ["ListBooks", 10, null],
  ]);
});

test("a call that is refused before its handler runs is an operation, with the name _OTHER for an unknown method", async () => {
  const { feature, ended } = recordOperations();
  const app = new (App.with(feature, grpc))().enableGrpc({ address, maxMessageSize: 10 });
  app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  await using served = await serveApp(app as unknown as GrpcApp);
  const { target } = served;
  await rawCall(target, { path: "/books.v1.Catalog/GetBok" });
  await rawCall(target, { headers: { "x-key-bin": "!!!!" } });
  await rawCall(target, { body: framed(Buffer.alloc(20)) });
  await rawCall(target, { body: framed(Buffer.alloc(3)).subarray(0, 6) });
  await rawCall(target, { method: "GET" });
  expect(ended).toEqual([
    ["_OTHER", 12, "UNIMPLEMENTED"],
    ["GetBook", 13, "INTERNAL"],
    ["GetBook", 8, null],
    ["GetBook", 13, "INTERNAL"],
  ]);
});

test("the operation of an aborted call ends with the status that the client gets, even if the handler still runs", async () => {
  const { feature, ended } = recordOperations();
  const clock = virtualClock();
  const app = new (App.with(feature, grpc))().enableGrpc({ address, clock });
  let begun = 0;
  const releases: (() => void)[] = [];
  const slow = async <T>(value: T): Promise<T> => {
    begun++;
    await new Promise<void>((resolve) => void releases.push(resolve));
    return value;
  };
  app.addGrpcService(catalog, {
    GetBook: { timeoutSecs: 60, handle: ({ id }) => slow(aBook(id)) },
    AddBooks: { timeoutSecs: 60, handle: () => slow({ added: 0 }) },
  });
  await using served = await serveApp(app as unknown as GrpcApp, { cluster: { shutdownTimeoutSecs: 1 } });
  const client = served.client(catalog);
  const controller = new AbortController();

  const cancelled = failure(client.GetBook({ id: 1 }, { signal: controller.signal }));
  await waitFor(() => begun === 1);
  controller.abort();
  expect(await cancelled).toMatchObject({ status: "CANCELLED" });
  await waitFor(() => ended.length === 1);

  const overdue = failure(client.AddBooks([aBook(2)]));
  await waitFor(() => begun === 2);
  await clock.advance(61_000);
  expect(await overdue).toMatchObject({ status: "DEADLINE_EXCEEDED" });

  const stopped = failure(client.GetBook({ id: 3 }));
  await waitFor(() => begun === 3);
  const stop = served.stop().catch(() => {});
  expect(await stopped).toMatchObject({ status: "UNAVAILABLE" });
  for (const release of releases) release();
  await stop;
  expect(ended).toEqual([
    ["GetBook", 1, null],
    ["AddBooks", 4, "DEADLINE_EXCEEDED"],
    ["GetBook", 14, "UNAVAILABLE"],
  ]);
});
