import { App, HttpError } from "@framework/core";
import { AuthenticatedGuard, JwtAuth, JwtClaims } from "@framework/auth";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { cors } from "@framework/cors";
import { eventSourcing } from "@framework/event-sourcing";
import { openapi } from "@framework/openapi";
import { contractTest, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { add, TABLE } from "../counters.test-kit.ts";
import { command, cqrs, query } from "../index.ts";

const Take = command("Take", {
  input: z.object({ name: z.string(), amount: z.number().int(), day: z.iso.date().optional() }),
  output: z.object({ total: z.number() }).describe("What is left."),
  http: { path: "/counters/{name}/takings", status: 201, tags: ["counters"], summary: "Take from a counter" },
});
const Reset = command("Reset", {
  input: z.object({ name: z.string() }),
  idempotency: "required",
  http: { path: "/counters/{name}", method: "DELETE" },
});
const Total = query("Total", {
  input: z.object({ name: z.string(), plus: z.coerce.number().default(0) }),
  output: z.number(),
  http: { path: "/counters/{name}" },
});

const newApp = () => {
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  app.cqrs
    .handle(Take, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, -amount);
      if (total < -100) throw new HttpError(409, "The counter is empty");
      return { total };
    })
    .handle(Reset, async ({ name }, { tx }) => {
      await tx.execute`DELETE FROM counters WHERE name = ${name}`;
    })
    .handle(Total, async ({ name, plus }, { db }) => {
      const total = await db.fetchValue<number>`SELECT total FROM counters WHERE name = ${name}`;
      if (total === null) throw new HttpError(404, "There is no such counter");
      return total + plus;
    });
  return app;
};

test("a command is a POST of its input, with the parameters of the path", async () => {
  await using client = testClient(newApp());
  const reply = await client.post("/counters/a/takings", { json: { amount: 2 } });
  expect([reply.status, reply.json()]).toEqual([201, { total: -2 }]);
});

test("parameters of the path win over members of the body", async () => {
  await using client = testClient(newApp());
  await client.post("/counters/a/takings", { json: { name: "b", amount: 2 } });
  expect((await client.get("/counters/a")).json()).toBe(-2);
  expect((await client.get("/counters/b")).status).toBe(404);
});

test("a query is a GET whose parameters are its input", async () => {
  await using client = testClient(newApp());
  await client.post("/counters/a/takings", { json: { amount: 2 } });
  expect((await client.get("/counters/a", { query: { plus: 10 } })).json()).toBe(8);
});

