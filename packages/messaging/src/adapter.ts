// For broker packages: the port, and how to add a broker to an app.
export type {
  Broker,
  BrokerAdapter,
  BrokerContext,
  Consumer,
  ConsumerOptions,
  Producer,
  SendOptions,
  SendResult,
  Topology,
} from "./port/broker-adapter.ts";
export type { Capabilities } from "./port/capabilities.ts";
export type { Delivery, Original, OutgoingMessage, Settlement, WireHeaders } from "./port/delivery.ts";
export type { ConsumerState, Sink } from "./port/sink.ts";
export {
  type ConfigKind,
  type MessagingSetup,
  messagingSetup,
  type SharedConfig,
} from "./brokers/config-kinds.ts";
export { splitConfig, type SplitConfig } from "./brokers/split-config.ts";
export type { BrokerOutline, MessagingOutline } from "./outline/messaging-outline.ts";
export { backoffMs } from "./waiting/backoff.ts";
export { pause } from "@framework/durable/feature";
export { untilAborted } from "./waiting/until-aborted.ts";
export { newHeaders } from "./envelope/event.ts";
export { deadHeaders, GROUP, NOT_BEFORE } from "./envelope/own-headers.ts";
export { endsWithProcess } from "./request/reply-topics.ts";
