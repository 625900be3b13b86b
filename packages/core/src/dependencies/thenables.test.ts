import { expect, test } from "@jest/globals";
import { App, Depends } from "../index.ts";
import { createInvocation, type Feature, type HostState } from "../feature.ts";

/** A thenable like the query of a query builder: each call of `then` runs it again. */
interface Query extends Promise<unknown> {
  readonly runs: () => number;
}

const query = (): Query => {
  let runs = 0;
  const result = async (): Promise<unknown> => ({ run: ++runs });
  const then: Query["then"] = (resolve, reject) => result().then(resolve, reject);
  // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
  return { runs: () => runs, then } as Query; // handlers declare a promise
};

test("a thenable that a handler returns runs once, with and without dependencies", async () => {
  const queries = { plain: query(), injected: query(), depends: query() };
  const app = new App().registerSingleton("db", 7);
  app.get("/plain", () => queries.plain);
  app.get("/injected", { inject: { db: "db" } }, () => queries.injected);
  app.get("/depends", (_request, _db = Depends("db")) => queries.depends);
  for (const [path, { runs }] of Object.entries(queries)) {
    const reply = await app.fetch(new Request(`http://localhost/${path}`));
    expect([path, await reply.json(), runs()]).toEqual([path, { run: 1 }, 1]);
  }
  await app.stop();
});

test("a thenable that the work of an invocation returns runs once", async () => {
  const host: Feature<{ hostState(): HostState }> = {
    name: "host",
    install: ({ state }) => ({ hostState: () => state }),
  };
  const { invoke } = new (App.with(host))().registerSingleton("db", 7).hostState();
  const message = createInvocation({ kind: "message", name: "order.placed" });
  for (const inject of [undefined, { db: "db" }]) {
    const work = query();
    expect(await invoke(message, inject, () => work)).toEqual({ run: 1 });
    expect(work.runs()).toBe(1);
  }
});
