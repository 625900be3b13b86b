export { messaging, type MessagingMethods } from "./messaging.ts";
export type { Messaging, RequestOptions, SendOptions } from "./messaging-api.ts";
export type { DeclaredTopology } from "./brokers/declared-topology.ts";
export { MessagingConfig } from "./messaging-config.ts";
export { topic, type MessageTo, type Topic } from "./send/topic.ts";
export { forwardHeaders } from "./send/forward-headers.ts";
export type { NewMessage, Receipt } from "./send/new-message.ts";
export type { SendSettings } from "./send/sender.ts";
export type { Message, MessageContext, MessageMeta, MessageOf, Schemas } from "./message/message.ts";
export { done, type Outcome } from "./message/outcome.ts";
export type {
  BatchHandler,
  BatchSubscriptionOptions,
  BatchVerdict,
  MessageHandler,
  SchemaOption,
  SubscriptionOptions,
} from "./subscribe/subscription-options.ts";
export { MessageRetry } from "./subscribe/message-retry.ts";
export { memoryBroker, type MemoryBrokerOptions } from "./memory/memory-broker.ts";
export type { SubscriptionStatus } from "./consume/subscription-status.ts";
export type { BrokerAdapter } from "./port/broker-adapter.ts";
export { NoReplyError, RequestFailedError } from "./request/request-errors.ts";
export { SendFailedError } from "./errors/send-failed-error.ts";
export { messagingErrors } from "./error-codes.ts";
