import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { devtools } from "../devtools.ts";

test("a slow body that is not sent, as for HEAD, closes its source", async () => {
  const app = new (App.with(devtools))().enableDevtools({
    faults: [{ on: "route", fault: "slow-body", ms: 1 }],
  });
  let closed = 0;
  app.get("/stream", () => {
    const chunks = (async function* () {
      yield "a part";
    })();
    const end = chunks.return.bind(chunks);
    return Response.stream(Object.assign(chunks, { return: (value: never) => (closed++, end(value)) }));
  });
  const get = (method: string) => app.fetch(new Request("http://localhost/stream", { method }));
  expect(await (await get("GET")).text()).toBe("a part");
  closed = 0;
  await get("HEAD");
  expect(closed).toBe(1);
  await app.stop();
});
