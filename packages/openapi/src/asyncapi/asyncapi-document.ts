// AsyncAPI 3.0.0: asyncapi.com/docs/reference/specification/v3.0.0
import type { BrokerOutline, MessagingOutline } from "@framework/messaging/adapter";
import { createComponents } from "../document/components.ts";
import type { SchemaConverters } from "../document/schema-libraries.ts";
import type { JsonSchema } from "../document/json-schema.ts";
import { messagesOf, type PlaceSchema, schemaPlacer, type TypedMessage } from "./messages.ts";
import { type UniqueName, uniqueNames } from "./unique-names.ts";

/** Metadata of the API, and converters; see `AsyncapiConfig`. */
export interface AsyncapiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly jsonSchema: SchemaConverters;
}

interface Reference {
  readonly $ref: string;
}

interface Channel {
  readonly address: string | null;
  readonly description?: string;
  readonly servers?: readonly Reference[];
  readonly messages: Readonly<Record<string, Reference>>;
}

interface Operation {
  readonly action: "send" | "receive";
  readonly summary: string;
  readonly channel: Reference;
  readonly messages: readonly Reference[];
  readonly reply?: { readonly address: { readonly location: string } };
}

/** An AsyncAPI 3 document. */
export interface AsyncapiDocument {
  readonly asyncapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly defaultContentType: string;
  readonly servers: Readonly<Record<string, { readonly host: string; readonly protocol: string }>>;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Returns the document of the messages that an app sends and receives. */
export const createAsyncapi = async (
  { title, version, description, jsonSchema }: AsyncapiDescription,
  { brokers }: MessagingOutline,
): Promise<AsyncapiDocument> => {
  const components = createComponents({});
  const place = await schemaPlacer(brokers, jsonSchema, components);
  const drafts = new Drafts(place, brokers.length > 1);
  for (const broker of brokers) drafts.add(broker);
  return {
    asyncapi: "3.0.0",
    info: { title, version, ...(description !== undefined && { description }) },
    defaultContentType: "application/json",
    servers: Object.fromEntries(drafts.servers),
    channels: Object.fromEntries(drafts.channels),
    operations: Object.fromEntries(drafts.operations),
    components: { messages: Object.fromEntries(drafts.messages), schemas: components.schemas() },
  };
};

/** Collects the parts of a document. A topic that the app both sends and subscribes to is one channel. */
class Drafts {
  readonly servers = new Map<string, { readonly host: string; readonly protocol: string }>();
  readonly channels = new Map<string, Channel>();
  readonly operations = new Map<string, Operation>();
  readonly messages = new Map<string, object>();
  private readonly place: PlaceSchema;
  private readonly hasSeveralBrokers: boolean;
  private readonly serverNames: UniqueName = uniqueNames();
  private readonly channelNames: UniqueName = uniqueNames();
  private readonly operationNames: UniqueName = uniqueNames();
  private readonly messageNames: UniqueName = uniqueNames();
  /** Keys of the messages of each channel. */
  private readonly keys = new Map<string, UniqueName>();

  constructor(place: PlaceSchema, hasSeveralBrokers: boolean) {
    this.place = place;
    this.hasSeveralBrokers = hasSeveralBrokers;
  }

  add(broker: BrokerOutline): void {
    const { name, servers, sends, receives, hasReplies } = broker;
    for (const [at, server] of servers.entries()) this.servers.set(this.server(name, at), server);
    for (const { topic, description, schemas } of sends) {
      const channel = this.channel(broker, { topic, isPattern: false, description });
      const messages = this.addMessages(channel, messagesOf(topic, schemas, broker, this.place));
      this.operations.set(`send.${channel}`, {
        action: "send",
        summary: `Sends to ${topic}.`,
        channel: { $ref: `#/channels/${channel}` },
        messages,
      });
    }
    for (const { topic, isPattern, group, schemas } of receives) {
      const channel = this.channel(broker, { topic, isPattern, description: null });
      const messages = this.addMessages(channel, messagesOf(topic, schemas, broker, this.place));
      const reply = { reply: { address: { location: "$message.header#/framework-reply-to" } } };
      this.operations.set(this.operationNames(`receive.${channel}.${group}`, channel, group), {
        action: "receive",
        summary: `The group ${group} handles messages of ${topic}.`,
        channel: { $ref: `#/channels/${channel}` },
        messages,
        ...(hasReplies && reply),
      });
    }
  }

  /** Returns the name of a topic's channel, and adds the channel unless it exists. */
  private channel(
    { name, servers }: BrokerOutline,
    { topic, isPattern, description }: { topic: string; isPattern: boolean; description: string | null },
  ): string {
    const own = safe(isPattern ? `pattern.${topic}` : topic);
    const channel = this.channelNames(
      this.hasSeveralBrokers ? `${safe(name)}.${own}` : own,
      name,
      topic,
      isPattern,
    );
    const known = this.channels.get(channel);
    const about = description ?? known?.description ?? (isPattern ? `Topics that match ${topic}.` : null);
    this.channels.set(channel, {
      address: isPattern ? null : topic,
      ...(about !== null && { description: about }),
      ...(servers.length > 0 && {
        servers: servers.map((_, at) => ({ $ref: `#/servers/${this.server(name, at)}` })),
      }),
      messages: known?.messages ?? {},
    });
    return channel;
  }

  /** Adds messages to a channel, and returns references to these messages of the channel. */
  private addMessages(channel: string, typed: readonly TypedMessage[]): readonly Reference[] {
    const known = this.channels.get(channel);
    if (known === undefined) return [];
    const keyOf = this.keys.get(channel) ?? uniqueNames();
    this.keys.set(channel, keyOf);
    const messages: Record<string, Reference> = { ...known.messages };
    const references = typed.map(({ type, message }) => {
      const key = keyOf(safe(type ?? "any"), type);
      const name = this.messageNames(`${channel}.${key}`, channel, key);
      if (!this.messages.has(name)) this.messages.set(name, message);
      messages[key] = { $ref: `#/components/messages/${name}` };
      return { $ref: `#/channels/${channel}/messages/${key}` };
    });
    this.channels.set(channel, { ...known, messages });
    return references;
  }

  private server(broker: string, at: number): string {
    return this.serverNames(safe(at === 0 ? broker : `${broker}-${at + 1}`), broker, at);
  }
}

/** Replaces characters that AsyncAPI does not allow in the names of components, or that have a meaning in a JSON pointer. */
const safe = (name: string): string => name.replaceAll(/[^\w.-]+/g, "_");
