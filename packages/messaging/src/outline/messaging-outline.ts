import type { StandardSchema } from "@framework/core";
import type { BrokerAdapter } from "../port/broker-adapter.ts";
import type { Capabilities } from "../port/capabilities.ts";
import type { Schemas } from "../message/message.ts";

/** Topics that an app sends to and receives from, for an API document. */
export interface MessagingOutline {
  /** Every enabled broker, in the order of `enableMessaging`. */
  readonly brokers: readonly BrokerOutline[];
}

/** A broker with its topics. */
export interface BrokerOutline {
  /** Name in the app. */
  readonly name: string;
  /** Technology, for example `kafka`. */
  readonly system: string;
  /** Addresses without credentials; empty for the database and the in-memory broker. */
  readonly servers: NonNullable<BrokerAdapter["servers"]>;
  /** Location of CloudEvents attributes. */
  readonly envelope: Capabilities["envelope"];
  /** Whether requests with replies are supported. */
  readonly hasReplies: boolean;
  /** Topics of `MessagingConfig.topics`; without description and schemas if given by name. */
  readonly sends: readonly {
    /** Name at the broker. */
    readonly topic: string;
    /** Description of the topic; `null` for none. */
    readonly description: string | null;
    /** Schemas by type; `null` for none. */
    readonly schemas: Schemas | null;
  }[];
  /** Subscriptions. */
  readonly receives: readonly {
    /** Name of the topic, or source of the regular expression. */
    readonly topic: string;
    /** Whether `topic` is a regular expression. */
    readonly isPattern: boolean;
    /** Name of the group. */
    readonly group: string;
    /** Schemas by type, or one for all types; `null` for none. */
    readonly schemas: Schemas | StandardSchema | null;
  }[];
}
