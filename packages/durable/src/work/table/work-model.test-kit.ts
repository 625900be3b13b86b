// Above 250 lines because it is one model: compares the work table with a naive model in random histories of two workers that claim, stall, crash and resume late.
import assert from "node:assert/strict";
import { sql } from "@framework/database";
import fc from "fast-check";
import type { ClaimedRow } from "./claiming.ts";
import { row, type WorkFixture } from "./work-fixture.test-kit.ts";

const LEASE_MS = 15_000;
const QUEUE = "mail";
const WORKERS = 2;

type Ending = "remove" | "done" | "retry" | "failed" | "release";

/** One step of a history. */
export type Step =
  | {
      readonly do: "add";
      readonly key: number;
      readonly unique: number;
      readonly priority: number;
      readonly delayMs: number;
    }
  | { readonly do: "claim"; readonly worker: number; readonly limit: number }
  | {
      readonly do: "end";
      readonly worker: number;
      readonly which: number;
      readonly ending: Ending;
      readonly dies: boolean;
    }
  | { readonly do: "crash" | "renew"; readonly worker: number }
  | { readonly do: "cancel"; readonly which: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "maintain" | "block" | "heal" | "expire" };

const worker = fc.nat(WORKERS - 1);
const which = fc.nat(1000);

/** Histories. Key 0 and unique key 0 mean none. */
export const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("add" as const),
        key: fc.nat(3),
        unique: fc.nat(4),
        priority: fc.integer({ min: -1, max: 1 }),
        delayMs: fc.constantFrom(0, 0, 0, 500, LEASE_MS),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("claim" as const),
        worker,
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant("end" as const),
        worker,
        which,
        ending: fc.constantFrom<Ending>("remove", "done", "retry", "failed", "release"),
        dies: fc.nat(9).map((n) => n === 0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "renew" as const), worker }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), which }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("advance" as const),
        ms: fc.constantFrom(1, 499, LEASE_MS / 2, LEASE_MS),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("maintain" as const, "block" as const, "heal" as const, "expire" as const),
      }),
    },
  ),
  { minLength: 10, maxLength: 60 },
);

interface ModelItem {
  readonly id: number;
  readonly key: number;
  readonly unique: number;
  readonly priority: number;
  runAt: number;
  state: "waiting" | "ready" | "running" | "done" | "failed" | "cancelled";
  attempts: number;
  /** The claim that owns the item. */
  holder: ClaimedRow | null;
  leaseUntil: number;
  completions: number;
}

/** The expected content of the table. */
class Model {
  readonly items = new Map<number, ModelItem>();
  now = 0;
  /** Whether the table may have a blocked item that only `heal` unblocks. */
  needsHealing = false;

  get unfinished(): ModelItem[] {
    return Array.from(this.items.values()).filter(({ state }) =>
      ["waiting", "ready", "running"].includes(state),
    );
  }

  claimable(): ModelItem[] {
    const { unfinished } = this;
    const isHead = (item: ModelItem): boolean =>
      item.key === 0 ||
      !unfinished.some(
        (other) => other.key === item.key && (other.id < item.id || other.state === "running"),
      );
    return unfinished
      .filter((item) => item.state === "ready" && isHead(item))
      .toSorted((a, b) => b.priority - a.priority || a.runAt - b.runAt || a.id - b.id);
  }

  itemOf(claim: ClaimedRow): ModelItem | null {
    const item = this.items.get(claim.id);
    return item?.holder === claim ? item : null;
  }
}

/** Runs a history on the table and on the model, and compares every result; then completes all items and counts. */
export const runHistory = async (fixture: WorkFixture, steps: readonly Step[]): Promise<void> => {
  await fixture.db.execute("DELETE FROM framework_work");
  const run = new HistoryRun(fixture);
  run.model.now = await fixture.clock.read();
  for (const step of steps) await run.step(step);
  await run.finish();
};

class HistoryRun {
  readonly model = new Model();
  private readonly fixture: WorkFixture;
  /** Claims that each worker believes it holds, including lost ones. */
  private readonly claims: ClaimedRow[][] = Array.from({ length: WORKERS }, () => []);

