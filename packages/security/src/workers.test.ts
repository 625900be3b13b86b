import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";

test("a token of one worker is valid in all four", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./guarded.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "4"],
      conditions: ["@framework/source"],
    },
  );
  const token = (await program.client.get("/")).cookies.get("_csrf")?.value ?? "";
  const headers = { cookie: `_csrf=${token}`, "x-csrf-token": token, connection: "close" };
  const replies = await requestEveryWorker({
    workers: 4,
    send: () => program.client.post("/", { headers }),
    pidOf: ({ text }) => Number(text), // a refused request has no pid
  });
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
});
