import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { ForbiddenError } from "../errors/http-errors.ts";
import { Response } from "./response.ts";
import { testFiles } from "./test-files.test-kit.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const { pathOf, openFiles } = testFiles();

test("the file of a reply that a handler drops is closed by garbage collection", async () => {
  const app = new App();
  app.get("/", async () => {
    await Response.sendFile(pathOf("large.bin"));
    throw new ForbiddenError();
  });
  expect((await app.fetch(new Request("http://localhost/"))).status).toBe(403);
  expect(openFiles()).toHaveLength(1);
  const deadline = Date.now() + 60_000;
  for (let turn = 0; openFiles().length > 0 && Date.now() < deadline; turn++) {
    if (turn % 50 === 0) collectGarbage(); // slow in a process that runs many tests
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(openFiles()).toEqual([]);
});

test("garbage collection does not close the file of a reply that is still in use", async () => {
  const reply = await Response.sendFile(pathOf("one.txt"));
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  expect(await reply.text()).toBe("x");
  expect(openFiles()).toEqual([]);
});
