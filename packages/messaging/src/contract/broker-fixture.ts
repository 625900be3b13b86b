import type { BrokerAdapter } from "../port/broker-adapter.ts";

/** What the contract of brokers needs of one. */
export interface BrokerFixture {
  /** Returns an adapter for the broker: each call is another process to it. */
  adapter(): BrokerAdapter;
  /** Begins the names of topics and groups of one fact, so that facts may share a broker: letters, digits and `-`. */
  readonly prefix: string;
  /** Address of a database for facts about inbox, outbox and parked messages. @default SQLite in memory */
  readonly databaseUrl?: string;
  /** Ends what the fixture opened. */
  readonly close?: () => Promise<void>;
}
