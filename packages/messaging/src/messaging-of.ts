import { randomUUID } from "node:crypto";
import type { StandardSchema } from "@framework/core";
import { isOptions, markHandled, isPlainObject, systemClock, unknownFields } from "@framework/core/feature";
import { type Event, newHeaders } from "./envelope/event.ts";
import { headerText } from "./envelope/header-text.ts";
import { REPLY_ERROR, REPLY_TO } from "./envelope/own-headers.ts";
import { MAX_REQUEST_MS } from "./limits.ts";
import { messagingError } from "./errors/messaging-error.ts";
import { NoReplyError, RequestFailedError } from "./request/request-errors.ts";
import { MessagingApp } from "./messaging-app.ts";
import { type MessagingConfig } from "./messaging-config.ts";
import type { NewMessage, Receipt } from "./send/new-message.ts";
import { badMessage, toEvent } from "./send/to-event.ts";
import { type Topic, topicNameOf } from "./send/topic.ts";
import { checkData, issuesText } from "./send/check-data.ts";
import { isSchema } from "./subscribe/is-schema.ts";
import type { AnyHandler, AnyOptions } from "./subscribe/subscription-options.ts";
import { subscriptionProblems } from "./subscribe/subscription-problems.ts";
import { subscriptionSpec } from "./subscribe/subscription-spec.ts";
import type { Messaging, RequestOptions, SendOptions } from "./messaging-api.ts";

/** Returns the public API of an app's messaging. */
export const messagingOf = (app: MessagingApp): Messaging => {
  const subscribe = (
    kind: "single" | "batch",
    to: string | RegExp | Topic,
    options: AnyOptions,
    handle: unknown,
  ): void => {
    const isTopic = typeof to === "object" && to !== null && !(to instanceof RegExp);
    const isRecord: boolean = isPlainObject(options);
    const own = isRecord
      ? {
          ...options,
          schema: options.schema === undefined && isTopic ? to.schemas : options.schema,
          group: options.group ?? app.defaultGroup(options.broker),
        }
      : options; // reported at start
    const { spec, problems } = subscriptionSpec(isTopic ? to.name : to, own, { kind, handle } as AnyHandler);
    app.subscribe(spec, [...problems, ...subscriptionProblems(spec, own)]);
  };
  return {
    subscribe(to: string | RegExp | Topic, options: object, handler: unknown) {
      subscribe("single", to, options as never, handler);
      return this;
    },
    subscribeBatch(to: string | RegExp | Topic, options: object, handler: unknown) {
      subscribe("batch", to, options as never, handler);
      return this;
    },
    send: (to, message, options = {}) => markHandled(sendOne(app, to, message, options)),
    sendAll: (to, messages, options = {}) => markHandled(sendAll(app, to, messages, options)),
    request: (to, message, options = {}) => markHandled(request(app, to, message, options) as Promise<never>),
    use(middleware) {
      app.use(middleware);
      return this;
    },
    status: () => app.status(),
    declareTopology: (mode) => markHandled(app.declareTopology(mode)),
    endGroup: (to, group, options = {}) => markHandled(endGroup(app, to, group, options)),
    addBroker(name, adapter, config = {}) {
      app.enable(name, adapter, config);
      return this;
    },
  };
};

const sendOne = async (
  app: MessagingApp,
  to: string | Topic,
  message: NewMessage,
  options: SendOptions,
): Promise<Receipt> => {
  const [receipt] = await sendAll(app, to, [message], options, "send");
  if (receipt === undefined) throw new Error("messaging: the broker confirmed nothing");
  return receipt;
};

const sendAll = async (
  app: MessagingApp,
  to: string | Topic,
  messages: readonly NewMessage[],
  options: SendOptions,
  call: "send" | "sendAll" = "sendAll",
): Promise<readonly Receipt[]> => {
  checkNames(call, options, sendOptionNames);
  const { broker, ...settings } = options;
  const { sender, config } = app.broker(broker);
  const name = topicNameOf(to);
  if (!Array.isArray(messages)) throw badMessage("sendAll requires a list of messages; send sends one");
  const events = messages.map((message) => eventOf(message, config));
  if (typeof to !== "string") for (const event of events) await checkData(to, event);
  return await sender.send(name, events, settings);
};

const sendOptionNames = Object.keys({
  broker: 0,
  delayMs: 0,
  ttlMs: 0,
  tx: 0,
} satisfies Record<keyof SendOptions, 0>);

const requestOptionNames = Object.keys({
  timeoutMs: 0,
  schema: 0,
  broker: 0,
} satisfies Record<keyof RequestOptions, 0>);

/** @throws MESSAGING_BAD_MESSAGE for a value that is not an object, and for an unknown option, which would otherwise be ignored */
const checkNames = (call: string, options: object, known: readonly string[]): void => {
  if (!isOptions(options)) throw badMessage(`the options of ${call} must be an object`);
  const [unknown] = unknownFields(`the options object of ${call}`, options, known);
  if (unknown !== undefined) throw badMessage(unknown);
};

const endGroup = async (
  app: MessagingApp,
  to: string | Topic,
  group: string,
  options: Pick<SendOptions, "broker">,
): Promise<boolean> => {
  checkNames("endGroup", options, ["broker"]);
  return await app.broker(options.broker).app.endGroup(topicNameOf(to), group);
};

const eventOf = (message: NewMessage, { source, clock = systemClock }: Readonly<MessagingConfig>): Event =>
  toEvent(message, { source, newId: randomUUID, date: clock.date });

const request = async (
  app: MessagingApp,
  to: string | Topic,
  message: NewMessage,
  options: RequestOptions<StandardSchema | undefined>,
): Promise<unknown> => {
  checkNames("request", options, requestOptionNames);
  const { timeoutMs = 10_000, schema, broker } = options;
  const { sender, config, app: running, adapter } = app.broker(broker);
  if (!adapter.capabilities.privateTopics)
    throw messagingError("MESSAGING_BAD_CONFIG", `the broker "${running.name}" does not support replies`);
  if (schema !== undefined && !isSchema(schema))
    throw badMessage("schema must be a Standard Schema, of the reply");
  if (!isTimeout(timeoutMs)) throw badMessage(`timeoutMs must be a number from 1 to ${MAX_REQUEST_MS}`);
  const name = topicNameOf(to);
  const event = eventOf(message, config);
  await checkData(to, event);
  const inbox = running.openInbox();
  const headers = Object.assign(newHeaders(), event.headers, { [REPLY_TO]: inbox.topic });
  const send = (): Promise<unknown> => sender.send(name, [{ ...event, headers }], { ttlMs: timeoutMs });
  const reply = await inbox.request(event.id, send, timeoutMs);
  if (reply === null) throw new NoReplyError(name, timeoutMs);
  const failure = reply.headers[REPLY_ERROR];
  if (failure !== undefined) throw new RequestFailedError(name, headerText(failure)); // other programs may send any text
  return schema === undefined ? reply.data : await checkedReply(name, schema, reply.data);
};

const isTimeout = (value: unknown): boolean =>
  typeof value === "number" && value >= 1 && value <= MAX_REQUEST_MS;

/** Validates a reply. An invalid one is the replying service's mistake, not the client's. @throws RequestFailedError */
const checkedReply = async (topic: string, schema: StandardSchema, data: unknown): Promise<unknown> => {
  const result = await schema["~standard"].validate(data);
  if (result.issues === undefined) return result.value;
  throw new RequestFailedError(topic, `the reply does not fit its schema: ${issuesText(result.issues)}`);
};
