import { App, Blueprint } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { openapi } from "@framework/openapi";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { cqrs, RequestTransaction } from "../index.ts";
import { routeKeys } from "./idempotent-routes.test-kit.ts";

routeKeys(test, databaseInFile);

const newApp = () =>
  new (App.with(database, durable, cqrs, openapi))().enableDatabase({ url: "sqlite://:memory:" });

test("an invalid value of `idempotency` is a start error", async () => {
  const app = newApp().enableCqrs();
  app.post("/post", { idempotency: "always" as never }, () => 1);
  await expect(app.start({ log: newLog() })).rejects.toThrow('must be "required", "optional" or false');
});

test("the option on a method other than POST and PATCH is a start error", async () => {
  const app = newApp().enableCqrs();
  for (const method of ["GET", "PUT", "DELETE"] as const)
    app.route(`/${method}`, { methods: [method], idempotency: "optional" }, () => 1);
  app.get("/off", { idempotency: false }, () => 1);
  app.route("/both", { methods: ["PATCH", "QUERY"], idempotency: "required" }, () => 1);
  const error = await app.start({ log: newLog() }).catch((thrown: unknown) => thrown);
  expect((error as Error).message.match(/has no effect on \w+/g)).toEqual(
    ["GET", "PUT", "DELETE", "QUERY"].map((method) => `has no effect on ${method}`),
  );
});

test("the option of a blueprint applies only to its POST and PATCH routes", async () => {
  const orders = new (Blueprint.with(cqrs))("/orders", { idempotency: "required" });
  for (const method of ["GET", "PUT", "DELETE", "POST", "PATCH"] as const)
    orders.route("", { methods: [method] }, () => "done");
  const app = newApp().enableCqrs().enableOpenapi().registerBlueprint(orders);
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<any>();
  const seen = Object.fromEntries(
    await Promise.all(
      ["get", "put", "delete", "post", "patch"].map(async (method) => {
        const { status } = await client.request(method.toUpperCase(), "/orders");
        const { parameters = [], responses } = paths["/orders"][method];
        return [method, [status, parameters.length, "409" in responses]];
      }),
    ),
  );
  const [free, keyed] = [
    [200, 0, false],
    [400, 1, true],
  ];
  expect(seen).toEqual({ get: free, put: free, delete: free, post: keyed, patch: keyed });
});

test("without enableCqrs, the option is a start error unless it is false", async () => {
  const app = newApp();
  app.post("/off", { idempotency: false }, () => 1);
  await app.start({ log: newLog() });
  await app.stop();
  const other = newApp();
  other.post("/on", { idempotency: "optional" }, () => 1);
  await expect(other.start({ log: newLog() })).rejects.toThrow("enableCqrs");
});

test("the API document lists the replies that the option implies", async () => {
  const app = newApp().enableCqrs().enableOpenapi();
  app.post("/on", { idempotency: "required" }, () => 1);
  app.post("/changes", { inject: { tx: RequestTransaction } }, () => 1);
  app.post("/off", () => 1);
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<{
    paths: Record<string, { post: { responses: Record<string, unknown> } }>;
  }>();
  expect(Object.keys(paths["/on"]?.post.responses ?? {})).toEqual(
    expect.arrayContaining(["400", "409", "422", "503"]),
  );
  expect(Object.keys(paths["/changes"]?.post.responses ?? {})).toContain("503");
  const otherStatuses = Object.keys(paths["/off"]?.post.responses ?? {});
  expect(otherStatuses.filter((status) => status === "409" || status === "503")).toEqual([]);
});

test("a form that is sent again with another boundary is the same request, but not with other fields or files", async () => {
  const app = newApp().enableCqrs();
  let uploads = 0;
  app.post("/uploads", { idempotency: "required" }, () => ({ upload: ++uploads }));
  await using client = testClient(app);
  const boundaries = new Set<string>();
  const upload = async (title: string, file: string) => {
    const form = new FormData();
    form.set("title", title);
    form.set("cover", new Blob([file]), "cover.png");
    const encoded = new Response(form);
    const type = encoded.headers.get("content-type") ?? "";
    boundaries.add(type);
    const headers = { "content-type": type, "idempotency-key": "k" };
    return await client.post("/uploads", { body: new Uint8Array(await encoded.arrayBuffer()), headers });
  };
  const [first, second] = [await upload("Emma", "pixels"), await upload("Emma", "pixels")];
  expect([first.json(), second.json(), boundaries.size]).toEqual([{ upload: 1 }, { upload: 1 }, 2]);
  for (const [title, file] of [
    ["Dune", "pixels"],
    ["Emma", "others"],
  ] as const)
    expect((await upload(title, file)).status).toBe(422);
});

test("an idempotency key also works for a form with very many parts", async () => {
  const app = newApp().enableCqrs();
  app.post("/uploads", { idempotency: "required" }, () => "uploaded");
  await using client = testClient(app);
  const headers = { "content-type": "multipart/form-data; boundary=a", "idempotency-key": "k" };
  const upload = async (end: string) =>
    (await client.post("/uploads", { body: `${"--a".repeat(200_000)}${end}`, headers })).status;
  expect([await upload("x"), await upload("x"), await upload("y")]).toEqual([200, 200, 422]);
});
