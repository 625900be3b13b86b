// Runs long reads, which start the reading process, closes the database, and prints that it is closed. Argument: the URL of the database.
import { openDatabase } from "./index.ts";

const db = openDatabase({ url: process.argv[2] ?? "", longReadMs: 1 });
const slow = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT count(*) FROM n`;
for (let times = 0; times < 3; times++) await db.fetchValue(slow);
await db.close();
console.log("closed");
