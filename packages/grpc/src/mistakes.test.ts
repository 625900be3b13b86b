import { App, ConfigurationError } from "@framework/core";
import { z } from "zod";
import { expect, test } from "@jest/globals";
import { aBook, catalog } from "./grpc-app.test-kit.ts";
import { grpc, grpcService, protoService } from "./index.ts";

const failureOf = async (app: App, env: "production" | "development" = "development"): Promise<unknown> =>
  app.start({ env, log: { info() {}, warn() {}, error() {} } }).then(
    () => null,
    (error: unknown) => error,
  );

const codesAndMessages = (error: unknown): readonly string[] =>
  error instanceof ConfigurationError ? error.problems.map(({ code, message }) => `${code}: ${message}`) : [];

test("every mistake in gRPC services is reported at start with its own code, together with the mistakes of the app", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0", maxMessageSize: -1 });
  app.get("no-slash", () => "");
  app.addGrpcService("ok.A", ["a b", "B", "B"]);
  app.addGrpcService("a name", []);
  app.addGrpcService(catalog, { Unknown: () => aBook(1) } as never);
  app.addGrpcService(catalog, {});
  app.addGrpcService(protoService("library.v1.Loans", new URL("./nothing.proto", import.meta.url)), {});
  app.addGrpcService(
    grpcService("lists.v1.Lists", {
      methods: { Get: { request: z.object({ at: z.array(z.array(z.string())) }), response: z.object({}) } },
    }),
    {},
  );
  app.grpcMethod("no.Such", "M", () => ({}));
  const found = codesAndMessages(await failureOf(app));
  for (const expected of [
    /^CORE_BAD_CONFIG: .*maxMessageSize/,
    /no-slash/,
    /^GRPC_BAD_SERVICE: ok\.A: "a b" is not a valid method name/,
    /^GRPC_BAD_SERVICE: ok\.A: the method B is listed twice/,
    /^GRPC_BAD_SERVICE: "a name" is not a valid service name/,
    /^GRPC_BAD_SERVICE: books\.v1\.Catalog has no method Unknown/,
    /^GRPC_BAD_SERVICE: the service books\.v1\.Catalog was added twice/,
    /^GRPC_BAD_SERVICE: .*nothing\.proto cannot be read/,
    /^GRPC_UNMAPPABLE: /,
    /^GRPC_BAD_SERVICE: grpcMethod: no service no\.Such/,
  ])
    expect(found).toContainEqual(expect.stringMatching(expected));
  expect(new Set(found).size).toBe(found.length);
});

test("arguments of wrong types are reported with the expected types", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  const add = (...args: unknown[]): unknown => Reflect.apply(app.addGrpcService, app, args);
  add({}, {});
  add(undefined, {});
  add(catalog);
  add("a.B", { Find: () => ({}) });
  add(catalog, {}, null);
  expect(codesAndMessages(await failureOf(app))).toEqual([
    expect.stringMatching(
      /^GRPC_BAD_SERVICE: the first argument of addGrpcService must be a service made by grpcService or protoService/,
    ),
    expect.stringMatching(
      /^GRPC_BAD_SERVICE: the first argument of addGrpcService must be a service made by grpcService or protoService/,
    ),
    "GRPC_BAD_SERVICE: the second argument of addGrpcService for books.v1.Catalog must be an object of handlers",
    expect.stringContaining('addGrpcService("a.B", …) takes a list of method names, such as ["Find"]'),
    "GRPC_BAD_SERVICE: the third argument of addGrpcService for books.v1.Catalog must be an object of options",
  ]);
});

test("handlers that would never be called are reported: inherited ones, and ones with the name of a member of objects", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  class Handlers {
    GetBook(): ReturnType<typeof aBook> {
      return aBook(1);
    }
  }
  app.addGrpcService(catalog, new Handlers());
  app.addGrpcService("a.B", ["Find"]);
  app.grpcMethod("a.B", "__proto__", () => ({}));
  expect(codesAndMessages(await failureOf(app))).toEqual([
    expect.stringContaining(
      "books.v1.Catalog/GetBook: the handler is inherited, such as a method of a class",
    ),
    "GRPC_BAD_SERVICE: a.B has no method __proto__; it has Find",
  ]);
});

test("a service that was added twice is one mistake, also with gRPC-Web", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0", enableWeb: true });
  app.addGrpcService("a.B").addGrpcService("a.B");
  expect(codesAndMessages(await failureOf(app))).toEqual([
    "GRPC_BAD_SERVICE: the service a.B was added twice",
  ]);
});

test("a request or response that has only arbitrary keys, which a message cannot have, is reported", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  const methods = { Get: { request: z.record(z.string(), z.int()), response: z.looseObject({}) } };
  app.addGrpcService(grpcService("books.v1.Books", { methods }), {});
  const problem = "must be an object with named properties";
  expect(codesAndMessages(await failureOf(app))).toEqual([
    `GRPC_UNMAPPABLE: books.v1.Books.Get: request ${problem}`,
    `GRPC_UNMAPPABLE: books.v1.Books.Get: response ${problem}`,
  ]);
});

test("a message with the name of its service is reported, because a .proto cannot have both", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  const response = z.object({ id: z.int() }).meta({ title: "Book" });
  app.addGrpcService(
    grpcService("books.v1.Book", { methods: { Get: { request: z.object({}), response } } }),
    {},
  );
  expect(codesAndMessages(await failureOf(app))).toEqual([
    "GRPC_UNMAPPABLE: books.v1.Book: a message has the name of the service, Book; give its schema another `title`",
  ]);
});

test("unrecorded field numbers are a mistake in production", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  app.addGrpcService(catalog, {});
  const error = await failureOf(app, "production");
  expect(codesAndMessages(error)).toEqual([expect.stringMatching(/^GRPC_NUMBERS_UNRECORDED: /)]);
});

test("an error of a service's schemas is a mistake of that service", async () => {
  const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
  const broken = {
    name: "broken.v1.Broken",
    resolve: () => {
      throw new TypeError("no schema");
    },
  };
  app.addGrpcService(broken, {});
  expect(codesAndMessages(await failureOf(app))).toEqual([
    "GRPC_BAD_SERVICE: broken.v1.Broken cannot be read: no schema",
  ]);
});
