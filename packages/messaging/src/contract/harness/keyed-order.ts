import type { BrokerFixture } from "./broker-fixture.ts";

/** Returns the order of a test's subscription: `key` if the broker supports it, else `none`. */
export const keyedOrder = (fixture: BrokerFixture): "key" | "none" =>
  fixture.adapter().capabilities.orders.includes("key") ? "key" : "none";
