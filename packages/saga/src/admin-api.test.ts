import { App, type HttpRequest } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile, type TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { type AnySaga, saga, sagas } from "./index.ts";
import { waitForStatus, withStarted } from "./saga.test-kit.ts";

const appOn = ({ url }: Pick<TestDatabase, "url">, ...definitions: readonly AnySaga[]) => {
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url })
    .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
    .enableSaga({
      admin: {
        path: "/admin/sagas",
        guards: [(request: HttpRequest) => request.getHeader("key") === "secret"],
      },
    });
  for (const definition of definitions) app.saga.define(definition);
  return app;
};

const waiting = (version: number, more = false): AnySaga => {
  const base = saga("order", version)
    .call("order", () => version)
    .waitFor("packed");
  return more ? base.call("more", () => version).build() : base.build();
};

test("the HTTP API shows sagas and accepts decisions only for callers that pass its guards", async () => {
  let isBroken = true;
  const definition = saga("order", 1)
    .call("typo", () => {
      if (isBroken) throw new TypeError("x");
    })
    .build();
  const app = appOn({ url: "sqlite://:memory:" }, definition);
  const call = async (
    method: string,
    path: string,
    body?: object,
    key = "secret",
  ): Promise<readonly [number, string]> => {
    const headers = { key, "content-type": "application/json" };
    const request = new Request(`http://localhost/admin/sagas${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = await app.fetch(request);
    return [reply.status, await reply.text()];
  };
  await withStarted(app, async () => {
    const { id } = await app.saga.start(definition, { book: "Emma" }, { key: "7" });
    await waitForStatus(app, id, "paused");
    expect((await call("GET", "", undefined, "wrong"))[0]).toBe(403);
    expect((await call("POST", `/${id}/retry`, { reason: "repaired" }, "wrong"))[0]).toBe(403);
    const [listStatus, list] = await call("GET", "?status=paused&limit=1");
    expect([listStatus, JSON.parse(list)]).toMatchObject([
      200,
      { sagas: [{ id, key: "7", error: { name: "TypeError" } }], next: null },
    ]);
    expect((await call("GET", "?status=nonsense"))[0]).toBe(422);
    expect(JSON.parse((await call("GET", `/${id}`))[1])).toMatchObject({ input: { book: "Emma" } });
    expect((await call("GET", "/0000"))[0]).toBe(404);
    expect((await call("POST", `/${id}/retry`, {}))[0]).toBe(422);
    const { id: other } = await app.saga.start(definition, null, { key: "8" });
    await waitForStatus(app, other, "paused");
    const tooLarge = { reason: "by hand", output: "x".repeat(1_048_576) };
    expect(await call("POST", `/${other}/settle`, tooLarge)).toEqual([
      400,
      expect.stringContaining("the output is larger than 1048576 bytes"),
    ]);
    const decision = { reason: "by hand", output: { paid: 7 } };
    expect((await call("POST", `/${other}/skip`, decision))[0]).toBe(422);
    expect(await call("POST", `/${other}/settle`, decision)).toEqual([200, '{"done":true}']);
    expect((await waitForStatus(app, other, "completed")).steps).toMatchObject([{ output: { paid: 7 } }]);
    isBroken = false;
    expect(await call("POST", `/${id}/retry`, { reason: "repaired" })).toEqual([200, '{"done":true}']);
    await waitForStatus(app, id, "completed");
    expect((await call("POST", `/${id}/cancel`, { reason: "late" }))[0]).toBe(409);
    expect((await call("POST", "/0000/skip", { reason: "none" }))[0]).toBe(404);
    const [, timeline] = await call("GET", `/${id}/timeline`);
    expect(
      JSON.parse(timeline).timeline.map(
        ({ event, note }: { event: string; note: string }) => `${event} ${note}`,
      ),
    ).toContain("retry repaired");
  });
});

test("the HTTP API refuses malformed queries with 422, and decisions about an undefined version with 409", async () => {
  await using storage = databaseInFile();
  const [one, two] = [waiting(1), waiting(2, true)];
  let id = "";
  const before = appOn(storage, one);
  await withStarted(before, async () => {
    ({ id } = await before.saga.start(one, null, { key: "1" }));
    await waitForStatus(before, id, "waiting");
  });
  const app = appOn(storage, two);
  await withStarted(app, async () => {
    const call = async (method: string, path: string, body?: object): Promise<number> => {
      const headers = { key: "secret", "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await app.fetch(new Request(`http://localhost/admin/sagas${path}`, init))).status;
    };
    for (const query of ["?after=9999999999999999_a", "?name=%00", "?key=a%00b"])
      expect([query, await call("GET", query)]).toEqual([query, 422]);
    for (const verb of ["cancel", "retry", "skip", "settle"])
      expect([verb, await call("POST", `/${id}/${verb}`, { reason: "old" })]).toEqual([verb, 409]);
    expect(await call("GET", `/${id}`)).toBe(200);
  });
});
