import { checkKafka } from "./check-kafka.ts";
import { startKafka } from "./kafka.ts";
import { queryPostgres, startPostgres } from "./postgres.ts";
import { startPostgresNewest } from "./postgres-newest.ts";
import { checkRabbitMq, startRabbitMq } from "./rabbitmq.ts";
import { checkRedis, startRedis } from "./redis.ts";
import { startRedisCluster } from "./redis-cluster.ts";
import type { RunningServer } from "./running-server.ts";
import { checkSqs, startSqs } from "./sqs.ts";

/** One kind of server that tests need. */
export interface Service {
  readonly name: string;
  /** Environment variable with the server's address; if it is set, no server is started. */
  readonly variable: string;
  /** Required programs, each with its Debian package. */
  readonly programs: Readonly<Record<string, string>>;
  readonly start: () => Promise<RunningServer>;
  /** Rejects unless the server at the address is ready for requests. */
  readonly check: (address: string) => Promise<void>;
}

const firstOf = (list: string): string => list.split(",")[0] ?? list;

/** Every server that `npm test` starts, by name. */
export const services: readonly Service[] = [
  {
    name: "postgres",
    variable: "DATABASE_URL",
    programs: { postgres: "postgresql", initdb: "postgresql" },
    start: startPostgres,
    check: queryPostgres,
  },
  {
    name: "postgres-newest",
    variable: "DATABASE_NEWEST_URL",
    programs: {}, // from npm
    start: startPostgresNewest,
    check: queryPostgres,
  },
  {
    name: "redis",
    variable: "REDIS_URL",
    programs: { "redis-server": "redis-server" },
    start: startRedis,
    check: checkRedis,
  },
  {
    name: "redis-cluster",
    variable: "REDIS_CLUSTER_URL",
    programs: { "redis-server": "redis-server", "redis-cli": "redis-tools" },
    start: () => startRedisCluster(),
    check: (nodes) => checkRedis(firstOf(nodes)),
  },
  {
    name: "rabbitmq",
    variable: "AMQP_URL",
    programs: { "rabbitmq-server": "rabbitmq-server", epmd: "erlang-base", erl_call: "erlang-base" },
    start: startRabbitMq,
    check: checkRabbitMq,
  },
  {
    name: "kafka",
    variable: "KAFKA_BROKERS",
    programs: { java: "default-jre-headless", mvn: "maven" },
    // In CI the CDS archive would be useless: no other broker is started later.
    start: () => startKafka({ writesArchive: process.env["CI"] === undefined }),
    check: (brokers) => checkKafka(brokers.split(",")),
  },
  { name: "sqs", variable: "SQS_ENDPOINT", programs: {}, start: startSqs, check: checkSqs },
];

/** Programs and Python modules that tests start themselves, each with its Debian package. */
export const testPrograms: Readonly<Record<string, string>> = {
  nginx: "nginx-light",
  haproxy: "haproxy",
  strace: "strace",
  "/usr/lib/python3/dist-packages/websockets": "python3-websockets",
};
