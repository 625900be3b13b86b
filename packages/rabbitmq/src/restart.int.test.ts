import { describe, test } from "@jest/globals";
import { findProgram, startRabbitMq } from "@framework/services";
import { expectEverythingDespite, LIMIT_MS } from "./harm.test-kit.ts";

const block = findProgram("rabbitmq-server") === null ? describe.skip : describe;

block("with a server that starts again", () => {
  test(
    "a server that is restarted in order, and then killed and started, loses no message, and keeps the order of each key",
    async () => {
      await using server = await startRabbitMq();
      const restart = async (): Promise<void> => {
        await server.shutdown();
        await server.start();
      };
      // RabbitMQ 3.10 writes the directory of its quorum queues with a delay: a queue that is younger than seconds does not survive the kill.
      const kill = async (): Promise<void> => {
        await server.kill();
        await server.start();
      };
      await expectEverythingDespite(server.url, restart, kill);
    },
    LIMIT_MS,
  );
});