  constructor(fixture: WorkFixture) {
    this.fixture = fixture;
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case "add":
        return await this.add(step);
      case "claim":
        return await this.claim(step.worker, step.limit);
      case "end":
        return await this.end(step);
      case "renew":
        return await this.renew(step.worker);
      case "crash":
        this.claims[step.worker] = [];
        return;
      case "cancel":
        return await this.cancel(step.which);
      case "advance":
        this.model.now += step.ms;
        return await this.fixture.clock.advance(step.ms);
      case "maintain":
        return await this.maintain();
      case "expire":
        await this.step({ do: "advance", ms: LEASE_MS });
        return await this.maintain();
      case "block":
        while ((await this.fixture.store.keyOrder.block(QUEUE)) > 0);
        return;
      default:
        await this.fixture.store.keyOrder.heal();
        this.model.needsHealing = false;
    }
  }

  /** Completes all remaining items: each item that was not cancelled and did not fail completes once. */
  async finish(): Promise<void> {
    const { model, fixture } = this;
    await fixture.store.keyOrder.heal();
    model.needsHealing = false;
    for (let round = 0; model.unfinished.length > 0; round++) {
      assert.ok(round < 200, `items are never claimed: ${JSON.stringify(model.unfinished)}`);
      await this.step({ do: "advance", ms: LEASE_MS });
      await this.maintain();
      await this.claim(0, 4);
      for (const claim of this.claims[0]?.splice(0) ?? []) await this.endOne(claim, "done", false);
    }
    for (const { state, completions, id } of model.items.values())
      assert.equal(completions, state === "done" ? 1 : 0, `item ${id} is ${state}`);
    const rows = await fixture.db.query<{ id: number; state: string; attempts: number }>(
      "SELECT id, state, attempts FROM framework_work",
    );
    for (const { id, state, attempts } of rows) {
      const item = model.items.get(id);
      assert.deepEqual([id, state, attempts], [id, item?.state, item?.attempts]);
    }
  }

  private async add({ key, unique, priority, delayMs }: Step & { do: "add" }): Promise<void> {
    const { store } = this.fixture;
    const taken = this.model.unfinished.find((item) => unique !== 0 && item.unique === unique);
    const given = row(`${this.model.items.size}`, {
      key: key === 0 ? null : `k${key}`,
      uniqueKey: unique === 0 ? null : `u${unique}`,
      priority,
      delayMs,
    });
    const [added] = await store.enqueueing.add(QUEUE, [given]);
    assert.ok(added);
    assert.equal(added.isNew, taken === undefined);
    if (taken !== undefined) return assert.equal(added.id, taken.id);
    this.model.items.set(added.id, {
      id: added.id,
      key,
      unique,
      priority,
      runAt: this.model.now + delayMs,
      state: delayMs > 0 ? "waiting" : "ready",
      attempts: 0,
      holder: null,
      leaseUntil: 0,
      completions: 0,
    });
  }

  private async claim(by: number, limit: number): Promise<void> {
    const { model } = this;
    const expected = model
      .claimable()
      .slice(0, limit)
      .map(({ id }) => id);
    const claimed = await this.fixture.store.claiming.claim({
      queue: QUEUE,
      owner: `worker ${by}`,
      limit,
      leaseMs: LEASE_MS,
    });
    const ids = Array.from(claimed, ({ id }) => id);
    if (!model.needsHealing) assert.deepEqual(ids, expected);
    for (const row of claimed) {
      const item = model.items.get(row.id);
      assert.ok(item && model.claimable().includes(item), `item ${row.id} was not claimable`);
      item.state = "running";
      item.holder = row;
      item.leaseUntil = model.now + LEASE_MS;
      assert.equal(row.attempts, ++item.attempts);
      this.claims[by]?.push(row);
    }
  }

  private async end({ worker: by, which: at, ending, dies }: Step & { do: "end" }): Promise<void> {
    const claims = this.claims[by] ?? [];
    const [claim] = claims.length === 0 ? [] : claims.splice(at % claims.length, 1);
    if (claim !== undefined) await this.endOne(claim, ending, dies);
  }

  /** @param dies whether the worker dies before the next item of the key is unblocked */
  private async endOne(claim: ClaimedRow, ending: Ending, dies: boolean): Promise<void> {
    const { settling, keyOrder } = this.fixture.store;
    const { id, fence, key } = claim;
    const ids =
      ending === "remove"
        ? await settling.remove([claim])
        : await settling.settle([{ id, fence, ...settlements[ending] }]);
    const item = this.model.itemOf(claim);
    assert.equal(ids.has(id), item !== null, `the ${ending} of item ${id}`);
    const isOver = ending !== "retry" && ending !== "release";
    if (item !== null) this.recordEnd(item, ending);
    if (key === null || !isOver || item === null) return;
    if (dies) this.model.needsHealing = true;
    else await keyOrder.unblock(QUEUE, [key]);
  }

  private recordEnd(item: ModelItem, ending: Ending): void {
    item.holder = null;
    if (ending === "remove" || ending === "done") {
      item.state = "done";
      item.completions++;
    } else if (ending === "failed") item.state = "failed";
    else if (ending === "release") {
      item.state = "ready";
      item.attempts--;
    } else {
      item.state = "waiting";
      item.runAt = this.model.now + 500;
    }
  }

  private async renew(by: number): Promise<void> {
    const claims = this.claims[by] ?? [];
    const renewed = await this.fixture.store.leasing.renew(claims, LEASE_MS);
    for (const claim of claims) {
      const item = this.model.itemOf(claim);
      assert.equal(
        renewed.has(claim.id) && this.isLatest(claims, claim),
        item !== null,
        `the renewal of item ${claim.id}`,
      );
      if (item !== null) item.leaseUntil = this.model.now + LEASE_MS;
    }
  }

  /** Whether a worker has no later claim of the same item. */
  private isLatest(claims: readonly ClaimedRow[], claim: ClaimedRow): boolean {
    return claims.findLast(({ id }) => id === claim.id) === claim;
  }

  private async cancel(at: number): Promise<void> {
    const { stopping, keyOrder } = this.fixture.store;
    const all = Array.from(this.model.items.values());
    const item = all[at % Math.max(all.length, 1)];
    if (item === undefined) return;
    const row = await stopping.cancel(QUEUE, item.id);
    assert.equal(row !== null, this.model.unfinished.includes(item));
    if (row === null) return;
    item.state = "cancelled";
    item.holder = null;
    if (row.key !== null) await keyOrder.unblock(QUEUE, [row.key]);
  }

  private async maintain(): Promise<void> {
    const { leasing } = this.fixture.store;
    await leasing.wake();
    await leasing.takeExpired();
    for (const item of this.model.unfinished) {
      if (item.state === "waiting" && item.runAt <= this.model.now) item.state = "ready";
      if (item.state !== "running" || item.leaseUntil > this.model.now) continue;
      item.state = "ready";
      item.holder = null;
    }
    const overlapping = await this.fixture.db.fetchValue(
      sql`SELECT key FROM framework_work WHERE state = 'running' AND key IS NOT NULL GROUP BY key HAVING count(*) > 1`,
    );
    assert.equal(overlapping, null);
  }
}

const settlements = {
  done: { state: "done" },
  failed: { state: "failed" },
  retry: { state: "waiting", delayMs: 500 },
  release: { state: "ready", attemptsBack: 1 },
} as const;
