// A process that starts on tables of DBOS that may not exist yet, prints that it runs sagas, and ends.
import { openSagas } from "./open-sagas.test-kit.ts";

const { DATABASE = "", SERVER = "", SCHEMA = "" } = process.env;
const sagas = await openSagas({ url: DATABASE, server: SERVER, schema: SCHEMA, definitions: [] });
process.stdout.write("running\n");
await sagas.close();