test("a list of a query takes a single value of the URL as a list of one", async () => {
  const Tagged = query("Tagged", {
    input: z.object({
      kind: z.string(),
      tags: z.array(z.string()).default([]),
      limit: z.string().optional(),
    }),
    output: z.array(z.string()),
    http: { path: "/kinds/{kind}" },
  });
  const app = newApp();
  app.cqrs.handle(Tagged, ({ tags }) => tags);
  await using client = testClient(app);
  const replies = await Promise.all(
    ["?tags=a", "?tags=a&tags=b", "", "?tags=a&limit=1&limit=2"].map((text) => client.get(`/kinds/x${text}`)),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
  expect(replies.slice(0, 3).map((reply) => reply.json())).toEqual([["a"], ["a", "b"], []]);
  expect(replies[3]?.json()).toMatchObject({ errors: [{ loc: ["query", "limit"] }] });
});

test("errors have the one shape, with the places of members", async () => {
  await using client = testClient(newApp());
  const invalid = await client.post("/counters/a/takings", { json: { amount: "two" } });
  expect(invalid.json()).toMatchObject({
    status: 422,
    error: "Validation Failed",
    errors: [{ loc: ["body", "amount"], received: "string" }],
  });
  const noObject = await client.post("/counters/a/takings", { json: [] });
  expect(noObject.json()).toMatchObject({ status: 422, errors: [{ loc: ["body"] }] });
  const badQuery = await client.get("/counters/a", { query: { plus: "ten" } });
  expect(badQuery.json()).toMatchObject({ status: 422, errors: [{ loc: ["query", "plus"] }] });
  const rejected = await client.post("/counters/a/takings", { json: { amount: 101 } });
  expect(rejected.json()).toEqual({ error: "Conflict", detail: "The counter is empty", status: 409 });
  const text = await client.post("/counters/a/takings", {
    body: "x",
    headers: { "content-type": "text/plain" },
  });
  expect(text.status).toBe(415);
});

test("Idempotency-Key makes a command happen once, quoted or not", async () => {
  await using client = testClient(newApp());
  const take = (key: string, amount = 2) =>
    client.post("/counters/a/takings", { json: { amount }, headers: { "idempotency-key": key } });
  const first = await take('"k-1"');
  const second = await take("k-1");
  expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect([second.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([
    201,
    first.text,
    "true",
  ]);
  expect((await client.get("/counters/a")).json()).toBe(-2);
  expect((await take("k-1", 3)).json()).toMatchObject({ status: 422, error: "Unprocessable Content" });
});

test.each(['""', '"a', 'a"b', "two words", "ü", "x".repeat(256), '"\\x"', '"a" b'])(
  "the key %s is malformed",
  async (key) => {
    await using client = testClient(newApp());
    const headers = { "idempotency-key": key };
    expect((await client.post("/counters/a/takings", { json: { amount: 1 }, headers })).status).toBe(400);
  },
);

test("a body that is nested without end is the client's mistake", async () => {
  const Any = command("Any", { input: z.any(), http: { path: "/any" } });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Any, () => {});
  await using client = testClient(app);
  const body = "[".repeat(100_000) + "]".repeat(100_000);
  const headers = { "content-type": "application/json", "idempotency-key": "k" };
  expect((await client.post("/any", { body, headers })).status).toBe(400);
});

test("a key in two fields is refused", async () => {
  await using client = testClient(newApp());
  const headers = new Headers({ "idempotency-key": "a" });
  headers.append("idempotency-key", "b");
  const reply = await client.post("/counters/a/takings", {
    json: { amount: 1 },
    headers: Object.fromEntries(headers),
  });
  expect(reply.status).toBe(400);
});

test("a command without a result is answered with 204, a required key that is missing with 400", async () => {
  await using client = testClient(newApp());
  expect((await client.delete("/counters/a")).json()).toMatchObject({ status: 400 });
  const reply = await client.delete("/counters/a", { headers: { "idempotency-key": "k" } });
  expect([reply.status, reply.text]).toEqual([204, ""]);
});

test("guards of a command and of its endpoint see the request, before the input is validated", async () => {
  const seen: string[] = [];
  const note = (name: string) => (invocation: { readonly kind: string }) =>
    void seen.push(`${name} ${invocation.kind}`);
  const Guarded = command("Guarded", {
    input: z.number(),
    guards: [note("command"), new AuthenticatedGuard()],
    http: { path: "/guarded", guards: [note("endpoint")] },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" }).skipPath("/open");
  app.use(auth);
  app.get("/open/token", () => auth.createToken({ sub: "ann" }));
  let caller: unknown;
  app.cqrs.handle(Guarded, (_input, { invocation }) => void (caller = invocation.context.get("jwt_claims")));
  await using client = testClient(app);
  expect((await client.post("/guarded", { json: "no number" })).status).toBe(401);
  const token = (await client.get("/open/token")).text;
  const reply = await client.post("/guarded", { json: 7, headers: { authorization: `Bearer ${token}` } });
  expect(reply.status).toBe(204);
  expect(seen).toEqual(["command http", "endpoint http"]);
  expect(caller).toMatchObject({ sub: "ann" });
});

test("middleware of a handler is around its endpoint alone, and in the API document", async () => {
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef" });
  const callers: unknown[] = [];
  app.cqrs
    .handle(Take, { use: [auth] }, async ({ name, amount }, { tx, invocation }) => {
      callers.push(invocation.context.get(JwtClaims)?.sub);
      return { total: await add(tx, name, -amount) };
    })
    .handle(Total, () => 0);
  await using client = testClient(app);
  const take = (headers = {}) => client.post("/counters/a/takings", { json: { amount: 1 }, headers });
  expect((await take()).status).toBe(401);
  const token = await auth.createToken({ sub: "ann" });
  expect((await take({ authorization: `Bearer ${token}` })).status).toBe(201);
  expect(callers).toEqual(["ann"]);
  expect((await client.get("/counters/a")).status).toBe(200);
  const { paths } = (await client.get("/openapi.json")).json<any>();
  expect(paths["/counters/{name}/takings"].post.security).toHaveLength(1);
  expect(paths["/counters/{name}"].get.security).toBe(undefined);
});

test("middleware for a command without an endpoint is a mistake", async () => {
  const Silent = command("Silent", { input: z.number() });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Silent, { use: [(request, next) => next(request)] }, () => {});
  await expect(app.start()).rejects.toThrow("command Silent has no endpoint for the middleware of `use`");
});

test("the API document has inputs, results and the replies of the pipeline", async () => {
  await using client = testClient(newApp());
  const document = (await client.get("/openapi.json")).json<any>();
  const take = document.paths["/counters/{name}/takings"].post;
  expect(take).toMatchObject({ operationId: "Take", tags: ["counters"], summary: "Take from a counter" });
  expect(take.parameters).toEqual([
    { name: "name", in: "path", required: true, schema: { type: "string" } },
    { name: "Idempotency-Key", in: "header", description: expect.any(String), schema: { type: "string" } },
  ]);
  expect(Object.keys(take.responses["201"].headers)).toEqual(["Idempotent-Replayed"]);
  const body = take.requestBody.content["application/json"].schema;
  expect([Object.keys(body.properties), body.required]).toEqual([["amount", "day"], ["amount"]]);
  expect(Object.keys(take.responses)).toEqual([
    "201",
    "400",
    "404",
    "409",
    "413",
    "415",
    "422",
    "503",
    "504",
  ]);
  const total = document.paths["/counters/{name}"].get;
  expect(total.parameters.map((each: any) => [each.in, each.name])).toEqual([
    ["path", "name"],
    ["query", "plus"],
  ]);
  const reset = document.paths["/counters/{name}"].delete;
  expect(Object.keys(reset.responses)).toContain("204");
  expect(reset.requestBody).toBe(undefined); // its input is in the path
  expect(reset.parameters[1]).toMatchObject({ name: "Idempotency-Key", required: true });
  expect(Object.keys(document.components.responses.NoContent.headers)).toEqual(["Idempotent-Replayed"]);
});

test.each([
  ["with events", true, ["path name", "header Idempotency-Key"], ["header Consistency-Token"]],
  ["without tokens", false, ["path name", "header Idempotency-Key"], []],
])(
  "the fields of tokens and keys are in the API document: %s",
  async (_name, enableEventSync, ofTake, ofTotal) => {
    const app = new (App.with(database, durable, eventSourcing, cqrs, openapi, cors))()
      .enableDatabase({ url: "sqlite://:memory:" })
      .enableEventSourcing()
      .enableCqrs({ enableEventSync })
      .enableCors(["https://app.example"])
      .enableOpenapi();
    app.cqrs.handle(Take, () => ({ total: 1 })).handle(Total, () => 0);
    await using client = testClient(app);
    const { paths } = (await client.get("/openapi.json")).json<any>();
    const take = paths["/counters/{name}/takings"].post;
    const placesOf = ({ parameters }: any) => parameters.map((each: any) => `${each.in} ${each.name}`);
    expect(placesOf(take)).toEqual(ofTake);
    expect(placesOf(paths["/counters/{name}"].get)).toEqual(["path name", "query plus", ...ofTotal]);
    const ofReply = ["Idempotent-Replayed", ...(enableEventSync ? ["Consistency-Token"] : [])];
    expect(Object.keys(take.responses["201"].headers)).toEqual(ofReply);
    const origin = "https://app.example";
    const asking = { origin, "access-control-request-method": "POST" };
    const preflight = await client.options("/counters/a/takings", { headers: asking });
    const sent = ["Idempotency-Key", ...(enableEventSync ? ["Consistency-Token"] : [])];
    expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toEqual(
      expect.arrayContaining(sent),
    );
    const reply = await client.get("/counters/a", { headers: { origin } });
    expect(reply.headers.get("access-control-expose-headers")?.split(", ").toSorted()).toEqual(
      [...ofReply, "Retry-After"].toSorted(),
    );
  },
);

test("pages of other origins may read where the status of a queued command is, and when to repeat", async () => {
  const Later = command("Later", { input: z.object({}), mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs, cors))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableCors(["https://app.example"]);
  app.cqrs.handle(Later, () => {});
  await using client = testClient(app);
  const reply = await client.post("/later", { json: {}, headers: { origin: "https://app.example" } });
  expect([reply.status, reply.headers.get("location")]).toEqual([202, expect.stringContaining("/")]);
  const exposed = reply.headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(expect.arrayContaining(["Location", "Retry-After"]));
});

test("the API document has the body of the reply to a queued command", async () => {
  const Later = command("Later", { input: z.object({}), mode: "queued", http: { path: "/later" } });
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.cqrs.handle(Later, () => {});
  await using client = testClient(app);
  const accepted = (await client.post("/later", { json: {} })).json<object>();
  const { paths } = (await client.get("/openapi.json")).json<any>();
  const { 202: reply, ...others } = paths["/later"].post.responses;
  const { schema } = reply.content["application/json"];
  expect([Object.keys(schema.properties), schema.required]).toEqual([
    ["id", "status_url"],
    ["id", "status_url"],
  ]);
  expect(Object.keys(accepted)).toEqual(Object.keys(schema.properties));
  expect(Object.keys(reply.headers)).toEqual(["Idempotent-Replayed", "Location"]);
  expect([reply.description, "2XX" in others]).toEqual([expect.stringContaining("Location"), false]);
  expect((await contractTest(app, { runs: 20 })).operations).toBeGreaterThan(0);
});

test("the schema of a result may transform: the reply is what it returns", async () => {
  const Day = query("Day", {
    input: z.object({}),
    output: z.date().transform((day) => day.getUTCFullYear()),
    http: { path: "/day" },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Day, () => new Date(0));
  await using client = testClient(app);
  expect((await client.get("/day")).json()).toBe(1970);
});

test("route options of other features are checked at start", async () => {
  const Bad = query("Bad", {
    input: z.object({}),
    output: z.number(),
    http: { path: "/bad", routeOptions: { hiden: true } },
  });
  const app = new (App.with(database, durable, cqrs))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs();
  app.cqrs.handle(Bad, () => 1);
  await expect(app.start()).rejects.toThrow("hiden");
});
