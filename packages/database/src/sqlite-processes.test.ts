import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openDatabase } from "./index.ts";

const program = `
import { openDatabase } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
const db = openDatabase({ url: process.argv[1], connectionTimeoutSecs: 30 });
for (let n = 0; n < 100; n++) await db.transaction(async (tx) => {
  const value = await tx.fetchValue("SELECT n FROM counter");
  await tx.execute("UPDATE counter SET n = $1", [value + 1]);
});
await db.close();
`;

test("four processes that write one file lose no update and get no lock error", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const url = `sqlite://${join(folder.path, "shared.db")}`;
  const db = openDatabase({ url });
  await db.execute("CREATE TABLE counter (n INTEGER)");
  await db.execute("INSERT INTO counter VALUES (0)");
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", program, url];
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    }),
  );
  const ends = await Promise.all(children.map((child) => once(child, "exit")));
  expect(ends).toEqual(children.map(() => [0, null]));
  expect(await db.fetchValue("SELECT n FROM counter")).toBe(400);
  await db.close();
});
