import { expect, test } from "@jest/globals";
import { failure, serve } from "./grpc-app.test-kit.ts";
import { structService } from "./index.ts";

test("a service of names alone serves plain objects, and methods without handlers are UNIMPLEMENTED", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService("plain.Things", ["Echo", "Later"]);
    app.grpcMethod("plain.Things", "Echo", (request) => ({ ...request, seen: [1, null, { deep: true }] }));
  });
  const client = served.client(structService("plain.Things", ["Echo", "Later"]));
  expect(await client["Echo"]?.({ a: "b" })).toEqual({ a: "b", seen: [1, null, { deep: true }] });
  expect(await failure(client["Later"]?.({}) ?? Promise.resolve())).toMatchObject({
    status: "UNIMPLEMENTED",
  });
});

test("mistakes in services are reported together at start", async () => {
  const start = serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService("1bad name", []);
    app.addGrpcService("plain.Things", ["Echo"]);
    app.addGrpcService("plain.Things", ["Echo"]);
    app.grpcMethod("plain.Things", "Nothing", () => ({}));
  });
  const error = (await failure(start)) as Error;
  const text = `${error.message} ${String(error.cause)}`;
  expect(text).toContain("is no name of a service");
  expect(text).toContain("plain.Things was added twice");
  expect(text).toContain("plain.Things has no method Nothing");
});

test("a service without enableGrpc is a mistake", async () => {
  const start = serve((app) => void app.addGrpcService("plain.Things", ["Echo"]));
  expect(String(await failure(start))).toContain("GRPC_NOT_ENABLED");
});
