import { openDatabase } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type AnySaga, saga, type SagaInfo } from "./index.ts";
import type { FailureClass } from "./run/failure-class.ts";
import { SagaSet } from "./saga-set.ts";

/** Runs a saga whose steps throw, with a rule of the app, until it ends. Returns it with the error lines of the log. */
const runToEnd = async (
  definition: AnySaga,
  classify: (error: unknown) => FailureClass | undefined,
): Promise<{ readonly info: SagaInfo; readonly errors: readonly string[] }> => {
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (line: string) => void errors.push(line) };
  const db = openDatabase({ url: "sqlite://:memory:" });
  const kernel = createKernel(db, { config: { pollMinMs: 5, pollMaxMs: 50 }, log });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new SagaSet({ kernel, problem, log: () => log, config: { classify } });
  set.define(definition);
  await kernel.start();
  await set.begin();
  try {
    const { id } = await set.runner.start(definition, null, { key: "k" });
    const info = await waitFor(
      async () => {
        const seen = await set.runner.get(id);
        return seen?.status === "compensated" && seen;
      },
      { subject: "the end of the saga", timeoutMs: 60_000 },
    );
    return { info: info as SagaInfo, errors };
  } finally {
    await kernel.stop();
    await db.close();
  }
};

const badRules: readonly (readonly [fault: string, rule: (error: unknown) => unknown])[] = [
  ["throws", (error) => void (error as { readonly code: string }).code.startsWith("CARD_")],
  ["returns an unknown class", () => "retry"],
  ["returns a promise", () => Promise.reject(new Error("async"))],
];

test.each(badRules)(
  "a rule that %s is logged, and the error is classified by the rules of the package",
  async (_fault, rule) => {
    const calls: number[] = [];
    const definition = saga("s", 1)
      .call(
        "charge",
        ({ attempt }) => {
          calls.push(attempt);
          throw new Error("no card");
        },
        { retry: { attempts: 2, delayMs: 0 } },
      )
      .build();
    const { info, errors } = await runToEnd(definition, rule as () => undefined);
    expect([calls, info.error?.message]).toEqual([[1, 2], "no card"]);
    expect(errors.filter((line) => line.includes("classify failed"))).toHaveLength(2);
  },
  90_000,
);
