import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { App } from "@framework/core";
import { healthChecks } from "@framework/health";
import { expect, test } from "@jest/globals";
import { healthService } from "./builtin/health-service.ts";
import { reflectionServices } from "./builtin/reflection-service.ts";
import { aBook, all, catalog, failure, type GrpcApp, serve, serveApp } from "./grpc-app.test-kit.ts";
import { grpc } from "./index.ts";
import { decodeFile } from "./descriptors/descriptor-messages.ts";

test("the health service reports the result of the readiness checks, and skips the guards", async () => {
  let isUp = true;
  let now = 0;
  class HealthyApp extends App.with(healthChecks, grpc) {}
  const app = new HealthyApp().enableHealthChecks();
  app.healthCheck("stock", () => {
    if (!isUp) throw new Error("down");
  });
  const clock = { now: () => now, date: () => Date.now(), after: () => () => {}, every: () => () => {} };
  app.enableGrpc({ address: "127.0.0.1:0", guards: [() => false], clock, maxCallSecs: 0 });
  app.addGrpcService(catalog, {});
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(healthService);
  const check = client["Check"] as unknown as (request: { service: string }) => Promise<unknown>;
  expect(await check({ service: "" })).toEqual({ status: "SERVING" });
  expect(await check({ service: "books.v1.Catalog" })).toEqual({ status: "SERVING" });
  expect(await failure(check({ service: "nothing" }))).toMatchObject({ status: "NOT_FOUND" });
  isUp = false;
  now += 2000;
  expect(await check({ service: "" })).toEqual({ status: "NOT_SERVING" });
});

test("a watched status becomes NOT_SERVING at a drain, and the stream ends", async () => {
  await using served = await serve((app) => app.enableGrpc({ address: "127.0.0.1:0" }));
  const watch = served.client(healthService)["Watch"] as unknown as (
    request: object,
  ) => AsyncIterable<unknown>;
  const seen: unknown[] = [];
  let stopped: Promise<void> | null = null;
  for await (const status of watch({ service: "" })) {
    seen.push(status);
    stopped ??= served.stop();
  }
  await stopped;
  expect(seen).toEqual([{ status: "SERVING" }, { status: "NOT_SERVING" }]);
});

interface Reflected {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] };
  readonly error_response?: { readonly error_code: number };
}

test.each(["v1", "v1alpha"])(
  "reflection %s lists the services, and a client can be built from its descriptors",
  async (version) => {
    await using served = await serve((app) => {
      app.enableGrpc({ address: "127.0.0.1:0", reflection: true });
      app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
    });
    const service = reflectionServices.find(({ name }) => name.includes(`.${version}.`));
    if (service === undefined) throw new Error("no reflection");
    const send = served.client(service)["ServerReflectionInfo"] as unknown as (
      requests: readonly object[],
    ) => AsyncIterable<Reflected>;
    const [listed, described, message, unknown] = await all(
      send([
        { list_services: "" },
        { file_containing_symbol: "books.v1.Catalog" },
        { file_containing_symbol: "books.v1.GetBookResponse.title" },
        { file_containing_symbol: "books.v1.Nothing" },
      ]),
    );
    expect(listed?.list_services_response?.service.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "books.v1.Catalog",
        "grpc.health.v1.Health",
        `grpc.reflection.${version}.ServerReflection`,
      ]),
    );
    expect(unknown?.error_response?.error_code).toBe(5);
    const files = described?.file_descriptor_response?.file_descriptor_proto ?? [];
    expect(message?.file_descriptor_response?.file_descriptor_proto).toEqual(files);
    expect(files.map((bytes) => decodeFile(bytes).name)).toEqual([
      "books/v1.proto",
      "google/protobuf/struct.proto",
    ]);
    const [file] = files.map(decodeFile);
    expect(file?.dependency).toEqual(["google/protobuf/struct.proto"]);
    const response = file?.messageType.find(({ name }) => name === "GetBookResponse");
    expect(response?.field.find(({ name }) => name === "extra")?.typeName).toBe(
      ".books.v1.GetBookResponse.ExtraEntry",
    );
    expect(response?.field.find(({ name }) => name === "rating")).toMatchObject({ proto3Optional: true });
    const root = new protobuf.Root();
    const built = (
      root.constructor as unknown as { fromDescriptor(set: object): protobuf.Root }
    ).fromDescriptor({
      file: files.map((bytes) => decodeFile(bytes)),
    });
    expect(built.lookupService("books.v1.Catalog").methodsArray.map(({ name }) => name)).toEqual([
      "GetBook",
      "ListBooks",
      "AddBooks",
      "Chat",
    ]);
  },
);

test("reflection is disabled by default", async () => {
  await using served = await serve((app) => app.enableGrpc({ address: "127.0.0.1:0" }));
  const [service] = reflectionServices;
  if (service === undefined) throw new Error("no reflection");
  const send = served.client(service)["ServerReflectionInfo"] as unknown as (
    requests: readonly object[],
  ) => AsyncIterable<unknown>;
  expect(await failure(all(send([{ list_services: "" }])))).toMatchObject({ status: "UNIMPLEMENTED" });
});
