import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { because, bench } from "./bench.test-kit.ts";

test("steps below `when` run only if the condition holds, and are not undone otherwise", async () => {
  const ran: string[] = [];
  const definition = saga("s", 1)
    .call("ask", ({ key }) => key === "abroad")
    .when(
      ({ outputs }) => outputs.ask,
      (branch) =>
        branch
          .call("customs", () => (ran.push("customs"), "paid"), {
            undo: () => void ran.push("customs undone"),
          })
          .when(
            () => false,
            (inner) => inner.waitFor("never"),
          ),
    )
    .call("last", ({ outputs }) => {
      ran.push(String(outputs.customs));
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  await own.start("home");
  await own.worker.runAll();
  expect(ran).toEqual(["undefined"]);
  await own.start("abroad");
  await own.worker.runAll();
  expect(ran).toEqual(["undefined", "customs", "paid", "customs undone"]);
});

test("a condition that throws pauses the saga before its step", async () => {
  let isBroken = true;
  const definition = saga("s", 1)
    .call("one", () => 1)
    .when(
      () => {
        if (isBroken) throw new TypeError("x");
        return true;
      },
      (branch) => branch.call("two", () => 2),
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("paused");
  isBroken = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ output: 1 }, { output: 2 }] });
});
