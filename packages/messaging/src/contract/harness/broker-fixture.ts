import type { BrokerAdapter } from "../../port/broker-adapter.ts";

/** A broker under test, for `brokerContract`. */
export interface BrokerFixture {
  /** Returns an adapter for the broker. Each call represents another process. */
  adapter(): BrokerAdapter;
  /** Prefix of topics and groups of one test, so that tests may share a broker: letters, digits and `-`. */
  readonly prefix: string;
  /** Address of a database for tests of inbox, outbox and parked messages. @default SQLite in memory */
  readonly databaseUrl?: string;
  /** Closes the resources that the fixture opened. */
  readonly close?: () => Promise<void>;
}
