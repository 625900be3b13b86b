import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import type { Feature, OperationListener } from "@framework/core/feature";
import type { GrpcClientOptions } from "./client.ts";
import { aBook, all, catalog } from "./grpc-app.test-kit.ts";
import { grpc, GrpcError } from "./index.ts";

/** A feature that records the operations of the app's outgoing calls and provides a trace. */
const recordOperations = () => {
  const seen: string[] = [];
  const listener: OperationListener = {
    kinds: ["grpc"],
    start: ({ role, name }) => role === "client" && seen.push(`begin ${name}`),
    error: ({ role, error }) =>
      role === "client" && seen.push(`error ${GrpcError.is(error) ? error.status : String(error)}`),
    end: ({ role, attributes }) =>
      role === "client" && seen.push(`end ${String(attributes["rpc.grpc.status_code"])}`),
  };
  const feature: Feature<object> = {
    name: "recordOperations",
    install: ({ insight }) => {
      const headers = () => ({ traceparent: "00-trace", "x-own": "from the trace" });
      insight.provideTrace(() => ({ traceId: "trace", spanId: "span", headers }));
      insight.onOperation(listener);
      return {};
    },
  };
  return { feature, seen };
};

const service = async () => {
  const { feature, seen } = recordOperations();
  const metadata: (string | null)[][] = [];
  const app = new (App.with(feature, grpc))().enableGrpc({ address: "127.0.0.1:0" });
  app.addGrpcService(catalog, {
    GetBook: ({ id }, call) => {
      metadata.push([call.metadata.get("traceparent"), call.metadata.get("x-own")]);
      if (id === 2) throw new GrpcError("NOT_FOUND", "no such book");
      return aBook(id);
    },
    *ListBooks({ count }) {
      for (let id = 1; id <= count; id++) yield aBook(id);
      if (count === 3) throw new GrpcError("DATA_LOSS", "lost");
    },
  });
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const open = (options?: GrpcClientOptions) =>
    app.grpcClient(catalog, `127.0.0.1:${app.grpcAddress?.port}`, options);
  const client = open();
  return { open, client, seen, metadata, [Symbol.asyncDispose]: () => running.close() };
};

test("a call of the app's client is an operation and sends the trace headers; metadata of the call takes precedence", async () => {
  await using one = await service();
  await one.client.GetBook({ id: 1 }, { metadata: { "x-own": "from the call" } });
  expect(one.metadata).toEqual([["00-trace", "from the call"]]);
  expect(one.seen).toEqual(["begin books.v1.Catalog/GetBook", "end 0"]);
});

test("names of metadata are case-insensitive: a name in upper case also takes precedence over the trace", async () => {
  await using one = await service();
  await one.client.GetBook({ id: 1 }, { metadata: { "X-Own": "from the call" } });
  expect(one.metadata).toEqual([["00-trace", "from the call"]]);
});

test("middleware finds metadata of the options by its name in lower case, and metadata of the call replaces it", async () => {
  await using one = await service();
  const found: unknown[] = [];
  const own = one.open({
    metadata: { "X-Own": "from the client" },
    use: [(call, next) => (found.push(...call.metadata), next(call))],
  });
  await own.GetBook({ id: 1 }, { metadata: { "x-OWN": "from the call" } });
  expect(found).toContainEqual(["x-own", "from the call"]);
  expect(found.filter((each) => String(each).toLowerCase().startsWith("x-own"))).toHaveLength(1);
});

test("a `use` that is not a list is reported with the other mistakes in the options", async () => {
  await using one = await service();
  const open = (): unknown => one.open({ use: (() => {}) as never, timeoutMs: -1 });
  expect(open).toThrow(/GrpcClientOptions\.timeoutMs[^]*GrpcClientOptions\.use/);
});

test("a call that fails reports its status, and still rejects", async () => {
  await using one = await service();
  await expect(one.client.GetBook({ id: 2 })).rejects.toThrow("no such book");
  expect(one.seen.slice(1)).toEqual(["error NOT_FOUND", "end 5"]);
});

test("a stream is one operation, which ends with the last message, an error, or when the reader stops", async () => {
  await using one = await service();
  expect(await all(one.client.ListBooks({ count: 2 }))).toHaveLength(2);
  for await (const book of one.client.ListBooks({ count: 2 })) if (book.id === 1) break;
  await expect(all(one.client.ListBooks({ count: 3 }))).rejects.toThrow("lost");
  const begin = "begin books.v1.Catalog/ListBooks";
  expect(one.seen).toEqual([begin, "end 0", begin, "end 1", begin, "error DATA_LOSS", "end 15"]);
});

test("a client closes when its app has stopped", async () => {
  const one = await service();
  await one.client.GetBook({ id: 1 });
  await one[Symbol.asyncDispose]();
  await expect(one.client.GetBook({ id: 1 })).rejects.toMatchObject({ status: "CANCELLED" });
});
