// Random sagas, failures, crashes and operators on the real runner: every saga ends consistently, and only by transitions of the table.
import { openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type AnySaga, saga, SagaReject, type StepContext } from "./index.ts";
import { ManualWorker, prepareDatabase } from "./testing/manual-worker.ts";
import { FakePaymentService } from "./testing/fake-payment-service.test-kit.ts";
import { transitions } from "./transitions/transitions.ts";

const RUNS = Number(process.env["FRAMEWORK_SAGA_RUNS"] ?? 300);

const kinds = ["tx", "call", "check", "manual", "parallel", "wait", "sleep", "pivot", "when"] as const;
const outcomes = ["ok", "ok", "ok", "transient", "reject", "bug", "lostBefore", "lostAfter"] as const;
const actions = [
  "run",
  "run",
  "run",
  "run",
  "deliver",
  "time",
  "hours",
  "hours",
  "cancel",
  "retry",
  "skip",
  "settle",
] as const;

type Kind = (typeof kinds)[number];
type Outcome = (typeof outcomes)[number];

/** Outcomes of attempts, in order; further attempts succeed. */
class PlannedOutcomes {
  private readonly left: Outcome[];

  constructor(outcomes: readonly Outcome[]) {
    this.left = [...outcomes];
  }

  /** Performs an effect, with the next outcome. */
  perform(payments: FakePaymentService, { idempotencyKey }: StepContext): string {
    const outcome = this.left.shift() ?? "ok";
    if (outcome === "lostBefore") throw lost();
    if (outcome === "transient") throw new Error("later");
    if (outcome === "reject") throw new SagaReject("no");
    if (outcome === "bug") throw new TypeError("x");
    const output = payments.call(idempotencyKey);
    if (outcome === "lostAfter") throw lost();
    return output;
  }

  succeed(): void {
    this.left.length = 0;
  }
}

const lost = (): Error => Object.assign(new Error("lost"), { code: "DURABLE_LOST" });

const build = (list: readonly Kind[], outcomes: PlannedOutcomes, payments: FakePaymentService): AnySaga => {
  const act = (context: unknown): string => outcomes.perform(payments, context as StepContext);
  const retry = { attempts: 2, delayMs: 1000, jitter: 0 };
  const undo = (context: unknown): void => void act(context);
  let builder = saga("any", 1) as unknown as ReturnType<typeof saga>;
  let hasPivot = false;
  for (const [index, kind] of list.entries()) {
    const name = `s${index + 1}` as const;
    const options = hasPivot ? { retry } : { retry, undo }; // nothing is undone after the pivot
    const withCheck = {
      ...options,
      check: ({ idempotencyKey }: StepContext) => (payments.has(idempotencyKey) ? { output: "found" } : null),
    };
    if (kind === "tx") builder = builder.tx(name, act, options) as never;
    else if (kind === "call") builder = builder.call(name, act, options) as never;
    else if (kind === "check") builder = builder.call(name, act, withCheck) as never;
    else if (kind === "manual")
      builder = builder.call(name, act, { ...options, onUnknown: "manual" }) as never;
    else if (kind === "parallel")
      builder = builder.parallel(name, (branch) => ({
        a: branch(act, options),
        b: branch(act, options),
      })) as never;
    else if (kind === "wait") builder = builder.waitFor(name, { timeout: "1h" }) as never;
    else if (kind === "sleep") builder = builder.sleep("30s");
    else if (kind === "when")
      builder = builder.when(
        () => false,
        (branch) => branch.call(name, act),
      ) as never;
    else if (!hasPivot) builder = ((hasPivot = true), builder.pivot());
  }
  return builder.build();
};

/** Effects of `tx` steps are recorded by the fake service even if they are rolled back, so they are compared with the database instead. */
const isTx = (definition: AnySaga, key: string): boolean =>
  definition.steps.some(({ kind, name }) => kind === "tx" && key.split(":")[1] === name);

/** Keys of all calls that a completed saga has made. */
const callsOf = ({ steps }: AnySaga, id: string): readonly string[] =>
  steps
    .flatMap((step) =>
      step.kind === "call" && step.conditions.length === 0
        ? step.branches.map(({ name }) => [id, step.name, name])
        : [],
    )
    .map((parts) => parts.filter((part) => part !== "").join(":"))
    .toSorted();

test("despite failures, crashes and operators, a saga ends completed or compensated with matching effects, by transitions of the table", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const time = await prepareDatabase(db);
  const seen = new Set<string>();
  let number = 0;
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
    fc.array(fc.constantFrom(...outcomes), { maxLength: 14 }),
    fc.array(fc.constantFrom(...actions), { maxLength: 25 }),
    async (list, attempts, acts) => {
      const payments = new FakePaymentService();
      const own = new PlannedOutcomes(attempts);
      const definition = build(list, own, payments);
      const key = `k${number++}`;
      const worker = (): ManualWorker =>
        new ManualWorker(db, time, [definition], { limits: { undoTimeoutMs: 1000, maxRetries: 1 } });
      const { id } = await worker().runner.start(definition, null, { key });
      const because = { reason: "any" };
      const deliver = async (): Promise<void> => {
        const { waitsFor, status } = (await worker().runner.get(id)) ?? {};
        if (status === "waiting" && waitsFor != null)
          await worker().runner.deliver(definition, { key, id: `m ${waitsFor}`, name: waitsFor });
      };
      const run = (): Promise<void> =>
        worker()
          .runAll()
          .catch((error: unknown) => {
            if ((error as { code?: unknown }).code !== "DURABLE_LOST") throw error;
          });
      const decide = (verb: "cancel" | "retry" | "skip" | "settle"): Promise<unknown> =>
        worker()
          .runner[verb](id, because)
          .catch((error: unknown) => {
            if ((error as { status?: unknown }).status !== 409) throw error;
          });
      for (const act of acts) {
        if (act === "run") await run();
        else if (act === "deliver") await deliver();
        else if (act === "time") await time.advance(3000);
        else if (act === "hours") await time.advance(7_200_000);
        else await decide(act);
      }
      const isSkipped = acts.includes("skip") || acts.includes("settle");
      own.succeed();
      for (let round = 0; round < 40; round++) {
        await run();
        await deliver();
        await time.advance(60_000);
        const { status } = (await worker().runner.get(id)) ?? {};
        if (status === "paused" || status === "stuck") await decide("retry");
        if (status === "completed" || status === "compensated") break;
      }
      const info = await worker().runner.get(id);
      expect(["completed", "compensated"]).toContain(info?.status);
      const net = payments.net.filter((each) => !isTx(definition, each));
      const calls = info?.status === "completed" ? callsOf(definition, id) : [];
      expect(isSkipped ? "not compared" : net).toEqual(isSkipped ? "not compared" : calls);
      const timeline = await worker().runner.timeline(id);
      for (const [at, { event, status }] of timeline.entries()) {
        const before = timeline[at - 1]?.status;
        if (before === undefined) continue;
        expect(transitions[before][event as never]).toBe(status);
        seen.add(`${before} ${event}`);
      }
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: 1 });
  await db.close();
  const table = Object.entries(transitions).flatMap(([status, events]) =>
    Object.keys(events).map((event) => `${status} ${event}`),
  );
  const missing = table.filter((each) => !seen.has(each));
  expect(missing).toEqual([]);
}, 300_000);
