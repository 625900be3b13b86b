import { App } from "@framework/core";
import { DatabaseConfig } from "@framework/database";
import { EventSourcingConfig } from "@framework/event-sourcing";
import { KafkaConfig } from "@framework/kafka";
import { RabbitMQConfig } from "@framework/rabbitmq";
import { RedisConfig } from "@framework/redis";
import { CsrfConfig } from "@framework/security";
import { SessionsConfig } from "@framework/sessions";
import { expect, test } from "@jest/globals";

const INVALID_URL = "mysql://user:opensesame@host/db";

/** Members of every configuration record. */
interface AnyRecord {
  readonly name: string;
  read(input: object): { readonly problems: readonly string[] };
}

const fields: readonly (readonly [record: AnyRecord, field: string, value: unknown])[] = [
  [DatabaseConfig, "url", INVALID_URL],
  [EventSourcingConfig, "connectionUrl", INVALID_URL],
  [RedisConfig, "url", INVALID_URL],
  [RabbitMQConfig, "url", INVALID_URL],
  [RedisConfig, "password", 20261123],
  [KafkaConfig, "sasl", "user:opensesame"],
  [CsrfConfig, "secret", "opensesame"],
  [SessionsConfig, "secret", "opensesame"],
];

test.each(fields.map(([record, field, value]) => [`${record.name}.${field}`, record, field, value] as const))(
  "the message about an invalid %s omits the value",
  (name, record, field, value) => {
    const { problems } = record.read({ [field]: value });
    expect(problems).toEqual([expect.stringContaining(`${name} must be`)]);
    expect(problems.join()).not.toMatch(/opensesame|20261123/);
  },
);

test("a private key passed as a file name appears in no message", async () => {
  const keyFile = "-----BEGIN PRIVATE KEY-----\nopensesame";
  const failure: unknown = await new App()
    .run({ port: 0, logs: false, exitOnError: false, tls: { certFile: "cert.pem", keyFile } })
    .catch((error: unknown) => error);
  expect(String(failure)).toContain("TlsConfig.keyFile must be the name of a file");
  expect(String(failure)).not.toContain("opensesame");
});
