import { JwtAuth } from "@framework/auth";
import { App, type Guard, type Invocation } from "@framework/core";
import { RoleGuard } from "@framework/auth";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, catalog, failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";

const auth = new JwtAuth({ secret: "a secret of at least thirty-two bytes" });
const guard: Guard<Invocation> = new RoleGuard(["librarian"]);

let served: ServedApp;
let http: App;

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", auth });
    app.addGrpcService(catalog, {
      GetBook: { guards: [guard], handle: ({ id }) => aBook(id) },
      AddBooks: { open: true, handle: () => ({ added: 0 }) },
      ListBooks: { guards: [() => "closed on Mondays"], handle: () => [] },
    });
  });
  http = new App();
  http.use(auth);
  http.get("/", { guards: [guard] }, () => "ok");
  await http.start();
});

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await http.stop();
});

const outcomes = async (authorization: string | null) => {
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const reply = await http.fetch(new Request("http://host.test/", { headers }));
  const call = served.client(catalog).GetBook({ id: 1 }, { metadata: headers });
  const status = await call.then(
    () => "OK",
    (error: { status: string }) => error.status,
  );
  return [reply.status, status];
};

test("the same authentication and guards give the same results over HTTP and gRPC", async () => {
  const token = (claims: object) => auth.createToken({ sub: "ada", ...claims });
  const librarian = await token({ roles: ["librarian"] });
  const reader = await token({ roles: ["reader"] });
  expect(await outcomes(null)).toEqual([401, "UNAUTHENTICATED"]);
  expect(await outcomes("Bearer nonsense")).toEqual([401, "UNAUTHENTICATED"]);
  expect(await outcomes(`Bearer ${reader}`)).toEqual([403, "PERMISSION_DENIED"]);
  expect(await outcomes(`Bearer ${librarian}`)).toEqual([200, "OK"]);
});

test("an open method needs no token, and the text that a guard returns is the status message", async () => {
  const client = served.client(catalog);
  expect(await client.AddBooks([])).toEqual({ added: 0 });
  const authorization = `Bearer ${await auth.createToken({ sub: "ada" })}`;
  const closed = (async () => {
    for await (const book of client.ListBooks({ count: 1 }, { metadata: { authorization } })) void book;
  })();
  expect(await failure(closed)).toMatchObject({ status: "PERMISSION_DENIED", message: "closed on Mondays" });
});
