// A process that is killed during the second step of a saga. Prints the step's idempotency key when the step has begun.
import { killedSaga } from "./killed.test-sagas.ts";
import { openSagas } from "./open-sagas.test-kit.ts";

const { DATABASE = "", SERVER = "", SCHEMA = "" } = process.env;
const definition = killedSaga((key) => {
  process.stdout.write(`${key}\n`);
  return new Promise(() => {});
});
const { engine } = await openSagas({
  url: DATABASE,
  server: SERVER,
  schema: SCHEMA,
  definitions: [definition],
});
await engine.runner.start(definition, null, { key: "k" });
