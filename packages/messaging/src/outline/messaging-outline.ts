import type { StandardSchema } from "@framework/core";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Schemas } from "../message/message.ts";

/** What an app sends and receives, for documents about it. */
export interface MessagingOutline {
  /** Every broker, in the order in which they were enabled. */
  readonly brokers: readonly BrokerOutline[];
}

/** A broker of an outline. */
export interface BrokerOutline {
  /** Name in the app. */
  readonly name: string;
  /** Technology: `kafka`. */
  readonly system: string;
  /** Addresses without credentials; none for brokers without one of their own. */
  readonly servers: NonNullable<BrokerAdapter["servers"]>;
  /** Where attributes of events are. */
  readonly envelope: Capabilities["envelope"];
  /** Whether requests get replies. */
  readonly hasReplies: boolean;
  /** Topics that the app says it sends to; without schemas for those given by name. */
  readonly sends: readonly {
    /** Name at the broker. */
    readonly topic: string;
    /** Text about it; `null` for none. */
    readonly description: string | null;
    /** Schemas by type; `null` for none. */
    readonly schemas: Schemas | null;
  }[];
  /** Subscriptions. */
  readonly receives: readonly {
    /** A topic, or the text of a pattern. */
    readonly topic: string;
    /** Whether `topic` is a regular expression. */
    readonly isPattern: boolean;
    /** Name of the group. */
    readonly group: string;
    /** Schemas by type, or one of every type; `null` for none. */
    readonly schemas: Schemas | StandardSchema | null;
  }[];
}
