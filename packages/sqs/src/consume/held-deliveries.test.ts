import { expect, test } from "@jest/globals";
import { virtualClock } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { SqsApi } from "../client/sqs-api.ts";
import { type FaultyProxy, startFaultyProxy } from "../faulty-proxy.test-kit.ts";
import { credentials } from "../process.test-kit.ts";
import { SqsConfig } from "../sqs-config.ts";
import { HeldDeliveries } from "./held-deliveries.ts";
import { SqsDelivery } from "./sqs-delivery.ts";

const VISIBLE_MS = 30_000;
const log = { info() {}, warn() {}, error() {} };

class Setup implements AsyncDisposable {
  readonly clock = virtualClock();
  readonly lost: string[] = [];
  readonly alive = new Set<string>();
  readonly held: HeldDeliveries;
  readonly proxy: FaultyProxy;

  constructor(proxy: FaultyProxy) {
    this.proxy = proxy;
    const { clock } = this;
    this.held = new HeldDeliveries({
      api: new SqsApi(SqsConfig.of({ endpointUrl: proxy.url, credentials }), clock),
      clock,
      log,
      visibilityTimeoutSecs: VISIBLE_MS / 1000,
      isAlive: ({ receipt }) => this.alive.has(receipt),
      onLost: (deliveries) => this.lost.push(...deliveries.map(({ receipt }) => receipt)),
      onReleased: () => {},
    });
    this.held.begin();
  }

  static async create(): Promise<Setup> {
    return new Setup(await startFaultyProxy(null));
  }

  /** Adds a delivery with a running handler. */
  add(receipt: string, group: string | null = null): SqsDelivery {
    const name = group === null ? "orders__mail" : "orders__mail.fifo";
    const queue = { name, url: `${this.proxy.url}/000000000000/${name}`, isFifo: group !== null };
    const message = {
      ReceiptHandle: receipt,
      Body: "x",
      ...(group !== null && { Attributes: { MessageGroupId: group } }),
    };
    const delivery = new SqsDelivery(message, {
      topic: "orders",
      queue,
      hiddenUntil: this.clock.now() + VISIBLE_MS,
    });
    this.alive.add(receipt);
    this.held.add([delivery]);
    return delivery;
  }

  /** Receipts of each visibility request. */
  get calls(): readonly (readonly string[])[] {
    return this.proxy.requests.map(({ Entries = [] }) =>
      Entries.map(({ ReceiptHandle = "" }) => ReceiptHandle),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.held.close();
    await this.proxy[Symbol.asyncDispose]();
  }
}

test("deliveries in progress are extended after half of their visibility timeout, at most ten per request", async () => {
  await using setup = await Setup.create();
  for (let n = 0; n < 12; n++) setup.add(`r${n}`);
  await setup.clock.advance(VISIBLE_MS / 2 - 1);
  expect(setup.calls).toEqual([]);
  await setup.clock.advance(1);
  await waitFor(() => setup.calls.length === 2);
  expect(new Set(setup.calls.map(({ length }) => length))).toEqual(new Set([10, 2]));
  await waitFor(async () => {
    await setup.clock.advance(VISIBLE_MS / 6); // until the responses have arrived
    return setup.calls.length >= 6;
  });
  expect(setup.lost).toEqual([]);
});

test("a delivery that is no longer processed is lost after its visibility timeout", async () => {
  await using setup = await Setup.create();
  setup.add("stuck");
  setup.alive.clear();
  await setup.clock.advance(VISIBLE_MS - 1);
  expect(setup.lost).toEqual([]);
  await setup.clock.advance(1);
  expect([setup.lost, setup.calls]).toEqual([["stuck"], []]);
});

test("losing a delivery also loses later ones of its group, which are released in reverse order", async () => {
  await using setup = await Setup.create();
  for (const receipt of ["a0", "a1", "a2"]) setup.add(receipt, "a");
  setup.add("b0", "b");
  setup.proxy.fails = (_action, { ReceiptHandle }) =>
    ReceiptHandle === "a0" ? { Code: "ReceiptHandleIsInvalid", SenderFault: true } : null;
  await setup.clock.advance(VISIBLE_MS / 2);
  await waitFor(() => setup.lost.length > 0);
  expect(setup.lost).toEqual(["a0", "a1", "a2"]);
  await waitFor(() => setup.calls.length === 2);
  expect(setup.calls[1]).toEqual(["a2", "a1"]);
});

test("a failed extension is retried at the next check", async () => {
  await using setup = await Setup.create();
  setup.add("a");
  let failures = 0;
  setup.proxy.fails = () => (failures++ === 0 ? { Code: "InternalError", SenderFault: false } : null);
  await setup.clock.advance(VISIBLE_MS / 2);
  await waitFor(() => setup.calls.length === 1);
  await waitFor(async () => {
    await setup.clock.advance(10);
    return setup.calls.length === 2;
  });
  expect(setup.lost).toEqual([]);
});

test("deliveries are released in reverse order, so that the first of a group is delivered next", async () => {
  await using setup = await Setup.create();
  const deliveries = ["1", "2", "3"].map((receipt) => setup.add(receipt, "a"));
  await setup.held.release(deliveries);
  expect(setup.calls).toEqual([["3", "2", "1"]]);
  expect(deliveries.some((delivery) => setup.held.has(delivery))).toBe(false);
});
