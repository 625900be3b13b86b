import type { Logger } from "@framework/core";
import type { Kafka, KafkaConfig as DriverConfig, RetryOptions } from "kafkajs";
import type { KafkaConfig } from "../kafka-config.ts";
import { registerConfiguredCodecs } from "./codecs.ts";
import { kafkajs } from "./kafkajs.ts";
import { logCreatorOf } from "./log-creator.ts";
import { driverAddress, Sockets } from "./sockets.ts";

/** A client of kafkajs with its connections. */
export interface Client {
  readonly kafka: Kafka;
  readonly sockets: Sockets;
}

/** Connection retries of kafkajs. Few, because they continue after a close; callers retry without limit. */
const connectRetry: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1000, retries: 2 };

/** Retries of kafkajs for sends and joins. */
export const retry: RetryOptions = { ...connectRetry, retries: 5 };

/** Creates a client, without connecting. */
export const createClient = (config: KafkaConfig, log: Logger): Client => {
  const { Kafka, logLevel } = kafkajs();
  registerConfiguredCodecs(kafkajs(), config.codecs);
  const sockets = new Sockets();
  const { tls, sasl } = config;
  const kafka = new Kafka({
    clientId: config.clientId,
    brokers: brokersOf(config.brokers),
    connectionTimeout: config.connectTimeoutMs,
    authenticationTimeout: config.connectTimeoutMs,
    requestTimeout: config.requestTimeoutMs,
    retry: connectRetry,
    logLevel: logLevel.WARN,
    logCreator: logCreatorOf(log),
    socketFactory: sockets.create,
    ...(tls !== false && { ssl: tls }),
    ...(sasl !== undefined && { sasl: sasl as NonNullable<DriverConfig["sasl"]> }),
  });
  return { kafka, sockets };
};

/** Returns the addresses, from a list or a comma-separated string. */
const brokersOf = (brokers: string | readonly string[]): string[] =>
  (typeof brokers === "string" ? brokers.split(",") : brokers).map((each) => driverAddress(each.trim()));
