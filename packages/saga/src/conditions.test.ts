import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { because, bench, lost } from "./bench.test-kit.ts";

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

test("an async condition pauses the saga before its step", async () => {
  const ran: string[] = [];
  const definition = saga("s", 1)
    .when((async () => false) as never, (branch) => branch.call("two", () => void ran.push("two")))
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  const { status, error } = await own.info(id);
  expect([status, error?.message, ran]).toEqual(["paused", expect.stringContaining("must not be async"), []]);
});

test("a pivot whose condition threw has passed once an operator settles it", async () => {
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .when(
      () => {
        throw new TypeError("x");
      },
      (branch) => branch.pivot(),
    )
    .call("ship", () => {
      throw new SagaReject("no carrier");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  await own.worker.runner.settle(id, because);
  await own.worker.runAll();
  expect([(await own.info(id)).status, undos]).toEqual(["paused", 0]);
  await expect(own.worker.runner.cancel(id, because)).rejects.toMatchObject({ status: 409 });
});

const endings = [
  ["fails", () => new Error("the connection broke")],
  ["loses its worker", lost],
] as const;

test.each(endings)(
  "a call below `when` that %s is repeated, and undone, even if its condition no longer holds",
  async (_what, failure) => {
    const ran: string[] = [];
    let isOn = true;
    const definition = saga("s", 1)
      .when(
        () => isOn,
        (branch) =>
          branch
            .call("gift", () => 1)
            .call(
              "charge",
              () => {
                ran.push("charge");
                if (!isOn) return;
                isOn = false;
                throw failure();
              },
              { undo: () => void ran.push("refund"), retry: { attempts: 2, delayMs: 0 } },
            ),
      )
      .call("ship", () => {
        throw new SagaReject("no stock");
      })
      .build();
    await using own = await bench(definition);
    const id = await own.start();
    await own.loseWorkers();
    expect(ran).toEqual(["charge", "charge", "refund"]);
    expect(await own.info(id)).toMatchObject({
      status: "compensated",
      steps: [{ step: "gift" }, { step: "charge", status: "undone" }, { step: "ship" }],
    });
  },
);

test("a first call with an unknown outcome is checked, even if its condition no longer holds", async () => {
  const ran: string[] = [];
  let isOn = true;
  const definition = saga("s", 1)
    .when(
      () => isOn,
      (branch) =>
        branch.call(
          "charge",
          (): string => {
            isOn = false;
            throw lost();
          },
          { onUnknown: "check", check: () => (ran.push("check"), { output: "charged" }) },
        ),
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.loseWorkers();
  expect(ran).toEqual(["check"]);
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ output: "charged" }] });
});

test("a step that is paused and retried, and a wait that has begun, continue even if their condition no longer holds", async () => {
  let isOn = true;
  const definition = saga("s", 1)
    .when(
      () => isOn,
      (branch) =>
        branch.call("typo", () => {
          if (!isOn) return 1;
          isOn = false;
          throw new TypeError("x");
        }),
    )
    .call("switchOn", () => void (isOn = true))
    .when(
      () => isOn,
      (branch) => branch.waitFor("go"),
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect((await own.info(id)).waitsFor).toBe("go");
  isOn = false;
  await own.worker.runner.deliver(definition, { key: "k", id: "1", name: "go", data: 7 });
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({
    status: "completed",
    steps: [
      { step: "typo", status: "done", output: 1 },
      { step: "switchOn", status: "done" },
      { step: "go", status: "done", output: 7 },
    ],
  });
});
