import { setTimeout as delay } from "node:timers/promises";
import type { SagaDefinition, SagaInfo, Sagas } from "@framework/saga";
import type { NewOrder, Order, OrderInput } from "./order.ts";
import { SHIPPED } from "./order-saga.ts";
import type { z } from "zod";

const POLL_MS = 50;

/** Orders, as sagas of the app, on any runner. */
export class Orders {
  private readonly sagas: Sagas;
  private readonly definition: SagaDefinition<z.input<typeof OrderInput>>;

  constructor(sagas: Sagas, definition: SagaDefinition<z.input<typeof OrderInput>>) {
    this.sagas = sagas;
    this.definition = definition;
  }

  /** Places an order, unless one with its number exists. Returns whether it is new. */
  async place(order: number, newOrder: z.output<typeof NewOrder>): Promise<boolean> {
    const { isNew } = await this.sagas.start(this.definition, { ...newOrder, order }, { key: String(order) });
    return isNew;
  }

  /**
   * Returns an order once it waits for the warehouse or an operator, or has ended; `null` when there is none.
   *
   * @param waitMs maximum wait in milliseconds; then the order is returned in its current status
   * @param signal ends the wait when it aborts
   */
  async get(order: number, waitMs: number, signal: AbortSignal): Promise<Order | null> {
    for (const end = performance.now() + waitMs; ; await delay(POLL_MS)) {
      const info = await this.find(order);
      const found = info === null ? null : toOrder(info);
      if (found?.status !== "working" || performance.now() >= end || signal.aborted) return found;
    }
  }

  /** Records the shipment of an order. Returns whether the order expects one. */
  async ship(order: number, parcel: string): Promise<boolean> {
    const message = { key: String(order), name: SHIPPED, id: `parcel ${parcel}`, data: { parcel } };
    const delivered = await this.sagas.deliver(this.definition, message);
    return delivered !== "unknown" && delivered !== "ended";
  }

  private async find(order: number): Promise<SagaInfo | null> {
    const { name } = this.definition;
    const { sagas } = await this.sagas.list({ name, key: String(order), limit: 1 });
    const [first] = sagas;
    return first === undefined ? null : await this.sagas.get(first.id);
  }
}

const statuses: Readonly<Record<SagaInfo["status"], Order["status"]>> = {
  ready: "working",
  running: "working",
  waiting: "packing",
  cancelling: "working",
  compensating: "working",
  completed: "shipped",
  compensated: "cancelled",
  paused: "attention",
  stuck: "attention",
};

const toOrder = ({ input, status, steps, error }: SagaInfo): Order => {
  const { order, book, copies } = input as z.output<typeof OrderInput>;
  const outputOf = (name: string): unknown =>
    steps.find(({ step, status: at }) => step === name && at === "done")?.output;
  const payment = outputOf("charge");
  const shipment = outputOf(SHIPPED) as { readonly parcel: string } | undefined;
  return {
    order,
    status: statuses[status],
    book,
    copies,
    ...(typeof payment === "string" && { payment }),
    ...(shipment !== undefined && { parcel: shipment.parcel }),
    ...(status === "compensated" && { reason: reasonOf(error) }),
  };
};

/** The reason of a cancellation, for clients: only the text of a `SagaReject`; other failures are for operators. */
const reasonOf = (error: SagaInfo["error"]): string =>
  error?.code === "SAGA_REJECTED" ? error.message : "The order could not be completed";
