import type { BrokerFixture } from "./broker-fixture.ts";

/** The order that the subscription of a fact asks for: by key where the broker keeps that, else none. */
export const keyedOrder = (fixture: BrokerFixture): "key" | "none" =>
  fixture.adapter().capabilities.orders.includes("key") ? "key" : "none";
