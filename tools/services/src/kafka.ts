import { writeFileSync } from "node:fs";
import { checkKafka } from "./check-kafka.ts";
import { startFragileServer } from "./fragile-server.ts";
import { freePort } from "./free-port.ts";
import { kafkaArchive } from "./kafka-archive.ts";
import { kafkaJars } from "./kafka-jars.ts";
import { makeStorage } from "./kafka-storage.ts";
import { needProgram } from "./programs.ts";
import type { FragileServer } from "./running-server.ts";
import { ServerFolder } from "./server-folder.ts";
import { ServerProcess } from "./server-process.ts";

/** JVM options for a fast start rather than throughput. */
const javaOptions = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/** Options of `startKafka`. */
export interface KafkaOptions {
  /** @default a free one */
  readonly port?: number;
  /** Port that the broker advertises to clients, such as the port of a proxy. @default `port` */
  readonly advertisedPort?: number;
  /** Whether a graceful stop writes the CDS archive, if there is none. @default false */
  readonly writesArchive?: boolean;
  /** An additional listener for clients: its protocol, such as `SASL_SSL`, and its `host:port`. */
  readonly secureListener?: { readonly name: string; readonly address: string };
  /** Additional settings, as in `server.properties`. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** SCRAM users, as `--add-scram` of the format tool takes them. */
  readonly scramUsers?: readonly string[];
}

/** Starts a separate Apache Kafka broker, one node in KRaft mode, on loopback; `url` is its `host:port`. */
export const startKafka = async (chosen: KafkaOptions = {}): Promise<FragileServer> => {
  const java = needProgram("java");
  const jars = await kafkaJars();
  const folder = new ServerFolder("kafka");
  const [port, controller] = [chosen.port ?? (await freePort()), await freePort()];
  const ports = { port, controller, advertised: chosen.advertisedPort ?? port };
  const { scramUsers = [], secureListener } = chosen;
  const more = secureListener === undefined ? {} : withListener(ports, secureListener);
  const settings = { ...more, ...chosen.settings };
  writeFileSync(folder.at("server.properties"), properties(ports, folder.at("data"), settings));
  writeFileSync(folder.at("log4j2.properties"), LOG_SETTINGS);
  const archive = kafkaArchive(jars, chosen.writesArchive ?? false);
  const options = [
    ...archive.readOptions,
    ...javaOptions,
    `-Dlog4j2.configurationFile=${folder.at("log4j2.properties")}`,
    "-cp",
    `${jars}/*`,
  ];
  await makeStorage({ java, options, jars }, folder, scramUsers);
  const args = [...archive.writeOptions, ...options, "kafka.Kafka", folder.at("server.properties")];
  const broker = `127.0.0.1:${port}`;
  const server = await startFragileServer({
    name: "Kafka",
    url: broker,
    folder,
    process: new ServerProcess({ program: java, args, folder, env: { LOG_DIR: folder.path } }),
    check: () => checkKafka([broker]),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    archive.saveArchive();
  };
  return {
    url: server.url,
    kill: () => server.kill(),
    start: () => server.start(),
    shutdown: () => server.shutdown(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

interface Ports {
  readonly port: number;
  readonly controller: number;
  readonly advertised: number;
}

const withListener = (
  { port, controller, advertised }: Ports,
  { name, address }: NonNullable<KafkaOptions["secureListener"]>,
): Readonly<Record<string, string>> => ({
  listeners: `PLAINTEXT://127.0.0.1:${port},${name}://${address},CONTROLLER://127.0.0.1:${controller}`,
  "advertised.listeners": `PLAINTEXT://127.0.0.1:${advertised},${name}://${address}`,
  "listener.security.protocol.map": `PLAINTEXT:PLAINTEXT,${name}:${name},CONTROLLER:PLAINTEXT`,
});

const properties = (
  { port, controller, advertised }: Ports,
  data: string,
  settings: NonNullable<KafkaOptions["settings"]>,
): string =>
  Object.entries({
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${advertised}`,
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": data,
    "auto.create.topics.enable": false,
    "metadata.max.idle.interval.ms": 0, // no record every half second while idle
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 4,
    ...settings,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

const LOG_SETTINGS = `status=error
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m (%c)%n
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
`;
