/**
 * Measures messaging: dispatch in memory, the broker on the database compared with hand-written SQL, Kafka and RabbitMQ compared with NestJS microservices, each
 * pair alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:messaging [memory sqlite postgres kafka rabbitmq] [--rounds 9] [--messages 4000]
 */
import { parseArgs } from "node:util";
import { printTitle } from "../measure/report.ts";
import { selectParts } from "../measure/select-names.ts";
import { measureKafka, measureRabbitMq } from "./compare-with-nest.ts";
import { measureMemory } from "./memory.ts";
import { measurePostgres, measureSqlite } from "./on-database.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" }, messages: { type: "string", default: "4000" } },
});
const [rounds, messages] = [Number(values.rounds), Number(values.messages)];

const parts: Readonly<Record<string, () => Promise<void>>> = {
  memory: () => measureMemory(rounds),
  sqlite: () => measureSqlite(rounds, messages),
  postgres: () => measurePostgres(rounds, messages),
  kafka: () => measureKafka(rounds, messages),
  rabbitmq: () => measureRabbitMq(rounds, messages),
};

const selectedParts = selectParts(parts, positionals);
const keepAlive = setInterval(() => {}, 1000); // keeps the process alive, which the timers of an app do not
printTitle(`Messaging, median of ${rounds} rounds with a 95 % interval`);
for (const [, part] of selectedParts) await part();
clearInterval(keepAlive);
