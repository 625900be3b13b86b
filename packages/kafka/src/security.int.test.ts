import { randomUUID } from "node:crypto";
import { App } from "@framework/core";
import { selfSigned } from "@framework/conformance";
import { messaging, type MessagingMethods } from "@framework/messaging";
import { type FragileServer, findProgram, startKafka } from "@framework/services";
import { freePort } from "@framework/services/free-port";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until, untilRunning } from "./faults.test-kit.ts";
import { kafkaBroker, type KafkaSasl } from "./index.ts";

const LIMIT_MS = 180_000;
const [USER, PASSWORD] = ["alice", "a-password-of-alice"];
const { cert, key } = selfSigned("localhost");

let server: FragileServer;
let secure: string;

beforeAll(async () => {
  if (findProgram("java") === null) throw new Error("java is not installed");
  const port = await freePort();
  secure = `localhost:${port}`;
  const listener = (name: string): string => `listener.name.sasl_ssl.${name}`;
  const plain = "org.apache.kafka.common.security.plain.PlainLoginModule";
  const scram = "org.apache.kafka.common.security.scram.ScramLoginModule";
  const bearer = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
  server = await startKafka({
    secureListener: { name: "SASL_SSL", address: secure },
    scramUsers: ["SCRAM-SHA-256", "SCRAM-SHA-512"].map(
      (mechanism) => `${mechanism}=[name=${USER},password=${PASSWORD}]`,
    ),
    settings: {
      "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
      [listener("plain.sasl.jaas.config")]: `${plain} required user_${USER}="${PASSWORD}";`,
      [listener("scram-sha-256.sasl.jaas.config")]: `${scram} required;`,
      [listener("scram-sha-512.sasl.jaas.config")]: `${scram} required;`,
      [listener("oauthbearer.sasl.jaas.config")]:
        `${bearer} required unsecuredLoginStringClaim_sub="server";`,
      "ssl.keystore.type": "PEM",
      "ssl.keystore.certificate.chain": inOneLine(cert),
      "ssl.keystore.key": inOneLine(key),
    },
  });
}, 240_000);
afterAll(async () => {
  await server.stop();
}, 240_000);

const inOneLine = (pem: string): string => pem.trim().replaceAll("\n", "\\n");

const lines: string[] = [];
const write = (...line: readonly unknown[]): void => void lines.push(JSON.stringify(line));

const appWith = (
  sasl: KafkaSasl | undefined,
  ca: string | undefined,
  topic: string,
): App & MessagingMethods =>
  new (App.with(messaging))().enableMessaging({
    broker: kafkaBroker({
      brokers: secure,
      tls: ca === undefined ? true : { ca },
      ...(sasl !== undefined && { sasl }),
      partitions: 1,
    }),
    topics: [topic],
    drainMs: 1000,
  });

/** Creates an unsigned token, which the test server accepts. */
const tokenOf = (sub: string): string => {
  const parts = [{ alg: "none" }, { sub, exp: Math.floor(Date.now() / 1000) + 3600 }];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
};

const credentials: readonly KafkaSasl[] = [
  ...(["plain", "scram-sha-256", "scram-sha-512"] as const).map((mechanism) => ({
    mechanism,
    username: USER,
    password: PASSWORD,
  })),
  { mechanism: "oauthbearer", oauthBearerProvider: async () => ({ value: tokenOf(USER) }) },
];

test.concurrent.each(credentials)(
  "messages are sent and received over TLS, with the credentials of $mechanism",
  async (sasl) => {
    const topic = `t${randomUUID().slice(0, 8)}`;
    const got: unknown[] = [];
    const app = appWith(sasl, cert, topic);
    app.messaging.subscribe(topic, { group: topic, raw: true }, ({ data }) => void got.push(data));
    await app.start({ log: { info: write, warn: write, error: write } });
    await untilRunning(app);
    await app.messaging.send(topic, { type: "t", data: { n: 1 } });
    await until("the message", () => got.length === 1);
    await app.stop();
    expect(got).toEqual([{ n: 1 }]);
  },
  LIMIT_MS,
);

test.each([
  [
    "wrong credentials",
    { mechanism: "plain", username: USER, password: "wrong-hunter2" },
    cert,
    /authenticat/i,
  ],
  [
    "wrong credentials of SCRAM",
    { mechanism: "scram-sha-256", username: USER, password: "wrong-hunter2" },
    cert,
    /authenticat|SCRAM/i,
  ],
  [
    "a server certificate of an unknown authority",
    { mechanism: "plain", username: USER, password: PASSWORD },
    undefined,
    /certificate/i,
  ],
] as const)(
  "a subscription reports why it cannot connect, and logs no credentials: %s",
  async (_name, sasl, ca, reason) => {
    const topic = `t${randomUUID().slice(0, 8)}`;
    const app = appWith(sasl, ca, topic);
    app.messaging.subscribe(topic, { group: topic }, () => {});
    await app.start({ log: { info: write, warn: write, error: write } });
    await until("the reason", () => reason.test(app.messaging.status()[0]?.reason ?? ""));
    await app.stop();
    expect(lines.join("\n")).not.toContain("hunter2");
    expect(lines.join("\n")).not.toContain(PASSWORD);
  },
  LIMIT_MS,
);
