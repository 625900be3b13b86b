// A script in which only the time limit of a transaction keeps the process running.
import { openDatabase } from "./index.ts";

const db = openDatabase({ url: process.argv[2] ?? "sqlite://:memory:" });
const limited = db.transaction(() => new Promise(() => {}), { timeoutSecs: 0.2 });
console.log(await limited.catch((error: { readonly code: string }) => error.code));
await db.close();
