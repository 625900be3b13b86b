import { spawnSync } from "node:child_process";
import { bundledProgram } from "@framework/bundled-sources";
import { expect, test } from "@jest/globals";

/** Client libraries of servers that the service can use, but does not by default. */
const libraries = [
  "@aws-sdk/client-sqs",
  "@dbos-inc/dbos-sdk",
  "@grpc/grpc-js",
  "amqplib",
  "ioredis",
  "kafkajs",
  "pg",
  "protobufjs",
];

test("the service on SQLite loads no client library of a server that it does not use", () => {
  const program = bundledProgram(new URL("./lazy-libraries.test-program.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL: "sqlite://:memory:", BOOKS_DEVTOOLS: "off" },
  });
  expect(stderr).toBe("");
  const loaded = JSON.parse(stdout) as readonly string[];
  expect(loaded).toContain("prom-client"); // so the list is not empty
  expect(libraries.filter((library) => loaded.includes(library))).toEqual([]);
});
