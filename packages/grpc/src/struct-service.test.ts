import { expect, test } from "@jest/globals";
import { failure, serve } from "./grpc-app.test-kit.ts";
import { structService } from "./index.ts";

test("a service without schemas serves plain objects, and methods without handlers are UNIMPLEMENTED", async () => {
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
  expect(text).toContain("is not a valid service name");
  expect(text).toContain("plain.Things was added twice");
  expect(text).toContain("plain.Things has no method Nothing");
});

test("an unknown field of tls is reported at start: a misspelt requireClientCert would admit every client", async () => {
  const start = serve((app) => {
    const tls = { load: () => ({ cert: "", key: "" }), requireClientcert: true };
    app.enableGrpc({ address: "127.0.0.1:0", tls });
  });
  expect(String(await failure(start))).toContain("GrpcConfig.tls must be an object with");
});

test("mistakes in rules of services and methods are reported at start", async () => {
  const things = structService("plain.Things", ["Echo", "Later"]);
  const start = serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    const echo = { handle: () => ({}), guards: [7], timeoutSecs: -1 } as never;
    const rules = { guard: [() => false] } as object;
    app.addGrpcService(things, { Echo: echo, Later: { handle: () => ({}), open: 1 } as never }, rules);
  });
  const error = (await failure(start)) as Error;
  const text = `${error.message} ${String(error.cause)}`;
  expect(text).toContain('the rules of plain.Things has no field "guard"; did you mean "guards"?');
  expect(text).toContain("plain.Things/Echo: guards must be a list of guards");
  expect(text).toContain("plain.Things/Echo: timeoutSecs must be a number");
  expect(text).toContain("plain.Things/Later: open must be true or false");
});

test("a service without enableGrpc fails the start", async () => {
  const start = serve((app) => void app.addGrpcService("plain.Things", ["Echo"]));
  expect(String(await failure(start))).toContain("GRPC_NOT_ENABLED");
});

test.each([undefined, []])(
  "a service with the methods %j starts, and other services of the app serve calls",
  async (methods) => {
    await using served = await serve((app) => {
      app.enableGrpc({ address: "127.0.0.1:0" });
      app.addGrpcService("plain.None", methods);
      app.addGrpcService("plain.Things", ["Echo"]);
      app.grpcMethod("plain.Things", "Echo", (request) => request);
    });
    expect(await served.client(structService("plain.Things", ["Echo"]))["Echo"]?.({ a: 1 })).toEqual({
      a: 1,
    });
  },
);

test("a handler that is not a function is reported at start", async () => {
  const start = serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService("plain.Things", ["Echo"]);
    app.grpcMethod("plain.Things", "Echo", 5 as never);
  });
  expect(String(await failure(start))).toContain("plain.Things/Echo: a handler must be a function");
});
