import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { send, openBelow, servedApp } from "./served-app.test-kit.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("a file is closed if a middleware replaces its reply", async () => {
  const { app, root } = servedApp({ "large.txt": "x".repeat(100_000) });
  let dropped = 0;
  app.use(async (request, next) => {
    dropped += (await next(request)).contentLength ?? 0;
    return Response.text("replaced");
  });
  expect((await send(app, "/static/large.txt")).text).toBe("replaced");
  expect(dropped).toBe(100_000);
  const deadline = Date.now() + 60_000;
  while (openBelow(root).length > 0 && Date.now() < deadline) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  expect(openBelow(root)).toEqual([]);
  await app.stop();
});
